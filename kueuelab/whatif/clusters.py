"""Forks of scenarios with several clusters: at the start, and at a time.

A run of several clusters can't be taken back to a step, because requests between them
at that moment are not part of any state. A fork is the scenario with more in its timeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kueuelab.errors import InputError, NotModelledError, Problem
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import Action, Apply, Remove
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.model import ModelObject
from kueuelab.model.times import format_duration
from kueuelab.multikueue import ClusterSetRun, MultiKueueScenario
from kueuelab.multikueue.cluster_set import ClusterSet
from kueuelab.multikueue.recording import SharedRecorder
from kueuelab.simulation.player import DEFAULT_START
from kueuelab.whatif.changes import Change, Edit, LookAgain, change_text, outline
from kueuelab.whatif.configuring import Configure
from kueuelab.whatif.fields import edited
from kueuelab.whatif.moments import moment_of_fork
from kueuelab.whatif.reading import actions_of_entry, actions_of_manifests
from kueuelab.whatif.references import ObjectIndex
from kueuelab.whatif.replay import at_the_start, objects_at

if TYPE_CHECKING:
    from kueuelab.whatif.report import Report

__all__ = ["MultiKueueFork", "MultiKueueLab", "MultiKueueRun"]

_MANAGER = "manager"


@dataclass(frozen=True, slots=True, repr=False)
class MultiKueueLab(MultiKueueScenario):
    """A scenario with a manager and workers, to run and to change.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> lab = scenarios.load("lost-worker")
    >>> lab.fork(at="2s")
    <MultiKueueFork at 2s: 0 changes>
    """

    def fork(self, at: int | str = 0) -> MultiKueueFork:
        """Branch off before the start (0), or at a time since the start (``"50s"``).

        Raises
        ------
        NotModelledError
            If it is to be a step: a run of several clusters can't be taken back to one.
        """
        if isinstance(at, str):
            return MultiKueueFork(self, moment_of_fork(at))
        if at != 0:
            hint = Message("whatif.clusters.step.hint")
            raise NotModelledError(Message("whatif.clusters.step"), hint=hint)
        return MultiKueueFork(self)

    def _run_of(
        self, cluster_set: ClusterSet, recorder: SharedRecorder | None, start: int
    ) -> MultiKueueRun:
        return MultiKueueRun(self, cluster_set, recorder, start)


class MultiKueueRun(ClusterSetRun):
    """What came of a scenario with several clusters, and what would if it were different."""

    def fork(self, at: int | str | None = None) -> MultiKueueFork:
        """Branch off at a time (``"50s"``), before the start (0), or by default at the end."""
        lab = self.scenario
        assert isinstance(lab, MultiKueueLab)
        return (
            MultiKueueFork(lab, self.cluster_set.now - self.start) if at is None else lab.fork(at)
        )

    def what_would_admit(
        self,
        workload: str,
        until: float | str | None = None,
        progress: Callable[[], object] | None = None,
    ) -> Report:
        """Search for changes of one cluster by which a job would run on a worker.

        While the manager has no quota for it, these are changes of the manager; then those of
        each worker that has a copy of its workload. Each is verified by playing the scenario
        to its end, making the change there, and a minute more, or up to a time (``until``).

        Raises
        ------
        UnknownObjectError
            If the manager has no such workload.
        """
        from kueuelab.whatif.cluster_search import what_would_admit

        return what_would_admit(self, workload, until, progress)


@dataclass(frozen=True, slots=True, repr=False)
class MultiKueueFork:
    """A branch of a scenario with several clusters. Every method but :meth:`run` returns another.

    Attributes
    ----------
    lab
        The scenario, changed as asked for so far.
    after
        At what time, in nanoseconds since the start; ``None`` before the start.
    texts
        What is different, line by line.
    """

    lab: MultiKueueLab
    after: int | None = None
    texts: tuple[str, ...] = ()

    def __repr__(self) -> str:
        count, where = len(self.texts), str(self._where)
        return f"<MultiKueueFork {where[0].lower()}{where[1:]} {count} change{'s' * (count != 1)}>"

    def __str__(self) -> str:
        return self.as_text()

    @property
    def _where(self) -> str:
        if self.after is None:
            return Message("whatif.fork.at-start")
        return Message("whatif.fork.at-time", time=format_duration(self.after))

    def as_text(self, language: str | Catalog = "en") -> str:
        """Return where it forks and what it changes, line by line."""
        return outline(self._where, self.texts, language_of(language))

    # --- changes -----------------------------------------------------------------------------

    def edit(
        self, object: str, values: Mapping[str, Any], *, cluster: str = _MANAGER
    ) -> MultiKueueFork:
        """Give fields of an object other values, as :meth:`kueuelab.whatif.fork.Fork.edit` does.

        Raises
        ------
        NotModelledError
            If it is a workload that may be there already: in several clusters it follows its
            job. At the start, those that are submitted later can be edited.
        """
        index = self._object_index(cluster)
        found = index.find(object)
        change = Edit(found, dict(values))
        if self.after is None:
            return self._at_the_start(cluster, change)
        if found.kind == "Workload":
            hint = Message("whatif.clusters.workload.hint")
            raise NotModelledError(Message("whatif.clusters.workload"), hint=hint)
        new = edited(index[found], values)
        return self._later(cluster, Apply((new,)), change_text(change))

    def change(self, *changes: Change, cluster: str = _MANAGER) -> MultiKueueFork:
        """Make changes to a cluster, such as those of a suggestion.

        Raises
        ------
        NotModelledError
            If one is about a workload that may be there already, as in :meth:`edit`.
        """
        fork = self
        for change in changes:
            if isinstance(change, Edit):
                fork = fork.edit(str(change.object), change.values, cluster=cluster)
            elif isinstance(change, LookAgain):
                raise NotModelledError(Message("whatif.clusters.look-again"))
            elif isinstance(change, Configure):
                raise NotModelledError(Message("whatif.clusters.configure"))
            else:
                fork = fork._with(cluster, change)
        return fork

    def apply(self, source: Any, *, cluster: str = _MANAGER) -> MultiKueueFork:
        """Apply manifests to a cluster; jobs among them are submitted."""
        actions = actions_of_manifests(
            source, self._object_index(cluster), self.lab.spec.configuration
        )
        return self._with(cluster, *actions)

    def submit(self, job: Any, *, runs: float | str | None = None) -> MultiKueueFork:
        """Submit a job to the manager, in the short form of the scenario file or as a manifest."""
        index, configuration = self._object_index(_MANAGER), self.lab.spec.configuration
        if isinstance(job, Mapping) and "kind" not in job:
            entry: dict[str, Any] = {"submit": dict(job)}
            if runs is not None:
                entry["runs"] = runs
            return self._with(_MANAGER, *actions_of_entry(entry, index, configuration))
        return self._with(_MANAGER, *actions_of_manifests(job, index, configuration, runs))

    def finish(self, workload: str) -> MultiKueueFork:
        """Let a workload's job succeed, wherever it runs."""
        return self._entry({"finish": workload})

    def delete(self, workload: str) -> MultiKueueFork:
        """Delete a workload with its job."""
        return self._entry({"delete": workload})

    def set_active(self, workload: str, active: bool) -> MultiKueueFork:
        """Set ``spec.active`` of a workload."""
        return self._entry({"setActive": {"workload": workload, "active": active}})

    def set_priority(self, workload: str, priority: int) -> MultiKueueFork:
        """Set ``spec.priority`` of a workload on the manager."""
        return self._entry({"setPriority": {"workload": workload, "priority": priority}})

    def remove(self, object: str, *, cluster: str = _MANAGER) -> MultiKueueFork:
        """Delete an object of a cluster."""
        found = self._object_index(cluster).find(object)
        if found.kind == "Workload":
            return self.delete(found.key)
        return self._with(cluster, Remove(found.kind, found.name, found.namespace))

    def objects(self, cluster: str = _MANAGER) -> tuple[ModelObject, ...]:
        """Return the objects of a cluster where the fork leaves the run, changed as it says.

        Examples
        --------
        >>> from kueuelab import scenarios
        >>> fork = scenarios.load("lost-worker").fork()
        >>> [obj.metadata.name for obj in fork.objects("w1")][:2]
        ['generic', 'dispatch']
        """
        return tuple(self._object_index(cluster))

    def run(self, *, until: float | None = None) -> MultiKueueRun:
        """Play it to its end, or until so many seconds after the start."""
        run = self.lab.run(until=until)
        assert isinstance(run, MultiKueueRun)
        return run

    # --- inside ------------------------------------------------------------------------------

    def _entry(self, entry: Mapping[str, Any]) -> MultiKueueFork:
        index = self._object_index(_MANAGER)
        return self._with(_MANAGER, *actions_of_entry(entry, index, self.lab.spec.configuration))

    def _with(self, cluster: str, *actions: Action) -> MultiKueueFork:
        fork = self
        for action in actions:
            if fork.after is None and isinstance(action, Apply | Remove):
                fork = fork._at_the_start(cluster, action)
            else:
                fork = fork._later(cluster, action, change_text(action))
        return fork

    def _part(self, cluster: str) -> ScenarioSpec:
        """Return what one cluster has: its objects, and what happens to it."""
        spec = self.lab.spec
        names = [_MANAGER, *(worker.name for worker in spec.workers)]
        if cluster not in names:
            hint = Message("whatif.clusters.unknown.hint", names=", ".join(names))
            raise InputError(
                Problem(Message("whatif.clusters.unknown", cluster=cluster), hint=hint)
            )
        timeline = tuple(a for a in spec.timeline if (a.cluster or _MANAGER) == cluster)
        if cluster == _MANAGER:
            return ScenarioSpec(manifests=spec.manifests, timeline=timeline)
        worker = next(each for each in spec.workers if each.name == cluster)
        return ScenarioSpec(manifests=worker.manifests, timeline=timeline)

    def _object_index(self, cluster: str) -> ObjectIndex:
        part = self._part(cluster)
        if self.after is not None:
            return objects_at(part, (), DEFAULT_START + self.after)
        # What comes later can be edited before it comes; what is there counts.
        index = objects_at(part, (), None)
        for obj in part.manifests:
            index.put(obj)
        return index

    def _at_the_start(self, cluster: str, change: Edit | Action) -> MultiKueueFork:
        spec, part = self.lab.spec, at_the_start(self._part(cluster), change)
        if cluster == _MANAGER:
            edits = iter(part.timeline)
            timeline = tuple(
                next(edits) if (a.cluster or _MANAGER) == cluster else a for a in spec.timeline
            )
            changed = replace(spec, manifests=part.manifests, timeline=timeline)
        else:
            workers = tuple(
                replace(each, manifests=part.manifests) if each.name == cluster else each
                for each in spec.workers
            )
            changed = replace(spec, workers=workers)
        return self._changed(changed, cluster, change_text(change))

    def _later(self, cluster: str, action: Action, text: str) -> MultiKueueFork:
        spec, at = self.lab.spec, self.after or 0
        action = replace(action, at=at, cluster="" if cluster == _MANAGER else cluster)
        before = sum(each.at <= at for each in spec.timeline)
        timeline = (*spec.timeline[:before], action, *spec.timeline[before:])
        return self._changed(replace(spec, timeline=timeline), cluster, text)

    def _changed(self, spec: ScenarioSpec, cluster: str, text: str) -> MultiKueueFork:
        if cluster != _MANAGER:
            text = Message("whatif.clusters.change", cluster=cluster, change=text)
        # What the scenario does later may be about something that isn't there any more.
        lab = replace(self.lab, spec=spec, lenient=True)
        return replace(self, lab=lab, texts=(*self.texts, text))
