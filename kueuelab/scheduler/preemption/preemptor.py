"""The preemptor: finds the workloads to preempt so that a head fits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kueuelab.model import Configuration, FlavorResource
from kueuelab.quota import ClusterQueueNode, QuotaTree
from kueuelab.scheduler.assignment import PreemptionMode
from kueuelab.scheduler.chances import Chances
from kueuelab.scheduler.placer import Placer
from kueuelab.scheduler.preemption import classical, fair
from kueuelab.scheduler.preemption.recorded import started
from kueuelab.scheduler.preemption.search import Search, Target
from kueuelab.topology import NOTHING_WANTED, Wanted
from kueuelab.trace import steps
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import WorkloadState

__all__ = ["Preemptor"]

# Looking up a member of an Enum takes long, and most entries of a cycle ask for this one.
_NO_CANDIDATES = PreemptionMode.NoCandidates
#: What is recorded of a search without fair sharing in place of strategies.
_CLASSICAL = ("classical",)


class Preemptor:
    """Finds preemption targets, classically or by fair sharing as configured."""

    __slots__ = (
        "_chances",
        "_configuration",
        "_latest",
        "_placer",
        "_recorder",
        "_shared",
        "_tree",
    )

    def __init__(
        self,
        configuration: Configuration,
        tree: QuotaTree,
        placer: Placer,
        recorder: Recorder | None = None,
        chances: Chances | None = None,
    ) -> None:
        self._configuration = configuration
        self._tree = tree
        self._placer = placer
        self._recorder = recorder
        self._chances = chances or Chances()
        #: What the records of searches have in common before anything is simulated.
        self._shared: dict[object, Any] = {}
        #: The parameters of the latest search, and its result.
        self._latest: tuple[object, list[Target]] = (None, [])

    def forget(self) -> None:
        """Forget the latest result: the quota tree has, or may have, changed.

        For a workload with one pod set and one resource, the search for a flavor and the
        search for targets have the same parameters.
        """
        self._latest = (None, [])

    def targets(
        self,
        workload: WorkloadState,
        queue: ClusterQueueNode,
        usage: Mapping[FlavorResource, int],
        contested: tuple[FlavorResource, ...],
        purpose: str = "targets",
        wanted: Wanted = NOTHING_WANTED,
    ) -> list[Target]:
        """Return the workloads to preempt so that ``usage`` fits; empty if that is impossible.

        The pod sets that are ``wanted`` to be placed must find domains, too.
        """
        parameters = (workload.key, usage, contested, wanted)
        if self._recorder is None and self._latest[0] == parameters:
            return self._latest[1]
        by_share = self._configuration.fair_sharing is not None
        if (
            self._recorder is None
            and not by_share
            and classical.is_pointless(queue, workload, usage)
        ):
            self._latest = (parameters, [])
            return []
        search = Search(
            self._tree,
            self._configuration,
            workload,
            queue,
            usage,
            contested,
            purpose,
            self._placer,
            wanted,
            self._recorder,
            {} if self._tree.journal.entries else self._shared,
            self._chances,
        )
        if self._recorder is not None:
            search.record(started(search, fair.strategies_of(search) if by_share else _CLASSICAL))
        find = fair.find_targets if by_share else classical.find_targets
        targets = find(search)
        self._latest = (parameters, targets)
        if self._recorder is not None:
            pairs = tuple((target.workload.key, target.reason) for target in targets)
            search.record(self._recorder.same(steps.TargetsChosen, purpose, pairs))
        return targets

    def possibility(
        self,
        workload: WorkloadState,
        queue: ClusterQueueNode,
        fr: FlavorResource,
        amount: int,
        borrow: int,
    ) -> tuple[PreemptionMode, int]:
        """Return what preemption could do for one flavor and resource, and how far it borrows.

        Without preemption it would borrow as far as ``borrow``.
        """
        targets = self.targets(workload, queue, {fr: amount}, (fr,), "flavor")
        if not targets:
            return _NO_CANDIDATES, borrow
        tree = self._tree
        mark = tree.mark()
        for target in targets:
            tree.remove_booked(target.workload.key)
        borrow, _ = queue.lowest_subtree_that_fits(fr, amount)
        tree.undo(mark)
        own = any(target.cluster_queue == queue.name for target in targets)
        return (PreemptionMode.Preempt if own else PreemptionMode.Reclaim), borrow
