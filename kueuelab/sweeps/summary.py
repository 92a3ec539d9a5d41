"""What the runs of each point have in common: a measure's mean over the seeds, and its spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.model.times import SECOND, format_duration
from kueuelab.sweeps.plan import Plan, Row, shown_value
from kueuelab.trace.text_table import text_table

__all__ = [
    "Spread",
    "Summary",
    "SummaryRow",
    "is_in_seconds",
    "measure_text",
    "short_name",
    "spread_of",
    "summary_of",
]

#: What is shown if nothing is named.
_GENERAL: Final = (
    "waiting.mean",
    "waiting.p95",
    "bounded_slowdown.mean",
    "preemptions",
    "jains_index",
    "makespan",
)


@dataclass(frozen=True, slots=True)
class Spread:
    """A measure over the seeds of a point."""

    mean: float
    lowest: float
    highest: float

    def as_text(self, measure: str) -> str:
        """Return it as text; what is in seconds as durations.

        Examples
        --------
        >>> Spread(90.4, 0.0, 3600.0).as_text("waiting.mean")
        '1m30s (0s to 1h0m0s)'
        """
        mean, low, high = (
            measure_text(measure, each) for each in (self.mean, self.lowest, self.highest)
        )
        return mean if self.lowest == self.highest else f"{mean} ({low} to {high})"


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A point: its values, its runs, how many failed, and its measures over the seeds."""

    values: tuple[Any, ...]
    runs: tuple[int, ...]
    failed: int
    spreads: tuple[Spread | None, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Summary:
    """The points of a sweep, in their order."""

    factors: tuple[str, ...]
    measures: tuple[str, ...]
    rows: tuple[SummaryRow, ...]

    def __repr__(self) -> str:
        return f"<Summary of {len(self.rows)} points: {', '.join(self.measures)}>"

    def __str__(self) -> str:
        return self.as_text()

    def as_text(self, language: str | Catalog = "en") -> str:
        """Return it as a table, a point a line."""
        words = language_of(language)
        header = [*map(short_name, self.factors), words.text("sweeps.summary.runs"), *self.measures]
        lines = []
        for row in self.rows:
            count = words.text("sweeps.summary.count", count=len(row.runs), failed=row.failed)
            spreads = [
                "-" if each is None else each.as_text(name)
                for name, each in zip(self.measures, row.spreads, strict=True)
            ]
            runs = count if row.failed else str(len(row.runs))
            lines.append([*map(str, row.values), runs, *spreads])
        return text_table(header, lines)


def summary_of(plan: Plan, rows: Sequence[Row], measures: Sequence[str] = ()) -> Summary:
    """Return the measures of each point over its seeds.

    Raises
    ------
    UnknownObjectError
        If no run has such a measure.
    """
    known = list(dict.fromkeys(name for row in rows for name in row))
    chosen = tuple(measures) or tuple(name for name in _GENERAL if name in known)
    for name in chosen:
        if name not in known:
            raise UnknownObjectError(Message("sweeps.kind.measure"), name, known)
    size = len(plan.seeds)
    found = []
    for place, point in enumerate(plan.points):
        own = rows[place * size : (place + 1) * size]
        spreads = tuple(spread_of([row[name] for row in own if name in row]) for name in chosen)
        failed = sum(row["error"] is not None for row in own)
        runs = tuple(row["run"] for row in own)
        found.append(SummaryRow(tuple(map(shown_value, point)), runs, failed, spreads))
    return Summary(tuple(factor.name for factor in plan.factors), chosen, tuple(found))


def spread_of(values: Sequence[float]) -> Spread | None:
    """Return the mean, the lowest and the highest of values; ``None`` if there is none."""
    if not values:
        return None
    return Spread(sum(values) / len(values), min(values), max(values))


def is_in_seconds(measure: str) -> bool:
    """Tell whether a measure is a time.

    Examples
    --------
    >>> is_in_seconds("waiting.p95[queue=a]"), is_in_seconds("preemptions")
    (True, False)
    """
    return measure.startswith(("waiting.", "makespan"))


def measure_text(measure: str, value: float) -> str:
    """Return a measure as text: a duration where it is in seconds, else a number.

    Examples
    --------
    >>> measure_text("waiting.p95[queue=a]", 5.4), measure_text("lost_work[resource=cpu]", 12345.6)
    ('5s', '12,346')
    """
    if is_in_seconds(measure):
        return format_duration(round(value) * SECOND)
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def short_name(name: str) -> str:
    """Return the name of a factor or measure as the head of a column or the label of an axis.

    Examples
    --------
    >>> short_name("cluster-queue/team-a:spec.preemption.reclaimWithinCohort")
    'team-a: reclaimWithinCohort'
    >>> short_name("waiting.p95")
    'waiting.p95'
    """
    target, colon, path = name.partition(":")
    return f"{target.rpartition('/')[2]}: {path.rpartition('.')[2]}" if colon else name
