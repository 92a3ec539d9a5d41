"""The state of a cluster now and in the last moments, on which a decision can be repeated.

Nothing is copied for a decision: a cycle leaves the quota tree unchanged, and an earlier
state is the current state with the last changes undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from kueuelab.live.change_history import (
    Ahead,
    Change,
    ChangeHistory,
    Content,
    ObjectKey,
    Version,
    contents_before,
)
from kueuelab.live.conditions import pending_message
from kueuelab.live.entry_penalties import EntryPenalties
from kueuelab.live.passive_cluster import passive_cluster
from kueuelab.live.scan_progress import (
    Progress,
    flavors_before,
    keeps_progress,
    possible_progress,
)
from kueuelab.model import ClusterObject, Configuration, LocalQueue, Workload
from kueuelab.model.times import SECOND
from kueuelab.queues import Head, is_admissible
from kueuelab.quota import ClusterQueueNode
from kueuelab.scheduler import ClusterAccess, Entry, Inadmissible, Scheduler
from kueuelab.scheduler.chances import Chances
from kueuelab.simulation import Cluster
from kueuelab.simulation.admissibility import obstacle
from kueuelab.simulation.objects import kind_of
from kueuelab.trace.attempt_message import NO_FLAVOR, PREEMPTS, was_skipped
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.steps import Step
from kueuelab.workload import LastAssignment, WorkloadState

__all__ = ["NO_OUTCOME", "NO_PROGRESS", "FrozenState", "Outcome", "RecentState"]


@dataclass(frozen=True, slots=True)
class FrozenState:
    """Everything that a decision depends on, at one moment; it never changes."""

    time: int
    objects: tuple[ClusterObject, ...]
    workloads: Mapping[str, Workload]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a cycle: entries by workload, workloads rejected before, and its steps.

    ``matters``: whether one entry can change the result of another. ``progress``: where the
    search for flavors ended, of workloads whose next attempt resumes there.
    """

    entries: Mapping[str, Entry]
    inadmissible: frozenset[str]
    matters: bool
    steps: tuple[Step, ...] = ()
    progress: Mapping[str, Progress] = field(default_factory=dict)


#: For how long Kueue gathers changes before it tries again what it set aside.
_GATHERING: Final = SECOND
_LONG_GATHERING: Final = 10 * SECOND

NO_OUTCOME: Final = Outcome({}, frozenset(), False)
NO_PROGRESS: Final[Mapping[str, Progress]] = MappingProxyType({})


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
        self._workloads: dict[str, Version] = {}
        self._objects: dict[ObjectKey, ClusterObject] = {}
        self._history = ChangeHistory()
        self._penalties = EntryPenalties(self._plane)
        #: The number of changes so far, which :meth:`at` takes.
        self.mark = 0
        #: When something last came for which Kueue tries again what it set aside, by cohort tree;
        #: under ``""``, in all of them.
        self._woken: dict[str, int] = {}

    def load(self, objects: Iterable[ClusterObject | Workload]) -> None:
        """Load the objects that exist at the start."""
        found = list(objects)
        others = [obj for obj in found if not isinstance(obj, Workload)]
        self._objects.update({_key(obj): obj for obj in others})
        self._cluster.load(others)
        for obj in found:
            if isinstance(obj, Workload):
                version = self._version(obj)
                self._set(("", obj.key), version)
                self._penalties.follow(obj.key, None, version)

    # --- changes -----------------------------------------------------------------------

    @property
    def moved_quota(self) -> bool:
        """Whether the last change can matter to workloads other than the one that changed."""
        last = self._history.last
        return last is not None and last.moves_quota

    def put(self, time: int, obj: ClusterObject | Workload) -> None:
        """Replace an object by its new version."""
        if isinstance(obj, Workload):
            self._change(time, ("", obj.key), self._version(obj))
        else:
            self._change(time, _key(obj), obj)

    def remove(self, time: int, kind: str, key: str) -> None:
        """Remove an object (kind ``""``: a workload)."""
        self._change(time, (kind, key), None)

    def mark_at(self, time: int) -> int:
        """Return the mark before the first change since a time."""
        return self._history.mark_since(time, self.mark)

    def forget(self, before: int) -> None:
        """Forget the changes before a time; the state before them is no longer available."""
        self._history.forget(before)

    def marks(self, workload: str, most: int) -> Iterator[int]:
        """Yield the marks before changes that can matter to a workload, the latest first.

        They are among the last changes (``most``) in its cohort tree.
        """
        tree = self.tree_of(workload)
        first = self._history.mark_of_last(most, tree)
        for change in reversed(self._history.since(first, tree, (workload,))):
            yield change.mark

    @contextmanager
    def at(self, mark: int, heads: Sequence[str], ahead: Ahead | None = None) -> Iterator[bool]:
        """Restore what can matter to these heads as it was at a mark, and undo that afterwards.

        Parameters
        ----------
        mark
            The moment.
        heads
            Workloads of one cohort tree.
        ahead
            Later changes that stay.

        Yields
        ------
        bool
            Whether the state differs from the current one; with ``ahead``, also from the
            state without it.
        """
        later = self._history.since(mark, self.tree_of(heads[-1]), heads)
        then, differs = contents_before(later, ahead)
        now = {key: self._content(key) for key in reversed(then)}
        for key, content in then.items():
            self._set(key, content)
        try:
            yield differs
        finally:
            for key, content in now.items():
                self._set(key, content)

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

    def was_woken(self, workload: str, since: int) -> bool:
        """Tell whether Kueue may have tried again what it set aside before a time.

        It gathers what comes for a while before it does that.
        """
        woken, tree = self._woken, self.tree_of(workload)
        is_long = self._configuration.gates["SchedulerLongRequeueInterval"]
        gathered = _LONG_GATHERING if is_long else _GATHERING
        return max(woken.get(tree, 0), woken.get("", 0)) + gathered >= since

    def sets_aside(self, workload: str, message: str) -> bool:
        """Tell whether Kueue sets a workload aside after an attempt with this message."""
        name = self.queue_of(workload)
        queue, node = self._plane.statuses.get(name), self._plane.tree.cluster_queues.get(name)
        if queue is None or node is None or queue.spec.queueing_strategy == "StrictFIFO":
            return False
        tries_on = keeps_progress(message, node, self._configuration) or PREEMPTS in message
        return NO_FLAVOR in message and not was_skipped(message) and not tries_on

    def is_charged(self, workload: str) -> bool:
        """Tell whether Kueue has charged an entry penalty for a workload that no object shows."""
        return self._penalties.has(workload)

    def possible_progress(self, workload: str, message: str) -> tuple[Progress, ...]:
        """Return where Kueue's last search for a workload's flavors may have ended.

        Parameters
        ----------
        workload
            The workload.
        message
            Why it was pending after that attempt; ``""`` before the first one.
        """
        queue = self._plane.tree.cluster_queues.get(self.queue_of(workload))
        if queue is None or not keeps_progress(message, queue, self._configuration):
            return ()
        return self.all_progress(workload)

    def all_progress(self, workload: str) -> tuple[Progress, ...]:
        """Return where a search for a workload's flavors may end, whatever Kueue wrote."""
        version = self._workloads.get(workload)
        queue = self._plane.tree.cluster_queues.get(self.queue_of(workload))
        if version is None or queue is None:
            return ()
        return tuple(possible_progress(version.state, queue))

    def flavors_before(self, workload: str, progress: Progress) -> tuple[str, ...]:
        """Return the flavors that the search for a workload's flavors is past."""
        queue = self._plane.tree.cluster_queues.get(self.queue_of(workload))
        return () if queue is None else flavors_before(progress, queue)

    def waiting_beside(self, workload: str) -> Iterator[tuple[str, str]]:
        """Yield waiting workloads of other ClusterQueues of its cohort tree, with their messages.

        The workloads that changed last come first.
        """
        tree, queue = self.tree_of(workload), self.queue_of(workload)
        for key, version in reversed(self._workloads.items()):
            if version.counts or self.queue_of(key) == queue or self._tree(version) != tree:
                continue
            if message := pending_message(version.model):
                yield key, message

    def cycle(
        self,
        heads: Sequence[str],
        time: int,
        *,
        recorded: bool = False,
        progress: Mapping[str, Progress] = NO_PROGRESS,
        chance: int | None = None,
    ) -> Outcome:
        """Run one cycle with these heads; equal heads keep this order.

        Parameters
        ----------
        heads
            The workloads.
        time
            When it runs.
        recorded
            Whether to return its steps.
        progress
            Where the search for flavors ended in the last attempt of a workload.
        chance
            The seed of another outcome where Kueue leaves the outcome to chance.
        """
        recorder = Recorder() if recorded else None
        self._plane.clock.now = time
        found = [head for key in heads if (head := self._head(key, progress.get(key))) is not None]
        if not found:
            return NO_OUTCOME
        if recorder is not None:
            recorder.time = time
        plane = self._plane
        self._penalties.restate(time)
        access = _DecisionsOnly(self._cluster, found)
        flavors = plane.objects.flavors
        scheduler = Scheduler(
            self._configuration,
            plane.tree,
            flavors,
            access,
            recorder,
            plane.forest,
            Chances(chance),
        )
        cycle = scheduler.next_cycle()
        for _ in cycle.run():
            pass
        matters = any(e.reserved or e.targets or e.status == "assumed" for e in cycle.processed)
        entries = {entry.key: entry for entry in (*cycle.processed, *cycle.inadmissible)}
        rejected = frozenset(entry.key for entry in cycle.inadmissible)
        steps = () if recorder is None else tuple(recorder.steps)
        ended = {e.key: last.tried for e in cycle.processed if (last := _pending_progress(e))}
        return Outcome(entries, rejected, matters, steps, ended)

    def frozen(self, time: int, mark: int, tree: str, ahead: Ahead | None = None) -> FrozenState:
        """Return the state of a cohort tree at a mark, to be kept; see :meth:`at`."""
        then, _ = contents_before(self._history.all_since(mark, tree), ahead)
        workloads = {("", name): version for name, version in self._workloads.items()}
        contents: dict[ObjectKey, Content] = {**self._objects, **workloads}
        objects: list[ClusterObject] = []
        models: dict[str, Workload] = {}
        for (_, name), content in {**contents, **then}.items():
            if isinstance(content, Version):
                models[name] = content.model
            elif content is not None:
                objects.append(content)
        return FrozenState(time, tuple(objects), models)

    # --- inside ------------------------------------------------------------------------

    def _head(self, key: str, progress: Progress | None) -> Head | None:
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
        node = self._plane.tree.cluster_queues.get(name)
        if progress is not None and node is not None:
            # It is of the cycle before this one.
            tried = tuple(map(dict, progress))
            last = LastAssignment(tried, node.generation, 0, state.scheduling_hash)
            state.last_assignment = last
        return Head(state, name)

    def _version(self, model: Workload) -> Version:
        plane = self._plane
        adjusted = plane.adjusted(model)
        hashing = plane.gates["SchedulingEquivalenceHashing"]
        state = WorkloadState(adjusted, self._configuration.resources, hashing=hashing)
        if not plane.gates["ReclaimablePods"] and state.reclaimable_pods:
            state.reclaimable_pods = ()
            state.refresh()
        counts = state.active and state.has_quota_reservation and not state.is_finished
        return Version(model, state, counts)

    def _content(self, key: ObjectKey) -> Content:
        return self._objects.get(key) if key[0] else self._workloads.get(key[1])

    def _change(self, time: int, key: ObjectKey, after: Content) -> None:
        before = self._content(key)
        tree = self._tree(before) or self._tree(after)
        moves_quota = key[0] != "" or _holds_quota(before) or _holds_quota(after)
        self._history.add(Change(self.mark, time, key, before, after, tree, moves_quota))
        self.mark += 1
        if _may_wake(before, after):
            self._woken["" if key[0] else tree] = time
        self._set(key, after)
        if isinstance(before or after, Version):
            self._penalties.follow(key[1], before, after)  # type: ignore[arg-type]

    def _tree(self, version: Content) -> str:
        if not isinstance(version, Version):
            return ""
        state, tree = version.state, self._plane.tree
        name = state.cluster_queue or self._plane.queueing.get(state.queue_key, "")
        return tree.root_name(name) or f"queue {name}" if name else ""

    def _set(self, key: ObjectKey, version: Content) -> None:
        kind, name = key
        if kind:
            self._set_object(key, version)  # type: ignore[arg-type]
            return
        old = self._workloads.pop(name, None)
        if old is not None:
            if old.counts:
                self._plane.release(old.state)
            del self._plane.workloads[name]
        if isinstance(version, Version):
            self._workloads[name] = version
            self._plane.workloads[name] = version.state
            if version.counts:
                self._plane.hold(version.state)

    def _set_object(self, key: ObjectKey, obj: ClusterObject | None) -> None:
        if obj is not None:
            self._objects[key] = obj
            self._cluster.apply(obj)
        elif (old := self._objects.pop(key, None)) is not None:
            self._cluster.discard(key[0], old.metadata.name, old.metadata.namespace)


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
        return obstacle(self._cluster.plane, workload, queue.namespace_selector)

    def delays_topology(self, workload: WorkloadState, cluster_queue: str, flavor: str) -> bool:
        plane = self._cluster.plane
        queue, first = plane.statuses.get(cluster_queue), not workload.has_quota_reservation
        return queue is not None and queue.delays_topology(plane.objects, flavor, first_pass=first)

    def preempt(self, entry: Entry) -> None:
        pass

    def migrate(self, entry: Entry) -> None:
        pass

    def evict_unreplaced(self, entry: Entry) -> None:
        pass

    def wait_for_pods_ready(self, entry: Entry) -> Iterator[Entry]:
        return iter(())

    def admit(self, entry: Entry) -> None:
        pass

    def requeue(self, entry: Entry) -> None:
        pass


def _key(obj: ClusterObject) -> ObjectKey:
    return kind_of(obj), obj.metadata.key


def _pending_progress(entry: Entry) -> LastAssignment | None:
    """Return where the search for an entry's flavors ended, if its next attempt resumes there."""
    last = entry.workload.last_assignment
    admitted = entry.status in ("assumed", "evicted")
    return last if last is not None and last.has_pending_flavors and not admitted else None


def _holds_quota(version: Content) -> bool:
    return isinstance(version, Version) and version.state.has_quota_reservation


def _may_wake(before: Content, after: Content) -> bool:
    """Tell whether a change may have Kueue try again what it set aside."""
    if isinstance(before, Version):
        # Quota that is given back, wholly or in part.
        same = (
            isinstance(after, Version) and after.counts and before.state.usage == after.state.usage
        )
        return before.counts and not same
    if before is None or after is None:
        return not isinstance(after, Version)
    if isinstance(after, LocalQueue) and isinstance(before, LocalQueue):
        after = replace(after, status_extra=before.status_extra, conditions=before.conditions)
    return not isinstance(after, Version) and replace(after, metadata=before.metadata) != before
