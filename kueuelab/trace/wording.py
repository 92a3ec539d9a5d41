"""Amounts, times, lists and rules in words: the parts that sentences are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any, Final

from kueuelab.messages import Catalog, english
from kueuelab.model import amount_string
from kueuelab.model.amount import saturate
from kueuelab.model.times import SECOND, format_duration, format_time
from kueuelab.trace import steps

#: How many names of a long list are shown.
_MANY: Final = 5

__all__ = ["MessageParts", "amount_text", "share_text", "span_text", "time_text"]


_MEBI: Final = 2**20


def amount_text(resource: str, value: int) -> str:
    """Return an amount as Kubernetes prints it.

    Whole numbers of Mi are bytes, of whatever resource: of counters and capacities of devices.

    Examples
    --------
    >>> amount_text("cpu", 1500), amount_text("memory", 2**30), amount_text("cpu", 2**63 - 1)
    ('1500m', '1Gi', '<unlimited>')
    >>> amount_text("gpu-memory", 2**32), amount_text("gpus", 4)
    ('4Gi', '4')
    """
    in_bytes = {resource} if value and value % _MEBI == 0 else frozenset[str]()
    return amount_string(resource, saturate(value), in_bytes)


def time_text(time: int) -> str:
    """Return a time, with a fraction of a second if it has one.

    Examples
    --------
    >>> time_text(0), time_text(1_500_000_000)
    ('1970-01-01T00:00:00Z', '1970-01-01T00:00:01.5Z')
    """
    text = format_time(time)
    fraction = f"{time % SECOND:09d}".rstrip("0")
    return f"{text[:-1]}.{fraction}Z" if fraction else text


def span_text(duration: int) -> str:
    """Return a duration as people say it: to the second, short ones to a tenth, or to the ms.

    Examples
    --------
    >>> span_text(286_583_333_333), span_text(6_666_666_666), span_text(41_500_000)
    ('4m47s', '6.7s', '42ms')
    """
    for least, step in ((10 * SECOND, SECOND), (SECOND, SECOND // 10), (10**6, 10**6)):
        if abs(duration) >= least:
            return format_duration((duration + step // 2) // step * step)
    return format_duration(duration)


def share_text(share: float | None) -> str:
    """Return a dominant resource share, to a thousandth.

    Examples
    --------
    >>> share_text(333.33333), share_text(500.0), share_text(float("inf"))
    ('333.333', '500', '+Inf')
    """
    if share is None:
        return "-"
    return "+Inf" if share == inf else f"{share:.3f}".rstrip("0").rstrip(".")


class MessageParts:
    """Puts parts of steps into words of one language."""

    __slots__ = ("catalog",)

    def __init__(self, catalog: Catalog | None = None) -> None:
        self.catalog = catalog or english()

    def __call__(self, message: str, /, **values: Any) -> str:
        """Return a sentence of the catalogue."""
        return self.catalog.text(message, **values)

    def listed(self, parts: Iterable[str]) -> str:
        """Return parts as a list in a sentence."""
        return self.catalog.join(list(parts))

    def several(self, parts: Sequence[str]) -> str:
        """Return a list that stops after some of many parts and says how many more there are."""
        if len(parts) <= _MANY + 1:
            return self.listed(parts)
        return self("list.rest", first=self.separated(parts[:_MANY]), count=len(parts) - _MANY)

    def separated(self, parts: Iterable[str], by: str = "list.more") -> str:
        """Return parts with commas between them, or with what another message says."""
        return self.catalog.separated(parts, by)

    def either(self, parts: Sequence[str]) -> str:
        """Return alternatives: one of them is enough."""
        *most, last = parts
        return self("list.or", first=self.separated(most), last=last)

    def clauses(self, parts: Iterable[str]) -> str:
        """Return clauses of one sentence, with semicolons between them."""
        return self.separated(parts, "list.clauses")

    def with_optional(self, message: str, optional: str, /, **values: Any) -> str:
        """Return a sentence that has another form, ``.optional``, if that value is not empty.

        Examples
        --------
        >>> values = {"check": "dws", "state": "Retry"}
        >>> MessageParts().with_optional("check.line", "message", message="later", **values)
        'Admission check dws is Retry: later.'
        >>> MessageParts().with_optional("check.line", "message", message="", **values)
        'Admission check dws is Retry.'
        """
        return self(f"{message}.{optional}" if values[optional] else message, **values)

    # --- amounts -----------------------------------------------------------------------

    def frs(self, frs: Iterable[Sequence[str]]) -> str:
        """Return pairs of flavor and resource: ``cpu/default``."""
        return self.listed(f"{fr[1]}/{fr[0]}" for fr in frs)

    def amounts(self, amounts: Iterable[Sequence[Any]]) -> str:
        """Return triples of flavor, resource and amount."""
        return self.listed(
            self(
                "amount.of",
                amount=amount_text(resource, value),
                resource=resource,
                flavor=flavor,
            )
            for flavor, resource, value in amounts
        )

    def usage(self, usage: Iterable[Sequence[Any]]) -> str:
        """Return what is used of which quota: flavor, resource, used, quota."""
        return self.listed(
            self(
                "usage.of",
                used=amount_text(resource, used),
                quota=amount_text(resource, quota),
                resource=resource,
                flavor=flavor,
            )
            for flavor, resource, used, quota in usage
        )

    def requests(self, requests: Iterable[tuple[str, int, Mapping[str, int]]]) -> str:
        """Return what pod sets ask for: name, count and amounts."""
        return self._pod_sets(
            (name, count, [f"{amount_text(each, value)} {each}" for each, value in amounts.items()])
            for name, count, amounts in requests
        )

    def assignment(self, assignment: Iterable[tuple[str, int, Mapping[str, str]]]) -> str:
        """Return what pod sets got: name, count and flavors."""
        return self._pod_sets(
            (name, count, [f"{resource}/{flavor}" for resource, flavor in flavors.items()])
            for name, count, flavors in assignment
        )

    def _pod_sets(self, found: Iterable[tuple[str, int, Sequence[str]]]) -> str:
        """Return pod sets: name, count, and what each has."""
        return self.listed(
            self(
                "podSet.of",
                name=name,
                pods=self("pods.count", count=count),
                parts=self.separated(parts),
            )
            for name, count, parts in found
        )

    def targets(self, targets: Iterable[Sequence[str]]) -> str:
        """Return pairs of workload and reason."""
        return self.listed(f"{workload} ({reason})" for workload, reason in targets)

    # --- rules -------------------------------------------------------------------------

    def rule(
        self,
        rule: str,
        numbers: Mapping[str, Any],
        *,
        queue: str = "",
        preemptor_queue: str = "",
        contested: Iterable[Sequence[str]] = (),
    ) -> str:
        """Return why a candidate, or a whole queue, is in or out."""
        values = {**numbers, "queue": numbers.get("queue", queue)}
        for name in ("candidateQueuedAt", "preemptorQueuedAt"):
            if name in numbers:
                values[name] = time_text(numbers[name])
        values["preemptorQueue"] = preemptor_queue
        usage = numbers.get("usage", ())
        values["contested"] = self.frs(contested or usage)
        values["usage"] = self.usage(usage)
        values["rule"] = rule
        values["preemptorNode"] = self.node(numbers.get("preemptorNode", ""), preemptor_queue)
        values["targetNode"] = self.node(numbers.get("targetNode", ""), queue)
        message = f"rule.{_form(rule, numbers, queue, preemptor_queue)}"
        if rule == "policy-never":
            values["queue"] = preemptor_queue
        return self(message if message in self.catalog else "rule.unknown", **values)

    def shares(self, facts: steps.SharesCompared, preemptor_queue: str) -> str:
        """Return the result of comparing shares: of which nodes, and in which cohort."""
        outcome = "passed" if facts.passed else "failed"
        nodes = facts.preemptor_node, facts.target_node
        higher = any(node.startswith("Cohort/") for node in nodes)
        return self(
            f"rule.shares.{facts.strategy}.{outcome}{'.cohort' if higher else ''}",
            preemptorNode=self.node(nodes[0], preemptor_queue),
            targetNode=self.node(nodes[1], facts.candidate_queue),
            mine=share_text(facts.preemptor_new_share),
            theirs=share_text(facts.target_old_share),
            left=share_text(facts.target_new_share),
            cohort=facts.cohort,
        )

    def node(self, node: str, queue: str = "") -> str:
        """Return a node that is given as ``Kind/name``, in older traces not at all."""
        kind, _, name = node.partition("/")
        return self(f"node.{kind}", name=name) if name else queue

    def precedence(
        self,
        rule: str,
        first: str,
        second: str,
        numbers: Mapping[str, Mapping[str, Any]],
        shares: Mapping[str, float] | None = None,
        **more: str,
    ) -> str:
        """Return why one entry is processed before another."""
        values: dict[str, Any] = {"first": first, "second": second, **more}
        for side, key in (("first", first), ("second", second)):
            known = numbers.get(key, {})
            values[f"{side}Borrowing"] = known.get("borrowing", "?")
            values[f"{side}Priority"] = known.get("priority", "?")
            values[f"{side}QueuedAt"] = time_text(known.get("queuedAt", 0))
            values[f"{side}Share"] = share_text((shares or {}).get(key))
        return self(f"order.{rule}{'.nodes' if 'firstNode' in more else ''}", **values)

    # --- flavors -----------------------------------------------------------------------

    def limits(self, facts: steps.FlavorConsidered) -> str:
        """Return what is borrowed, and the limits on a flavor's quota; ``""`` if there are none."""
        borrowed = facts.used - facts.nominal
        found = {
            "limits.borrowed": borrowed if borrowed > 0 else None,
            "limits.borrowing": facts.borrowing_limit,
            "limits.lending": facts.lending_limit,
        }
        return self.separated(
            self(message, amount=amount_text(facts.resource, amount))
            for message, amount in found.items()
            if amount is not None
        )

    def verdict(self, facts: steps.FlavorConsidered, queue: str) -> str:
        """Return how a request fits a flavor's quota."""
        resource = facts.resource
        exceeding = facts.used + facts.requested - facts.nominal
        return self(
            f"flavor.{verdict_of(facts)}",
            queue=queue,
            lacking=amount_text(resource, facts.requested - facts.available),
            potential=amount_text(resource, facts.potential),
            borrowed=amount_text(resource, max(0, exceeding)),
            level=facts.borrowing,
        )

    def chosen(self, facts: steps.FlavorChosen) -> str:
        """Return why the scan of flavors ended where it did."""
        form = "chosen.only" if facts.of == 1 and facts.flavor else f"chosen.{facts.rule}"
        why = self(form, tried=facts.tried, count=facts.tried)
        policies = self.separated(f"{name} {value}" for name, value in facts.fungibility.items())
        return self("chosen.by", why=why, policies=policies) if policies and facts.of != 1 else why


def verdict_of(facts: steps.FlavorConsidered) -> str:
    """Return how a request fits a flavor's quota, as one word.

    ``Fit``, ``FitBorrowing``, ``Preempt``, ``Reclaim``, ``NoCandidates``,
    ``ExceedsMaximum`` or ``NoPreemption`` (not allowed when borrowing).
    """
    if facts.mode == "Fit":
        return "FitBorrowing" if facts.borrowing else "Fit"
    if facts.possibility in ("Preempt", "Reclaim", "NoCandidates"):
        return facts.possibility
    return "ExceedsMaximum" if facts.requested > facts.potential else "NoPreemption"


def _form(rule: str, numbers: Mapping[str, Any], queue: str, preemptor_queue: str) -> str:
    """Return the form of a rule's sentence that the numbers ask for."""
    if rule == "policy-never":
        return f"{rule}.{'within' if queue == preemptor_queue else 'reclaim'}"
    if rule == "not-borrowing" and numbers.get("node") == "Cohort":
        return f"{rule}.cohort"
    if rule == "policy-LowerOrNewerEqualPriority":
        same = numbers.get("candidatePriority") == numbers.get("preemptorPriority")
        return f"{rule}.newer" if same else rule
    if rule == "only-without-borrowing":
        if numbers.get("borrowWithinCohort", "Never") == "Never":
            return f"{rule}.never"
        threshold = numbers.get("maxPriorityThreshold")
        if threshold is not None and numbers.get("candidatePriority", threshold) > threshold:
            return f"{rule}.threshold"
        return f"{rule}.priority"
    return rule
