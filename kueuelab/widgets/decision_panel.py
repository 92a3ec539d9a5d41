"""The decision panel: the sentence for this step, its numbers, the candidates."""

from __future__ import annotations

from html import escape
from typing import Any, Final

import ipywidgets

from kueuelab.messages import Catalog, Message
from kueuelab.trace.names import short_name
from kueuelab.views import Decision
from kueuelab.views.selection import selection_text
from kueuelab.widgets.board import Watched, board_of
from kueuelab.widgets.frontend import ChoiceTable, View, html, markup

__all__ = ["DecisionPanel"]

#: More candidates than this in a table help nobody; the rest is counted.
_MOST: Final = 60


class DecisionPanel(View):
    """What this step says, its numbers, and the verdict on every candidate, with the rule.

    A click on a candidate selects it in all views of the run.

    Parameters
    ----------
    run
        A run, a trace, or the board of another view.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> panel = DecisionPanel(scenarios.load("within-1-all-in-one-queue").run())
    >>> print(panel.as_text())
    Step 10 of 112, at 1s
    Workload created: default/job-0 is submitted to LocalQueue cluster-queue with priority 100.
    """

    def __init__(self, run: Watched, *, language: str | Catalog | None = None) -> None:
        self.board = board_of(run, language=language)
        self._sentence = html("kl-sentence")
        self._table = ChoiceTable(
            language=self.board.words,
            caption=Message("widgets.decision.candidates"),
            columns=["#", "workload", "verdict", "why"],
            link=1,
        )
        self._table.on_msg(self._chosen)
        self.widget = ipywidgets.VBox([self._sentence, self._table])
        self.widget.add_class("kl-decision")
        self.board.subscribe(lambda _: self.refresh() if self.visible else None)
        self.refresh()

    def as_text(self) -> str:
        """Return the sentence, the numbers and the table of candidates."""
        return self.decision.as_text()

    @property
    def decision(self) -> Decision:
        """What is shown, as data."""
        return self.board.run_index.decision(self.board.index)

    def _chosen(self, _: Any, content: Any, __: Any) -> None:
        if content.get("type") == "select":
            self.board.select("Workload", content["key"])

    def _selection(self) -> str:
        """Say what is selected, and which rule spared or chose it."""
        board = self.board
        if board.selected is None:
            return ""
        kind, name = board.selected
        text = selection_text(board.run_index, board.index, kind, name)
        head = markup("span", f"◆ {kind} {short_name(name)}:", "kl-kind")
        return f'<p class="kl-selection">{head} {escape(text)}</p>'

    def refresh(self) -> None:
        """Show what is decided now."""
        decision = self.decision
        self._sentence.value = _markup(decision, self.board.words) + self._selection()
        every = decision.candidates
        chosen = self.board.workload
        shown = [*every[:_MOST], *(row for row in every[_MOST:] if row.workload == chosen)]
        caption = (
            Message("widgets.decision.first-candidates", count=len(every), most=_MOST)
            if len(every) > _MOST
            else Message("widgets.decision.candidates")
        )
        with self._table.hold_sync():
            self._table.caption = caption
            self._table.rows = [
                {
                    "key": row.workload,
                    "cells": [
                        str(row.rank or ""),
                        [short_name(row.workload), row.queue]
                        if row.workload
                        else Message("widgets.decision.all-of", queue=row.queue),
                        verdict,
                        [row.why, reason],
                    ],
                    "mark": verdict.replace(" ", "-"),
                }
                for row in shown
                for verdict, _, reason in [row.verdict.partition(", ")]
            ]
            self._table.selected = self.board.workload


def _markup(decision: Decision, words: Catalog) -> str:
    parts = [
        f'<div role="status">{markup("p", words.render(decision.moment.as_text()), "kl-moment")}'
        f'<p><span class="kl-kind">{escape(decision.title)}.</span> '
        f"{escape(decision.sentence)}</p></div>"
    ]
    if decision.difference:
        parts.append(markup("p", decision.difference, "kl-difference"))
    if decision.message:
        said = words.text("widgets.decision.kueue-says", message=decision.message)
        parts.append(markup("blockquote", said))
    if decision.numbers:
        pairs = "".join(
            f"<div>{markup('dt', words.render(name))}{markup('dd', words.render(value))}</div>"
            for name, value in decision.numbers
        )
        parts.append(f'<dl class="kl-numbers">{pairs}</dl>')
    return "".join(parts)
