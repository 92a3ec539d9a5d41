"""Rules about ClusterQueues, cohorts and flavors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from kueuelab.messages import Message
from kueuelab.model import ClusterQueue, Cohort, FlavorResource, amount_string
from kueuelab.whatif.advice.finding import Finding
from kueuelab.whatif.advice.setting import Setting
from kueuelab.whatif.references import Reference

__all__ = [
    "cohorts_named_alike",
    "flavors_exclude_each_other",
    "lending_limit_strands_quota",
    "preemption_without_effect",
    "quota_out_of_reach",
]


def _about(queue: ClusterQueue, field: str, what: str, why: str, do: str) -> Finding:
    return Finding(Reference.of(queue), field, what, why, do)


def preemption_without_effect(setting: Setting) -> Iterator[Finding]:
    """``borrowWithinCohort`` or ``reclaimWithinCohort`` that never allows a preemption."""
    for queue in setting.queues.values():
        preemption = queue.preemption
        borrow = preemption.borrow_within_cohort
        if borrow is not None and borrow.policy != "Never":
            reason = _no_borrowing(setting, queue)
            if reason is not None:
                yield _policy(queue, "borrowWithinCohort", borrow.policy, *reason)
                continue
        if preemption.reclaim_within_cohort != "Never" and not queue.cohort_name:
            value = preemption.reclaim_within_cohort
            yield _policy(queue, "reclaimWithinCohort", value, *_no_cohort())


def _policy(queue: ClusterQueue, policy: str, value: str, why: str, do: str) -> Finding:
    what = Message("whatif.advice.policy", policy=policy, value=value)
    return _about(queue, f"spec.preemption.{policy}", what, why, do)


def _no_cohort() -> tuple[str, str]:
    why = Message("whatif.advice.policy.no-cohort")
    return why, Message("whatif.advice.policy.no-cohort.do")


def _no_borrowing(setting: Setting, queue: ClusterQueue) -> tuple[str, str] | None:
    """Return why a queue never preempts while borrowing, and what to do."""
    if not queue.cohort_name:
        return _no_cohort()
    if setting.configuration.fair_sharing_enabled:
        do = Message("whatif.advice.policy.fair-sharing.do")
        return Message("whatif.advice.policy.fair-sharing"), do
    if not setting.neighbours(queue):
        why = Message("whatif.advice.policy.alone", cohort=queue.cohort_name)
        return why, Message("whatif.advice.policy.alone.do")
    quotas = setting.tree.cluster_queues[queue.name].quotas
    if quotas and all(quota.borrowing_limit == 0 for quota in quotas.values()):
        do = Message("whatif.advice.policy.no-borrowing.do")
        return Message("whatif.advice.policy.no-borrowing"), do
    return None


def quota_out_of_reach(setting: Setting) -> Iterator[Finding]:
    """Quota that no workload can ever use."""
    for queue in setting.queues.values():
        node = setting.tree.cluster_queues[queue.name]
        if setting.has_cycle(queue.name) or setting.is_used(queue):
            continue
        others = [name for name in setting.neighbours(queue) if _is_used(setting, name)]
        for path, fr in setting.quotas(queue):
            nominal, lending = node.quota(fr).nominal, node.quota(fr).lending_limit
            lists = any(fr in setting.tree.cluster_queues[name].quotas for name in others)
            if nominal and (not lists or lending == 0):
                missing = "no-namespace" if queue.namespace_selector is None else "no-local-queue"
                lent = "lends-nothing" if lists else "no-borrower"
                why = Message(f"whatif.advice.unusable.{missing}-{lent}")
                do = Message(f"whatif.advice.unusable.{missing}.do")
                what = _unusable(fr, nominal)
                yield _about(queue, f"{path}.nominalQuota", what, why, do)
    yield from _out_of_reach_in_cohorts(setting)


def _unusable(fr: FlavorResource, nominal: int) -> str:
    amount = amount_string(fr[1], nominal)
    return Message("whatif.advice.unusable", amount=amount, resource=fr[1], flavor=fr[0])


def _is_used(setting: Setting, name: str) -> bool:
    return setting.is_used(setting.queues[name])


def _out_of_reach_in_cohorts(setting: Setting) -> Iterator[Finding]:
    for cohort in setting.cohorts.values():
        node = setting.tree.cohorts[cohort.name]
        if node.is_in_cycle:
            continue
        root = node.root
        queues = list(root.cluster_queues()) if hasattr(root, "cluster_queues") else []
        for path, fr in setting.quotas(cohort):
            nominal = node.quota(fr).nominal
            reached = any(fr in queue.quotas and _is_used(setting, queue.name) for queue in queues)
            if nominal and not reached:
                yield Finding(
                    Reference.of(cohort),
                    f"{path}.nominalQuota",
                    _unusable(fr, nominal),
                    Message("whatif.advice.unusable.cohort"),
                    Message("whatif.advice.unusable.cohort.do"),
                )


def lending_limit_strands_quota(setting: Setting) -> Iterator[Finding]:
    """A lending limit that keeps quota for a queue in which no workload can use it."""
    for queue in setting.queues.values():
        if setting.is_used(queue) and queue.stop_policy == "None":
            continue
        node = setting.tree.cluster_queues[queue.name]
        for path, fr in setting.quotas(queue):
            quota = node.quota(fr)
            limit = quota.lending_limit
            if limit is None or (limit == 0 and not setting.is_used(queue)):
                continue  # then all of it is out of reach, which another rule says
            kept = quota.nominal - limit
            if kept > 0:
                why = Message("whatif.advice.kept.unused")
                if queue.stop_policy != "None":
                    why = Message("whatif.advice.kept.stopped", policy=queue.stop_policy)
                amount = amount_string(fr[1], kept)
                yield _about(
                    queue,
                    f"{path}.lendingLimit",
                    Message("whatif.advice.kept", amount=amount, resource=fr[1], flavor=fr[0]),
                    why,
                    Message("whatif.advice.kept.do"),
                )


def flavors_exclude_each_other(setting: Setting) -> Iterator[Finding]:
    """Flavors of different resource groups that no node can have at once."""
    for queue in setting.queues.values():
        for (first, one), (second, other) in combinations(enumerate(queue.resource_groups), 2):
            pairs = [
                (left, place, right, key)
                for left in one.flavors
                for place, right in enumerate(other.flavors)
                for key in _conflict(setting, left.name, right.name)
            ]
            possible = len(one.flavors) * len(other.flavors)
            never = len({(left.name, right.name) for left, _, right, _ in pairs}) == possible
            for left, place, right, key in pairs:
                values = [setting.flavors[f.name].node_labels[key] for f in (left, right)]
                outcome = "never" if never else "maybe"
                yield _about(
                    queue,
                    f"spec.resourceGroups[{second}].flavors[{place}].name",
                    Message(
                        "whatif.advice.flavors",
                        left=left.name,
                        first=first,
                        right=right.name,
                        second=second,
                        label=key,
                        leftValue=values[0],
                        rightValue=values[1],
                    ),
                    Message(
                        f"whatif.advice.flavors.{outcome}",
                        leftResources=", ".join(one.covered_resources),
                        left=left.name,
                        rightResources=", ".join(other.covered_resources),
                        right=right.name,
                    ),
                    Message("whatif.advice.flavors.do"),
                )


def _conflict(setting: Setting, one: str, other: str) -> list[str]:
    first, second = setting.flavors.get(one), setting.flavors.get(other)
    if first is None or second is None:
        return []
    labels = second.node_labels
    return [k for k, value in first.node_labels.items() if k in labels and labels[k] != value][:1]


# --- names ---------------------------------------------------------------------------------


def cohorts_named_alike(setting: Setting) -> Iterator[Finding]:
    """A cohort that only one object names, and that is spelled almost like another one."""
    members = Counter(queue.cohort_name for queue in setting.queues.values() if queue.cohort_name)
    members.update(c.parent_name for c in setting.cohorts.values() if c.parent_name)
    names = sorted({*members, *setting.cohorts})
    named: list[tuple[ClusterQueue | Cohort, str, str]] = [
        (queue, queue.cohort_name, "cohortName") for queue in setting.queues.values()
    ]
    named += [(cohort, cohort.parent_name, "parentName") for cohort in setting.cohorts.values()]
    for obj, name, field in named:
        if not name or name in setting.cohorts or members[name] > 1:
            continue
        similar = [other for other in names if other != name and is_typo(name, other)]
        similar = [o for o in similar if o in setting.cohorts or members[o] > 1 or o < name]
        if similar:
            yield Finding(
                Reference.of(obj),
                f"spec.{field}",
                Message("whatif.advice.cohort", kind=type(obj).__name__, cohort=name),
                Message("whatif.advice.cohort.why", other=similar[0]),
                Message("whatif.advice.cohort.do", other=similar[0]),
            )


def is_typo(one: str, other: str) -> bool:
    """Tell whether two names differ as by a slip of the hand, and not by a number or a letter.

    Examples
    --------
    >>> is_typo("research", "reserach"), is_typo("all_teams", "all-teams")
    (True, True)
    >>> is_typo("team-1", "team-2"), is_typo("team-a", "team-b"), is_typo("prod", "dev")
    (False, False, False)
    """
    if _plain(one) == _plain(other):
        return True
    parts, others = (re.split(r"[-_.]", name.lower()) for name in (one, other))
    if len(parts) != len(others):
        parts, others = [_plain(one)], [_plain(other)]
    different = [pair for pair in zip(parts, others, strict=True) if pair[0] != pair[1]]
    return len(different) == 1 and _is_slip(*different[0])


def _plain(name: str) -> str:
    return re.sub(r"[-_.]", "", name.lower())


def _is_slip(one: str, other: str) -> bool:
    """Tell whether one letter is missing, wrong or doubled, or two are swapped, in a long word."""
    if min(len(one), len(other)) < 4 or re.sub(r"\d", "", one) == re.sub(r"\d", "", other):
        return False
    if len(one) > len(other):
        one, other = other, one
    at = next((i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), -1)
    if at < 0:
        return len(other) - len(one) == 1
    if len(one) < len(other):
        return one[at:] == other[at + 1 :]
    swapped = one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
    return swapped or one[at + 1 :] == other[at + 1 :]
