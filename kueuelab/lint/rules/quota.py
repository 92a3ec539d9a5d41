"""Rules about quota, and the limits of borrowing and lending."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from kueuelab.lint.rule import REMOVE, Edit, Found, Level, Rule
from kueuelab.lint.rules.advised import advised
from kueuelab.lint.subject import Subject
from kueuelab.messages import Message
from kueuelab.model import ClusterQueue, Cohort, FlavorResource, amount_string
from kueuelab.quota.cohort import CohortNode
from kueuelab.whatif.advice import queues
from kueuelab.whatif.advice.places import CONFIGURATION
from kueuelab.whatif.references import Reference

__all__ = ["RULES"]

#: A smaller amount of memory lacks its unit.
_LEAST_MEMORY: Final = 1024**2
#: How reasons begin that depend on LocalQueues.
_WITHOUT_LOCAL_QUEUE: Final = (
    "whatif.advice.unusable.no-local-queue",
    "whatif.advice.unusable.cohort",
    "whatif.advice.kept.unused",
)


def _quotas(subject: Subject) -> Iterator[tuple[ClusterQueue | Cohort, str, FlavorResource]]:
    """Yield each quota of ClusterQueues and Cohorts, with its path."""
    for holder in subject.holders:
        for path, fr in subject.setting.quotas(holder):
            yield holder, path, fr


def _cohort_quota_adds_up(subject: Subject) -> Iterator[Found]:
    """A Cohort with as much quota as all its ClusterQueues have together."""
    for cohort in subject.cohorts.values():
        node = subject.tree.cohorts[cohort.name]
        if node.is_in_cycle:
            continue
        below = list(node.cluster_queues())
        for path, fr in subject.setting.quotas(cohort):
            own = node.quota(fr).nominal
            if own and own == sum(queue.quota(fr).nominal for queue in below):
                field = f"{path}.nominalQuota"
                values = {"own": amount_string(fr[1], own), "flavor": fr[0], "resource": fr[1]}
                yield Found(Reference.of(cohort), field, values, edits=(Edit(field, 0),))


def _zero_quota_without_borrowing(subject: Subject) -> Iterator[Found]:
    """A quota of 0 that nothing can be borrowed for."""
    for queue in subject.queues.values():
        node = subject.tree.cluster_queues[queue.name]
        for path, fr in subject.setting.quotas(queue):
            quota = node.quota(fr)
            if quota.nominal == 0 and (not queue.cohort_name or quota.borrowing_limit == 0):
                form = "limited" if queue.cohort_name else ""
                values = {"queue": queue.name, "flavor": fr[0], "resource": fr[1]}
                yield Found(Reference.of(queue), f"{path}.nominalQuota", values, form)


def _reclaim_without_lending(subject: Subject) -> Iterator[Found]:
    """``reclaimWithinCohort`` in a ClusterQueue that lends nothing."""
    if subject.configuration.fair_sharing_enabled:
        return  # then it decides about preemption beyond the nominal quota, too
    for queue in subject.queues.values():
        policy = queue.preemption.reclaim_within_cohort
        borrow = queue.preemption.borrow_within_cohort
        if policy == "Never" or not queue.cohort_name:
            continue
        if borrow is not None and borrow.policy != "Never":
            continue
        quotas = subject.tree.cluster_queues[queue.name].quotas
        if quotas and all(quota.lending_limit == 0 for quota in quotas.values()):
            field = "spec.preemption.reclaimWithinCohort"
            values = {"queue": queue.name, "policy": policy}
            yield Found(Reference.of(queue), field, values, edits=(Edit(field, REMOVE),))


def _borrowing_limit_without_lender(subject: Subject) -> Iterator[Found]:
    """A borrowing limit where nothing in the cohort can be borrowed."""
    for queue in subject.queues.values():
        if (
            not queue.cohort_name
            or len(subject.queues) < 2
            or subject.setting.has_cycle(queue.name)
        ):
            continue
        node = subject.tree.cluster_queues[queue.name]
        for path, fr in subject.setting.quotas(queue):
            limit = node.quota(fr).borrowing_limit
            if limit and not _can_borrow(subject, queue, fr):
                values = {
                    "limit": amount_string(fr[1], limit),
                    "flavor": fr[0],
                    "resource": fr[1],
                    "cohort": queue.cohort_name,
                }
                field = f"{path}.borrowingLimit"
                yield Found(Reference.of(queue), field, values, edits=(Edit(field),))


def _can_borrow(subject: Subject, queue: ClusterQueue, fr: FlavorResource) -> bool:
    node = subject.tree.cluster_queues[queue.name]
    root = node.root
    lenders = (
        [each for each in root.cluster_queues() if each is not node]
        if isinstance(root, CohortNode)
        else []
    )
    if any(each.quota(fr).nominal and each.quota(fr).lending_limit != 0 for each in lenders):
        return True
    return any(each.quota(fr).nominal for each in subject.tree.cohorts.values())


def _memory_in_bytes(subject: Subject) -> Iterator[Found]:
    """A quota of memory so small that its unit is missing."""
    for holder, path, fr in _quotas(subject):
        node = (
            subject.tree.cluster_queues[holder.name]
            if isinstance(holder, ClusterQueue)
            else subject.tree.cohorts[holder.name]
        )
        nominal = node.quota(fr).nominal
        if fr[1] in ("memory", "ephemeral-storage") and 0 < nominal < _LEAST_MEMORY:
            values = {"amount": nominal, "flavor": fr[0], "resource": fr[1]}
            yield Found(Reference.of(holder), f"{path}.nominalQuota", values)


def _quota_of_excluded_resource(subject: Subject) -> Iterator[Found]:
    """Quota of a resource that the Configuration excludes."""
    prefixes = subject.configuration.resources.exclude_resource_prefixes
    if not prefixes:
        return
    outputs = {
        name for rule in subject.configuration.resources.transformations for name in rule.outputs
    }
    for holder, path, fr in _quotas(subject):
        prefix = next((each for each in prefixes if fr[1].startswith(each)), None)
        if prefix is not None and fr[1] not in outputs:
            values = {"resource": fr[1], "prefix": prefix}
            yield Found(Reference.of(holder), f"{path}.name", values)


def _output_not_covered(subject: Subject) -> Iterator[Found]:
    """A transformation to a resource that no ClusterQueue has quota for."""
    resources = subject.configuration.resources
    if not subject.covered or resources.quota_check_strategy == "IgnoreUndeclared":
        return
    for index, rule in enumerate(resources.transformations):
        for name in rule.outputs:
            if name not in subject.covered and not name.startswith(
                resources.exclude_resource_prefixes
            ):
                yield Found(
                    CONFIGURATION,
                    f"resources.transformations[{index}].outputs",
                    {"input": rule.input, "output": name},
                )


def _if_queues_are_known(
    check: Callable[[Subject], Iterator[Found]],
) -> Callable[[Subject], Iterator[Found]]:
    """Return a check that says nothing of missing LocalQueues where the input has none."""

    def known(subject: Subject) -> Iterator[Found]:
        for found in check(subject):
            why = found.text.values["why"] if isinstance(found.text, Message) else ""
            id_ = why.id if isinstance(why, Message) else ""
            if subject.setting.local_queues or not id_.startswith(_WITHOUT_LOCAL_QUEUE):
                yield found

    return known


RULES: Final = (
    Rule("KL101", "cohort-quota-adds-up", Level.WARNING, _cohort_quota_adds_up, "kueue#5289"),
    Rule(
        "KL102",
        "zero-quota-without-borrowing",
        Level.WARNING,
        _zero_quota_without_borrowing,
        "concepts/cluster_queue#quotas",
    ),
    Rule(
        "KL103",
        "reclaim-without-lending",
        Level.NOTE,
        _reclaim_without_lending,
        "concepts/cluster_queue#lendinglimit",
    ),
    Rule(
        "KL104",
        "borrowing-limit-without-lender",
        Level.NOTE,
        _borrowing_limit_without_lender,
        "concepts/cluster_queue#borrowinglimit",
    ),
    Rule(
        "KL105",
        "memory-quota-in-bytes",
        Level.WARNING,
        _memory_in_bytes,
        "concepts/cluster_queue#quotas",
    ),
    Rule(
        "KL106",
        "quota-out-of-reach",
        Level.WARNING,
        _if_queues_are_known(advised(queues.quota_out_of_reach)),
        "concepts/cohort",
    ),
    Rule(
        "KL107",
        "lending-limit-strands-quota",
        Level.WARNING,
        _if_queues_are_known(advised(queues.lending_limit_strands_quota, REMOVE)),
        "concepts/cluster_queue#lendinglimit",
    ),
    Rule(
        "KL108",
        "flavors-exclude-each-other",
        Level.WARNING,
        advised(queues.flavors_exclude_each_other),
        "concepts/cluster_queue#resource-groups",
    ),
    Rule(
        "KL109",
        "quota-of-excluded-resource",
        Level.WARNING,
        _quota_of_excluded_resource,
        "tasks/manage/share_quotas_across_flavors, reference/kueue-config.v1beta2",
    ),
    Rule(
        "KL110",
        "transformation-output-not-covered",
        Level.WARNING,
        _output_not_covered,
        "KEP-2937",
    ),
)
