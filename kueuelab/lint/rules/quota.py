"""Rules about quota, and the limits of borrowing and lending."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kueuelab.lint.rule import REMOVE, Edit, Found, Level, Rule
from kueuelab.lint.subject import Subject
from kueuelab.model import ClusterQueue, amount_string
from kueuelab.quota.cohort import CohortNode
from kueuelab.whatif.references import Reference

__all__ = ["RULES"]


def _cohort_quota_adds_up(subject: Subject) -> Iterator[Found]:
    """A Cohort with as much quota as all its ClusterQueues have together."""
    for cohort in subject.cohorts.values():
        node = subject.tree.cohorts[cohort.name]
        if node.is_in_cycle or not isinstance(node, CohortNode):
            continue
        queues = list(node.cluster_queues())
        for path, fr in subject.setting.quotas(cohort):
            own = node.quota(fr).nominal
            together = sum(queue.quota(fr).nominal for queue in queues)
            if own and own == together:
                amounts = {"own": own, "total": own + together}
                yield Found(
                    Reference.of(cohort),
                    f"{path}.nominalQuota",
                    {
                        "cohort": cohort.name,
                        "flavor": fr[0],
                        "resource": fr[1],
                        **{name: amount_string(fr[1], each) for name, each in amounts.items()},
                    },
                    edits=(Edit(f"{path}.nominalQuota", 0),),
                )


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


def _lending_limit_with_reclaim(subject: Subject) -> Iterator[Found]:
    """``reclaimWithinCohort`` in a ClusterQueue that lends nothing."""
    if subject.configuration.fair_sharing_enabled:
        return  # then it decides about preemption beyond the nominal quota, too
    for queue in subject.queues.values():
        policy = queue.preemption.reclaim_within_cohort
        if policy == "Never" or not queue.cohort_name or _borrows_by_preemption(queue):
            continue
        quotas = subject.tree.cluster_queues[queue.name].quotas
        if quotas and all(quota.lending_limit == 0 for quota in quotas.values()):
            yield Found(
                Reference.of(queue),
                "spec.preemption.reclaimWithinCohort",
                {"queue": queue.name, "policy": policy},
                edits=(Edit("spec.preemption.reclaimWithinCohort", REMOVE),),
            )


def _borrows_by_preemption(queue: ClusterQueue) -> bool:
    borrow = queue.preemption.borrow_within_cohort
    return borrow is not None and borrow.policy != "Never"


RULES: Final = (
    Rule("KL101", "cohort-quota-adds-up", Level.WARNING, _cohort_quota_adds_up, "kueue#5289"),
    Rule(
        "KL102",
        "zero-quota-without-borrowing",
        Level.WARNING,
        _zero_quota_without_borrowing,
        "concepts/cluster_queue#resources",
    ),
    Rule(
        "KL103",
        "reclaim-without-lending",
        Level.NOTE,
        _lending_limit_with_reclaim,
        "concepts/cluster_queue#lendinglimit",
        is_safe=True,
    ),
)
