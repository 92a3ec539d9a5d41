"""Facts of many consecutive steps, stored once for all searches that have them in common.

A search for preemption targets considers thousands of candidates, and the next search of the
same cycle considers most of them again, with the same numbers. Their facts are kept in parts
that searches share; a step is made from them when it is looked at.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain
from operator import itemgetter
from typing import Any, Final, TypeAlias, overload

from kueuelab.trace.cycle_facts import (
    CandidateConsidered,
    CandidatePassedOver,
    CandidatesOrdered,
)
from kueuelab.trace.step import Facts

__all__ = [
    "CandidateFacts",
    "CandidateOrder",
    "FactList",
    "FactSequence",
    "OrderedFacts",
    "PassedOverFacts",
    "Rank",
    "distinct_facts",
]

#: What orders a candidate that is included: whether it is being evicted, and its key.
Rank: TypeAlias = tuple[bool, tuple[int, int, str]]


class FactSequence(Sequence[Facts]):
    """A sequence of facts that knows how to give one of them."""

    __slots__ = ()

    def fact(self, index: int) -> Facts:
        """Return the facts at a place, from 0."""
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> Facts: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Facts]: ...

    def __getitem__(self, index: int | slice) -> Facts | Sequence[Facts]:
        if isinstance(index, slice):
            return tuple(map(self.fact, range(*index.indices(len(self)))))
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(index)
        return self.fact(place)


class CandidateFacts(FactSequence):
    """The verdicts on the workloads of one ClusterQueue, and what orders those included.

    Parameters
    ----------
    facts, ranks
        Of each workload; those of a file are made when they are used.
    only_without_borrowing
        How many count only without borrowing, if it is known.
    """

    __slots__ = ("facts", "only_without_borrowing", "ranks")

    #: The variant of candidates that count only without borrowing.
    VARIANT: Final = "ReclaimWithoutBorrowing"

    def __init__(
        self,
        facts: Sequence[Any],
        ranks: Sequence[Rank | None],
        only_without_borrowing: int | None = None,
    ) -> None:
        self.facts: Sequence[CandidateConsidered] = facts
        self.ranks = ranks
        if only_without_borrowing is None:
            only_without_borrowing = sum(each.variant == self.VARIANT for each in facts)
        self.only_without_borrowing = only_without_borrowing

    def __len__(self) -> int:
        return len(self.facts)

    def __iter__(self) -> Iterator[Facts]:
        return iter(self.facts)

    def fact(self, index: int) -> Facts:
        """Return the facts at a place."""
        return self.facts[index]

    def queues(self) -> Iterator[CandidateFacts]:
        """Yield itself: one ClusterQueue."""
        yield self


class FactList(FactSequence):
    """Parts one after the other.

    Examples
    --------
    >>> from kueuelab.trace.steps import QueueSkipped
    >>> first, second = QueueSkipped("a", "policy-never"), QueueSkipped("b", "policy-never")
    >>> whole = FactList(((first,), (second, first)))
    >>> len(whole), whole[2] is first, whole[-2] is second
    (3, True, True)
    """

    __slots__ = ("_only_without_borrowing", "_starts", "parts")

    def __init__(self, parts: Sequence[Sequence[Facts]]) -> None:
        self.parts = tuple(parts)
        self._starts = [0, *accumulate(map(len, self.parts))]
        self._only_without_borrowing = -1  # not counted yet

    @property
    def only_without_borrowing(self) -> int:
        """How many of its candidates count only without borrowing."""
        if self._only_without_borrowing < 0:
            self._only_without_borrowing = sum(
                getattr(part, "only_without_borrowing", 0) for part in self.parts
            )
        return self._only_without_borrowing

    def __len__(self) -> int:
        return self._starts[-1]

    def __iter__(self) -> Iterator[Facts]:
        return chain.from_iterable(self.parts)

    def fact(self, index: int) -> Facts:
        """Return the facts at a place."""
        at = bisect_right(self._starts, index) - 1
        return self.parts[at][index - self._starts[at]]

    def queues(self) -> Iterator[CandidateFacts]:
        """Yield the ClusterQueues with candidates, in order."""
        for part in self.parts:
            if isinstance(part, CandidateFacts | FactList):
                yield from part.queues()


class CandidateOrder:
    """The candidates of a search in the order in which they are tried.

    Parameters
    ----------
    groups
        The sources: those with the hierarchical advantage, the others, the preemptor's own.
    known
        The order, where it is not that of the ranks.
    """

    def __init__(
        self,
        groups: Sequence[CandidateFacts | FactList],
        known: Sequence[CandidateConsidered] | None = None,
    ) -> None:
        self.groups = tuple(groups)
        self.known = known

    @cached_property
    def candidates(self) -> tuple[CandidateConsidered, ...]:
        """The facts of the candidates: being evicted before others, then by group and rank."""
        if self.known is not None:
            return tuple(self.known)
        groups = [list(self._ranked(group)) for group in self.groups]
        return tuple(
            facts
            for evicted in (True, False)
            for group in groups
            for (at, _), facts in sorted(group, key=_RANK)
            if at is evicted
        )

    @property
    def only_without_borrowing(self) -> int:
        """How many of them count only without borrowing."""
        return sum(group.only_without_borrowing for group in self.groups)

    @staticmethod
    def _ranked(
        group: CandidateFacts | FactList,
    ) -> Iterator[tuple[Rank, CandidateConsidered]]:
        for queue in group.queues():
            for rank, facts in zip(queue.ranks, queue.facts, strict=True):
                if rank is not None:
                    yield rank, facts


#: Sorting is stable: of equal ones, that of the earlier ClusterQueue goes first.
_RANK: Final[Any] = itemgetter(0)


class OrderedFacts(FactSequence):
    """The step that has the order of the candidates."""

    __slots__ = ("order",)

    def __init__(self, order: CandidateOrder) -> None:
        self.order = order

    def __len__(self) -> int:
        return 1

    def fact(self, index: int) -> Facts:
        """Return the order."""
        return CandidatesOrdered(tuple(each.candidate for each in self.order.candidates))


class PassedOverFacts(FactSequence):
    """The steps of an attempt with borrowing about candidates that count only without it."""

    __slots__ = ("order", "rule")

    def __init__(self, order: CandidateOrder, rule: str) -> None:
        self.order = order
        self.rule = rule

    def __len__(self) -> int:
        return self.order.only_without_borrowing

    def __iter__(self) -> Iterator[Facts]:
        for each in self.order.candidates:
            if each.variant == CandidateFacts.VARIANT:
                yield CandidatePassedOver(each.candidate, self.rule, each.numbers)

    def fact(self, index: int) -> Facts:
        """Return the facts at a place."""
        return tuple(self)[index]


def distinct_facts(sequences: Iterable[Sequence[Facts]]) -> Iterator[Facts]:
    """Yield the facts of candidates and queues; parts that sequences share, once.

    The order of candidates, and those passed over, are among the candidates considered.

    Examples
    --------
    >>> from kueuelab.trace.steps import QueueSkipped
    >>> part = (QueueSkipped("a", "policy-never"), QueueSkipped("b", "policy-never"))
    >>> [facts.queue for facts in distinct_facts([FactList((part, part)), part])]
    ['a', 'b']
    """
    seen: set[int] = set()
    todo = list(sequences)
    while todo:
        facts = todo.pop()
        if id(facts) in seen:
            continue
        seen.add(id(facts))
        if isinstance(facts, FactList):
            todo.extend(facts.parts)
        elif isinstance(facts, CandidateFacts):
            yield from facts.facts
        elif not isinstance(facts, OrderedFacts | PassedOverFacts):
            yield from facts
