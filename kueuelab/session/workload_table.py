"""The table of workloads: searched, filtered and sorted here, sent page by page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any, Final

from kueuelab.errors import UnknownObjectError
from kueuelab.session.answers import Facet, WorkloadPage, WorkloadRow
from kueuelab.session.commands import Workloads
from kueuelab.session.overview import cause_title
from kueuelab.session.run_facts import IndexedRow, RunFacts

__all__ = ["PHASES", "SORTS", "workload_page"]

_MOST: Final = 500
#: The phases in the order in which they are offered.
PHASES: Final = ("Pending", "QuotaReserved", "Admitted", "Evicted", "Finished")

#: What a column is sorted by. Rows without a position, or without an age, come last.
SORTS: Final = MappingProxyType[str, Callable[[IndexedRow], Any]](
    {
        "name": lambda row: row.workload,
        "queue": lambda row: (row.queue, row.position),
        "position": lambda row: (row.position == 0, row.position),
        "age": lambda row: row.age,
        "priority": lambda row: row.priority,
        "phase": lambda row: row.phase,
        "why": lambda row: (not row.why, row.why),
    }
)


def workload_page(facts: RunFacts, asked: Workloads) -> WorkloadPage:
    """Return a page of the table.

    Raises
    ------
    UnknownObjectError
        If there is no such column to sort by.
    """
    rows = _matching(facts.rows, asked)
    phases = Counter(row.phase for row in rows)
    if asked.phase:
        rows = [row for row in rows if row.phase == asked.phase]
    if asked.sort:
        if asked.sort not in SORTS:
            raise UnknownObjectError("column", asked.sort, SORTS)
        rows.sort(key=SORTS[asked.sort], reverse=asked.descending)
    start = max(0, asked.start)
    shown = rows[start : start + max(0, min(asked.count, _MOST))]
    words, total = facts.words, len(facts.rows)
    known = {cause.id: cause for cause in facts.causes} if asked.cause else {}
    cause = known.get(asked.cause)
    return WorkloadPage(
        sentence=words.text("session.workloads.found", count=len(rows), total=f"{total:,}"),
        found=len(rows),
        total=total,
        start=start,
        rows=tuple(_row(facts, row) for row in shown),
        phases=tuple(
            Facet(phase, words.text(f"session.phase.{phase.lower()}"), phases[phase])
            for phase in PHASES
            if phase in facts.phases
        ),
        cause=asked.cause if cause is None else cause_title(cause, words),
    )


def _matching(rows: Sequence[IndexedRow], asked: Workloads) -> list[IndexedRow]:
    parts = asked.search.lower().split()
    return [
        row
        for row in rows
        if (not asked.queue or row.queue == asked.queue)
        and (not asked.cause or row.cause == asked.cause)
        and all(part in row.text for part in parts)
    ]


def _row(facts: RunFacts, row: IndexedRow) -> WorkloadRow:
    namespace, _, name = row.workload.rpartition("/")
    return WorkloadRow(
        workload=row.workload,
        name=name,
        namespace=namespace,
        queue=row.queue,
        phase=row.phase,
        phase_text=facts.words.text(f"session.phase.{row.phase.lower()}"),
        position=row.position,
        age=facts.age_text(row.age),
        priority=row.priority,
        why=row.why,
    )
