"""What would admit a workload, as data, text and table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.messages import Catalog, Message, language_of, listed
from kueuelab.model.times import format_duration
from kueuelab.trace.html import paragraphs
from kueuelab.trace.text_table import text_table
from kueuelab.whatif.changes import Change, change_as_data, change_text
from kueuelab.whatif.costs import cost_of

__all__ = ["Obstacle", "Report", "Suggestion"]

#: So many workloads are named; of more, only how many.
_MOST_SHOWN: Final = 6


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Something that prevents the admission of a workload, whatever the quota.

    Attributes
    ----------
    kind
        ``localQueue``, ``flavors``, ``tooLarge``, ...
    text
        A sentence.
    """

    kind: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Suggestion:
    """A change by which a workload is admitted, verified by simulating it.

    Attributes
    ----------
    kind
        What is changed: ``quota``, ``preemption``, ``priority``, ``finish``, ...; several
        of them joined by ``+``.
    text
        The change as text.
    changes
        The change as data: ``run.fork().change(*suggestion.changes).run()``.
    evicts
        Workloads that are evicted by it.
    queues
        ClusterQueues that are changed, or that lose workloads.
    size
        How large it is: an amount as a part of what the workload asks for, otherwise the
        number of fields that are set, or of workloads that have to finish.
    time
        When the workload gets its quota, in nanoseconds since the start.
    evicts_first
        What it evicts if it is made before others have moved; ``None`` if that was not tried,
        or is the same.
    """

    kind: str
    text: str
    changes: tuple[Change, ...]
    evicts: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    size: float = 1.0
    time: int = 0
    evicts_first: tuple[str, ...] | None = None
    cluster: str = ""

    def __repr__(self) -> str:
        return f"<Suggestion {self.kind}: {self.text}>"

    def __str__(self) -> str:
        return self.as_text()

    @property
    def disturbance(self) -> tuple[int, int, int, float]:
        """By what suggestions are ranked: cost, evictions, queues touched, size."""
        return cost_of(self.kind), len(self.evicts), len(self.queues), self.size

    def as_text(self, language: str | Catalog = "en") -> str:
        """Return the change and what follows from it, as a line."""
        return language_of(language).text(
            "whatif.report.line",
            change=self.text,
            time=format_duration(self.time),
            consequence=self.consequence,
        )

    @property
    def change_texts(self) -> tuple[str, ...]:
        """Each change in a few words, with the cluster where there are several."""
        texts = map(change_text, self.changes)
        if not self.cluster:
            return tuple(texts)
        return tuple(
            Message("whatif.clusters.change", cluster=self.cluster, change=text) for text in texts
        )

    @property
    def consequence(self) -> str:
        """Which workloads are evicted, as text."""
        text = _evicts(self.evicts)
        if self.evicts_first is None:
            return text
        return Message("whatif.report.evicts-first", then=text, first=_evicts(self.evicts_first))

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "kind": self.kind,
            "text": self.text,
            "changes": [change_as_data(change) for change in self.changes],
            "evicts": list(self.evicts),
            "queues": list(self.queues),
            "size": round(self.size, 6),
            "time": format_duration(self.time),
            "evictsFirst": None if self.evicts_first is None else list(self.evicts_first),
            **({"cluster": self.cluster} if self.cluster else {}),
        }


def _evicts(workloads: tuple[str, ...]) -> str:
    """Return which workloads are evicted, in a few words."""
    if not workloads:
        return Message("whatif.report.evicts-none")
    shown = list(workloads)
    if len(shown) > _MOST_SHOWN:
        more = len(shown) - _MOST_SHOWN + 1
        shown[_MOST_SHOWN - 1 :] = [Message("whatif.report.more", more=more)]
    return Message("whatif.report.evicts", count=len(workloads), workloads=listed(shown))


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """The answer to what would admit a workload.

    Attributes
    ----------
    workload
        ``namespace/name``.
    obstacles
        What prevents admission, whatever the quota.
    suggestions
        What would admit it, what costs least first; empty if nothing was found.
    tried
        How many changes were simulated.
    complete
        Whether that was all there is to try; a search in a large cluster ends early.
    now
        When the changes are made, in nanoseconds since the start.
    until
        Up to which time after the start it looked; ``None``: to the end of the run.
    moved_first
        Of a dump: the workloads that are elsewhere in the lab by then, before any change.
    """

    workload: str
    obstacles: tuple[Obstacle, ...]
    suggestions: tuple[Suggestion, ...]
    tried: int
    complete: bool = True
    now: int = 0
    until: int | None = None
    moved_first: tuple[str, ...] = ()

    def __repr__(self) -> str:
        count = len(self.suggestions)
        return f"<Report on {self.workload}: {count} suggestion{'s' * (count != 1)}>"

    def __str__(self) -> str:
        return self.as_text()

    def __iter__(self) -> Iterator[Suggestion]:
        return iter(self.suggestions)

    def __len__(self) -> int:
        return len(self.suggestions)

    def __bool__(self) -> bool:
        return bool(self.suggestions)

    def __getitem__(self, index: int) -> Suggestion:
        return self.suggestions[index]

    def as_text(self, language: str | Catalog = "en") -> str:
        """Return the answer as plain text."""
        catalog = language_of(language)
        text = catalog.text
        lines = [text("whatif.report.title", workload=self.workload)]
        lines += [f"  {catalog.render(obstacle.text)}" for obstacle in self.obstacles]
        for number, suggestion in enumerate(self.suggestions, start=1):
            lines.append(f"  {number}. {suggestion.as_text(catalog)}")
            changes = (catalog.render(text) for text in suggestion.change_texts)
            lines += [f"     {change}" for change in changes]
        if not self.suggestions and not self._settled:
            lines.append("  " + text("whatif.report.nothing", count=self.tried, tried=self.tried))
        elif self.tried:
            lines.append("  " + text("whatif.report.tried", count=self.tried, tried=self.tried))
        if self.tried:
            lines.append("  " + catalog.render(self._scope))
        if self.tried and self.moved_first:
            lines.append("  " + catalog.render(self._moved))
        if not self.complete:
            lines.append("  " + text("whatif.report.incomplete"))
        return "\n".join(lines)

    @property
    def _moved(self) -> str:
        """That the answer rests on what the lab makes of a dump."""
        shown = list(self.moved_first)
        if len(shown) > _MOST_SHOWN:
            more = len(shown) - _MOST_SHOWN + 1
            shown[_MOST_SHOWN - 1 :] = [Message("whatif.report.more", more=more)]
        count = len(self.moved_first)
        return Message("whatif.report.moved-first", count=count, workloads=listed(shown))

    @property
    def _scope(self) -> str:
        """At what time the changes are made, and up to when it looked."""
        now = format_duration(self.now)
        if self.until is None:
            return Message("whatif.report.to-the-end", now=now)
        if self.until == self.now:
            return Message("whatif.report.at-once", now=now)
        return Message("whatif.report.until", now=now, until=format_duration(self.until))

    @property
    def _settled(self) -> bool:
        return any(
            each.kind in ("admitted", "finished", "runs", "no-copy") for each in self.obstacles
        )

    def as_table(self) -> list[dict[str, str]]:
        """Return one row per suggestion: number, change, time, evictions, queues, size."""
        return [
            {
                "number": str(number),
                "change": suggestion.text,
                "time": format_duration(suggestion.time),
                "evicts": str(len(suggestion.evicts)),
                "queues": ", ".join(suggestion.queues) or "-",
                "size": f"{suggestion.size:.3g}",
            }
            for number, suggestion in enumerate(self.suggestions, start=1)
        ]

    def table_text(self, language: str | Catalog = "en") -> str:
        """Return the table as aligned text."""
        words = language_of(language)
        names = ("number", "change", "time", "evicts", "queues", "size")
        header = [words.text(f"whatif.report.column.{name}") for name in names]
        rows = [[words.render(row[name]) for name in names] for row in self.as_table()]
        return text_table(header, rows)

    def _repr_html_(self) -> str:
        """Return the answer for a notebook."""
        return paragraphs(self.as_text())

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "workload": self.workload,
            "obstacles": [{"kind": each.kind, "text": each.text} for each in self.obstacles],
            "suggestions": [suggestion.as_data() for suggestion in self.suggestions],
            "tried": self.tried,
            "complete": self.complete,
            "now": format_duration(self.now),
            "until": None if self.until is None else format_duration(self.until),
            "movedFirst": list(self.moved_first),
        }
