"""Saved runs of version 1 open: they are the runs that version 2 writes down."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kueuelab.errors import InputError
from kueuelab.files import read_bytes
from kueuelab.trace import Change, Step, Trace
from kueuelab.trace.export import load_trace, trace_from_json

DATA = Path(__file__).parents[2] / "data"
#: Recorded in both versions: single clusters, a manager with workers, dumps.
NAMES = sorted(path.name for path in (DATA / "runs-v1").glob("*.json.gz"))


def without_selectors(trace: Trace) -> tuple[Step, ...]:
    """Leave out selectors of all namespaces, which version 1 didn't write."""

    def value(found: Any) -> Any:
        if not isinstance(found, dict) or found.get("kind") != "ClusterQueue":
            return found
        spec = {k: v for k, v in found["spec"].items() if (k, v) != ("namespaceSelector", {})}
        return {**found, "spec": spec}

    return tuple(
        replace(
            step,
            changes=tuple(
                Change(each.path, value(each.before), value(each.after)) for each in step.changes
            ),
        )
        for step in trace
    )


def test_there_are_both_versions_of_every_run() -> None:
    assert len(NAMES) > 10
    assert sorted(path.name for path in (DATA / "runs-v2").glob("*.json.gz")) == NAMES
    for version in (1, 2):
        for name in NAMES:
            text = read_bytes(DATA / f"runs-v{version}" / name).decode()
            assert f'"version":{version}}}' in text


@pytest.mark.parametrize("name", NAMES)
def test_a_run_of_version_1_is_that_of_version_2(name: str) -> None:
    """What is shown is read from the trace alone, so that all views show the same."""
    old, new = (load_trace(DATA / f"runs-v{version}" / name) for version in (1, 2))
    assert without_selectors(old) == without_selectors(new)
    assert (old.name, old.title, old.kueue_version) == (new.name, new.title, new.kueue_version)
    assert old.clusters == new.clusters


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cohort_name", 1),
        ("unheard_of", 1),
        ("metadata", {}),
        ("resource_groups", [{"flavors": 1}]),
        ("resource_groups", {}),
        ("preemption", "Any"),
    ],
)
def test_damage_is_refused(field: str, value: Any) -> None:
    document = json.loads(read_bytes(DATA / "runs-v1" / "reclaim-1-take-back.json.gz"))
    trace = trace_from_json(json.dumps(document))
    assert trace.state_at(1).cluster_queue("cluster-queue").parent == "same"
    document["steps"][1]["changes"][0]["after"][field] = value
    with pytest.raises(InputError, match="of the trace cannot be read"):
        trace_from_json(json.dumps(document), "run.json")
