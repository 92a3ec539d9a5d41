"""The compact file of a record, version 3: columns of numbers, and each text, value and fact once.

``docs/saved-runs.md`` describes the format. :mod:`kueuelab.trace.compact_reading` reads it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from kueuelab.files import RUN_FORMAT
from kueuelab.trace.changes import GroupChange, parts_of
from kueuelab.trace.coding import fields_of
from kueuelab.trace.compact_values import Texts, Values
from kueuelab.trace.fact_list import (
    CandidateFacts,
    CandidateOrder,
    FactList,
    OrderedFacts,
    PassedOverFacts,
    Rank,
)
from kueuelab.trace.step import Facts, Step
from kueuelab.trace.step_list import StepBlock, Stored

if TYPE_CHECKING:
    from kueuelab.trace.trace import Trace

__all__ = ["CANDIDATES", "RANKS", "RUNS", "VERSION", "compact_chunks"]

#: The version of the compact format.
VERSION: Final = 3

#: The columns of what orders candidates.
RANKS: Final = ("evicted", "priority", "time", "uid")
#: What consecutive entries have in common, and how many these are.
RUNS: Final = ("time", "cycle", "workload", "clusterQueue", "cluster", "count")
#: The kind of facts that have a rank.
CANDIDATES: Final = "CandidateConsidered"

_KIND: Final = attrgetter("kind")
_RUN: Final[Any] = attrgetter("time", "cycle", "workload", "cluster_queue", "cluster")


def compact_chunks(trace: Trace) -> Iterator[str]:
    """Yield the text of a trace in the compact format; the same bytes for the same steps."""
    head = {"format": RUN_FORMAT, "kueueVersion": trace.kueue_version, "name": trace.name}
    yield _text(head)[:-1]
    for name, section in _Record(trace.steps.stored).sections():
        yield f',\n"{name}":'
        yield _text(section)
    yield f',\n"title":{_text(trace.title)},"version":{VERSION}}}\n'


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class _Table:
    """The facts of a kind: first each object that is met, then each fact that these state."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._found: list[Facts] = []
        # What orders candidates, and the row of each object; by identity, since they are kept.
        self._ranks: dict[int, Rank | None] = {}
        self.found_rows: Final[dict[int, int]] = {}
        #: Takes an object.
        self.take: Final = self._found.append
        #: Takes several.
        self.take_all: Final = self._found.extend

    def take_ranked(self, all_facts: Sequence[Facts], ranks: Iterable[Rank | None]) -> None:
        """Take objects, and what orders them."""
        self._found.extend(all_facts)
        self._ranks.update(zip(map(id, all_facts), ranks, strict=True))

    def rows(self, all_facts: Iterable[Facts]) -> list[int]:
        """Return the rows of objects that were taken, once the rows are known."""
        return list(map(self.found_rows.__getitem__, map(id, all_facts)))

    def section(self, texts: Texts, values: Values) -> tuple[dict[str, Any], list[Rank | None]]:
        """Return the table with its columns, and the rank of each row."""
        fields = fields_of(self._kind)
        # Searches have many of them in common.
        self._found = list(dict(zip(map(id, self._found), self._found, strict=True)).values())
        columns: list[Sequence[Any]] = []
        for name, _, hint in fields:
            column = map(attrgetter(name), self._found)
            if hint is str:
                columns.append(texts.numbers(column))
            elif hint is int or hint is bool:
                columns.append(list(column))
            else:
                columns.append(values.numbers(column))
        objects = list(map(id, self._found))
        ranks = list(map(self._ranks.get, objects))
        every = list(zip(ranks, *columns, strict=True))
        rows = {row: number for number, row in enumerate(dict.fromkeys(every))}
        self.found_rows.update(zip(objects, map(rows.__getitem__, every), strict=True))
        distinct = list(zip(*rows, strict=True)) or [()] * (len(fields) + 1)
        found = {key: column for (_, key, _), column in zip(fields, distinct[1:], strict=True)}
        return {"count": len(rows), "columns": found}, list(distinct[0])


class _Record:
    """The sections of a record."""

    def __init__(self, stored: Sequence[Stored]) -> None:
        self._stored = stored
        self._texts = Texts()
        self._values = Values()
        self._tables: dict[str, _Table] = {}
        self._nodes: dict[tuple[Any, ...], int] = {}
        # The number of each node; by identity, since what is stored keeps them.
        self._node_of: dict[int, int] = {}
        # The same by the facts in it, of those that are tuples.
        self._node_of_facts: dict[tuple[int, ...], int] = {}
        self._seen: set[int] = set()

    def sections(self) -> Iterator[tuple[str, Any]]:
        """Yield the name and the value of each section."""
        for entry in self._stored:
            if isinstance(entry, StepBlock):
                self._take(entry.all_facts)
            else:
                self._table(entry.facts.kind).take(entry.facts)
        facts, ranks = {}, []
        for kind, table in self._tables.items():
            facts[kind], of_rows = table.section(self._texts, self._values)
            if kind == CANDIDATES:
                ranks = of_rows
        steps, runs = self._steps(), self._runs()
        changes, paths = self._changes()
        yield "facts", facts
        yield "ranks", self._rank_columns(ranks)
        yield "nodes", [dict(node) for node in self._nodes]
        yield "runs", runs
        yield "steps", steps
        yield "changes", changes
        yield "paths", paths
        yield "values", self._values.found
        yield "texts", self._texts.found

    def _table(self, kind: str) -> _Table:
        found = self._tables.get(kind)
        if found is None:
            found = self._tables[kind] = _Table(kind)
        return found

    def _rank_columns(self, ranks: Iterable[Rank | None]) -> dict[str, list[Any]]:
        rows = [
            (None,) * len(RANKS)
            if rank is None
            else (rank[0], *rank[1][:2], self._texts.number(rank[1][2]))
            for rank in ranks
        ]
        columns = map(list, zip(*rows, strict=True)) if rows else ([] for _ in RANKS)
        return dict(zip(RANKS, columns, strict=True))

    # --- steps ---------------------------------------------------------------------------

    def _runs(self) -> dict[str, Sequence[int]]:
        runs = [(*run, sum(1 for _ in found)) for run, found in groupby(map(_RUN, self._stored))]
        time, cycle, *named, count = zip(*runs, strict=True) if runs else ((),) * len(RUNS)
        columns = (time, cycle, *map(self._texts.numbers, named), count)
        return dict(zip(RUNS, columns, strict=True))

    def _steps(self) -> dict[str, list[int]]:
        kinds = ["" if isinstance(entry, StepBlock) else entry.facts.kind for entry in self._stored]
        rows = {kind: table.found_rows for kind, table in self._tables.items()}
        facts = [
            rows[kind][id(entry.facts)] if isinstance(entry, Step) else self._node(entry.all_facts)
            for entry, kind in zip(self._stored, kinds, strict=True)
        ]
        return {"kind": self._texts.numbers(kinds), "facts": facts}

    def _changes(self) -> tuple[dict[str, list[Any]], list[list[int]]]:
        """Return the changes of the state, and the places that they change."""
        paths: dict[tuple[str, ...], int] = {}
        number, nothing = self._values.number, (None, self._values.number(None))
        # The value that each place has, and its number.
        state: dict[tuple[str, int], tuple[Any, int]] = {}
        steps: list[int] = []
        places: list[int] = []
        after: list[int] = []
        others: list[tuple[int, int]] = []
        for position, entry in enumerate(self._stored):
            for part in parts_of(entry.changes):
                before, given = part.before, (part.after, number(part.after))
                found = part.paths() if isinstance(part, GroupChange) else (part.path,)
                for path in found:
                    path_number = paths.setdefault(path, len(paths))
                    place = entry.cluster, path_number
                    last, known = state.get(place, nothing)
                    if last is not before and (earlier := number(before)) != known:
                        # What was there before is known from the change before, nearly always.
                        others.append((len(steps), earlier))
                    state[place] = given
                    steps.append(position)
                    places.append(path_number)
                    after.append(given[1])
        changes: dict[str, list[Any]] = {"step": steps, "path": places, "after": after}
        names = iter(self._texts.numbers(chain.from_iterable(paths)))
        return changes | {"before": others}, [list(islice(names, len(path))) for path in paths]

    # --- what several steps have in common -----------------------------------------------

    def _take(self, found: Any) -> None:
        """Take the facts in what several steps have in common."""
        if id(found) in self._seen:
            return
        self._seen.add(id(found))
        # By its very type: there are millions, and a match asks abstract classes.
        of = type(found)
        if of is FactList:
            for part in found.parts:
                if id(part) not in self._seen:
                    self._take(part)
        elif of is CandidateFacts:
            self._table(CANDIDATES).take_ranked(found.facts, found.ranks)
        elif of is OrderedFacts or of is PassedOverFacts:
            self._take(found.order)
        elif of is CandidateOrder:
            for group in found.groups:
                self._take(group)
            for facts in found.known or ():
                self._table(CANDIDATES).take(facts)
        else:
            for kind, all_facts in groupby(found, _KIND):
                self._table(kind).take_all(all_facts)

    def _node(self, found: object) -> int:
        """Return the number of a node; those that say the same are one."""
        number = self._node_of.get(id(found))
        if number is None:
            if type(found) is tuple:
                objects = tuple(map(id, found))
                number = self._node_of_facts.get(objects)
                if number is None:
                    number = self._node_of_facts[objects] = self._described(found)
            else:
                number = self._described(found)
            self._node_of[id(found)] = number
        return number

    def _described(self, found: Any) -> int:
        """Describe a node, and return its number."""
        of, node = type(found), self._node
        described: tuple[tuple[str, Any], ...]
        if of is FactList:
            known = self._node_of
            parts = [
                node(part) if (number := known.get(id(part))) is None else number
                for part in found.parts
            ]
            described = (("list", tuple(parts)),)
        elif of is CandidateFacts:
            described = (("candidates", tuple(self._table(CANDIDATES).rows(found.facts))),)
        elif of is OrderedFacts:
            described = (("order", node(found.order)),)
        elif of is PassedOverFacts:
            rule = self._texts.number(found.rule)
            described = (("passedOver", node(found.order)), ("rule", rule))
        elif of is CandidateOrder:
            described = (("groups", tuple(map(node, found.groups))),)
            if found.known is not None:
                rows = self._table(CANDIDATES).rows(found.known)
                described = (*described, ("known", tuple(rows)))
        else:
            described = (("rows", tuple(self._ranges(found))),)
        return self._nodes.setdefault(described, len(self._nodes))

    def _ranges(self, all_facts: Iterable[Facts]) -> Iterator[tuple[int, int, int]]:
        """Yield facts as ranges: the kind, the first row and the number of rows of each."""
        first: tuple[int, int] | None = None
        count = 0
        for facts in all_facts:
            row = self._tables[facts.kind].found_rows[id(facts)]
            place = self._texts.number(facts.kind), row
            if first is not None and place == (first[0], first[1] + count):
                count += 1
                continue
            if first is not None:
                yield (*first, count)
            first, count = place, 1
        if first is not None:
            yield (*first, count)
