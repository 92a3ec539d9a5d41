"""One scheduling cycle: heads in, decisions out.

The cycle nominates flavors (and preemption targets) for every head, orders the entries,
and processes them one after another. Quota that one entry takes is gone for the next.
All of that happens in the quota tree itself and is undone at the end: what is decided
takes effect when the cluster applies it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from kueuelab.model import Configuration, FlavorResource, ResourceFlavor
from kueuelab.queues import Head, RequeueReason
from kueuelab.quota import ClusterQueueNode, QuotaTree
from kueuelab.scheduler.assignment import Assignment, Mode
from kueuelab.scheduler.cycle_log import CycleLog
from kueuelab.scheduler.entry import Entry, Inadmissible
from kueuelab.scheduler.flavor_rules import FlavorRules
from kueuelab.scheduler.flavors import FlavorAssigner
from kueuelab.scheduler.ordering import by_priority, by_share
from kueuelab.scheduler.partial import search_counts
from kueuelab.scheduler.preemption import Preemptor, Target

if TYPE_CHECKING:
    from kueuelab.trace.recorder import Recorder
    from kueuelab.workload import LastAssignment, WorkloadState

__all__ = ["Admissibility", "Cycle", "Inactive"]

#: Says why a head can't be nominated, given its ClusterQueue too; ``None`` if it can.
Admissibility = Callable[["WorkloadState", ClusterQueueNode], Inadmissible | None]
#: Tells whether a ClusterQueue (by name) can't admit at the moment.
Inactive = Callable[[str], bool]


class Cycle:
    """A scheduling cycle under way.

    Attributes
    ----------
    number
        Counts cycles from 1.
    heads
        Keys of the workloads taken from the queues, sorted.
    entries
        Those nominated, in the order in which they are requeued.
    inadmissible
        Those turned away before nomination.
    processed
        Those processed so far, in order.
    """

    def __init__(
        self,
        number: int,
        heads: list[Head],
        configuration: Configuration,
        tree: QuotaTree,
        flavors: Mapping[str, ResourceFlavor],
        inactive: Inactive,
        admissibility: Admissibility,
        rules: FlavorRules,
        recorder: Recorder | None = None,
    ) -> None:
        self.number = number
        self.heads = tuple(sorted(head.workload.key for head in heads))
        self.entries: list[Entry] = []
        self.inadmissible: list[Entry] = []
        self.processed: list[Entry] = []
        self._configuration = configuration
        self._gates = configuration.gates
        self._tree = tree
        self._flavors = flavors
        self._recorder = recorder
        self._log = CycleLog(recorder)
        self._preemptor = Preemptor(configuration, tree, recorder)
        #: Those preempted in this cycle, per root of their cohort tree.
        self._preempted: dict[str, dict[str, WorkloadState]] = {}
        self._rules = rules
        tree.begin_simulation()
        self._log.started(heads)
        self._nominate_all(heads, inactive, admissibility)

    # --- nomination --------------------------------------------------------------------

    def _nominate_all(
        self, heads: list[Head], inactive: Inactive, admissibility: Admissibility
    ) -> None:
        for head in heads:
            workload = head.workload
            if self._tree.accounted(workload.key):
                continue
            queue = self._tree.cluster_queues.get(head.cluster_queue)
            entry = Entry(workload, head.cluster_queue, queue, head.is_preemptor)
            obstacle = _obstacle(entry, inactive, admissibility)
            if obstacle is not None:
                self._turn_away(entry, obstacle)
                continue
            self._log.nominating(entry)
            entry.nominate(*self._find_assignment(entry))
            self.entries.append(entry)
            self._log.nominated(entry)

    def _turn_away(self, entry: Entry, obstacle: Inadmissible) -> None:
        entry.message = obstacle.message
        entry.quota_reserved_reason = obstacle.quota_reserved_reason
        entry.requeue_reason = obstacle.requeue_reason
        entry.skip_status_update = obstacle.silent
        self.inadmissible.append(entry)
        self._log.turned_away(entry)

    def _find_assignment(
        self, entry: Entry, pinned: Mapping[str, Mapping[str, str]] | None = None
    ) -> tuple[Assignment, list[Target]]:
        """Look for flavors, then for whom to preempt, then for fewer pods."""
        workload, queue = entry.workload, _queue(entry)
        if workload.last_assignment is not None and self._is_outdated(
            workload.last_assignment, queue, workload
        ):
            workload.last_assignment = None
        self._preemptor.forget()
        assigner = FlavorAssigner(
            workload,
            queue,
            self._flavors,
            self._rules,
            lambda fr, amount: self._preemptor.possibility(workload, queue, fr, amount),
            self.number,
            pinned,
            self._recorder,
        )
        full = assigner.assign()
        targets = self._targets(entry, full)
        if targets is not None:
            return full, targets
        if self._gates["PartialAdmission"] and workload.can_be_partially_admitted:

            def fewer(counts: list[int]) -> tuple[Assignment, list[Target]] | None:
                self._log.trying_fewer(entry, counts)
                assignment = assigner.assign(counts)
                found = self._targets(entry, assignment)
                return None if found is None else (assignment, found)

            reduced = search_counts(workload.obj.pod_sets, fewer)
            if reduced is not None:
                return reduced
        return full, []

    def _targets(self, entry: Entry, assignment: Assignment) -> list[Target] | None:
        """Return whom the assignment preempts: nobody if it fits, ``None`` if it can't be had."""
        if assignment.mode is Mode.Fit:
            return []
        if assignment.mode is Mode.Preempt:
            usage = assignment.total_requests(entry.workload.requests)
            return (
                self._preemptor.targets(
                    entry.workload, _queue(entry), usage, assignment.contested()
                )
                or None
            )
        return None

    def _is_outdated(
        self, last: LastAssignment, queue: ClusterQueueNode, workload: WorkloadState
    ) -> bool:
        """Tell whether the flavor scan has to start over.

        Progress of this or the last cycle holds, as long as the workload is of the same
        shape; older progress only while nothing was freed in its ClusterQueue.
        """
        if self._gates["FlavorFungibilityPreserveScanProgress"]:
            hashed = last.scheduling_hash and workload.scheduling_hash
            if hashed and last.scheduling_hash != workload.scheduling_hash:
                return True
            if self.number - last.cycle <= 1:
                return False
        return queue.generation > last.generation

    # --- processing --------------------------------------------------------------------

    def process(self) -> Iterator[Entry]:
        """Process the entries in order; yield each right before it is admitted.

        The caller may hold the iteration there: that entry, and those after it, wait.
        """
        if self._rules.fair_sharing:
            order = by_share(self.entries, self._tree, self._configuration, self._recorder)
        else:
            order = by_priority(self.entries, self._configuration, self._recorder)
        for entry in order:
            self.processed.append(entry)
            if self._process(entry):
                entry.status = "nominated"
                yield entry
                entry.status = "assumed"
            self._log.processed(entry)

    def finish(self) -> None:
        """Undo what was simulated. What the entries say is what was decided."""
        self._tree.end_simulation()
        self._log.ended(self.processed)

    def _process(self, entry: Entry) -> bool:
        """Take one entry as far as it gets; tell whether it can be admitted."""
        fits = self._refresh(entry)
        mode = entry.mode
        if mode is Mode.NoFit:
            assert entry.assignment is not None
            entry.requeue_reason = RequeueReason.NO_FIT
            entry.quota_reserved_reason = entry.assignment.no_fit_reason
            return False
        if mode is Mode.Preempt and not entry.targets:
            entry.requeue_reason = RequeueReason.PREEMPTION_NO_CANDIDATES
            entry.quota_reserved_reason = "WaitingForQuota"
            self._reserve_if_unreclaimable(entry)
            return False
        if mode is Mode.Preempt and self._is_gated(entry):
            entry.status = "preemptionGated"
            entry.message = "Workload requires preemption, but it's gated"
            entry.quota_reserved_reason = "AdmissionGated"
            entry.requeue_reason = RequeueReason.PREEMPTION_GATED
            entry.workload.last_assignment = None
            return False
        if mode is Mode.DeferredFit:
            self._defer(entry)
            return False
        if self._overlaps(entry) or not fits:
            entry.skip(
                "Workload has overlapping preemption targets with another workload"
                if self._overlaps(entry)
                else "Workload no longer fits after processing another workload",
                keep_progress=self._gates["FlavorFungibilityPreserveScanProgress"],
            )
            entry.quota_reserved_reason = "WaitingForQuota"
            return False
        preempted = self._preempted_near(entry)
        for target in entry.targets:
            preempted[target.workload.key] = target.workload
        self._hold(entry, self._usage(entry), "admitted" if mode is Mode.Fit else "preempting")
        if mode is Mode.Preempt:
            self._preempt(entry)
            return False
        return True

    def _preempt(self, entry: Entry) -> None:
        entry.preempting = True
        entry.quota_reserved_reason = "WaitingForPreemptedWorkloads"
        entry.requeue_reason = RequeueReason.PENDING_PREEMPTION
        entry.message += f". Pending the preemption of {len(entry.targets)} workload(s)"
        entry.workload.last_assignment = None

    def _defer(self, entry: Entry) -> None:
        """Wait for preemptions that others issued in this cycle; keep the place until then."""
        entry.message = (
            "Workload has overlapping preemption targets with another workload, "
            "but will fit after these preemptions complete"
        )
        entry.quota_reserved_reason = "WaitingForPreemptedWorkloads"
        entry.requeue_reason = RequeueReason.PENDING_PREEMPTION
        entry.workload.last_assignment = None
        self._hold(entry, self._usage(entry), "deferred")

    def _refresh(self, entry: Entry) -> bool:
        """Tell whether the entry still fits; seek flavors and targets again if they overlap."""
        if not (
            self._gates["RecomputeAssignmentUponPreemptionTargetsOverlap"] and self._overlaps(entry)
        ):
            return self._still_fits(entry)
        assert entry.assignment is not None
        entry.workload.last_assignment = None
        pinned = entry.assignment.flavors_by_pod_set()
        with self._tree.without(list(self._preempted_near(entry).values())):
            entry.nominate(*self._find_assignment(entry, pinned))
        if entry.mode is Mode.Fit:
            entry.assignment.set_mode(Mode.DeferredFit)
        self._log.recomputed(entry)
        return self._still_fits(entry)

    def _overlaps(self, entry: Entry) -> bool:
        preempted = self._preempted_near(entry)
        return any(target.workload.key in preempted for target in entry.targets)

    def _preempted_near(self, entry: Entry) -> dict[str, WorkloadState]:
        """Return whom this cycle preempted in the entry's cohort tree; others don't matter."""
        return self._preempted.setdefault(_queue(entry).root.name, {})

    def _is_gated(self, entry: Entry) -> bool:
        gates = self._gates
        enabled = gates["ConcurrentAdmission"] or gates["MultiKueueOrchestratedPreemption"]
        return enabled and entry.workload.has_closed_preemption_gate

    def _usage(self, entry: Entry) -> dict[FlavorResource, int]:
        """Return the quota that admitting the entry would take in addition."""
        assert entry.assignment is not None
        return {} if entry.workload.has_quota_reservation else entry.assignment.usage

    def _still_fits(self, entry: Entry) -> bool:
        """Tell whether the entry fits once all that is preempted in this cycle is gone."""
        tree, queue = self._tree, _queue(entry)
        gone = dict(self._preempted_near(entry))
        gone.update((target.workload.key, target.workload) for target in entry.targets)
        mark = tree.mark()
        for key, workload in gone.items():
            tree.remove_usage(tree.cluster_queues[workload.cluster_queue], tree.booked_usage(key))
        fits = all(queue.available(fr) >= value for fr, value in self._usage(entry).items())
        tree.undo(mark)
        return fits

    def _reserve_if_unreclaimable(self, entry: Entry) -> None:
        """Keep quota for an entry that has nobody to preempt, lest others borrow it.

        Not needed where the ClusterQueue can always take back what it lent.
        """
        queue = _queue(entry)
        waiting = self._gates["PrioritizePreemptorWorkloads"] and entry.is_preemptor
        if queue.preemption.reclaim_within_cohort == "Any" and not waiting:
            return
        why = "alone" if queue.parent is None else "unreclaimable"
        self._hold(entry, self._reservation(entry, queue), why)

    def _reservation(self, entry: Entry, queue: ClusterQueueNode) -> dict[FlavorResource, int]:
        """Return the quota to keep: up to the borrowing limit if it borrows, else nominal."""
        reserved = {}
        for fr, value in self._usage(entry).items():
            quota, used = queue.quota(fr), queue.usage.get(fr, 0)
            if entry.borrowing == 0:
                reserved[fr] = max(0, min(value, quota.nominal - used))
            elif quota.borrowing_limit is None:
                reserved[fr] = value
            else:
                reserved[fr] = min(value, quota.nominal + quota.borrowing_limit - used)
        return reserved

    def _hold(self, entry: Entry, usage: Mapping[FlavorResource, int], why: str) -> None:
        """Take quota out of what later entries of this cycle may use."""
        self._tree.add_usage(_queue(entry), usage)
        self._log.held(entry, usage, why)


def _obstacle(
    entry: Entry, inactive: Inactive, admissibility: Admissibility
) -> Inadmissible | None:
    """Return what keeps a head from being nominated, the first thing that does."""
    name = entry.cluster_queue
    checks = entry.workload.admission_checks
    if checks and any(check.state in ("Retry", "Rejected") for check in checks.values()):
        return Inadmissible("The workload has failed admission checks", "PendingEvaluation")
    if inactive(name):
        return Inadmissible(f"ClusterQueue {name} is inactive", "Suspended")
    if entry.queue is None:
        return Inadmissible(f"ClusterQueue {name} not found")
    return admissibility(entry.workload, entry.queue)


def _queue(entry: Entry) -> ClusterQueueNode:
    assert entry.queue is not None
    return entry.queue
