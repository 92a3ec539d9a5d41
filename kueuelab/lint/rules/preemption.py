"""Rules about preemption, priorities and the order of a queue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from kueuelab.lint.rule import REMOVE, Edit, Found, Level, Rule
from kueuelab.lint.rules.advised import advised
from kueuelab.lint.rules.written import mapping
from kueuelab.lint.subject import Subject
from kueuelab.model import ClusterQueue, FlavorFungibility, PriorityClass, WorkloadPriorityClass
from kueuelab.whatif.advice import queues, workloads
from kueuelab.whatif.references import Reference

__all__ = ["RULES"]


def _borrow_needs_reclaim(subject: Subject) -> Iterator[Found]:
    """``borrowWithinCohort`` without ``reclaimWithinCohort``, which the server refuses."""
    for reference, obj in subject.manifests:
        if reference.kind != "ClusterQueue":
            continue
        preemption = mapping(mapping(obj.get("spec")).get("preemption"))
        borrow = mapping(preemption.get("borrowWithinCohort")).get("policy", "Never")
        if borrow != "Never" and preemption.get("reclaimWithinCohort", "Never") == "Never":
            field = "spec.preemption.borrowWithinCohort"
            edits = (Edit("spec.preemption.reclaimWithinCohort", "Any"),)
            yield Found(reference, field, {"policy": str(borrow)}, edits=edits)


def _one_way_reclaim(subject: Subject) -> Iterator[Found]:
    """A ClusterQueue that lends and may not take back, beside others that may."""
    for queue in subject.queues.values():
        if queue.preemption.reclaim_within_cohort != "Never" or not queue.cohort_name:
            continue
        if subject.setting.has_cycle(queue.name):
            continue
        others = [subject.queues[name] for name in subject.setting.neighbours(queue)]
        takers = [each for each in others if _takes_from(subject, each, queue)]
        if takers:
            names = ", ".join(each.name for each in takers[:3])
            values = {"queue": queue.name, "others": names}
            edits = (Edit("spec.preemption.reclaimWithinCohort", "Any"),)
            yield Found(Reference.of(queue), "spec.preemption", values, edits=edits)


def _takes_from(subject: Subject, taker: ClusterQueue, lender: ClusterQueue) -> bool:
    """Tell whether a queue may borrow from another one and reclaims its own quota."""
    if taker.preemption.reclaim_within_cohort == "Never":
        return False
    lent = subject.tree.cluster_queues[lender.name].quotas
    for fr, quota in subject.tree.cluster_queues[taker.name].quotas.items():
        own = lent.get(fr)
        if own is None or quota.borrowing_limit == 0 or own.lending_limit == 0:
            continue
        if own.nominal and quota.nominal:
            return True
    return False


def _preference_without_preemption(subject: Subject) -> Iterator[Found]:
    """A preference for preemption in a ClusterQueue that never preempts."""
    for queue in subject.queues.values():
        preemption = queue.preemption
        never = preemption.within_cluster_queue == preemption.reclaim_within_cohort == "Never"
        if queue.flavor_fungibility.preference == "PreemptionOverBorrowing" and never:
            field = "spec.flavorFungibility.preference"
            edits = (Edit(field),)
            yield Found(Reference.of(queue), field, {"queue": queue.name}, edits=edits)


def _fungibility_of_one_flavor(subject: Subject) -> Iterator[Found]:
    """``flavorFungibility`` where no resource has a second flavor."""
    for queue in subject.queues.values():
        if queue.flavor_fungibility == FlavorFungibility() or not queue.resource_groups:
            continue
        if all(len(group.flavors) < 2 for group in queue.resource_groups):
            field = "spec.flavorFungibility"
            edits = (Edit(field),)
            yield Found(Reference.of(queue), field, {"queue": queue.name}, edits=edits)


def _priorities(subject: Subject) -> set[int]:
    """Return the priorities that workloads have or can have."""
    found = {each.value for each in subject.of_kind(WorkloadPriorityClass)}
    found |= {each.value for each in subject.of_kind(PriorityClass)}
    return found | {each.priority for each in subject.setting.workloads}


def _threshold_below_all(subject: Subject) -> Iterator[Found]:
    """A ``maxPriorityThreshold`` below all priorities that there are."""
    priorities = _priorities(subject)
    if not priorities:
        return
    for queue in subject.queues.values():
        borrow = queue.preemption.borrow_within_cohort
        if borrow is None or borrow.policy == "Never" or borrow.max_priority_threshold is None:
            continue
        if borrow.max_priority_threshold < min(priorities):
            values = {"threshold": borrow.max_priority_threshold, "lowest": min(priorities)}
            field = "spec.preemption.borrowWithinCohort.maxPriorityThreshold"
            yield Found(Reference.of(queue), field, values)


def _equal_classes(subject: Subject) -> Iterator[Found]:
    """Priority classes of one kind with the same value."""
    for classes in (
        list(subject.of_kind(WorkloadPriorityClass)),
        list(subject.of_kind(PriorityClass)),
    ):
        by_value: defaultdict[int, list[Any]] = defaultdict(list)
        for each in classes:
            by_value[each.value].append(each)
        for value, same in by_value.items():
            for each in same[1:]:
                values = {"value": value, "other": same[0].metadata.name}
                yield Found(Reference.of(each), "value", values)


def _one_priority(subject: Subject) -> Iterator[Found]:
    """Preemption by priority where all workloads have the same one."""
    waiting: defaultdict[str, set[int]] = defaultdict(set)
    for workload, queue, _ in subject.waiting:
        waiting[queue.name].add(workload.priority)
    if len({priority for each in waiting.values() for priority in each}) != 1:
        return
    if len(_priorities(subject)) > 1 or subject.configuration.fair_sharing_enabled:
        return
    for queue in subject.queues.values():
        lends = any(
            quota.nominal and quota.lending_limit != 0
            for quota in subject.tree.cluster_queues[queue.name].quotas.values()
        )
        neighbours = subject.setting.neighbours(queue)
        if queue.preemption.reclaim_within_cohort != "LowerPriority" or not lends:
            continue
        if waiting[queue.name] and any(waiting[name] for name in neighbours):
            field = "spec.preemption.reclaimWithinCohort"
            edits = (Edit(field, "Any"),)
            yield Found(Reference.of(queue), field, {"queue": queue.name}, edits=edits)


RULES: Final = (
    Rule(
        "KL301",
        "preemption-without-effect",
        Level.WARNING,
        advised(queues.preemption_without_effect, REMOVE),
        "kueue#4173, concepts/preemption",
    ),
    Rule(
        "KL302",
        "borrow-within-cohort-needs-reclaim",
        Level.ERROR,
        _borrow_needs_reclaim,
        "KEP-1337",
    ),
    Rule("KL303", "one-way-reclaim", Level.NOTE, _one_way_reclaim, "kueue#11376"),
    Rule(
        "KL304",
        "preference-without-preemption",
        Level.WARNING,
        _preference_without_preemption,
        "kueue#13616, concepts/cluster_queue#flavorfungibility",
    ),
    Rule(
        "KL305",
        "fungibility-of-one-flavor",
        Level.NOTE,
        _fungibility_of_one_flavor,
        "concepts/cluster_queue#flavorfungibility",
    ),
    Rule(
        "KL306",
        "threshold-below-all-priorities",
        Level.WARNING,
        _threshold_below_all,
        "KEP-1337",
    ),
    Rule(
        "KL307",
        "equal-priority-classes",
        Level.WARNING,
        _equal_classes,
        "concepts/workload_priority_class",
    ),
    Rule(
        "KL308",
        "reclaim-without-lower-priority",
        Level.NOTE,
        _one_priority,
        "concepts/preemption",
    ),
    Rule(
        "KL309",
        "strict-fifo-blocked",
        Level.WARNING,
        advised(workloads.heads_that_block),
        "concepts/cluster_queue#queueing-strategy",
    ),
    Rule(
        "KL310",
        "larger-than-its-queue",
        Level.ERROR,
        advised(workloads.larger_than_its_queue),
        "concepts/workload",
    ),
)
