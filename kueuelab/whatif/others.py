"""Levers on other ClusterQueues of the cohort tree: their policies, their weight, their quota."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from kueuelab.messages import Message
from kueuelab.model import FlavorResource, amount_string
from kueuelab.whatif import amounts
from kueuelab.whatif.change_sets import Adjustment, Part
from kueuelab.whatif.proposals import edit_queue
from kueuelab.whatif.subject import Subject

__all__ = ["moved_quota", "policies_of_others", "weights"]

#: More other queues than this are not tried one by one.
_MANY: Final = 6
_RECLAIM: Final = ("Never", "LowerPriority", "Any")
_STRATEGIES: Final = {"StrictFIFO": "BestEffortFIFO", "BestEffortFIFO": "StrictFIFO"}
#: So many times its weight is tried, one after the other.
_TIMES: Final = (2, 4, 8)


def policies_of_others(subject: Subject) -> Iterator[Adjustment]:
    """Yield adjustments on how other queues of the tree reclaim and order their workloads.

    A head that waits there can keep the quota that this workload would borrow.
    """
    objects = subject.cluster.objects.cluster_queues
    for name in _others(subject)[:_MANY]:
        queue = objects[name]
        stronger = _RECLAIM[_RECLAIM.index(queue.preemption.reclaim_within_cohort) + 1 :]
        if stronger:
            yield _levels(name, "preemption", "spec.preemption.reclaimWithinCohort", stronger)
        other = _STRATEGIES[queue.queueing_strategy]
        yield _levels(name, "strategy", "spec.queueingStrategy", (other,))


def weights(subject: Subject) -> Iterator[Adjustment]:
    """Yield an adjustment that makes the weight of its queue larger, with fair sharing."""
    queue = subject.queue
    if queue is None or not subject.cluster.configuration.fair_sharing_enabled:
        return
    now = Fraction(1) if queue.fair_weight is None else queue.fair_weight
    larger = tuple(_decimal(now * times) for times in _TIMES) if now else ("1",)
    yield _levels(queue.name, "weight", "spec.fairSharing.weight", larger)


def moved_quota(subject: Subject) -> Iterator[tuple[Adjustment, int]]:
    """Yield adjustments that move unused nominal quota of others here, with a guess of how much.

    What the whole cohort has stays the same.
    """
    node = subject.node
    if node is None:
        return
    own = amounts.Quotas(subject, node)
    nodes = subject.cluster.tree.cluster_queues
    for demand in subject.demands:
        flavor = subject.best_flavor(demand)
        for resource, lacking in subject.lacking(demand, flavor).items():
            fr = (flavor, resource)
            guess = lacking or demand.requests[resource]
            for name in _others(subject)[:_MANY]:
                theirs = amounts.Quotas(subject, nodes[name])
                if fr not in own or fr not in theirs:
                    continue
                unused = theirs.quota(fr).nominal - nodes[name].usage.get(fr, 0)
                if unused > 0:
                    yield _moved(subject, own, theirs, name, fr, unused), min(guess, unused)


def _moved(
    subject: Subject,
    own: amounts.Quotas,
    theirs: amounts.Quotas,
    lender: str,
    fr: FlavorResource,
    most: int,
) -> Adjustment:
    assert subject.queue is not None
    queue, requested = subject.queue.name, subject.requests[fr[1]]

    def part(amount: int) -> Part:
        changes = (
            theirs.set_nominal(fr, theirs.quota(fr).nominal - amount),
            own.set_nominal(fr, own.quota(fr).nominal + amount),
        )
        shown = amount_string(fr[1], amount)
        item = Message("amount.of", amount=shown, resource=fr[1], flavor=fr[0])
        values = {"lender": lender, "queue": queue}
        return Part("movedQuota", changes, values, item, (lender, queue), amount / requested)

    return Adjustment(part, most, subject.unit(fr[1]))


def _others(subject: Subject) -> list[str]:
    """Return the other queues of the tree, those with a workload that waits first."""
    queues, own = subject.cluster.queues, subject.queue
    others = [name for name in subject.tree_queues if own is None or name != own.name]
    return sorted(others, key=lambda name: (not queues.pending_active(name), name))


def _levels(queue: str, kind: str, path: str, values: tuple[str, ...]) -> Adjustment:
    """Return an adjustment that sets a field to one of some values, the weakest first."""

    def part(level: int) -> Part:
        value = values[level - 1]
        shown = f"{path.rpartition('.')[2]}: {value}"
        change = edit_queue(queue, {path: value})
        return Part(kind, (change,), {"queue": queue}, shown, (queue,))

    return Adjustment(part, len(values))


def _decimal(value: Fraction) -> str:
    """Return a number as a Kubernetes quantity, to the thousandth."""
    milli = round(value * 1000)
    return str(milli // 1000) if milli % 1000 == 0 else f"{milli}m"
