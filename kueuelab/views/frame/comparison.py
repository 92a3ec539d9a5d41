"""Comparisons of two runs as the browser shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kueuelab.messages import Catalog, Message
from kueuelab.trace.diff import Diff
from kueuelab.trace.trace import Trace
from kueuelab.views.comparison import Comparison
from kueuelab.views.frame.answers import answer
from kueuelab.views.frame.document import Document
from kueuelab.views.frame.timeline import chart_of_both
from kueuelab.views.merge_patch import Json
from kueuelab.views.run_index import RunIndex

__all__ = ["ComparisonDocument", "comparison_data", "diff_data"]


def comparison_data(found: Comparison, catalog: Catalog) -> Json:
    """Return where the jobs of two runs of several clusters ran, and when."""
    say = catalog.render
    table = {
        "caption": catalog.text("views.runs.caption"),
        "columns": [
            catalog.text("views.runs.job"),
            say(Message("views.runs.before", run=found.before_title)),
            say(Message("views.runs.after", run=found.after_title)),
            catalog.text("views.runs.same"),
        ],
        "rows": [[say(cell) for cell in job.cells] for job in found.jobs],
    }
    return {
        "title": catalog.text("frontend.comparison"),
        "lines": [say(found.divergence_text)],
        "tables": [table],
    }


def diff_data(diff: Diff, catalog: Catalog) -> Json:
    """Return what differs between two runs of one cluster."""
    queues = {each.queue for each in diff.queues}
    # The numbers of the queues are in the table.
    lines = [line for line in diff.as_text().splitlines() if line.partition(":")[0] not in queues]
    names = ("queue", "what", "before", "after")
    rows = [
        [str(row[name]) for name in names]
        for row in diff.as_table()
        if row["before"] != row["after"]
    ]
    table = {
        "caption": catalog.text("views.what-if.queues"),
        "columns": list(names),
        "rows": rows,
    }
    return {
        "title": catalog.text("frontend.comparison"),
        "lines": lines,
        "tables": [table] if rows else [],
    }


class ComparisonDocument:
    """Makes the document of two runs side by side, each at the first decision that differs.

    Parameters
    ----------
    diff
        What differs.
    before, after
        The records of the runs.
    catalog
        The language.
    """

    def __init__(self, diff: Diff, before: Trace, after: Trace, catalog: Catalog) -> None:
        self._diff = diff
        self._catalog = catalog
        divergence = diff.divergence
        steps = (None, None) if divergence is None else (divergence.before, divergence.after)
        self.sides = {
            side: Document(
                RunIndex(trace, catalog), "side", len(trace) - 1 if step is None else step.index
            )
            for side, trace, step in zip(("before", "after"), (before, after), steps, strict=True)
        }

    def as_data(self) -> Json:
        """Return the document."""
        sides = {side: each.as_data() for side, each in self.sides.items()}
        words = [each.pop("words") for each in sides.values()]
        for each in sides.values():
            # There is one chart of both.
            each.pop("charts", None)
        before, after = (each.run_index for each in self.sides.values())
        chart = chart_of_both(before, after)
        comparison = diff_data(self._diff, self._catalog)
        if chart is None:
            comparison["lines"].append(self._catalog.text("frontend.chart.no-time"))
        shared = ("format", "version", "kueueVersion", "name", "title", "language")
        return {
            **{name: sides["after"][name] for name in shared},
            "words": words[0],
            "view": "comparison",
            "steps": 0,
            "start": 0,
            "chunk": 1,
            "chunks": {},
            "comparison": comparison,
            "charts": [] if chart is None else [chart],
            "sides": sides,
        }

    def answer(self, question: Mapping[str, Any]) -> Json:
        """Return the answer to a question about one of the runs."""
        return answer(self.sides[str(question.get("side", "after"))], question)
