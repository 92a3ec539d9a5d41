"""The steps that the scan of flavors records: rejected, considered, chosen."""

from __future__ import annotations

from kueuelab.model import FlavorResource
from kueuelab.quota import ClusterQueueNode
from kueuelab.scheduler.rank import Rank
from kueuelab.trace import steps
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import WorkloadState

__all__ = ["FlavorLog"]


class FlavorLog:
    """Records the verdict on each flavor for one workload in one ClusterQueue."""

    __slots__ = ("_queue", "_recorder", "_workload")

    def __init__(
        self, recorder: Recorder, workload: WorkloadState, queue: ClusterQueueNode
    ) -> None:
        self._recorder = recorder
        self._workload = workload
        self._queue = queue

    def _record(self, facts: steps.Facts) -> None:
        self._recorder.record(facts, self._workload.key, self._queue.name)

    def rejected(self, pod_sets: tuple[str, ...], flavor: str, reason: str) -> None:
        """Record a flavor that can't be used, whatever the quota."""
        self._record(steps.FlavorRejected(pod_sets, flavor, (reason,)))

    def considered(
        self,
        pod_sets: tuple[str, ...],
        fr: FlavorResource,
        assumed: int,
        needed: int,
        rank: Rank,
        reason: str,
    ) -> None:
        """Record how an amount compares with the quota of one flavor and resource."""
        queue = self._queue
        quota = queue.quota(fr)
        self._record(
            steps.FlavorConsidered(
                pod_sets=pod_sets,
                flavor=fr[0],
                resource=fr[1],
                requested=needed,
                assumed=assumed,
                nominal=quota.nominal,
                used=queue.usage.get(fr, 0),
                available=queue.available(fr),
                potential=queue.potential_available(fr),
                borrowing_limit=quota.borrowing_limit,
                lending_limit=quota.lending_limit,
                borrowing=rank.borrow,
                mode=rank.mode.mode.name,
                possibility=rank.mode.possibility,
                reasons=(reason,) if reason else (),
            )
        )

    def chosen(
        self,
        pod_sets: tuple[str, ...],
        resources: tuple[str, ...],
        flavor: str,
        best: Rank,
        rule: str,
        fungibility: bool,
        tried: int,
        offered: int,
    ) -> None:
        """Record the flavor chosen, if any; ``tried`` of ``offered`` flavors were considered."""
        policy = self._queue.flavor_fungibility
        rules: dict[str, str] = {}
        if fungibility:
            rules["whenCanBorrow"] = policy.when_can_borrow
            rules["whenCanPreempt"] = policy.when_can_preempt
            if policy.preference is not None:
                rules["preference"] = policy.preference
        self._record(
            steps.FlavorChosen(
                pod_sets,
                resources,
                flavor,
                best.mode.mode.name,
                best.borrow if flavor else 0,
                rule if flavor else "none-fits",
                rules,
                tried,
                offered,
            )
        )
