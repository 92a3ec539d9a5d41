"""Which workloads a step is about, next to its own.

A record has hundreds of millions of verdicts on candidates. Where they are stored together they
are not divided into steps: what searches share is looked at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal

from kueuelab.trace.fact_list import (
    CandidateFacts,
    CandidateOrder,
    FactList,
    OrderedFacts,
    PassedOverFacts,
    distinct_facts,
)
from kueuelab.trace.step import Facts, Step

__all__ = ["MENTIONING", "Place", "Role", "mentioned_in", "mentions", "places_in"]

#: What a workload is in a step (see :meth:`kueuelab.trace.trace.Trace.about`).
Role = Literal["subject", "candidate", "target", "mentioned"]

_Mention = tuple[str, Role]


def _candidate(facts: Any) -> Iterator[_Mention]:
    yield facts.candidate, "candidate"


def _targets(facts: Any) -> Iterator[_Mention]:
    for key, _ in facts.targets:
        yield key, "target"


def _listed(attribute: str) -> Callable[[Any], Iterator[_Mention]]:
    def mentioned(facts: Any) -> Iterator[_Mention]:
        for key in getattr(facts, attribute):
            yield key, "mentioned"

    return mentioned


def _contenders(facts: Any) -> Iterator[_Mention]:
    for key, _ in facts.contenders:
        yield key, "mentioned"


def _other(attribute: str) -> Callable[[Any], Iterator[_Mention]]:
    def mentioned(facts: Any) -> Iterator[_Mention]:
        if key := getattr(facts, attribute):
            yield key, "mentioned"

    return mentioned


#: The kinds of steps that mention workloads.
MENTIONING: Final[Mapping[str, Callable[[Any], Iterator[_Mention]]]] = MappingProxyType(
    {
        "ReplacesSlice": _other("replaced"),
        "SliceCreated": _other("replaces"),
        "VariantCreated": _other("parent"),
        "CycleStarted": _listed("heads"),
        "CandidateConsidered": _candidate,
        "CandidatesOrdered": _listed("candidates"),
        "CandidatePassedOver": _candidate,
        "SharesCompared": _candidate,
        "WorkloadRemoved": _candidate,
        "FilledBack": _candidate,
        "TargetsChosen": _targets,
        "Nominated": _targets,
        "Recomputed": _targets,
        "EntryProcessed": _targets,
        "EntriesOrdered": _listed("entries"),
        "TournamentWon": _contenders,
        "Woken": _listed("workloads"),
        "Evicted": _other("preemptor"),
        "EvictedBefore": _other("preemptor"),
        "LoopFound": _listed("workloads"),
    }
)


def mentions(step: Step) -> Iterator[_Mention]:
    """Yield the workloads that a step is about, next to its own, with their role.

    Examples
    --------
    >>> from kueuelab.trace.steps import WorkloadRemoved
    >>> step = Step(0, 0, 1, "default/a", "cq", WorkloadRemoved("default/b", "InClusterQueue"))
    >>> list(mentions(step))
    [('default/b', 'candidate')]
    """
    found = MENTIONING.get(step.kind)
    if found is not None:
        yield from found(step.facts)


def mentioned_in(sequences: Iterable[Sequence[Facts]]) -> Iterator[str]:
    """Yield the workloads that steps stored together mention, some of them again and again."""
    for facts in distinct_facts(sequences):
        if (of_kind := MENTIONING.get(facts.kind)) is not None:
            yield from (key for key, _ in of_kind(facts))


#: Where a workload is mentioned, counted from the first of some steps, and as what.
Place = tuple[int, Role]


def places_in(facts: Sequence[Facts], workload: str, known: dict[int, list[Place]]) -> list[Place]:
    """Return where steps stored together mention a workload.

    Parameters
    ----------
    facts
        Those of the steps.
    workload
        ``namespace/name``.
    known
        The places in parts that were looked at before, by identity.
    """
    found = known.get(id(facts))
    if found is None:
        found = known[id(facts)] = list(_places_in(facts, workload, known))
    return found


def _places_in(
    facts: Sequence[Facts], workload: str, known: dict[int, list[Place]]
) -> Iterator[Place]:
    if isinstance(facts, FactList):
        start = 0
        for part in facts.parts:
            yield from ((start + at, role) for at, role in places_in(part, workload, known))
            start += len(part)
        return
    if isinstance(facts, OrderedFacts | PassedOverFacts):
        # To put candidates in order takes its time, and most orders are not about it.
        if not _is_in(facts.order, workload, known):
            return
    elif isinstance(facts, CandidateFacts):
        for at, each in enumerate(facts.facts):
            if each.candidate == workload:
                yield at, "candidate"
        return
    for at, single in enumerate(facts):
        of_kind = MENTIONING.get(single.kind)
        if of_kind is not None:
            yield from ((at, role) for key, role in of_kind(single) if key == workload)


def _is_in(order: CandidateOrder, workload: str, known: dict[int, list[Place]]) -> bool:
    return any(places_in(group, workload, known) for group in order.groups)
