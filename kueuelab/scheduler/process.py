"""Processing an entry, the fifth step of a scheduling cycle: what Kueue's ``processEntry()`` does.

See https://kueue.sigs.k8s.io/docs/concepts/preemption/ and KEP-83.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias

from kueuelab.model import FlavorResource
from kueuelab.queues import RequeueReason
from kueuelab.quota import ClusterQueueNode, QuotaTree
from kueuelab.scheduler.assignment import Mode
from kueuelab.scheduler.cycle_log import CycleLog
from kueuelab.scheduler.entry import Entry
from kueuelab.scheduler.nominate import Nominator
from kueuelab.scheduler.preemption import Target
from kueuelab.scheduler.variants import less_preferred_sibling, may_migrate, preferred_sibling
from kueuelab.topology import FlavorUsage
from kueuelab.workload import WorkloadState
from kueuelab.workload.variants import is_variant

if TYPE_CHECKING:
    from kueuelab.scheduler.scheduler import Scheduler

__all__ = ["EntryProcessor"]

#: What an entry lacks first of what it needs; ``""`` if it fits.
_Lack: TypeAlias = Literal["", "quota", "topology"]

# Looking up a member of an Enum takes long, and every entry of a cycle asks for these.
_NO_FIT, _PREEMPT, _DEFERRED_FIT, _FIT = Mode.NoFit, Mode.Preempt, Mode.DeferredFit, Mode.Fit


class _Preempted:
    """The workloads preempted so far, and what all of them together hold, by ClusterQueue."""

    __slots__ = ("usage", "workloads")

    def __init__(self) -> None:
        self.workloads: dict[str, WorkloadState] = {}
        self.usage: dict[ClusterQueueNode, dict[FlavorResource, int]] = {}

    def add(self, targets: Iterable[Target], tree: QuotaTree) -> None:
        """Add the targets of an entry: none that another entry of the cycle has.

        A slice that its replacement also preempts is a target twice, and counts once.
        """
        for target in targets:
            workload = target.workload
            if workload.key in self.workloads:
                continue
            self.workloads[workload.key] = workload
            total = self.usage.setdefault(tree.cluster_queues[workload.cluster_queue], {})
            for fr, value in tree.booked_usage(workload.key).items():
                total[fr] = total.get(fr, 0) + value


class EntryProcessor:
    """Decides about the entries of one cycle, one after the other.

    Parameters
    ----------
    scheduler
        Its tree and configuration count.
    nominator
        Finds flavors and targets again where targets overlap.
    count
        How many entries there are to process.
    log
        Records what is decided, if given.
    """

    __slots__ = ("_gates", "_left", "_log", "_nominator", "_placer", "_preempted", "_tree")

    def __init__(
        self, scheduler: Scheduler, nominator: Nominator, count: int, log: CycleLog | None
    ) -> None:
        self._left = count
        self._tree = scheduler.tree
        self._gates = scheduler.configuration.gates
        self._placer = scheduler.placer
        self._nominator = nominator
        self._log = log
        #: The workloads preempted in this cycle, per root of their cohort tree.
        self._preempted: dict[str, _Preempted] = {}

    def process(self, entry: Entry) -> None:
        """Decide whether an entry is admitted, preempts, or neither."""
        self._left -= 1
        keep_progress = self._gates["FlavorFungibilityPreserveScanProgress"]
        variants = self._gates["ConcurrentAdmission"] and is_variant(entry.workload.obj)
        if variants and preferred_sibling(entry) is not None:
            entry.skip(
                "A more favorable variant is already admitted",
                keep_progress=keep_progress,
                quota_reserved_reason="PendingEvaluation",
            )
            return
        fits = self._update_assignment(entry)
        assert entry.assignment is not None
        mode = entry.assignment.mode
        if (
            mode is not _FIT
            and entry.workload.is_on_unhealthy_node
            and self._gates["TASFailedNodeReplacementFailFast"]
        ):
            entry.fail_replacement()
        elif mode is _NO_FIT:
            entry.requeue_reason = RequeueReason.NO_FIT
            entry.quota_reserved_reason = entry.assignment.no_fit_reason
        elif mode is _PREEMPT and not entry.targets:
            entry.requeue_reason = RequeueReason.PREEMPTION_NO_CANDIDATES
            entry.quota_reserved_reason = "WaitingForQuota"
            self._reserve_capacity_if_unreclaimable(entry)
        elif mode is _PREEMPT and self._is_gated(entry):
            entry.gate_preemption()
        elif mode is _DEFERRED_FIT:
            entry.defer()
            self._reserve_capacity(entry, self._usage(entry), "deferred")
        elif self._overlaps(entry) or not fits:
            entry.skip(
                "Workload has overlapping preemption targets with another workload"
                if self._overlaps(entry)
                else "Workload no longer fits after processing another workload",
                keep_progress=keep_progress,
            )
        else:
            if entry.targets:
                self._preempted_near(entry).add(entry.targets, self._tree)
            why = "admitted" if mode is _FIT else "preempting"
            self._reserve_capacity(entry, self._usage(entry), why)
            if mode is _PREEMPT:
                entry.preempt()
            elif variants and (sibling := less_preferred_sibling(entry)) is not None:
                if may_migrate(entry):
                    entry.migrate(sibling)
                else:
                    entry.refuse_migration()
            else:
                entry.status = "assumed"

    def _update_assignment(self, entry: Entry) -> bool:
        """Find flavors and targets again if need be; tell whether the entry fits.

        There is need if targets overlap, or if domains that it was to get are in use.
        """
        assert entry.assignment is not None
        mode = entry.assignment.mode
        if mode is not _FIT and not entry.targets and not self._placer.forest.flavors:
            return False  # It takes no quota, and there are no domains to lack.
        lack = self._lack(entry)
        overlaps = (
            self._overlaps(entry) and self._gates["RecomputeAssignmentUponPreemptionTargetsOverlap"]
        )
        lacks_domains = (
            lack == "topology" and self._gates["TASRecomputeAssignmentWithinSchedulingCycle"]
        )
        if not overlaps and not lacks_domains:
            return not lack
        entry.workload.last_assignment = None
        pinned = entry.assignment.flavors_by_pod_set()
        if overlaps:
            with self._without(list(self._preempted_near(entry).workloads.values())):
                entry.record_assignment(*self._nominator.find_assignment(entry, pinned))
            if entry.mode is _FIT:
                entry.assignment.set_mode(_DEFERRED_FIT)
        else:
            entry.record_assignment(*self._nominator.find_assignment(entry, pinned))
        if self._log is not None:
            self._log.recomputed(entry, lacks_domains=not overlaps)
        return not self._lack(entry)

    @contextmanager
    def _without(self, workloads: list[WorkloadState]) -> Iterator[None]:
        """Simulate without ``workloads``: without their usage, and not as candidates."""
        forest = self._placer.forest
        mark = self._tree.mark()
        for workload in workloads:
            forest.remove_workload(workload.key)
        with self._tree.without(workloads):
            yield
        self._tree.undo(mark)

    def _overlaps(self, entry: Entry) -> bool:
        if not entry.targets:
            return False
        preempted = self._preempted_near(entry).workloads
        return any(target.workload.key in preempted for target in entry.targets)

    def _preempted_near(self, entry: Entry) -> _Preempted:
        """Return the workloads preempted in this cycle in the entry's cohort tree."""
        root = entry.node.root.name
        found = self._preempted.get(root)
        if found is None:
            found = self._preempted[root] = _Preempted()
        return found

    def _is_gated(self, entry: Entry) -> bool:
        if not entry.workload.has_closed_preemption_gate:
            return False
        gates = self._gates
        return gates["ConcurrentAdmission"] or gates["MultiKueueOrchestratedPreemption"]

    def _usage(self, entry: Entry) -> dict[FlavorResource, int]:
        """Return the quota that admitting the entry would use in addition."""
        assert entry.assignment is not None
        return {} if entry.workload.has_quota_reservation else entry.assignment.usage

    def _topology_usage(self, entry: Entry) -> FlavorUsage:
        """Return what admitting the entry would use in addition of domains."""
        assert entry.assignment is not None
        if not self._placer.forest.flavors:
            return {}
        return self._placer.usage(entry.assignment, entry.workload, entry.node)

    def _lack(self, entry: Entry) -> _Lack:
        """Return what the entry lacks once all workloads preempted in this cycle are gone."""
        if not self._preempted and not entry.targets:
            return self._lack_now(entry)
        mark = self._tree.mark()
        preempted = self._preempted_near(entry)
        own = dict.fromkeys(target.workload.key for target in entry.targets)
        for key in own.keys() - preempted.workloads.keys():
            self._tree.remove_booked(key)
            self._placer.forest.remove_workload(key)
        lack = self._lack_now(entry)
        # More room never makes less fit: earlier targets count only where it does not fit yet.
        if lack and preempted.workloads:
            for queue, usage in preempted.usage.items():
                self._tree.remove_usage(queue, usage)
            for key in preempted.workloads:
                self._placer.forest.remove_workload(key)
            lack = self._lack_now(entry)
        self._tree.undo(mark)
        return lack

    def _lack_now(self, entry: Entry) -> _Lack:
        queue = entry.queue
        assert queue is not None
        for fr, value in self._usage(entry).items():
            if queue.available(fr) < value:
                return "quota"
        usage = self._topology_usage(entry)
        if usage and not self._placer.forest.fits(usage):
            return "topology"
        return ""

    def _reserve_capacity_if_unreclaimable(self, entry: Entry) -> None:
        """Reserve capacity for an entry without targets, so that later entries don't borrow it.

        There is no need for it if the ClusterQueue can always reclaim what it lends.
        """
        queue = entry.node
        waiting = self._gates["PrioritizePreemptorWorkloads"] and entry.is_preemptor
        if queue.preemption.reclaim_within_cohort == "Any" and not waiting:
            return
        why = "alone" if queue.parent is None else "unreclaimable"
        self._reserve_capacity(entry, self._capacity_to_reserve(entry), why)

    def _capacity_to_reserve(self, entry: Entry) -> dict[FlavorResource, int]:
        """Return the request, up to the borrowing limit if it borrows, else up to nominal quota."""
        queue, reserved = entry.node, {}
        for fr, value in self._usage(entry).items():
            quota, used = queue.quota(fr), queue.usage.get(fr, 0)
            if entry.borrowing == 0:
                reserved[fr] = max(0, min(value, quota.nominal - used))
            elif quota.borrowing_limit is None:
                reserved[fr] = value
            else:
                reserved[fr] = min(value, quota.nominal + quota.borrowing_limit - used)
        return reserved

    def _reserve_capacity(
        self, entry: Entry, usage: Mapping[FlavorResource, int], why: str
    ) -> None:
        """Add usage to the tree until the cycle ends: later entries can't use it."""
        entry.reserved = usage
        if not self._left and self._log is None:
            return  # No entry is left that could use it.
        self._tree.add_usage(entry.node, usage)
        if domains := self._topology_usage(entry):
            self._placer.forest.add(domains)
        if self._log is not None:
            self._log.reserved(entry, usage, why)
