"""The compact file of a record, version 3: columns of numbers, and each text, value and fact once.

``docs/saved-runs.md`` describes the format. :mod:`kueuelab.trace.compact_reading` reads it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, count, groupby, islice, repeat
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Final

from kueuelab.files import RUN_FORMAT
from kueuelab.trace.compact_nodes import Nodes
from kueuelab.trace.compact_tables import CANDIDATES, CandidateTable, FactTable
from kueuelab.trace.compact_values import Texts, Values
from kueuelab.trace.step import Change, Path, Step
from kueuelab.trace.step_list import StepBlock, Stored

if TYPE_CHECKING:
    from kueuelab.trace.trace import Trace

__all__ = ["RUNS", "VERSION", "compact_chunks"]

#: The version of the compact format.
VERSION: Final = 3

#: What consecutive entries have in common, and how many these are.
RUNS: Final = ("time", "cycle", "workload", "clusterQueue", "cluster", "count")

_NUMBERS: Final = frozenset((int,))
_PATH: Final[Any] = itemgetter(0)
_AFTER: Final[Any] = itemgetter(2)
_RUN: Final[Any] = attrgetter("time", "cycle", "workload", "cluster_queue", "cluster")


def compact_chunks(trace: Trace) -> Iterator[str]:
    """Yield the text of a trace in the compact format; the same bytes for the same steps."""
    head = {"format": RUN_FORMAT, "kueueVersion": trace.kueue_version, "name": trace.name}
    yield _text(head)[:-1]
    for name, section in _Record(trace.steps.stored).sections():
        yield f',\n"{name}":'
        yield _text(section)
    until = f'"until":{trace.end},' if trace.ends_later else ""
    yield f',\n"title":{_text(trace.title)},{until}"version":{VERSION}}}\n'


def _text(value: Any) -> str:
    if type(value) is dict:
        return f"{{{','.join([f'{_text(name)}:{_text(part)}' for name, part in value.items()])}}}"
    if type(value) is list and _NUMBERS.issuperset(map(type, value)):
        # The same text; a million numbers take less time and memory so.
        return str(value).replace(" ", "")
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class _Record:
    """The sections of a record."""

    def __init__(self, stored: Sequence[Stored]) -> None:
        self._stored = stored
        self._texts = Texts()
        self._values = Values()
        self._candidates = CandidateTable(self._values)
        self._tables: dict[str, FactTable] = {CANDIDATES: self._candidates}

    def sections(self) -> Iterator[tuple[str, Any]]:
        """Yield the name and the value of each section."""
        nodes = Nodes(self._table, self._candidates, self._texts)
        steps = self._steps(nodes)
        tables = {kind: table for kind, table in self._tables.items() if len(table)}
        facts = {kind: table.section(self._texts) for kind, table in tables.items()}
        runs = self._runs()
        changes, paths = self._changes()
        yield "facts", facts
        yield "ranks", self._candidates.ranks(self._texts)
        yield "nodes", nodes.found
        yield "runs", runs
        yield "steps", steps
        yield "changes", changes
        yield "paths", paths
        yield "values", self._values.found
        yield "texts", self._texts.found

    def _table(self, kind: str) -> FactTable:
        found = self._tables.get(kind)
        if found is None:
            found = self._tables[kind] = FactTable(kind, self._values)
        return found

    # --- steps ---------------------------------------------------------------------------

    def _runs(self) -> dict[str, Sequence[int]]:
        runs = [(*run, len(list(found))) for run, found in groupby(map(_RUN, self._stored))]
        time, cycle, *named, lengths = zip(*runs, strict=True) if runs else ((),) * len(RUNS)
        columns = (time, cycle, *map(self._texts.numbers, named), lengths)
        return dict(zip(RUNS, columns, strict=True))

    def _steps(self, nodes: Nodes) -> dict[str, list[int]]:
        kinds = ["" if isinstance(entry, StepBlock) else entry.facts.kind for entry in self._stored]
        of_kind: dict[str, list[Any]] = {kind: [] for kind in kinds}
        for entry, kind in zip(self._stored, kinds, strict=True):
            of_kind[kind].append(entry.facts if isinstance(entry, Step) else entry.all_facts)
        numbers: dict[str, Iterator[int]] = {}
        if "" in of_kind:
            numbers[""] = iter(list(map(nodes.number, of_kind.pop(""))))
        for kind, all_facts in of_kind.items():
            numbers[kind] = iter(self._table(kind).rows(all_facts))
        facts = list(map(next, map(numbers.__getitem__, kinds)))
        return {"kind": self._texts.numbers(kinds), "facts": facts}

    def _changes(self) -> tuple[dict[str, list[Any]], list[list[int]]]:
        """Return the changes of the state, and the places that they change."""
        changing = [(at, entry) for at, entry in enumerate(self._stored) if entry.changes]
        counts = [len(entry.changes) for _, entry in changing]
        steps = list(chain.from_iterable(map(repeat, (at for at, _ in changing), counts)))
        changes = list(chain.from_iterable(entry.changes for _, entry in changing))
        numbers: dict[Path, int] = defaultdict(count().__next__)
        places = list(map(numbers.__getitem__, map(_PATH, changes)))
        after = list(map(self._values.number, map(_AFTER, changes)))
        clusters = [entry.cluster for _, entry in changing]
        where = places
        if len(set(clusters)) > 1:
            there: dict[tuple[str, int], int] = defaultdict(count().__next__)
            of_each = chain.from_iterable(map(repeat, clusters, counts))
            where = list(map(there.__getitem__, zip(of_each, places, strict=True)))
        others = self._others(where, changes)
        columns: dict[str, list[Any]] = {"step": steps, "path": places, "after": after}
        names = iter(self._texts.numbers(chain.from_iterable(numbers)))
        return columns | {"before": others}, [list(islice(names, len(path))) for path in numbers]

    def _others(self, places: Sequence[int], changes: Sequence[Change]) -> list[tuple[int, int]]:
        """Return the changes whose value before is not that of the change before, with that."""
        number = self._values.number
        number(None)  # It has one in each record with changes.
        # The value of each place.
        values: list[Any] = [None] * (max(places, default=-1) + 1)
        others: list[tuple[int, int]] = []
        for at, (place, (_, before, after)) in enumerate(zip(places, changes, strict=True)):
            value = values[place]
            if value is not before and (known := number(before)) != number(value):
                others.append((at, known))
            values[place] = after
        return others
