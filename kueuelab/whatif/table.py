"""What happened in a run, as rows, and tables as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kueuelab.trace.html import paragraphs
from kueuelab.trace.timeline import Row, timeline, timeline_text
from kueuelab.trace.trace import Trace

__all__ = ["Timeline"]


@dataclass(frozen=True, slots=True, repr=False)
class Timeline:
    """The rows of a timeline, in order; printed, they are lines.

    Examples
    --------
    >>> Timeline.of(Trace(()))
    <Timeline: 0 rows>
    """

    rows: tuple[Row, ...]
    text: str

    @classmethod
    def of(cls, trace: Trace) -> Timeline:
        """Return the timeline of a trace."""
        return cls(tuple(timeline(trace)), timeline_text(trace))

    def __repr__(self) -> str:
        count = len(self.rows)
        return f"<Timeline: {count} row{'s' * (count != 1)}>"

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> Row:
        return self.rows[index]

    def as_text(self) -> str:
        """Return aligned lines: time since the start, cycle, subject, what happened."""
        return self.text

    def _repr_html_(self) -> str:
        """Return the rows for a notebook."""
        return paragraphs(self.text)

    def as_table(self) -> list[dict[str, Any]]:
        """Return the rows as plain JSON values."""
        return [row.as_data() for row in self.rows]
