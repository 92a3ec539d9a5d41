"""The steps that the scan of flavors records: rejected, considered, chosen."""

from __future__ import annotations

from kueuelab.model import FlavorFungibility, FlavorResource
from kueuelab.quota import ClusterQueueNode
from kueuelab.scheduler.assignment import MODE_NAMES
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
            self._recorder.same(
                steps.FlavorConsidered,
                pod_sets,
                *fr,
                needed,
                assumed,
                quota.nominal,
                queue.usage.get(fr, 0),
                queue.available(fr),
                queue.potential_available(fr),
                quota.borrowing_limit,
                quota.lending_limit,
                rank.borrow,
                MODE_NAMES[rank.mode.mode],
                rank.mode.possibility,
                (reason,) if reason else (),
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
        policy = self._queue.flavor_fungibility if fungibility else None
        mode, borrow = MODE_NAMES[best.mode.mode], best.borrow if flavor else 0
        rule = rule if flavor else "none-fits"
        key = ("chosen", pod_sets, resources, flavor, mode, borrow, rule, policy, tried, offered)
        self._record(
            self._recorder.once(
                key,
                lambda: steps.FlavorChosen(
                    pod_sets, resources, flavor, mode, borrow, rule, _rules(policy), tried, offered
                ),
            )
        )


def _rules(policy: FlavorFungibility | None) -> dict[str, str]:
    """Return the rules by which the scan goes on or ends; none without fungibility."""
    if policy is None:
        return {}
    rules: dict[str, str] = {
        "whenCanBorrow": policy.when_can_borrow,
        "whenCanPreempt": policy.when_can_preempt,
    }
    if policy.preference is not None:
        rules["preference"] = policy.preference
    return rules
