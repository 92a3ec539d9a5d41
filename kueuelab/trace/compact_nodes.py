"""What several steps of a compact file have in common, while it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from kueuelab.trace.compact_tables import CandidateTable, FactTable
from kueuelab.trace.compact_values import Texts
from kueuelab.trace.fact_list import (
    CandidateFacts,
    CandidateOrder,
    FactList,
    OrderedFacts,
    PassedOverFacts,
)
from kueuelab.trace.step import Facts

__all__ = ["Nodes"]

_KIND: Final = attrgetter("kind")


class Nodes:
    """The nodes of a file by number; those that say the same are one.

    Parameters
    ----------
    table_of
        Returns the table of a kind of facts.
    candidates
        The table of the verdicts on candidates.
    texts
        Gives numbers to texts.
    """

    def __init__(
        self, table_of: Callable[[str], FactTable], candidates: CandidateTable, texts: Texts
    ) -> None:
        self._table_of, self._candidates, self._texts = table_of, candidates, texts
        self._found: dict[tuple[Any, ...], int] = {}
        # The number of each node; by identity, since what is stored keeps them.
        self._known: dict[int, int] = {}
        # The same by the facts in it, of those that are tuples.
        self._tuples: dict[tuple[int, ...], int] = {}
        # By the very type: there are a million, and a match asks abstract classes.
        self._described: dict[type, Callable[[Any], int]] = {
            FactList: self._list,
            CandidateFacts: self._verdicts,
            CandidateOrder: self._order,
            OrderedFacts: lambda found: self._numbered(("order", self.number(found.order))),
            PassedOverFacts: self._passed_over,
            tuple: self._tuple,
        }

    @property
    def found(self) -> list[dict[str, Any]]:
        """The nodes as they are written."""
        return [dict(zip(each[::2], each[1::2], strict=True)) for each in self._found]

    def number(self, found: object) -> int:
        """Return the number of a node."""
        number = self._known.get(id(found))
        if number is None:
            describe = self._described.get(type(found), self._ranges)
            number = self._known[id(found)] = describe(found)
        return number

    def _numbers(self, found: Sequence[object]) -> tuple[int, ...]:
        numbers: tuple[Any, ...] = tuple(map(self._known.get, map(id, found)))
        return tuple(map(self.number, found)) if None in numbers else numbers

    def _numbered(self, node: tuple[Any, ...]) -> int:
        return self._found.setdefault(node, len(self._found))

    def _list(self, found: FactList) -> int:
        return self._numbered(("list", self._numbers(found.parts)))

    def _verdicts(self, found: CandidateFacts) -> int:
        rows = self._candidates.ranked_rows(found.facts, found.ranks)
        return self._numbered(("candidates", tuple(rows)))

    def _order(self, found: CandidateOrder) -> int:
        node: tuple[Any, ...] = ("groups", self._numbers(found.groups))
        if found.known is not None:
            node = (*node, "known", tuple(self._candidates.rows(found.known)))
        return self._numbered(node)

    def _passed_over(self, found: PassedOverFacts) -> int:
        rule = self._texts.number(found.rule)
        return self._numbered(("passedOver", self.number(found.order), "rule", rule))

    def _tuple(self, found: tuple[Facts, ...]) -> int:
        objects = tuple(map(id, found))
        number = self._tuples.get(objects)
        if number is None:
            number = self._tuples[objects] = self._ranges(found)
        return number

    def _ranges(self, found: Sequence[Facts]) -> int:
        return self._numbered(("rows", tuple(self._ranges_of(found))))

    def _ranges_of(self, found: Sequence[Facts]) -> Iterator[tuple[int, int, int]]:
        """Yield facts as ranges: the kind, the first row and the number of rows of each."""
        for kind, group in groupby(found, _KIND):
            number = self._texts.number(kind)
            first, count = 0, 0
            for row in self._table_of(kind).rows(list(group)):
                if count and row == first + count:
                    count += 1
                    continue
                if count:
                    yield number, first, count
                first, count = row, 1
            yield number, first, count
