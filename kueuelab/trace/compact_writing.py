"""The compact file of a record, version 3: columns of numbers, and each text and fact once.

``docs/saved-runs.md`` describes the format. :mod:`kueuelab.trace.compact_reading` reads it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from kueuelab.files import RUN_FORMAT
from kueuelab.trace.coding import encode_value, fields_of
from kueuelab.trace.fact_list import (
    CandidateFacts,
    CandidateOrder,
    FactList,
    OrderedFacts,
    PassedOverFacts,
)
from kueuelab.trace.step import Change, Facts
from kueuelab.trace.step_list import StepBlock, Stored

if TYPE_CHECKING:
    from kueuelab.trace.trace import Trace

__all__ = ["RANKS", "VERSION", "compact_chunks"]

#: The version of the compact format.
VERSION: Final = 3

#: The columns of what orders candidates.
RANKS: Final = ("evicted", "priority", "time", "uid")

_Json = dict[str, Any]


def compact_chunks(trace: Trace) -> Iterator[str]:
    """Yield the text of a trace in the compact format; the same bytes for the same steps."""
    record = _Record(trace.steps.stored)
    head = {"format": RUN_FORMAT, "kueueVersion": trace.kueue_version, "name": trace.name}
    yield _text(head)[:-1]
    for name, section in record.sections():
        yield f',\n"{name}":'
        yield section
    yield f',\n"title":{_text(trace.title)},"version":{VERSION}}}\n'


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _column(values: Sequence[Any]) -> str:
    """Return values as JSON; most are JSON values already, and need no copy."""
    try:
        return _text(values)
    except (TypeError, ValueError):
        return _text(encode_value(values))


class _Record:
    """The sections of a record, filled step by step."""

    def __init__(self, stored: Sequence[Stored]) -> None:
        self._texts: dict[str, int] = {}
        self._paths: dict[tuple[str, ...], int] = {}
        self._rows: dict[str, list[Facts]] = {}
        # The row of each facts; by identity, since the tables keep them.
        self._row_of: dict[int, int] = {}
        self._ranks: list[Any] = []
        self._nodes: list[_Json] = []
        self._node_of: dict[int, int] = {}
        self._kept: list[object] = []
        self._steps: dict[str, list[int]] = {
            name: []
            for name in ("time", "cycle", "workload", "clusterQueue", "cluster", "kind", "facts")
        }
        self._changes: dict[str, list[Any]] = {
            name: [] for name in ("step", "path", "after", "before")
        }
        self._state: dict[tuple[str, int], Any] = {}
        for position, entry in enumerate(stored):
            self._add(position, entry)

    def sections(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the JSON text of each section."""
        facts = ",\n".join(
            f'{_text(kind)}:{{"count":{len(rows)},"columns":{self._columns(kind, rows)}}}'
            for kind, rows in self._rows.items()
        )
        changes = ",\n".join(
            f'"{name}":{_column(values)}' for name, values in self._changes.items()
        )
        paths = [[self._text_number(name) for name in path] for path in self._paths]
        ranks = [
            (None,) * 4 if rank is None else (rank[0], *rank[1][:2], self._text_number(rank[1][2]))
            for rank in self._ranks
        ]
        columns = zip(*ranks, strict=True) if ranks else ((),) * 4
        yield "facts", f"{{{facts}}}"
        yield "nodes", _text(self._nodes)
        yield (
            "ranks",
            _text(dict(zip(("evicted", "priority", "time", "uid"), columns, strict=True))),
        )
        yield "steps", _text(self._steps)
        yield "changes", f"{{{changes}}}"
        yield "paths", _text(paths)
        yield "texts", _text(list(self._texts))

    def _columns(self, kind: str, rows: list[Facts]) -> str:
        found = []
        for name, key, hint in fields_of(kind):
            values: Sequence[Any] = list(map(attrgetter(name), rows))
            if hint is str:
                values = self._text_numbers(values)
            found.append(f"{_text(key)}:{_column(values)}")
        return f"{{{','.join(found)}}}"

    def _text_number(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def _text_numbers(self, texts: Iterable[str]) -> list[int]:
        known = self._texts
        return [known.setdefault(text, len(known)) for text in texts]

    # --- steps ---------------------------------------------------------------------------

    def _add(self, position: int, entry: Stored) -> None:
        steps = self._steps
        steps["time"].append(entry.time)
        steps["cycle"].append(entry.cycle)
        steps["workload"].append(self._text_number(entry.workload))
        steps["clusterQueue"].append(self._text_number(entry.cluster_queue))
        steps["cluster"].append(self._text_number(entry.cluster))
        if isinstance(entry, StepBlock):
            kind, facts = "", self._node(entry.all_facts)
        else:
            kind, facts = entry.kind, self._row(entry.facts)
        steps["kind"].append(self._text_number(kind))
        steps["facts"].append(facts)
        for change in entry.changes:
            self._add_change(position, entry.cluster, change)

    def _add_change(self, position: int, cluster: str, change: Change) -> None:
        changes = self._changes
        path = self._paths.setdefault(change.path, len(self._paths))
        before = self._state.get((cluster, path))
        if before is not change.before and not _same(before, change.before):
            # What was there before is known from the change before, nearly always.
            changes["before"].append((len(changes["step"]), change.before))
        self._state[cluster, path] = change.after
        changes["step"].append(position)
        changes["path"].append(path)
        changes["after"].append(change.after)

    # --- facts ---------------------------------------------------------------------------

    def _row(self, facts: Facts) -> int:
        """Return the row of facts in the table of their kind."""
        row = self._row_of.get(id(facts))
        if row is None:
            rows = self._rows.setdefault(facts.kind, [])
            row = self._row_of[id(facts)] = len(rows)
            rows.append(facts)
            if facts.kind == "CandidateConsidered":
                self._ranks.append(None)
        return row

    def _node(self, facts: object) -> int:
        """Return the number of what several steps, or several lists, have in common."""
        number = self._node_of.get(id(facts))
        if number is None:
            node = self._described(facts)
            number = self._node_of[id(facts)] = len(self._nodes)
            self._nodes.append(node)
            self._kept.append(facts)
        return number

    def _described(self, facts: Any) -> _Json:
        match facts:
            case FactList():
                return {"list": [self._node(part) for part in facts.parts]}
            case CandidateFacts():
                return {"candidates": self._candidates(facts)}
            case OrderedFacts():
                return {"order": self._node(facts.order)}
            case PassedOverFacts():
                rule = self._text_number(facts.rule)
                return {"passedOver": self._node(facts.order), "rule": rule}
            case CandidateOrder():
                groups = [self._node(group) for group in facts.groups]
                if facts.known is None:
                    return {"groups": groups}
                return {"groups": groups, "known": [self._row(each) for each in facts.known]}
        return {"rows": self._ranges(facts)}

    def _candidates(self, candidates: CandidateFacts) -> list[int]:
        """Return the first row and the number of rows; the ranks are in the same rows."""
        first = len(self._ranks)
        for facts, rank in zip(candidates.facts, candidates.ranks, strict=True):
            row = self._row(facts)
            assert row == len(self._ranks) - 1
            self._ranks[row] = rank
        return [first, len(candidates)]

    def _ranges(self, all_facts: Iterable[Facts]) -> list[list[int]]:
        """Return facts as ranges: the kind, the first row and the number of rows of each."""
        ranges: list[list[int]] = []
        for facts in all_facts:
            kind, row = self._text_number(facts.kind), self._row(facts)
            last = ranges[-1] if ranges else [-1, 0, 0]
            if last[0] == kind and last[1] + last[2] == row:
                last[2] += 1
            else:
                ranges.append([kind, row, 1])
        return ranges


def _same(first: Any, second: Any) -> bool:
    """Tell whether two values are the same in JSON, where 1 and true differ."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return list(first) == list(second) and all(
            _same(first[name], second[name]) for name in first
        )
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(_same, first, second))
    return type(first) is type(second) and bool(first == second)
