"""A timeline whose rows say whether the lab decides as Kueue did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from kueuelab.messages import Catalog, english
from kueuelab.trace import Trace
from kueuelab.trace.timeline import Row, rows_text, timeline
from kueuelab.whatif.table import Timeline

__all__ = ["marked_timeline"]

_AGREES: Final = "AgreesWithKueue"
_DIFFERS: Final = "DiffersFromKueue"
#: The rows of a timeline that are decisions.
_DECISIONS: Final = ("quotaReserved", "admitted", "admittedAtOnce", "pending")


def marked_timeline(trace: Trace, catalog: Catalog | None = None) -> Timeline:
    """Return the timeline of a cluster, with ``agrees with Kueue`` or ``differs: …``.

    A decision that differs has a row of its own: both decisions are shown.
    """
    words = catalog or english()
    rows = list(timeline(trace, catalog=words))
    added: list[Row] = []
    marked: set[int] = set()
    for step in trace:
        facts: Any = step.facts
        if step.kind != "EventEmitted" or facts.reason not in (_AGREES, _DIFFERS):
            continue
        if facts.reason == _DIFFERS:
            since = step.time - trace[0].time
            text = words.text("live.mark.differs", decision=facts.message)
            added.append(Row(step.time, since, 0, step.workload, "differs", text, step.index))
            continue
        place = _row_of(rows, step.workload, step.index, preempts=" preempts " in facts.message)
        if place is not None and place not in marked:
            marked.add(place)
            text = words.text("live.mark.agrees", row=rows[place].text)
            rows[place] = replace(rows[place], text=text)
    rows = sorted((*rows, *added), key=lambda row: row.step)
    return Timeline(tuple(rows), rows_text(rows))


def _row_of(rows: Sequence[Row], workload: str, step: int, *, preempts: bool) -> int | None:
    """Return the row of a decision: the lab's own cycle comes before its mark."""
    places = [place for place, row in enumerate(rows) if row.subject == workload]
    if preempts:
        found = (p for p in places[::-1] if rows[p].step < step and rows[p].what == "preempting")
        return next(found, None)
    decided = [p for p in places if rows[p].what in _DECISIONS]
    after = [p for p in decided if rows[p].step > step]
    # If the cause became visible late, the mark comes after the decision.
    return after[0] if after else decided[-1] if decided else None
