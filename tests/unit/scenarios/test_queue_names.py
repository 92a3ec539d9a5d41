"""In no story does a LocalQueue have the name of a ClusterQueue: `team-a` and `team-a-jobs`.

Every file that learners meet is read: scenarios, dumps, what exercises begin with, the recordings
that notebooks read, the example of a repository with policies, and the cells of notebooks.
Recordings of real clusters keep the names of these; those with equal names are in ``RECORDED``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
#: Recordings of real clusters in which names are equal: none so far.
RECORDED: frozenset[str] = frozenset()

MANIFESTS = sorted(
    str(file.relative_to(ROOT))
    for folder in (
        "kueuelab/scenarios",
        "exercises",
        "notebooks/recordings",
        "tests/config_repository",
    )
    for file in (ROOT / folder).rglob("*.yaml")
    if "texts" not in file.parts
)
NOTEBOOKS = sorted(
    str(file.relative_to(ROOT))
    for folder in ("notebooks", "exercises")
    for file in (ROOT / folder).rglob("*.ipynb")
)


def objects_in(document: Any) -> Iterator[tuple[str, str]]:
    """Yield kind and name of each queue in a document, however deep it is."""
    if isinstance(document, dict):
        kind, metadata = document.get("kind"), document.get("metadata")
        if kind in ("ClusterQueue", "LocalQueue") and isinstance(metadata, dict):
            yield str(kind), str(metadata.get("name"))
        for value in document.values():
            yield from objects_in(value)
    elif isinstance(document, list):
        for value in document:
            yield from objects_in(value)


def shared_names(text: str) -> set[str]:
    """Return the names that a ClusterQueue and a LocalQueue have both."""
    found: dict[str, set[str]] = {"ClusterQueue": set(), "LocalQueue": set()}
    for kind, name in objects_in(list(yaml.safe_load_all(text))):
        found[kind].add(name)
    return found["ClusterQueue"] & found["LocalQueue"]


def shared_names_in_cells(cells: str) -> set[str]:
    cluster_queues = set(re.findall(r"(?:cluster-queue|cq|ClusterQueue)/([\w.-]+)", cells))
    local_queues = set(re.findall(r"(?:local-queue|lq|LocalQueue)/(?:[\w.-]+/)?([\w.-]+)", cells))
    return cluster_queues & (local_queues | set(re.findall(r'"queue": "([\w.-]+)"', cells)))


@pytest.mark.parametrize("file", MANIFESTS)
def test_queues_of_a_file_have_names_of_their_own(file: str) -> None:
    shared = shared_names((ROOT / file).read_text("utf-8"))
    assert bool(shared) == (file in RECORDED), shared


@pytest.mark.parametrize("file", NOTEBOOKS)
def test_queues_of_a_notebook_have_names_of_their_own(file: str) -> None:
    notebook = json.loads((ROOT / file).read_text("utf-8"))
    code = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    assert not shared_names_in_cells("\n".join("".join(cell["source"]) for cell in code))


def test_equal_names_are_found() -> None:
    equal = """
    timeline:
    - {at: 1s, apply: {kind: ClusterQueue, metadata: {name: team-a}}}
    - {at: 2s, apply: {kind: LocalQueue, metadata: {name: team-a}}}
    """
    assert shared_names(equal) == {"team-a"}
    assert (
        shared_names(equal.replace("LocalQueue, metadata: {name: team-a", "Cohort, x: {a: b"))
        == set()
    )
    cells = 'lab.edit("cluster-queue/team-a", {}).submit({"job": "a", "queue": "team-a"})'
    assert shared_names_in_cells(cells) == {"team-a"}
    assert not shared_names_in_cells(cells.replace('"team-a"})', '"team-a-jobs"})'))


def test_files_of_each_kind_are_read() -> None:
    for part in ("preemption-policies", "topology", "dumps", "exercises", "gpu-cluster"):
        assert any(part in file for file in MANIFESTS), part
    assert len([file for file in MANIFESTS if file.endswith("/start.yaml")]) == 28
