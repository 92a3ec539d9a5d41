"""Everything pending; of one workload why, what would admit it, what evicted it, its history."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import ipywidgets

from kueuelab.messages import Message
from kueuelab.studio.controls import button, selection, text_button
from kueuelab.trace.html import paragraphs
from kueuelab.trace.timeline import rows_text, timeline
from kueuelab.whatif.pending import PendingRow, pending
from kueuelab.widgets.forms import html, markup

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio
    from kueuelab.whatif.lab import LabRun
    from kueuelab.whatif.report import Report, Suggestion

__all__ = ["PendingSection"]

#: So many rows have a button; each other workload is in the list of workloads.
_MOST_ROWS: Final = 50
_COLUMNS: Final = ("workload", "queue", "position", "age", "why", "lever")
_WIDTHS: Final = " ".join(4 * ["max-content"] + 2 * ["minmax(12em,1fr)"])
_DETAILS: Final = ("why", "evicted", "history")


class PendingSection:
    """What is pending in a branch, and why.

    Attributes
    ----------
    workload
        The choice of the workload: every workload of the run, those that are pending first.
    suggestions
        What would admit the workload, as far as it was searched.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        words = studio.words
        self._branch = ""
        self.workload = selection(words, "studio.ask.workload")
        self.suggestions: tuple[Suggestion, ...] = ()
        self._rows: dict[str, PendingRow] = {}
        self._table = ipywidgets.GridBox()
        self._table.layout.grid_template_columns = _WIDTHS
        self._table.layout.grid_gap = "2px 12px"
        self._table.layout.max_height = "320px"
        self._table.layout.overflow = "auto"
        self._note = html()
        self._levers = ipywidgets.VBox()
        self._texts = {name: html("kl-studio-why") for name in _DETAILS}
        self._steps = ipywidgets.HBox()
        self._steps.add_class("kl-buttons")
        children = [self._texts["why"], self._texts["evicted"]]
        children.append(ipywidgets.VBox([self._steps, self._texts["history"]]))
        self._details = ipywidgets.Tab(
            children=children,
            titles=[words.text(f"studio.ask.{name}") for name in _DETAILS],
            selected_index=0,
        )
        parts = [self._table, self._note, self.workload, self._levers, self._details]
        self.widget = ipywidgets.VBox(parts)
        self.workload.observe(lambda _: self._show_workload(), names="value")

    @property
    def _run(self) -> LabRun:
        return self._studio.session[self._branch].run

    def show(self, branch: str) -> None:
        """Show what is pending in a branch."""
        self._branch = branch
        words = self._studio.words
        found = pending(self._run, language=words)
        self._rows = {row.about.workload: row for row in found}
        cells = [
            ipywidgets.HTML(markup("b", words.text(f"whatif.pending.column.{column}")))
            for column in _COLUMNS
        ]
        for row in found.as_table()[:_MOST_ROWS]:
            key = row["workload"]
            rest = (ipywidgets.HTML(markup("div", row[column])) for column in _COLUMNS[1:])
            cells += [text_button(key, partial(self._choose, key)), *rest]
        self._table.children = cells if found else ()
        self._note.value = self._note_on(len(found))
        others = [key for key in self._run.workloads if key not in self._rows]
        self.workload.options = [*self._rows, *others]
        self.workload.value = next(iter(self.workload.options), None)
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
        workload = self.workload.value
        self._details.layout.display = "none" if workload is None else ""
        self.suggestions, self._levers.children = (), ()
        if workload is None:
            return
        self._show_details(workload)
        row = self._rows.get(workload)
        if row is not None and row.report is None:
            words = self._studio.words
            search = button(words, "studio.ask.search", "studio.ask.search.hover", self._search)
            self._levers.children = [search]
        elif row is not None and row.report is not None:
            self._show_report(row.report)

    def _show_details(self, workload: str) -> None:
        words, run = self._studio.words, self._run
        self._texts["why"].value = paragraphs(run.why(workload, language=words).as_text())
        eviction = run.who_evicted(workload, language=words)
        never = words.text("studio.ask.never-evicted", workload=workload)
        self._texts["evicted"].value = paragraphs(never if eviction is None else eviction.as_text())
        rows = [row for row in timeline(run.trace, catalog=words) if row.subject == workload]
        self._texts["history"].value = paragraphs(rows_text(rows))
        self._steps.children = [
            text_button(
                words.text("studio.ask.step", step=row.step),
                partial(self._studio.show_step, run.trace, row.step, ("Workload", workload)),
                hover=row.text,
            )
            for row in rows[:_MOST_ROWS]
        ]

    def _search(self) -> None:
        self._studio.attempt(self._searched, Message("studio.ask.searching"))

    def _searched(self) -> None:
        self._show_report(self._run.what_would_admit(self.workload.value))

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
        studio = self._studio
        studio.attempt(partial(studio.try_it, self._branch, suggestion), Message("studio.running"))
