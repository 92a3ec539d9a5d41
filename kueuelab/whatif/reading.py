"""Jobs and manifests as people hand them to a fork, to actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kueuelab.errors import InputError, Problem
from kueuelab.manifests.decode import DEFAULT_NAMESPACE
from kueuelab.manifests.loading.items import Item
from kueuelab.manifests.loading.loader import Loader
from kueuelab.manifests.loading.moments import nanoseconds
from kueuelab.manifests.loading.sources import documents_of
from kueuelab.manifests.loading.timeline import Timeline
from kueuelab.manifests.reading.documents import Document
from kueuelab.manifests.scenario import SCENARIO_VERSION, Action, Apply, Submit
from kueuelab.manifests.shapes.check import mistakes
from kueuelab.manifests.shapes.tables import record_of
from kueuelab.messages import Message
from kueuelab.model import Configuration, ModelObject, Workload
from kueuelab.whatif.references import ObjectIndex

__all__ = ["actions_of_entry", "actions_of_manifests"]


def actions_of_entry(
    entry: Mapping[str, Any], index: ObjectIndex, configuration: Configuration
) -> tuple[Action, ...]:
    """Return what an entry of a timeline does, among these objects.

    Raises
    ------
    InputError
        With all that is wrong with it.

    Examples
    --------
    >>> job = {"job": "a", "queue": "team-a", "requests": {"cpu": 1}}
    >>> actions_of_entry({"submit": job}, ObjectIndex(), Configuration())[0].workloads[0].key
    'default/a'
    """
    item = Item({"at": "0s", **entry}, Document(entry), (), next(iter(entry)))
    loader = Loader()
    found = mistakes(item.obj, record_of(SCENARIO_VERSION, "Action"))
    actions: list[Action] = []
    if found:
        loader.findings.add_all(item, found)
    else:
        timeline = Timeline(loader, index.names_of_all, configuration, index, DEFAULT_NAMESPACE)
        actions = timeline.actions(item, (), None)
    _raise_problems(loader)
    return tuple(actions)


def actions_of_manifests(
    source: Any, index: ObjectIndex, configuration: Configuration, runs: float | str | None = None
) -> tuple[Action, ...]:
    """Return what applying manifests does: jobs are submitted, other objects applied.

    Parameters
    ----------
    source
        Objects of the model, or anything that :func:`kueuelab.manifests.load` takes.
    index
        What jobs may refer to.
    configuration
        How jobs become Workloads.
    runs
        For how long the jobs run once they are admitted (seconds, or ``"5m"``); their own time (a
        pod that sleeps) by default.

    Raises
    ------
    InputError
        With all that is wrong.
    """
    given = None if runs is None else _duration(runs)
    objects, sleeps = _objects(source, index, configuration)
    actions: list[Action] = []
    others = tuple(obj for obj in objects if not isinstance(obj, Workload))
    if others:
        actions.append(Apply(others))
    for workload in (obj for obj in objects if isinstance(obj, Workload)):
        duration = sleeps.get(workload.key) if given is None else given
        actions.append(Submit((workload,), duration))
    if not actions:
        hint = Message("whatif.objects.none.hint")
        raise InputError(Problem(Message("whatif.objects.none"), hint=hint))
    return tuple(actions)


def _duration(runs: float | str) -> int:
    """Return how long jobs run, in nanoseconds; what a timeline refuses is refused."""
    entry = {"runs": runs}
    item = Item(entry, Document(entry), (), "submit")
    shape = record_of(SCENARIO_VERSION, "Action").fields["runs"].shape
    loader = Loader()
    loader.findings.add_all(item, mistakes(runs, shape, ("runs",)))
    _raise_problems(loader)
    return nanoseconds(runs)


def _objects(
    source: Any, index: ObjectIndex, configuration: Configuration
) -> tuple[tuple[ModelObject, ...], Mapping[str, int]]:
    parts = source if isinstance(source, list | tuple) else (source,)
    if parts and all(isinstance(part, ModelObject) for part in parts):
        return tuple(parts), {}
    loader = Loader(configuration=configuration)
    problems: list[Problem] = []
    loader.add_documents(list(documents_of(source, problems)))
    loader.add_problems(problems)
    manifests = loader.collect(index, strict=True)
    _raise_problems(loader)
    return loader.objects, manifests.runs


def _raise_problems(loader: Loader) -> None:
    problems, _ = loader.findings.results()
    if problems:
        raise InputError(problems)
