"""Reading the compact file of a record: each column is checked as a whole, facts when used.

The file may be a stranger's. Everything in it is plain JSON; numbers that refer to something
are within bounds, what is nested refers to what came before, and steps are counted first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from kueuelab.errors import InputError
from kueuelab.messages import Message
from kueuelab.trace.checking import check_at, check_type
from kueuelab.trace.coding import Decoder, decoder_of, fields_of
from kueuelab.trace.compact_writing import RANKS
from kueuelab.trace.fact_list import (
    CandidateFacts,
    CandidateOrder,
    FactList,
    FactSequence,
    OrderedFacts,
    PassedOverFacts,
    Rank,
)
from kueuelab.trace.step import Change, Facts, Path, Step
from kueuelab.trace.step_list import StepBlock, StepList
from kueuelab.trace.steps import KINDS

__all__ = ["steps_of"]

#: No record has more steps; a few lists of lists could stand for more than anything could show.
_MOST_STEPS: Final = 2**30
#: Lists of a search are nested less than this.
_DEEPEST: Final = 16
_BEYOND: Final = 2**64
_CANDIDATES: Final = "CandidateConsidered"

_Json = Mapping[str, Any]


def steps_of(document: _Json) -> StepList:
    """Return the steps of a document of version 3.

    Raises
    ------
    InputError
        If it is damaged.
    """
    try:
        return _Reader(document).steps()
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(Message("trace.file.bad-record", error=f"{error!r:.200}")) from error


class _Table:
    """The facts of a kind: columns, and each facts made when it is first used."""

    __slots__ = ("_cls", "_columns", "_made", "_names", "count", "kind")

    def __init__(self, kind: str, section: _Json, texts: list[str]) -> None:
        self._cls = KINDS[kind]
        self.kind = kind
        self.count = _count(section["count"])
        given = check_type(section["columns"], dict)
        columns = {
            name: _values(given[key], self.count, hint, texts)
            for name, key, hint in fields_of(kind)
            if key in given
        }
        # A field without a column has its default, if it has one.
        self._names = tuple(columns)
        self._columns = tuple(columns.values())
        self._made: dict[int, Facts] = {}
        if self.count:
            self.fact(0)

    def fact(self, row: int) -> Facts:
        """Return the facts in a row."""
        found = self._made.get(row)
        if found is None:
            if not 0 <= row < self.count:
                raise IndexError(f"{self.kind} has no row {row}")
            values = [column[row] for column in self._columns]
            found = self._made[row] = self._cls(**dict(zip(self._names, values, strict=True)))
        return found

    def column(self, name: str) -> Sequence[Any]:
        """Return the values of a field."""
        return self._columns[self._names.index(name)]


class _Rows(FactSequence):
    """Consecutive rows of a table."""

    __slots__ = ("_count", "_first", "_table")

    def __init__(self, table: _Table, first: Any, count: Any) -> None:
        if not 0 <= check_type(first, int) <= first + _count(count) <= table.count:
            raise IndexError(f"{table.kind} has no {count} rows from row {first}")
        self._table = table
        self._first: int = first
        self._count: int = count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Facts]:
        return map(self._table.fact, range(self._first, self._first + self._count))

    def fact(self, index: int) -> Facts:
        """Return the facts at a place."""
        return self._table.fact(self._first + index)


class _Ranges(FactSequence):
    """Rows of several places."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Sequence[_Rows]) -> None:
        self._parts = FactList(parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[Facts]:
        return iter(self._parts)

    def fact(self, index: int) -> Facts:
        """Return the facts at a place."""
        return self._parts.fact(index)


class _Ranks(Sequence[Rank | None]):
    """The ranks of consecutive candidates."""

    __slots__ = ("_columns", "_count", "_first")

    def __init__(self, columns: Sequence[Sequence[Any]], first: int, count: int) -> None:
        self._columns, self._first, self._count = columns, first, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        evicted, priority, time, uid = (column[self._first + index] for column in self._columns)
        return None if evicted is None else (evicted, (priority, time, uid))

    def __iter__(self) -> Iterator[Rank | None]:
        return map(self.__getitem__, range(self._count))


class _Reader:
    """Reads the sections of a document."""

    def __init__(self, document: _Json) -> None:
        self._document = document
        self._texts: list[str] = _of_type(document["texts"], str)
        self._tables = {
            kind: _Table(_known(kind), section, self._texts)
            for kind, section in check_type(document["facts"], dict).items()
        }
        self._ranks = self._rank_columns(document["ranks"])
        self._nodes: list[Any] = []
        self._depths: list[int] = []
        for node in check_type(document["nodes"], list):
            self._depths.append(0)
            made = self._node(node)
            if not isinstance(made, CandidateOrder) and len(made) > _MOST_STEPS:
                raise InputError(Message("trace.file.too-many-steps", most=_MOST_STEPS))
            self._nodes.append(made)

    # --- what several steps have in common -----------------------------------------------

    def _rank_columns(self, section: _Json) -> list[list[Any]]:
        table = self._tables.get(_CANDIDATES)
        count = 0 if table is None else table.count
        columns = [check_type(section[name], list) for name in RANKS]
        if any(len(column) != count for column in columns):
            raise ValueError("candidates and ranks differ in number")
        evicted, priority, time, uid = columns
        none = evicted.count(None)
        for column, kind in zip(columns, (bool, int, int, int), strict=True):
            wrong = set(map(type, column)) - {kind, type(None)}
            if wrong or column.count(None) != none:
                raise TypeError(f"{wrong!r:.40} in the ranks of candidates")
        uids = [None if each is None else self._text(each) for each in uid]
        return [evicted, priority, time, uids]

    def _text(self, number: Any) -> str:
        if check_type(number, int) < 0:
            raise IndexError(f"there is no text {number}")
        found: str = self._texts[number]
        return found

    def _earlier(self, number: Any) -> Any:
        """Return a node that came before, and note how deep it is nested."""
        if not 0 <= check_type(number, int) < len(self._nodes):
            raise IndexError(f"there is no node {number} before node {len(self._nodes)}")
        depth = self._depths[-1] = max(self._depths[-1], self._depths[number] + 1)
        if depth > _DEEPEST:
            raise ValueError(f"node {len(self._nodes)} is nested too deep")
        return self._nodes[number]

    def _order(self, number: Any) -> CandidateOrder:
        found = self._earlier(number)
        if not isinstance(found, CandidateOrder):
            raise TypeError(f"node {number} is no order")
        return found

    def _part(self, number: Any) -> Sequence[Facts]:
        found = self._earlier(number)
        if isinstance(found, CandidateOrder):
            raise TypeError(f"node {number} has no facts")
        return found  # type: ignore[no-any-return]

    def _group(self, number: Any) -> CandidateFacts | FactList:
        found = self._earlier(number)
        if not isinstance(found, CandidateFacts | FactList):
            raise TypeError(f"node {number} has no candidates")
        return found

    def _node(self, node: Any) -> Sequence[Facts] | CandidateOrder:
        match node:
            case {"list": list(parts)}:
                return FactList([self._part(part) for part in parts])
            case {"candidates": [first, count]}:
                return self._candidates(first, count)
            case {"order": number}:
                return OrderedFacts(self._order(number))
            case {"passedOver": number, "rule": rule}:
                return PassedOverFacts(self._order(number), self._text(rule))
            case {"groups": list(groups)}:
                known = node.get("known")
                rows = None if known is None else [self._candidate(row) for row in known]
                return CandidateOrder([self._group(group) for group in groups], rows)
            case {"rows": list(ranges)}:
                parts = [
                    _Rows(self._tables[self._text(kind)], first, count)
                    for kind, first, count in ranges
                ]
                return parts[0] if len(parts) == 1 else _Ranges(parts)
        raise TypeError(f"{node!r:.40} is no node")

    def _candidate(self, row: Any) -> Any:
        return self._tables[_CANDIDATES].fact(check_type(row, int))

    def _candidates(self, first: Any, count: Any) -> CandidateFacts:
        if not count:
            return CandidateFacts((), ())
        table = self._tables[_CANDIDATES]
        rows = _Rows(table, first, count)
        variants = table.column("variant")[first : first + count]
        borrowing = variants.count(CandidateFacts.VARIANT)
        return CandidateFacts(rows, _Ranks(self._ranks, first, count), borrowing)

    # --- steps ---------------------------------------------------------------------------

    def steps(self) -> StepList:
        """Return the steps."""
        section = self._document["steps"]
        count = len(check_type(section["time"], list))
        times, cycles, rows = (_ints(section[name], count) for name in ("time", "cycle", "facts"))
        texts = self._texts
        workloads, queues, clusters, kinds = (
            _values(section[name], count, str, texts)
            for name in ("workload", "clusterQueue", "cluster", "kind")
        )
        changes = self._changes(clusters)
        steps = StepList()
        tables, append = self._tables, steps.append
        rest = zip(times, cycles, workloads, queues, clusters, kinds, rows, strict=True)
        for at, (time, cycle, workload, queue, cluster, kind, row) in enumerate(rest):
            index = len(steps)
            if kind:
                facts, found = tables[kind].fact(row), changes.get(at, ())
                append(Step(index, time, cycle, workload, queue, facts, found, cluster))
                continue
            if at in changes:
                raise ValueError("steps that are stored together change nothing")
            append(StepBlock(index, time, cycle, workload, queue, self._block(row), cluster))
            if len(steps) > _MOST_STEPS:
                raise InputError(Message("trace.file.too-many-steps", most=_MOST_STEPS))
        if changes and not 0 <= min(changes) <= max(changes) < count:
            raise IndexError("there is no step for a change")
        return steps

    def _block(self, number: int) -> Sequence[Facts]:
        if not 0 <= number < len(self._nodes) or isinstance(self._nodes[number], CandidateOrder):
            raise IndexError(f"node {number} has no facts")
        return self._nodes[number]  # type: ignore[no-any-return]

    def _changes(self, clusters: Sequence[str]) -> dict[int, tuple[Change, ...]]:
        section = self._document["changes"]
        after = check_type(section["after"], list)
        steps, numbers = (_ints(section[name], len(after)) for name in ("step", "path"))
        paths = [self._path(path) for path in check_type(self._document["paths"], list)]
        other = {check_type(place, int): value for place, value in section["before"]}
        state: dict[tuple[str, int], Any] = {}
        found: dict[int, list[Change]] = {}
        for place, (at, number, value) in enumerate(zip(steps, numbers, after, strict=True)):
            if number < 0 or at < 0:
                raise IndexError("there is no such path, or no such step")
            path, check = paths[number]
            if value is not None:
                check(value)
            key = (clusters[at], number)
            before = state.get(key)
            if place in other:
                before = other[place]
                if before is not None:
                    check(before)
            state[key] = value
            found.setdefault(at, []).append(Change(path, before, value))
        return {at: tuple(changes) for at, changes in found.items()}

    def _path(self, numbers: Any) -> tuple[Path, Callable[[Any], object]]:
        path = tuple(self._text(number) for number in check_type(numbers, list))
        check = check_at(path)
        if check is None:
            raise ValueError(f"the state has no place {'/'.join(path)!r:.80}")
        return path, check


def _known(kind: str) -> str:
    if kind not in KINDS:
        raise InputError(Message("trace.file.no-kind", step="?", kind=f"{kind!r:.40}"))
    return kind


def _count(value: Any) -> int:
    found: int = check_type(value, int)
    if not 0 <= found <= _MOST_STEPS:
        raise ValueError(f"{value} is no number of rows")
    return found


def _of_type(values: Any, wanted: type[Any]) -> list[Any]:
    found: list[Any] = check_type(values, list)
    wrong = set(map(type, found)) - {wanted}
    if wrong:
        raise TypeError(f"{min(each.__name__ for each in wrong)} where {wanted.__name__} belongs")
    return found


def _ints(values: Any, count: int) -> list[int]:
    found = _of_type(values, int)
    if len(found) != count:
        raise ValueError(f"{len(found)} values where {count} belong")
    if found and not -_BEYOND < min(found) <= max(found) < _BEYOND:
        raise ValueError("a number has more than 64 bits")
    return found


def _values(values: Any, count: int, hint: Any, texts: list[str]) -> list[Any]:
    """Return a column as the values of a field."""
    if hint is int:
        return _ints(values, count)
    if hint is str:
        numbers = _ints(values, count)
        if numbers and min(numbers) < 0:
            raise IndexError("there is no such text")
        return [texts[number] for number in numbers]
    found = _of_type(values, bool) if hint is bool else check_type(values, list)
    if len(found) != count:
        raise ValueError(f"{len(found)} values where {count} belong")
    if hint is bool:
        return found
    decode: Decoder = decoder_of(hint)
    return [decode(value) for value in found]
