"""From files and folders to what is linted: each scenario, and all manifests together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kueuelab.errors import InputError, Problem
from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.manifests.loading.sources import documents_of
from kueuelab.manifests.reading.documents import Document
from kueuelab.whatif.advice.places import Places

__all__ = ["Loaded", "Source", "read"]


@dataclass(frozen=True, slots=True)
class Source:
    """A file or folder, or a text with a name."""

    value: Path | bytes | str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A scenario, or all manifests that are no scenario.

    Attributes
    ----------
    spec
        What was understood.
    places
        Where it is written.
    problems
        What could not be used: what is no YAML, and what the API server would refuse.
    """

    spec: ScenarioSpec
    places: Places
    problems: tuple[Problem, ...] = ()


def read(
    sources: Iterable[Source], *, existing: Any = (), allow_outside: bool = False
) -> list[Loaded]:
    """Return what is in files and folders.

    A file with a scenario is taken by itself. All others make up one cluster, as if
    ``kubectl apply`` took them.

    Parameters
    ----------
    sources
        What to read.
    existing
        What the cluster has already.
    allow_outside
        Whether scenarios may name files outside of their folders.

    Examples
    --------
    >>> queue = '{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: a}}'
    >>> [each.spec.manifests for each in read([Source(queue, "a.yaml")])]
    [<Manifests ClusterQueue: 1>]
    """
    problems: list[Problem] = []
    documents: list[Document] = []
    for source in sources:
        try:
            documents += documents_of(source.value, problems, name=source.name)
        except InputError as error:
            problems += error.problems
    return [
        _load(group, problems if index == 0 else [], existing, allow_outside=allow_outside)
        for index, group in enumerate(_groups(documents) or [[]])
    ]


def _groups(documents: Sequence[Document]) -> list[list[Document]]:
    """Return the documents of each scenario, and all others together as the first group."""
    of_file: dict[str, list[Document]] = {}
    for document in documents:
        name = document.source.name if document.source is not None else ""
        of_file.setdefault(name, []).append(document)
    scenarios = [each for each in of_file.values() if any(map(_is_scenario, each))]
    others = [each for each in of_file.values() if not any(map(_is_scenario, each))]
    together = [document for each in others for document in each]
    return [together, *scenarios] if together else scenarios


def _is_scenario(document: Document) -> bool:
    value = document.value
    if not isinstance(value, Mapping) or value.get("kind") != "Scenario":
        return False
    return str(value.get("apiVersion")).startswith("kueuelab/")


def _load(
    documents: list[Document], problems: Sequence[Problem], existing: Any, *, allow_outside: bool
) -> Loaded:
    places = Places(documents)
    try:
        spec = load_scenario(documents, existing=existing, allow_outside=allow_outside)
    except InputError as error:
        understood = error.understood
        spec = understood if isinstance(understood, ScenarioSpec) else ScenarioSpec()
        return Loaded(spec, places, (*problems, *error.problems))
    return Loaded(spec, places, tuple(problems))
