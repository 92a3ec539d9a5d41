"""Reading the compact file of a record: each column is checked as a whole, facts when used.

The file may be a stranger's. Everything in it is plain JSON; numbers that refer to something
are within bounds, what is nested refers to what came before, and steps are counted first.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain, compress, islice, repeat
from operator import not_
from typing import Any, Final

from kueuelab.errors import InputError
from kueuelab.messages import Message
from kueuelab.trace.checking import check_at, check_type
from kueuelab.trace.coding import Decoder, decoder_of, fields_of
from kueuelab.trace.compact_changes import ChangeColumns, Place
from kueuelab.trace.compact_tables import CANDIDATES, RANKS
from kueuelab.trace.compact_writing import RUNS
from kueuelab.trace.fact_list import (
    CandidateFacts,
    CandidateOrder,
    FactList,
    FactSequence,
    OrderedFacts,
    PassedOverFacts,
    Rank,
)
from kueuelab.trace.state import Frames
from kueuelab.trace.step import Facts, Step
from kueuelab.trace.step_list import StepBlock, StepList, Stored
from kueuelab.trace.steps import KINDS

__all__ = ["steps_of"]

#: No record has more steps; a few lists of lists could stand for more than anything could show.
_MOST_STEPS: Final = 2**30
#: Lists of a search are nested less than this: a list for each level of cohorts, and some around.
_DEEPEST: Final = 128
_BEYOND: Final = 2**64

_Json = Mapping[str, Any]


def steps_of(document: _Json) -> tuple[StepList, Frames]:
    """Return the steps of a document of version 3, and states at some of them.

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

    def __init__(self, kind: str, section: _Json, columns: _Columns) -> None:
        self._cls = KINDS[kind]
        self.kind = kind
        self.count = _count(section["count"])
        given = check_type(section["columns"], dict)
        found = {
            name: columns.of(hint, given[key], self.count)
            for name, key, hint in fields_of(kind)
            if key in given
        }
        # A field without a column has its default, if it has one.
        self._names = tuple(found)
        self._columns = tuple(found.values())
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

    def facts(self, rows: Sequence[int]) -> Iterator[Facts]:
        """Return the facts in some rows, many of them more than once."""
        for row in set(rows) - self._made.keys():
            self.fact(row)
        return map(self._made.__getitem__, rows)

    def column(self, name: str) -> Sequence[Any]:
        """Return the values of a field."""
        return self._columns[self._names.index(name)]


class _Rows(FactSequence):
    """Rows of a table."""

    __slots__ = ("_rows", "_table")

    def __init__(self, table: _Table, rows: Sequence[int]) -> None:
        self._table = table
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Facts]:
        return map(self._table.fact, self._rows)

    def fact(self, index: int) -> Facts:
        """Return the facts at a place."""
        return self._table.fact(self._rows[index])


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
    """The ranks of some candidates."""

    __slots__ = ("_ranks", "_rows")

    def __init__(self, ranks: Sequence[Rank | None], rows: Sequence[int]) -> None:
        self._ranks, self._rows = ranks, rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._ranks[self._rows[index]]

    def __iter__(self) -> Iterator[Rank | None]:
        return map(self._ranks.__getitem__, self._rows)


class _Columns:
    """Makes columns: texts and values are in the file once, and columns have their numbers."""

    def __init__(self, document: _Json) -> None:
        self.texts: list[str] = _of_type(document["texts"], str)
        self.values: list[Any] = check_type(document["values"], list)

    def text(self, number: Any) -> str:
        """Return a text by its number."""
        if check_type(number, int) < 0:
            raise IndexError(f"there is no text {number}")
        found: str = self.texts[number]
        return found

    def of_texts(self, numbers: Any, count: int) -> list[str]:
        """Return a column of texts."""
        return list(map(self.texts.__getitem__, _numbers(numbers, count)))

    def of(self, hint: Any, given: Any, count: int) -> list[Any]:
        """Return a column as the values of a field of a type."""
        if hint is int:
            return _ints(given, count)
        if hint is str:
            return self.of_texts(given, count)
        if hint is bool:
            if len(_of_type(given, bool)) != count:
                raise ValueError(f"{len(given)} values where {count} belong")
            return given  # type: ignore[no-any-return]
        numbers = _numbers(given, count)
        decode: Decoder = decoder_of(hint)
        made = {number: decode(self.values[number]) for number in set(numbers)}
        return list(map(made.__getitem__, numbers))


class _Reader:
    """Reads the sections of a document."""

    def __init__(self, document: _Json) -> None:
        self._document = document
        self._columns = _Columns(document)
        self._tables = {
            kind: _Table(_known(kind), section, self._columns)
            for kind, section in check_type(document["facts"], dict).items()
        }
        self._ranks = self._all_ranks(document["ranks"])
        candidates = self._tables.get(CANDIDATES)
        variants = () if candidates is None else candidates.column("variant")
        self._borrowing = [variant == CandidateFacts.VARIANT for variant in variants]
        self._nodes: list[Any] = []
        # Of each node: how many steps it is, how deep it is nested, and how many nodes it takes.
        self._lengths: list[int] = []
        self._depths: list[int] = []
        self._sizes: list[int] = []
        for node in check_type(document["nodes"], list):
            self._depths.append(0)
            self._sizes.append(1)
            made = self._node(node)
            # An order has no steps of its own.
            self._lengths.append(0 if isinstance(made, CandidateOrder) else len(made))
            if max(self._lengths[-1], self._sizes[-1]) > _MOST_STEPS:
                raise InputError(Message("trace.file.too-many-steps", most=_MOST_STEPS))
            self._nodes.append(made)

    # --- what several steps have in common -----------------------------------------------

    def _all_ranks(self, section: _Json) -> list[Rank | None]:
        table = self._tables.get(CANDIDATES)
        count = 0 if table is None else table.count
        columns = [check_type(section[name], list) for name in RANKS]
        if any(len(column) != count for column in columns):
            raise ValueError("candidates and ranks differ in number")
        none = columns[0].count(None)
        for column, kind in zip(columns, (bool, int, int, int), strict=True):
            wrong = set(map(type, column)) - {kind, type(None)}
            if wrong or column.count(None) != none:
                raise TypeError(f"{wrong!r:.40} in the ranks of candidates")
        text = self._columns.text
        return [
            None if evicted is None else (evicted, (priority, time, text(uid)))
            for evicted, priority, time, uid in zip(*columns, strict=True)
        ]

    def _earlier(self, given: list[Any]) -> list[Any]:
        """Return nodes that came before, and note how deep they are nested, and how many."""
        numbers = _numbers(given, len(given))
        if not numbers:
            return []
        if (last := max(numbers)) >= len(self._nodes):
            raise IndexError(f"there is no node {last} before node {len(self._nodes)}")
        depth = self._depths[-1] = max(map(self._depths.__getitem__, numbers)) + 1
        if depth > _DEEPEST:
            raise ValueError(f"node {len(self._nodes)} is nested too deep")
        self._sizes[-1] += sum(map(self._sizes.__getitem__, numbers))
        return list(map(self._nodes.__getitem__, numbers))

    def _order(self, number: Any) -> CandidateOrder:
        (found,) = self._earlier([number])
        if not isinstance(found, CandidateOrder):
            raise TypeError(f"node {number} is no order")
        return found

    def _parts(self, numbers: list[Any]) -> list[Sequence[Facts]]:
        found = self._earlier(numbers)
        if CandidateOrder in map(type, found):
            raise TypeError("an order has no facts")
        return found

    def _groups(self, numbers: list[Any]) -> list[CandidateFacts | FactList]:
        found = self._earlier(numbers)
        if not all(isinstance(each, CandidateFacts | FactList) for each in found):
            raise TypeError("a group has no candidates")
        return found

    def _node(self, node: Any) -> Sequence[Facts] | CandidateOrder:
        # A hundred thousand of them: a match statement takes twice as long.
        check_type(node, dict)
        if "list" in node:
            return FactList(self._parts(check_type(node["list"], list)))
        if "candidates" in node:
            return self._candidates(check_type(node["candidates"], list))
        if "order" in node:
            return OrderedFacts(self._order(node["order"]))
        if "passedOver" in node:
            rule = self._columns.text(node["rule"])
            return PassedOverFacts(self._order(node["passedOver"]), rule)
        if "groups" in node:
            known = node.get("known")
            if known is not None:
                known = [*self._candidates(check_type(known, list)).facts]
            return CandidateOrder(self._groups(check_type(node["groups"], list)), known)
        if "rows" in node:
            parts = [self._range(*each) for each in check_type(node["rows"], list)]
            return parts[0] if len(parts) == 1 else _Ranges(parts)
        raise TypeError(f"{node!r:.40} is no node")

    def _range(self, kind: Any, first: Any, count: Any) -> _Rows:
        table = self._tables[self._columns.text(kind)]
        if not 0 <= check_type(first, int) <= first + _count(count) <= table.count:
            raise IndexError(f"{table.kind} has no {count} rows from row {first}")
        return _Rows(table, range(first, first + count))

    def _candidates(self, given: list[Any]) -> CandidateFacts:
        if not given:
            return CandidateFacts((), ())
        rows = _numbers(given, len(given))
        borrowing = sum(map(self._borrowing.__getitem__, rows))
        facts = _Rows(self._tables[CANDIDATES], rows)
        return CandidateFacts(facts, _Ranks(self._ranks, rows), borrowing)

    # --- steps ---------------------------------------------------------------------------

    def steps(self) -> tuple[StepList, Frames]:
        """Return the steps, and states at some of them."""
        section = self._document["steps"]
        count = len(check_type(section["facts"], list))
        numbers = _numbers(section["facts"], count)
        kinds = self._columns.of_texts(section["kind"], count)
        times, cycles, workloads, queues, clusters = self._runs(count)
        columns = self._changes(clusters)
        changes, before = columns.of_entries()
        facts = self._all_facts(kinds, numbers)
        known = self._lengths
        lengths = [
            1 if kind else known[number] for kind, number in zip(kinds, numbers, strict=True)
        ]
        firsts = list(accumulate(lengths, initial=0))
        if firsts[-1] > _MOST_STEPS:
            raise InputError(Message("trace.file.too-many-steps", most=_MOST_STEPS))
        common = firsts, times, cycles, workloads, queues, facts
        is_step = list(map(bool, kinds))
        is_block = list(map(not_, kinds))
        if any(compress(changes, is_block)):
            raise ValueError("steps that are stored together change nothing")
        of_steps = [compress(column, is_step) for column in (*common, changes, clusters)]
        of_blocks = [compress(column, is_block) for column in (*common, clusters)]
        both: tuple[Iterator[Stored], ...] = map(StepBlock, *of_blocks), map(Step, *of_steps)
        found = list(map(next, map(both.__getitem__, is_step)))
        frames = columns.frames(firsts)
        firsts.pop()
        return StepList.of(found, firsts, before, tuple(dict.fromkeys(clusters))), frames

    def _runs(self, count: int) -> list[list[Any]]:
        """Return what consecutive steps have in common, as one column for each."""
        section = self._document["runs"]
        counts = _numbers(section["count"], len(check_type(section["count"], list)))
        if sum(counts) != count or 0 in counts:
            raise ValueError(f"runs of {sum(counts)} steps where {count} belong")
        columns: list[list[Any]] = []
        for name in RUNS[:-1]:
            make = _ints if name in ("time", "cycle") else self._columns.of_texts
            column = make(section[name], len(counts))
            columns.append(list(chain.from_iterable(map(repeat, column, counts))))
        return columns

    def _all_facts(self, kinds: Sequence[str], numbers: Sequence[int]) -> list[Any]:
        """Return the facts of each step; of steps that are stored together, all of theirs."""
        rows: dict[str, list[int]] = {kind: [] for kind in kinds}
        for kind, number in zip(kinds, numbers, strict=True):
            rows[kind].append(number)
        found = {
            kind: self._tables[kind].facts(own) if kind else map(self._block, own)
            for kind, own in rows.items()
        }
        return list(map(next, map(found.__getitem__, kinds)))

    def _block(self, number: int) -> Sequence[Facts]:
        if isinstance(self._nodes[number], CandidateOrder):
            raise IndexError(f"node {number} has no facts")
        return self._nodes[number]  # type: ignore[no-any-return]

    def _changes(self, clusters: Sequence[str]) -> ChangeColumns:
        """Return the changes of all steps."""
        section = self._document["changes"]
        count = len(check_type(section["after"], list))
        steps, paths, after = (_numbers(section[name], count) for name in ("step", "path", "after"))
        places = list(self._places())
        others: dict[int, int] = {}
        for pair in check_type(section["before"], list):
            place, value = _numbers(pair, 2)
            others[place] = value
        return ChangeColumns(steps, paths, after, others, places, self._columns.values, clusters)

    def _places(self) -> Iterator[Place]:
        """Yield the places of the state, with what looks at their values."""
        given = _of_type(self._document["paths"], list)
        numbers = list(chain.from_iterable(given))
        texts = iter(self._columns.of_texts(numbers, len(numbers)))
        for each in given:
            path = tuple(islice(texts, len(each)))
            check = check_at(path)
            if check is None:
                raise ValueError(f"the state has no place {'/'.join(path)!r:.80}")
            yield path, check


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


def _numbers(values: Any, count: int) -> list[int]:
    """Return a column of numbers that refer to something, or count it: none is less than 0."""
    found: list[int] = check_type(values, list)
    if len(found) != count:
        raise ValueError(f"{len(found)} values where {count} belong")
    # It takes integers of 64 bits only, and true as 1.
    array("Q", found)
    return found
