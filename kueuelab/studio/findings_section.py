"""What is probably not intended: loops of preemptions, and advice on objects."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import ipywidgets

from kueuelab.messages import Message
from kueuelab.studio.controls import button
from kueuelab.trace.html import paragraphs
from kueuelab.whatif.advice import Advice, advise
from kueuelab.whatif.changes import Edit, change_text
from kueuelab.whatif.loops import LoopReport
from kueuelab.widgets.forms import markup

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio
    from kueuelab.whatif.lab import LabRun

__all__ = ["FindingsSection"]


class FindingsSection:
    """Loops and advice, each with a button that shows it.

    Attributes
    ----------
    loop
        The loop, ``None`` without one.
    advice
        The advice.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._branch = ""
        self.loop: LoopReport | None = None
        self.advice: list[Advice] = []
        self.widget = ipywidgets.VBox()

    def show(self, branch: str) -> None:
        """Show what is found in a branch."""
        words, self._branch = self._studio.words, branch
        run = self._studio.session[branch].run
        self.loop, self.advice = run.loop_report, advise(run.fork(0).spec)
        parts: list[Any] = [] if self.loop is None else self._loop(run, self.loop)
        parts += [self._advice(run, each) for each in self.advice]
        if not parts:
            parts = [ipywidgets.HTML(markup("p", words.text("studio.findings.none")))]
        self.widget.children = parts

    def _loop(self, run: LabRun, loop: LoopReport) -> list[Any]:
        words = self._studio.words
        shown = self._show_me(run, loop.first, ("Workload", next(iter(loop.workloads), "")))
        text = ipywidgets.HTML(paragraphs(loop.as_text(words)))
        ways = button(words, "studio.findings.ways", "studio.findings.ways.hover", self._search)
        self._ways = ipywidgets.VBox([ways])
        return [ipywidgets.HBox([shown, text]), self._ways]

    def _search(self) -> None:
        self._studio.attempt(self._searched, Message("studio.ask.searching"))

    def _searched(self) -> None:
        edits = self._studio.session[self._branch].run.what_would_break_the_loop()
        words = self._studio.words
        lines = [self._way(edit) for edit in edits]
        none = ipywidgets.HTML(markup("p", words.text("studio.findings.no-way")))
        self._ways.children = lines or [none]

    def _way(self, edit: Edit) -> Any:
        words = self._studio.words
        try_it = button(words, "studio.ask.try", "studio.ask.try.hover", partial(self._try, edit))
        text = markup("span", words.render(change_text(edit)))
        return ipywidgets.HBox([try_it, ipywidgets.HTML(text)])

    def _try(self, edit: Edit) -> None:
        studio = self._studio
        changed = partial(studio.try_edit, self._branch, edit)
        studio.attempt(changed, Message("studio.running"))

    def _advice(self, run: LabRun, advice: Advice) -> Any:
        kind, _, name = advice.object.partition("/")
        shown = self._show_me(run, None, (kind, name))
        text = markup("span", advice.as_text(self._studio.words))
        return ipywidgets.HBox([shown, ipywidgets.HTML(text)])

    def _show_me(self, run: LabRun, step: int | None, selected: tuple[str, str]) -> Any:
        show = partial(self._studio.show_step, run.trace, step, selected)
        return button(self._studio.words, "studio.show", "studio.show.hover", show)
