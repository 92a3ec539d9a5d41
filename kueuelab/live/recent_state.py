"""The state of a cluster now and in the last moments, on which a decision can be repeated.

Nothing is copied for a decision: a cycle leaves the quota tree unchanged, and an earlier
state is the current state with the last changes undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from kueuelab.live.passive_cluster import passive_cluster
from kueuelab.model import ClusterObject, Configuration, Workload
from kueuelab.queues import Head
from kueuelab.quota import ClusterQueueNode
from kueuelab.scheduler import ClusterAccess, Entry, Inadmissible, Scheduler
from kueuelab.simulation import Cluster
from kueuelab.simulation.admissibility import obstacle
from kueuelab.simulation.objects import kind_of
from kueuelab.simulation.status import is_admissible
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.steps import Step
from kueuelab.workload import WorkloadState

__all__ = ["NO_OUTCOME", "Outcome", "RecentState", "Situation"]

#: Kind and key of an object; the kind of a workload is ``""``.
_ObjectKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that a decision depends on, at one moment; it never changes."""

    time: int
    objects: tuple[ClusterObject, ...]
    workloads: Mapping[str, Workload]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a cycle: entries by workload, workloads rejected before, and its steps.

    ``matters``: whether one entry can change the result of another.
    """

    entries: Mapping[str, Entry]
    inadmissible: frozenset[str]
    matters: bool
    steps: tuple[Step, ...] = ()


NO_OUTCOME: Final = Outcome({}, frozenset(), False)


@dataclass(frozen=True, slots=True)
class _Version:
    """A workload at one time; its state no longer changes."""

    model: Workload
    state: WorkloadState


@dataclass(frozen=True, slots=True)
class _Change:
    time: int
    key: _ObjectKey
    before: _Version | ClusterObject | None
    after: _Version | ClusterObject | None
    tree: str

    @property
    def moves_quota(self) -> bool:
        """Whether it can matter to workloads other than the one that changed."""
        return self.key[0] != "" or _holds_quota(self.before) or _holds_quota(self.after)


class RecentState:
    """The state of a cluster, now or a moment ago; cycles can be run on it.

    Parameters
    ----------
    configuration
        Kueue's Configuration.
    start
        The time, in nanoseconds since 1970.
    """

    def __init__(self, configuration: Configuration, start: int) -> None:
        self._configuration = configuration
        self._cluster = passive_cluster(configuration, start)
        self._plane = self._cluster.plane
        self._workloads: dict[str, _Version] = {}
        self._objects: dict[_ObjectKey, ClusterObject] = {}
        self._changes: list[_Change] = []
        self._forgotten = 0

    def load(self, objects: Iterable[ClusterObject | Workload]) -> None:
        """Load the objects that exist at the start."""
        found = list(objects)
        others = [obj for obj in found if not isinstance(obj, Workload)]
        self._objects.update({_key(obj): obj for obj in others})
        self._cluster.load(others)
        for obj in found:
            if isinstance(obj, Workload):
                self._set(("", obj.key), self._version(obj))

    # --- changes -----------------------------------------------------------------------

    @property
    def mark(self) -> int:
        """The number of changes so far, which :meth:`at` takes."""
        return self._forgotten + len(self._changes)

    @property
    def moved_quota(self) -> bool:
        """Whether the last change can matter to workloads other than the one that changed."""
        return bool(self._changes) and self._changes[-1].moves_quota

    def put(self, time: int, obj: ClusterObject | Workload) -> None:
        """Replace an object by its new version."""
        if isinstance(obj, Workload):
            self._change(time, ("", obj.key), self._version(obj))
        else:
            self._change(time, _key(obj), obj)

    def remove(self, time: int, kind: str, key: str) -> None:
        """Remove an object (kind ``""``: a workload)."""
        self._change(time, (kind, key), None)

    def forget(self, before: int) -> None:
        """Forget the changes before a time; the state before them is no longer available."""
        old = 0
        while old < len(self._changes) and self._changes[old].time < before:
            old += 1
        if old:
            del self._changes[:old]
            self._forgotten += old

    def marks(self, workload: str, most: int) -> Iterator[int]:
        """Yield the marks before the last changes that can matter to a workload."""
        tree = self.tree_of(workload)
        for index in range(len(self._changes) - 1, -1, -1):
            if most == 0:
                return
            if _concerns(self._changes[index], tree):
                most -= 1
                yield self._forgotten + index

    @contextmanager
    def at(self, mark: int, tree: str, ahead_of: str = "") -> Iterator[bool]:
        """Restore the state of a cohort tree at a mark, and undo that afterwards.

        Parameters
        ----------
        mark
            The moment.
        tree
            What :meth:`tree_of` says.
        ahead_of
            If set, later admissions stay, except this workload's: Kueue counts an admission
            at once, and writes it a little later.

        Yields
        ------
        bool
            Whether the state differs from the current one; with ``ahead_of``, also from the
            state without it.
        """
        later = [c for c in self._changes[max(mark - self._forgotten, 0) :] if _concerns(c, tree)]
        then = {change.key: change.before for change in reversed(later)}
        now = {change.key: change.after for change in later}
        admissions: dict[_ObjectKey, _Version | ClusterObject | None] = {}
        if ahead_of:
            for change in later:
                if change.key != ("", ahead_of) and _is_admission(change):
                    admissions.setdefault(change.key, change.after)
        for key, version in (then | admissions).items():
            self._set(key, version)
        try:
            yield bool(admissions) if ahead_of else bool(later)
        finally:
            for key, version in now.items():
                self._set(key, version)

    # --- deciding ----------------------------------------------------------------------

    def has(self, workload: str) -> bool:
        """Tell whether a workload is there."""
        return workload in self._workloads

    def tree_of(self, workload: str) -> str:
        """Return the cohort tree that a workload queues for; without one, its ClusterQueue."""
        version = self._workloads.get(workload)
        return "" if version is None else self._tree(version)

    def queue_of(self, workload: str) -> str:
        """Return the ClusterQueue that a workload queues for, ``""`` if there is none."""
        version = self._workloads.get(workload)
        return "" if version is None else self._plane.queueing.get(version.state.queue_key, "")

    def cycle(self, heads: Sequence[str], time: int, *, recorded: bool = False) -> Outcome:
        """Run one cycle with these heads; equal heads keep this order."""
        recorder = Recorder() if recorded else None
        self._plane.clock.now = time
        found = [head for key in heads if (head := self._head(key)) is not None]
        if not found:
            return NO_OUTCOME
        if recorder is not None:
            recorder.time = time
        plane = self._plane
        access = _DecisionsOnly(self._cluster, found)
        flavors = plane.objects.flavors
        scheduler = Scheduler(self._configuration, plane.tree, flavors, access, recorder)
        cycle = scheduler.next_cycle()
        for _ in cycle.run():
            pass
        matters = any(e.reserved or e.targets or e.status == "assumed" for e in cycle.processed)
        entries = {entry.key: entry for entry in (*cycle.processed, *cycle.inadmissible)}
        rejected = frozenset(entry.key for entry in cycle.inadmissible)
        steps = () if recorder is None else tuple(recorder.steps)
        return Outcome(entries, rejected, matters, steps)

    def situation(self, time: int) -> Situation:
        """Return the current state, to be kept."""
        models = {key: version.model for key, version in self._workloads.items()}
        return Situation(time, tuple(self._objects.values()), models)

    # --- inside ------------------------------------------------------------------------

    def _head(self, key: str) -> Head | None:
        """Return a workload as a head; ``None`` if it is not queued or its queue can't admit."""
        version = self._workloads.get(key)
        name = self.queue_of(key)
        queue = self._plane.statuses.get(name)
        if version is None or queue is None or queue.status != "active":
            return None
        state = version.state
        if not is_admissible(state, self._plane.gates):
            return None
        state.last_assignment = None
        return Head(state, name)

    def _version(self, model: Workload) -> _Version:
        plane = self._plane
        adjusted = plane.adjusted(model)
        hashing = plane.gates["SchedulingEquivalenceHashing"]
        state = WorkloadState(adjusted, self._configuration.resources, hashing=hashing)
        if not plane.gates["ReclaimablePods"] and state.reclaimable_pods:
            state.reclaimable_pods = ()
            state.refresh()
        return _Version(model, state)

    def _change(self, time: int, key: _ObjectKey, after: _Version | ClusterObject | None) -> None:
        before = self._workloads.get(key[1]) if not key[0] else self._objects.get(key)
        tree = self._tree(before) or self._tree(after) if not key[0] else ""
        self._changes.append(_Change(time, key, before, after, tree))
        self._set(key, after)

    def _tree(self, version: _Version | ClusterObject | None) -> str:
        if not isinstance(version, _Version):
            return ""
        state, tree = version.state, self._plane.tree
        name = state.cluster_queue or self._plane.queueing.get(state.queue_key, "")
        return tree.root_name(name) or f"queue {name}" if name else ""

    def _set(self, key: _ObjectKey, version: _Version | ClusterObject | None) -> None:
        kind, name = key
        if kind:
            self._set_object(key, version)  # type: ignore[arg-type]
            return
        old = self._workloads.pop(name, None)
        if old is not None:
            self._plane.release(old.state)
            del self._plane.workloads[name]
        if isinstance(version, _Version):
            self._workloads[name] = version
            self._plane.workloads[name] = version.state
            self._plane.hold(version.state)

    def _set_object(self, key: _ObjectKey, obj: ClusterObject | None) -> None:
        if obj is not None:
            self._objects[key] = obj
            self._cluster.apply(obj)
        elif (old := self._objects.pop(key, None)) is not None:
            self._cluster.remove(key[0], old.metadata.name, old.metadata.namespace)


class _DecisionsOnly(ClusterAccess):
    """Gives certain heads to the scheduler; what it decides about them has no effect."""

    def __init__(self, cluster: Cluster, heads: Sequence[Head]) -> None:
        self._cluster = cluster
        self._heads = heads

    def heads(self) -> Sequence[Head]:
        return self._heads

    def is_inactive(self, cluster_queue: str) -> bool:
        tree = self._cluster.plane.tree
        return not self._cluster.is_active(cluster_queue) or tree.in_cycle(cluster_queue)

    def obstacle(self, workload: WorkloadState, queue: ClusterQueueNode) -> Inadmissible | None:
        return obstacle(self._cluster.plane, workload.obj, queue.namespace_selector)

    def preempt(self, entry: Entry) -> None:
        pass

    def wait_for_pods_ready(self, entry: Entry) -> Iterator[Entry]:
        return iter(())

    def admit(self, entry: Entry) -> None:
        pass

    def requeue(self, entry: Entry) -> None:
        pass


def _key(obj: ClusterObject) -> _ObjectKey:
    return kind_of(obj), obj.metadata.key


def _concerns(change: _Change, tree: str) -> bool:
    """Tell whether a change can matter in a cohort tree; a change of an object always can."""
    return change.key[0] != "" or change.tree == tree


def _holds_quota(version: _Version | ClusterObject | None) -> bool:
    return isinstance(version, _Version) and version.state.has_quota_reservation


def _is_admission(change: _Change) -> bool:
    before, after = change.before, change.after
    return (
        isinstance(before, _Version)
        and isinstance(after, _Version)
        and before.model.status.admission is None
        and after.model.status.admission is not None
    )
