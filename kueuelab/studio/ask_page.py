"""The page that asks: everything pending, and of one workload why and what would admit it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import ipywidgets

from kueuelab.messages import Message
from kueuelab.studio.controls import button, offer, selection
from kueuelab.trace.html import paragraphs
from kueuelab.whatif.pending import PendingRow, pending
from kueuelab.widgets.forms import html, markup

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio
    from kueuelab.whatif.report import Report, Suggestion

__all__ = ["AskPage"]

#: So many rows have a button; each other workload is in the list of workloads.
_MOST_ROWS: Final = 50
_COLUMNS: Final = ("workload", "queue", "position", "age", "why", "lever")
_WIDTHS: Final = " ".join(4 * ["max-content"] + 2 * ["minmax(12em,1fr)"])


class AskPage:
    """What is pending in a branch, and why.

    Attributes
    ----------
    branch, workload
        The choice of the branch and of the workload.
    suggestions
        What would admit the workload, as far as it was searched.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        words = studio.words
        self.branch = selection(words, "studio.branch")
        self.workload = selection(words, "studio.ask.workload")
        self.suggestions: tuple[Suggestion, ...] = ()
        self._rows: dict[str, PendingRow] = {}
        self._table = ipywidgets.GridBox()
        self._table.layout.grid_template_columns = _WIDTHS
        self._table.layout.grid_gap = "2px 12px"
        self._table.layout.max_height = "320px"
        self._table.layout.overflow = "auto"
        self._note = html()
        self._why = html("kl-studio-why")
        self._levers = ipywidgets.VBox()
        choices = ipywidgets.HBox([self.branch, self.workload])
        choices.add_class("kl-buttons")
        self.widget = ipywidgets.VBox([choices, self._table, self._note, self._levers, self._why])
        self.branch.observe(lambda _: self._show_pending(), names="value")
        self.workload.observe(lambda _: self._show_workload(), names="value")

    def show(self, branch: str) -> None:
        """Show what is pending in a branch."""
        self.branch.value = branch

    def show_branches(self, names: Sequence[Any]) -> None:
        """Offer branches to choose from."""
        offer(self.branch, names)

    def _show_pending(self) -> None:
        words, name = self._studio.words, self.branch.value
        if name is None:
            return
        found = pending(self._studio.session[name].run, language=words)
        self._rows = {row.about.workload: row for row in found}
        cells = [
            ipywidgets.HTML(markup("b", words.text(f"whatif.pending.column.{column}")))
            for column in _COLUMNS
        ]
        for row in found.as_table()[:_MOST_ROWS]:
            choose = ipywidgets.Button(description=row["workload"], tooltip=row["workload"])
            choose.layout.width = "auto"
            choose.on_click(lambda _, key=row["workload"]: self._choose(key))
            rest = (ipywidgets.HTML(markup("div", row[column])) for column in _COLUMNS[1:])
            cells += [choose, *rest]
        self._table.children = cells if found else ()
        self._note.value = self._note_on(len(found))
        self.workload.options = list(self._rows)
        self.workload.value = next(iter(self._rows), None)
        self._show_workload()

    def _note_on(self, count: int) -> str:
        words = self._studio.words
        if not count:
            return markup("p", words.text("whatif.pending.none"))
        if count <= _MOST_ROWS:
            return ""
        return markup("p", words.text("studio.ask.more", shown=_MOST_ROWS, count=count))

    def _choose(self, workload: str) -> None:
        self.workload.value = workload

    def _show_workload(self) -> None:
        row = self._rows.get(self.workload.value)
        if row is None:
            self.suggestions, self._levers.children, self._why.value = (), (), ""
            return
        words = self._studio.words
        run = self._studio.session[self.branch.value].run
        self._why.value = paragraphs(run.why(row.about.workload, language=words).as_text())
        if row.report is None:
            self.suggestions = ()
            self._levers.children = [
                button(words, "studio.ask.search", "studio.ask.search.hover", self._search)
            ]
        else:
            self._show_report(row.report)

    def _search(self) -> None:
        self._studio.attempt(self._searched, Message("studio.ask.searching"))

    def _searched(self) -> None:
        run = self._studio.session[self.branch.value].run
        self._show_report(run.what_would_admit(self.workload.value))

    def _show_report(self, report: Report) -> None:
        words = self._studio.words
        self.suggestions = report.suggestions
        title = words.text("whatif.report.title", workload=report.workload)
        parts: list[Any] = [ipywidgets.HTML(markup("h4", title))]
        parts += [
            ipywidgets.HTML(markup("p", words.render(obstacle.text)))
            for obstacle in report.obstacles
        ]
        parts += map(self._line, report.suggestions)
        if not report.suggestions:
            parts.append(ipywidgets.HTML(markup("p", words.text("whatif.pending.no-lever"))))
        self._levers.children = parts

    def _line(self, suggestion: Suggestion) -> Any:
        words = self._studio.words
        try_it = button(
            words, "studio.ask.try", "studio.ask.try.hover", partial(self._try, suggestion)
        )
        if not suggestion.changes:
            try_it.disabled = True  # Waiting is not a change.
        text = ipywidgets.HTML(markup("span", suggestion.as_text(words)))
        return ipywidgets.HBox([try_it, text])

    def _try(self, suggestion: Suggestion) -> None:
        studio, name = self._studio, self.branch.value
        studio.attempt(partial(studio.try_it, name, suggestion), Message("studio.running"))
