"""The facts of a compact file while it is written: each of them once, by kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from operator import attrgetter
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin

from kueuelab.trace.coding import fields_of
from kueuelab.trace.compact_values import Texts, Values
from kueuelab.trace.fact_list import Rank
from kueuelab.trace.step import Facts

__all__ = ["CANDIDATES", "RANKS", "CandidateTable", "FactTable"]

#: The columns of what orders candidates.
RANKS: Final = ("evicted", "priority", "time", "uid")
#: The kind of facts that have a rank.
CANDIDATES: Final = "CandidateConsidered"

#: What a row is found by: the values of all fields, or the numbers of these values.
_Key = tuple[Any, ...]


class FactTable:
    """The facts of a kind: a row for each that states something else.

    Parameters
    ----------
    kind
        The kind of step.
    values
        Gives numbers to what is neither a text, an integer nor a boolean.

    Examples
    --------
    >>> from kueuelab.trace.steps import QueueSkipped
    >>> table = FactTable("QueueSkipped", Values())
    >>> facts = [QueueSkipped(name, "policy-never") for name in "aba"]
    >>> table.rows(facts), table.section(Texts())
    ([0, 1, 0], {'count': 2, 'columns': {'queue': [0, 1], 'rule': [2, 2], 'numbers': (0, 0)}})
    """

    def __init__(self, kind: str, values: Values) -> None:
        self._fields = fields_of(kind)
        self._columns = [_column_of(name, hint, values) for name, _, hint in self._fields]
        self._rows: dict[_Key, int] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self, all_facts: Sequence[Facts]) -> list[int]:
        """Return the row of each of some facts; many of them may be one object."""
        objects = list(map(id, all_facts))
        distinct = dict(zip(objects, all_facts, strict=True))
        rows = self._rows
        keys = self._keys(list(distinct.values()))
        numbers = {
            each: rows.setdefault(key, len(rows)) for each, key in zip(distinct, keys, strict=True)
        }
        return list(map(numbers.__getitem__, objects))

    def section(self, texts: Texts) -> dict[str, Any]:
        """Return the table as it is written."""
        distinct = list(zip(*self._rows, strict=True)) or [()] * len(self._fields)
        columns: dict[str, Sequence[Any]] = {}
        for (_, key, hint), column in zip(self._fields, distinct, strict=False):
            columns[key] = texts.numbers(column) if hint is str else column
        return {"count": len(self._rows), "columns": columns}

    def _keys(self, all_facts: Sequence[Facts]) -> list[_Key]:
        if not self._columns:
            return [()] * len(all_facts)
        return list(zip(*(column(all_facts) for column in self._columns), strict=True))


class CandidateTable(FactTable):
    """Verdicts on candidates: those that state the same are two rows if their ranks differ.

    Examples
    --------
    >>> from kueuelab.trace.steps import CandidateConsidered
    >>> table = CandidateTable(Values())
    >>> facts = [CandidateConsidered("team/a", "q", True, "policy-Any", "")] * 2
    >>> table.ranked_rows(facts, [(False, (0, 5, "uid")), None]), table.rows(facts)
    ([0, 1], [0, 0])
    """

    def __init__(self, values: Values) -> None:
        super().__init__(CANDIDATES, values)
        # The first row with some facts, whatever their rank, of as many rows as were looked at.
        self._unranked: dict[_Key, int] = {}
        self._looked_at = 0

    def rows(self, all_facts: Sequence[Facts]) -> list[int]:
        """Return the row of each of some facts, where their ranks are not known."""
        keys, known = self._keys(all_facts), self._unranked
        new = list(islice(reversed(self._rows), len(self._rows) - self._looked_at))
        for row, key in enumerate(reversed(new), self._looked_at):
            known.setdefault(key[:-1], row)
        for key in dict.fromkeys(keys):
            if key not in known:
                known[key] = self._rows[*key, None] = len(self._rows)
        self._looked_at = len(self._rows)
        return list(map(known.__getitem__, keys))

    def ranked_rows(self, all_facts: Sequence[Facts], ranks: Iterable[Rank | None]) -> list[int]:
        """Return the row of each of some facts with their ranks."""
        if not all_facts:
            return []
        columns = [column(all_facts) for column in self._columns]
        rows = self._rows
        row_of = rows.setdefault
        return [row_of(key, len(rows)) for key in zip(*columns, ranks, strict=True)]

    def ranks(self, texts: Texts) -> dict[str, list[Any]]:
        """Return what orders the candidates in the rows."""
        rows = [
            (None,) * len(RANKS)
            if rank is None
            else (rank[0], *rank[1][:2], texts.number(rank[1][2]))
            for *_, rank in self._rows
        ]
        columns = map(list, zip(*rows, strict=True)) if rows else ([] for _ in RANKS)
        return dict(zip(RANKS, columns, strict=True))


def _column_of(name: str, hint: Any, values: Values) -> Callable[[Sequence[Facts]], Iterable[Any]]:
    """Return what gives the values of a field, or their numbers."""
    value_of = attrgetter(name)
    if hint in (str, int, bool):
        return lambda all_facts: map(value_of, all_facts)
    if _is_plain(hint):
        known: dict[Any, int] = {}
        number = values.number

        def plain(all_facts: Sequence[Facts]) -> Iterable[Any]:
            column = list(map(value_of, all_facts))
            for value in dict.fromkeys(column):
                if value not in known:
                    known[value] = number(value)
            return map(known.__getitem__, column)

        return plain
    return lambda all_facts: values.numbers(map(value_of, all_facts))


def _is_plain(hint: Any) -> bool:
    """Tell whether values of a type are the same in JSON where they are equal.

    Examples
    --------
    >>> _is_plain(tuple[tuple[str, int], ...]), _is_plain(tuple[str, float])
    (True, False)
    """
    if hint in (str, int, type(None), Ellipsis):
        return True
    return get_origin(hint) in (tuple, UnionType, Union) and all(map(_is_plain, get_args(hint)))
