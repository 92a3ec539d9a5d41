"""Levers on the policies of the workload's ClusterQueue, and on the cohort that it is in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kueuelab.whatif.change_sets import Adjustment, Part
from kueuelab.whatif.changes import Edit
from kueuelab.whatif.proposals import edit_queue
from kueuelab.whatif.references import Reference
from kueuelab.whatif.subject import Subject

__all__ = ["cohorts", "order_and_preference", "policies", "preemption"]

_WITHIN: Final = ("Never", "LowerPriority", "LowerOrNewerEqualPriority")
_RECLAIM: Final = ("Never", "LowerPriority", "Any")
_PREFERENCES: Final = ("BorrowingOverPreemption", "PreemptionOverBorrowing")
#: More cohorts than this are not tried one by one.
_MANY: Final = 4


def preemption(subject: Subject) -> Iterator[Adjustment]:
    """Yield an adjustment for each policy of preemption that can be stronger, weakest first."""
    queue, node = subject.queue, subject.node
    if queue is None or node is None:
        return
    name, now = queue.name, queue.preemption
    stronger = _WITHIN[_WITHIN.index(now.within_cluster_queue) + 1 :]
    if stronger:
        yield _adjustment(name, [{"withinClusterQueue": policy} for policy in stronger])
    if node.parent is None:
        return
    # Where both change, reclaiming counts.
    if not subject.cluster.configuration.fair_sharing_enabled and (found := _borrowing(subject)):
        reclaiming = {"reclaimWithinCohort": "LowerPriority"}
        needed = reclaiming if now.reclaim_within_cohort == "Never" else {}
        yield _adjustment(name, [{**needed, "borrowWithinCohort": policy} for policy in found])
    stronger = _RECLAIM[_RECLAIM.index(now.reclaim_within_cohort) + 1 :]
    if stronger:
        yield _adjustment(name, [{"reclaimWithinCohort": policy} for policy in stronger])


def _borrowing(subject: Subject) -> list[Mapping[str, Any]]:
    """Return the values of ``borrowWithinCohort`` that allow more than it does now."""
    queue = subject.queue
    assert queue is not None
    now = queue.preemption.borrow_within_cohort
    any_target = {"policy": "LowerPriority"}
    if now is None or now.policy == "Never":
        return [any_target]
    if now.max_priority_threshold is None:
        return []
    limit, own = now.max_priority_threshold, subject.state.priority
    known = {s.priority for s in subject.holders() if limit < s.priority < own}
    return [
        *({"policy": "LowerPriority", "maxPriorityThreshold": each} for each in sorted(known)),
        any_target,
    ]


def policies(subject: Subject) -> Iterator[Adjustment]:
    """Yield adjustments on the queueing strategy and on flavor fungibility."""
    queue = subject.queue
    if queue is None:
        return
    if queue.queueing_strategy == "StrictFIFO":
        yield _field(queue.name, "strategy", "spec.queueingStrategy", "BestEffortFIFO")
    if not any(len(demand.flavors) > 1 for demand in subject.demands):
        return
    fungibility = queue.flavor_fungibility
    for field, current, other in (
        ("whenCanBorrow", fungibility.when_can_borrow, "TryNextFlavor"),
        ("whenCanPreempt", fungibility.when_can_preempt, "MayStopSearch"),
    ):
        if current != other and fungibility.preference is None:
            yield _field(queue.name, "fungibility", f"spec.flavorFungibility.{field}", other)


def order_and_preference(subject: Subject) -> Iterator[Adjustment]:
    """Yield what lets a large head wait in front, and which of two flavors counts as better."""
    queue = subject.queue
    if queue is None:
        return
    if queue.queueing_strategy != "StrictFIFO":
        yield _field(queue.name, "strategy", "spec.queueingStrategy", "StrictFIFO")
    if any(len(demand.flavors) > 1 for demand in subject.demands):
        for preference in _PREFERENCES:
            if preference != queue.flavor_fungibility.preference:
                path = "spec.flavorFungibility.preference"
                yield _field(queue.name, "fungibility", path, preference)


def cohorts(subject: Subject) -> list[Adjustment]:
    """Return other cohorts with quota that it could use, those with the most to spare first."""
    queue, cluster = subject.queue, subject.cluster
    if queue is None:
        return []
    spare = {
        name: sum(
            max(0, node.subtree_quota.get(fr, 0) - node.usage.get(fr, 0))
            for fr in subject.contested
        )
        for name, node in cluster.tree.cohorts.items()
        if name != queue.cohort_name and node.sorted_queues
    }
    ranked = sorted((name for name in spare if spare[name]), key=lambda name: (-spare[name], name))
    found = []
    for name in ranked[:_MANY]:
        change = edit_queue(queue.name, {"spec.cohortName": name})
        values = {"queue": queue.name, "cohort": name}
        part = Part("cohort", (change,), values, queues=(queue.name,))
        found.append(Adjustment(lambda _, part=part: part))  # type: ignore[misc]
    return found


def _adjustment(queue: str, levels: list[dict[str, Any]]) -> Adjustment:
    """Return an adjustment on the preemption of a queue, which can be set to these levels."""

    def part(level: int) -> Part:
        fields = levels[level - 1]
        values = {f"spec.preemption.{field}": value for field, value in fields.items()}
        shown = ", ".join(f"{field}: {_shown(value)}" for field, value in fields.items())
        change = Edit(Reference("ClusterQueue", "", queue), values)
        return Part("preemption", (change,), {"queue": queue}, shown, (queue,), float(len(fields)))

    return Adjustment(part, len(levels))


def _field(queue: str, kind: str, path: str, value: str) -> Adjustment:
    shown = f"{path.rpartition('.')[2]}: {value}"
    part = Part(kind, (edit_queue(queue, {path: value}),), {"queue": queue}, shown, (queue,))
    return Adjustment(lambda _: part)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {inner}" for name, inner in value.items()) + "}"
    return str(value)
