"""A fork: a run up to some step, what is different from there, and how it goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kueuelab.errors import SimulationError
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import Delete, Remove, Submit
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.model import ModelObject, Workload
from kueuelab.trace.html import paragraphs
from kueuelab.whatif.changes import Change, Edit, change_text, outline
from kueuelab.whatif.fields import edited
from kueuelab.whatif.reading import actions_of_entry, actions_of_manifests
from kueuelab.whatif.references import ObjectIndex, Reference
from kueuelab.whatif.replay import Branch, at_the_start, happen, objects_at

if TYPE_CHECKING:
    from kueuelab.whatif.lab import Lab, LabRun

__all__ = ["Fork"]


@dataclass(frozen=True, slots=True, repr=False)
class Fork:
    """A branch of a run. Every method but :meth:`run` returns a new fork with one change more.

    The changes are made at the next moment after the step at which nothing is under way:
    before the first cycle of the instant, or after the cycle that holds the step. At a time
    they are made when the clock shows it and all that is due by then is done. What the
    scenario does later, it does here, too. At 0 the scenario begins with the changes.

    Attributes
    ----------
    spec
        The scenario.
    earlier
        Branches that lead here.
    step, time
        Where it leaves the run: a step (``None``: a time, or its end) and when that is; 0 and
        ``None`` before the start.
    changes
        What is different.
    after
        The time since the start, if it was asked for a time: ``50s``.

    Examples
    --------
    >>> import kueuelab as kl
    >>> lab = kl.load('''
    ... {apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: a},
    ...  spec: {clusterQueue: research}}
    ... ''')
    >>> fork = lab.fork().edit("local-queue/a", {"spec.clusterQueue": "teaching"})
    >>> fork
    <Fork at the start: 1 change>
    >>> print(fork.as_text())
    At the start:
      edit LocalQueue/default/a: spec.clusterQueue: teaching
    """

    spec: ScenarioSpec
    earlier: tuple[Branch, ...] = ()
    step: int | None = 0
    time: int | None = None
    changes: tuple[Change, ...] = ()
    after: str = ""

    def __repr__(self) -> str:
        count, where = len(self.changes), str(self._where)
        return f"<Fork {where[0].lower()}{where[1:]} {count} change{'s' * (count != 1)}>"

    def __str__(self) -> str:
        return self.as_text()

    def _repr_html_(self) -> str:
        return paragraphs(self.as_text())

    @property
    def _where(self) -> str:
        if self.time is None:
            return Message("whatif.fork.at-start")
        if self.step is not None:
            return Message("whatif.fork.at-step", step=self.step)
        if self.after:
            return Message("whatif.fork.at-time", time=self.after)
        return Message("whatif.fork.at-end")

    def as_text(self, language: str | Catalog = "en") -> str:
        """Return where it forks and what it changes, line by line."""
        return outline(self._where, map(change_text, self.changes), language_of(language))

    # --- changes -----------------------------------------------------------------------

    def edit(self, object: str, values: Mapping[str, Any]) -> Fork:
        """Give fields of an object other values.

        Parameters
        ----------
        object
            ``kind/name`` or ``kind/namespace/name``; the kind as in a manifest, or in
            small letters with dashes: ``cluster-queue/team-a``. A workload may be called
            by the name of its job, and may be one that is submitted later.
        values
            Path to value, as in a manifest; list items go by index or by name:
            ``spec.resourceGroups[0].flavors[spot].resources[cpu].nominalQuota``.
            ``None`` takes a field away.

        Raises
        ------
        UnknownObjectError
            If there is no such object.
        InputError
            If a value doesn't go where it should: all mistakes, each with the field, and
            what would be right.
        """
        index = self._object_index()
        try:
            found = index.find(object)
        except LookupError:
            # A workload that is submitted later.
            later = objects_at(self.spec, self.earlier, None)
            found = later.find(object)
            if found.kind != "Workload" or index.is_gone(found):
                raise
            edited(later[found], values)
            return replace(self, spec=at_the_start(self.spec, Edit(found, dict(values))))
        edited(index[found], values)
        return self._with(Edit(found, dict(values)))

    def apply(self, source: Any) -> Fork:
        """Apply manifests: YAML text, a file, parsed documents or objects of the model.

        Raises
        ------
        InputError
            With all that is wrong with them.
        """
        actions = actions_of_manifests(source, self._object_index(), self.spec.configuration)
        return self._with(*actions)

    def submit(self, job: Any, *, runs: float | str | None = None) -> Fork:
        """Submit a job.

        Parameters
        ----------
        job
            The short form of the scenario file (``{"job": "a", "queue": "team-a",
            "requests": {"cpu": 1}}``), a manifest of any job kind, or a Workload.
        runs
            For how long it runs once it is admitted: seconds, or ``"5m"``; for ever by default.

        Raises
        ------
        InputError
            With all that is wrong with it.
        """
        index = self._object_index()
        if isinstance(job, Mapping) and "kind" not in job:
            entry: dict[str, Any] = {"submit": dict(job)}
            if runs is not None:
                entry["runs"] = runs
            actions = actions_of_entry(entry, index, self.spec.configuration)
        else:
            actions = actions_of_manifests(job, index, self.spec.configuration, runs)
        for action in actions:
            for workload in action.workloads if isinstance(action, Submit) else ():
                self._raise_if_there(index, workload)
        return self._with(*actions)

    def finish(self, workload: str) -> Fork:
        """Let a workload's job succeed; nothing happens unless it is admitted."""
        return self._entry({"finish": workload})

    def delete(self, workload: str) -> Fork:
        """Delete a workload with its job."""
        return self._entry({"delete": workload})

    def remove(self, object: str) -> Fork:
        """Delete an object by ``kind/name`` or ``kind/namespace/name``."""
        found = self._object_index().find(object)
        if found.kind == "Workload":
            return self.delete(found.key)
        return self._with(Remove(found.kind, found.name, found.namespace))

    def set_active(self, workload: str, active: bool) -> Fork:
        """Set ``spec.active`` of a workload."""
        return self._entry({"setActive": {"workload": workload, "active": active}})

    def set_priority(self, workload: str, priority: int) -> Fork:
        """Set ``spec.priority`` of a workload."""
        return self._entry({"setPriority": {"workload": workload, "priority": priority}})

    def change_job(
        self,
        workload: str,
        *,
        pods: int | None = None,
        queue: str | None = None,
        priority_class: str | None = None,
        suspend: bool | None = None,
    ) -> Fork:
        """Change a job: its number of pods, its LocalQueue, its WorkloadPriorityClass, suspend."""
        values = {
            "pods": pods,
            "queue": queue,
            "priorityClass": priority_class,
            "suspend": suspend,
        }
        given = {name: value for name, value in values.items() if value is not None}
        return self._entry({"changeJob": {"workload": workload, **given}})

    def scale(self, job: str, pods: int | Mapping[str, int]) -> Fork:
        """Give an elastic job another number of pods, or numbers by pod set."""
        size = "pods" if isinstance(pods, int) else "podSets"
        return self._entry({"scale": {"job": job, size: pods}})

    def set_check(self, workload: str, check: str, state: str, message: str = "") -> Fork:
        """Let an admission check report: ``Pending``, ``Ready``, ``Retry`` or ``Rejected``."""
        entry = {"workload": workload, "check": check, "state": state, "message": message}
        return self._entry({"setCheck": entry})

    def pods_ready(self, workload: str, ready: bool = True) -> Fork:
        """Let the pods of a workload become ready, or stop being so."""
        return self._entry({"podsReady": {"workload": workload, "ready": ready}})

    def reclaim(self, workload: str, pods: Mapping[str, int]) -> Fork:
        """Let so many pods per pod set be done, so that their quota is free."""
        return self._entry({"reclaim": {"workload": workload, "pods": dict(pods)}})

    def change(self, *changes: Change) -> Fork:
        """Make changes that are there as data, such as those of a suggestion."""
        fork = self
        for change in changes:
            if isinstance(change, Edit):
                fork = fork.edit(str(change.object), change.values)
            else:
                fork = fork._with(change)
        return fork

    def objects(self) -> tuple[ModelObject, ...]:
        """Return the objects there are where it leaves the run, changed as it says.

        Examples
        --------
        >>> import kueuelab as kl
        >>> lab = kl.load("{apiVersion: v1, kind: Namespace, metadata: {name: team-a}}")
        >>> [obj.metadata.name for obj in lab.fork().objects()]
        ['team-a']
        """
        return tuple(self._object_index())

    # --- going on ------------------------------------------------------------------------

    @property
    def lab(self) -> Lab:
        """The scenario with all changes, to run as often as wanted."""
        from kueuelab.whatif.lab import Lab

        if self.time is None:
            spec = self.spec
            for change in self.changes:
                spec = at_the_start(spec, change)
            return Lab(spec, self.earlier)
        return Lab(self.spec, self._branches)

    def run(self, *, until: float | None = None) -> LabRun:
        """Play it to its end, or until so many seconds after the start."""
        return self.lab.run(until=until)

    # --- inside --------------------------------------------------------------------------

    @property
    def _branches(self) -> tuple[Branch, ...]:
        """The branches that lead here, and this one; it is not before the start."""
        assert self.time is not None
        return (*self.earlier, Branch(self.step, self.time, self.changes))

    def _object_index(self) -> ObjectIndex:
        if self.time is None:
            # All that is in the file; what comes later can be edited before it comes.
            index = ObjectIndex(self.spec.manifests, self.spec.aliases)
            for workload in objects_at(self.spec, (), None):
                if isinstance(workload, Workload):
                    index.put(workload)
            for change in self.changes:
                self._take(index, change)
            return index
        return objects_at(self.spec, self._branches, self.time)

    def _with(self, *changes: Change) -> Fork:
        return replace(self, changes=(*self.changes, *changes))

    def _entry(self, entry: Mapping[str, Any]) -> Fork:
        return self._with(*actions_of_entry(entry, self._object_index(), self.spec.configuration))

    def _raise_if_there(self, index: ObjectIndex, workload: Workload) -> None:
        if Reference.of(workload) in {Reference.of(obj) for obj in index}:
            raise SimulationError(
                Message("whatif.fork.exists"),
                object=f"Workload/{workload.key}",
                hint=Message("whatif.fork.exists.hint"),
            )

    def _take(self, index: ObjectIndex, change: Change) -> None:
        """Put a change at the start into the index of all that is ever there."""
        if isinstance(change, Delete) and any(
            isinstance(action, Submit) and change.workload in {w.key for w in action.workloads}
            for action in self.spec.timeline
            if action.at > 0
        ):
            return  # It is not there yet.
        happen(index, change)
