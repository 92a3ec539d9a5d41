"""The table of workloads: searched, filtered and sorted here, sent page by page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from kueuelab.errors import UnknownObjectError
from kueuelab.session.answers import Facet, WorkloadPage, WorkloadRow
from kueuelab.session.commands import Workloads
from kueuelab.session.workload_filters import GROUPINGS, VALUES, group_label
from kueuelab.session.workload_rows import IndexedRow, WorkloadTable, phase_facets
from kueuelab.trace.wording import span_text

__all__ = ["SORTS", "workload_page"]

_MOST: Final = 500

#: What a column is sorted by. Rows without a position, or without an age, come last.
SORTS: Final = MappingProxyType[str, Callable[[IndexedRow], Any]](
    {
        "name": lambda row: row.workload,
        "queue": lambda row: (row.queue, row.position),
        "position": lambda row: (row.position == 0, row.position),
        "age": lambda row: row.age,
        "priority": lambda row: row.priority,
        "phase": lambda row: row.phase,
        "flavor": lambda row: (not row.flavor, row.flavor),
        "owner": lambda row: (not row.owner, row.owner),
        "why": lambda row: (not row.why, row.why),
    }
)


def workload_page(facts: WorkloadTable, asked: Workloads) -> WorkloadPage:
    """Return a page of the table.

    Raises
    ------
    UnknownObjectError
        If there is no such column to sort by.
    """
    question = replace(asked, branch="", start=0, count=0)
    if facts.shown[0] != question:
        facts.shown = (question, _found(facts, asked))
    rows, phases, groups = facts.shown[1]
    start = max(0, asked.start)
    shown = rows[start : start + max(0, min(asked.count, _MOST))]
    words, total = facts.words, len(facts.rows)
    return WorkloadPage(
        sentence=words.text(
            "session.workloads.found",
            count=len(rows),
            found=f"{len(rows):,}",
            total=f"{total:,}",
        ),
        found=len(rows),
        total=total,
        start=start,
        rows=tuple(_row(facts, row) for row in shown),
        phases=phase_facets(facts.phases, phases, words),
        cause=group_label(facts, "cause", asked.cause) if asked.cause else "",
        groups=groups,
    )


def _found(
    facts: WorkloadTable, asked: Workloads
) -> tuple[list[IndexedRow], Counter[str], tuple[Facet, ...]]:
    """Return all rows in their order, how many have which phase, and the groups."""
    rows = _matching(facts, asked)
    phases = Counter(row.phase for row in rows)
    if asked.phase:
        rows = [row for row in rows if row.phase == asked.phase]
    if asked.sort:
        if asked.sort not in SORTS:
            raise UnknownObjectError("column", asked.sort, SORTS)
        rows.sort(key=SORTS[asked.sort], reverse=asked.descending)
    if not asked.group:
        return rows, phases, ()
    if asked.group not in GROUPINGS:
        raise UnknownObjectError("column", asked.group, GROUPINGS)
    value = GROUPINGS[asked.group]
    counts = Counter(map(value, rows))
    # The largest group first; rows without a value last.
    ranked = sorted(counts, key=lambda each: (not each, -counts[each], each))
    place = {each: number for number, each in enumerate(ranked)}
    rows.sort(key=lambda row: place[value(row)])
    groups = (Facet(each, group_label(facts, asked.group, each), counts[each]) for each in ranked)
    return rows, phases, tuple(groups)


def _matching(facts: WorkloadTable, asked: Workloads) -> list[IndexedRow]:
    wanted = {name: value for name in VALUES if (value := getattr(asked, name))}
    search = asked.search.lower()
    known, searched, found = facts.matching
    if known != wanted or not search.startswith(searched):
        found = facts.rows
        for name, value in wanted.items():
            found = [row for row in found if value in VALUES[name](row)]
    # One letter more is searched for among what was found.
    for part in search.split():
        reasons = {why for why in {row.why_text for row in found} if part in why}
        found = [row for row in found if part in row.text or row.why_text in reasons]
    facts.matching = (wanted, search, found)
    return list(found)


def _row(facts: WorkloadTable, row: IndexedRow) -> WorkloadRow:
    namespace, _, name = row.workload.rpartition("/")
    return WorkloadRow(
        workload=row.workload,
        name=name,
        namespace=namespace,
        queue=row.queue,
        phase=row.phase,
        phase_text=facts.words.text(f"session.phase.{row.phase.lower()}"),
        position=row.position,
        age=span_text(row.age) if row.age else "",
        priority=row.priority,
        flavor=row.flavor,
        owner=row.owner,
        why=row.why,
    )
