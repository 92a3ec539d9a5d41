"""Nomination, the third step of a scheduling cycle: flavors and targets for each head.

It is what Kueue's ``nominate()`` and ``getAssignments()`` do. See
https://kueue.sigs.k8s.io/docs/concepts/preemption/ and KEP-420 (partial admission).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from kueuelab.progress import counted
from kueuelab.queues import Head
from kueuelab.quota import ClusterQueueNode
from kueuelab.scheduler.assignment import Assignment, Mode
from kueuelab.scheduler.cycle_log import CycleLog
from kueuelab.scheduler.entry import Entry, Inadmissible
from kueuelab.scheduler.flavors import FlavorAssigner
from kueuelab.scheduler.partial_admission import search_counts
from kueuelab.scheduler.preemption import Preemptor, Target
from kueuelab.scheduler.slices import replaced_slice
from kueuelab.workload import LastAssignment, WorkloadState
from kueuelab.workload.slices import replacement_for

if TYPE_CHECKING:
    from kueuelab.scheduler.scheduler import Scheduler

__all__ = ["Nominator"]

#: An assignment, and the workloads to preempt for it.
_Found: TypeAlias = tuple[Assignment, list[Target]]

# Looking up a member of an Enum takes long, and every entry of a cycle asks for these.
_PREEMPT, _FIT = Mode.Preempt, Mode.Fit


class Nominator:
    """Finds the assignments of one cycle.

    Parameters
    ----------
    scheduler
        Its tree, flavors and configuration count.
    number
        The cycle's number.
    log
        Records what is found, if given.
    """

    __slots__ = ("_cycle", "_log", "_preemptor", "_scheduler", "_slices")

    def __init__(self, scheduler: Scheduler, number: int, log: CycleLog | None) -> None:
        self._scheduler = scheduler
        self._cycle = number
        self._log = log
        self._slices = scheduler.configuration.gates["ElasticJobsViaWorkloadSlices"]
        self._preemptor = Preemptor(
            scheduler.configuration,
            scheduler.tree,
            scheduler.placer,
            scheduler.recorder,
            scheduler.chances,
        )

    def nominate(self, heads: Sequence[Head]) -> tuple[list[Entry], list[Entry]]:
        """Return the nominated heads as entries, and those that can't be nominated."""
        tree, log = self._scheduler.tree, self._log
        entries: list[Entry] = []
        inadmissible: list[Entry] = []
        for head in counted("deciding", heads):
            if tree.accounted(head.workload.key) and not head.second_pass:
                continue
            queue = tree.cluster_queues.get(head.cluster_queue)
            entry = Entry(head.workload, head.cluster_queue, queue, head.is_preemptor)
            entry.second_pass = head.second_pass
            if self._slices:
                entry.replaces = replacement_for(head.workload.obj)
            obstacle = self._obstacle(entry)
            if obstacle is not None:
                entry.reject(obstacle)
                inadmissible.append(entry)
                if log is not None:
                    log.rejected(entry)
                continue
            if log is not None:
                log.nominating(entry)
            entry.record_assignment(*self.find_assignment(entry))
            entries.append(entry)
            if log is not None:
                log.nominated(entry)
        return entries, inadmissible

    def find_assignment(
        self, entry: Entry, pinned: Mapping[str, Mapping[str, str]] | None = None
    ) -> _Found:
        """Find flavors, then targets; if neither is enough, for fewer pods.

        A preemptor is given the domains that it will get.

        Parameters
        ----------
        entry
            A head whose ClusterQueue exists.
        pinned
            Pod set to resource to flavor: only these flavors are considered, if given.
        """
        queue = entry.queue
        assert queue is not None
        assignment, targets = self._find_assignment(entry, queue, pinned)
        if assignment.wanted and assignment.mode is _PREEMPT:
            placer = self._scheduler.placer
            mark = self._scheduler.tree.mark()
            for target in targets:
                placer.forest.remove_workload(target.workload.key)
            placer.place_after_preemption(assignment, entry.workload, queue, empty=not targets)
            self._scheduler.tree.undo(mark)
        return assignment, targets

    def _find_assignment(
        self, entry: Entry, queue: ClusterQueueNode, pinned: Mapping[str, Mapping[str, str]] | None
    ) -> _Found:
        scheduler, workload = self._scheduler, entry.workload
        if workload.last_assignment is not None and self._is_outdated(
            workload.last_assignment, queue, workload
        ):
            workload.last_assignment = None
        self._preemptor.forget()
        replaced = replaced_slice(entry, queue)
        own = [] if replaced is None else [Target(replaced, "")]
        if replaced is not None and self._log is not None:
            self._log.replacing(entry, replaced)
        assigner = FlavorAssigner(
            workload,
            queue,
            scheduler.flavors,
            scheduler.rules,
            partial(self._preemptor.possibility, workload, queue),
            scheduler.placer,
            self._cycle,
            pinned,
            scheduler.recorder,
            replaced,
        )
        full = assigner.assign()
        targets = self._targets(entry, full)
        if targets is not None:
            return full, own + targets
        if scheduler.configuration.gates["PartialAdmission"] and workload.can_be_partially_admitted:

            def fewer(counts: list[int]) -> _Found | None:
                if self._log is not None:
                    self._log.trying_fewer(entry, counts)
                assignment = assigner.assign(counts)
                found = self._targets(entry, assignment)
                return None if found is None else (assignment, own + found)

            reduced = search_counts(workload.obj.pod_sets, fewer)
            if reduced is not None:
                return reduced
        return full, []

    def _obstacle(self, entry: Entry) -> Inadmissible | None:
        """Return the first thing that keeps a head from being nominated, if any."""
        cluster, name = self._scheduler.cluster, entry.cluster_queue
        checks = entry.workload.admission_checks
        if checks and any(check.state in ("Retry", "Rejected") for check in checks.values()):
            return Inadmissible("The workload has failed admission checks", "PendingEvaluation")
        if cluster.is_inactive(name):
            return Inadmissible(f"ClusterQueue {name} is inactive", "Suspended")
        if entry.queue is None:
            return Inadmissible(f"ClusterQueue {name} not found")
        return cluster.obstacle(entry.workload, entry.queue)

    def _targets(self, entry: Entry, assignment: Assignment) -> list[Target] | None:
        """Return the targets of an assignment: empty if it fits, ``None`` if it can't fit."""
        mode = assignment.mode
        if mode is _FIT:
            return []
        if mode is _PREEMPT:
            workload, queue = entry.workload, entry.node
            usage = assignment.total_requests(workload.requests)
            contested = assignment.contested()
            return (
                self._preemptor.targets(workload, queue, usage, contested, wanted=assignment.wanted)
                or None
            )
        return None

    def _is_outdated(
        self, last: LastAssignment, queue: ClusterQueueNode, workload: WorkloadState
    ) -> bool:
        """Tell whether the scan of flavors has to start over.

        Progress of this or the last cycle holds, as long as the workload is of the same
        shape; older progress only while nothing was released in its ClusterQueue.
        """
        if self._scheduler.configuration.gates["FlavorFungibilityPreserveScanProgress"]:
            hashed = last.scheduling_hash and workload.scheduling_hash
            if hashed and last.scheduling_hash != workload.scheduling_hash:
                return True
            if self._cycle - last.cycle <= 1:
                return False
        return queue.generation > last.generation
