"""What else would be admitted: changes of the job itself, each verified by a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.collector import without_collection
from kueuelab.forecast.when_text import about
from kueuelab.simulation import Player
from kueuelab.trace.wording import MessageParts
from kueuelab.whatif.changes import change_as_data
from kueuelab.whatif.job_search import JobSearch
from kueuelab.whatif.report import Report, Suggestion

__all__ = ["Instead", "instead"]

#: So many changes are shown.
_SHOWN: Final = 6


@dataclass(frozen=True, slots=True)
class Instead:
    """Changes of a job by which it is admitted, or admitted sooner; the cheapest first.

    Attributes
    ----------
    report
        What was found.
    """

    report: Report

    @property
    def suggestions(self) -> tuple[Suggestion, ...]:
        """The changes; of those that take effect at once and later, only the former.

        Those that evict the fewest workloads come first.
        """
        found = [each for each in self.report.suggestions if each.kind != "wait"]
        at_once = [each for each in found if each.time == self.report.now]
        return tuple(sorted(at_once or found, key=lambda each: len(each.evicts)))

    def lines(self, words: MessageParts) -> Iterator[str]:
        """Yield the changes, and what each would do."""
        shown = self.suggestions[:_SHOWN]
        for each in shown:
            after = each.time - self.report.now
            yield words(
                "forecast.instead.later" if after else "forecast.instead.at-once",
                change=each.text,
                time=about(after),
                consequence=each.consequence,
            )
        if not shown:
            yield words("forecast.instead.none", count=self.report.tried)
        if not self.report.complete:
            yield words("whatif.report.incomplete")

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "tried": self.report.tried,
            "complete": self.report.complete,
            "changes": [
                {
                    "kind": each.kind,
                    "text": each.text,
                    "afterSeconds": (each.time - self.report.now) / 1e9,
                    "evicts": list(each.evicts),
                    "changes": [change_as_data(change) for change in each.changes],
                }
                for each in self.suggestions
            ],
        }


def instead(player: Player, workload: str, progress: Callable[[], object] | None = None) -> Instead:
    """Search for changes of a pending workload that would admit it.

    Parameters
    ----------
    player
        The run as it stands, with the workload in it. It is left as it is.
    workload
        ``namespace/name``.
    progress
        Called after each change that was simulated.
    """
    with without_collection(), JobSearch(player, workload, None, progress) as search:
        return Instead(search.report())
