"""Widgets that show frames, and the kernel behind views that are part of a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import traitlets

from kueuelab.views import Document
from kueuelab.views.frame.answers import answer
from kueuelab.widgets.board import Board
from kueuelab.widgets.forms import STYLE
from kueuelab.widgets.levers import levers
from kueuelab.widgets.module_widget import AnsweringWidget, LinkWidget, ModuleWidget

__all__ = ["Answers", "FrameView", "KernelLink"]

#: Answers to questions beyond those of every document, by their name.
Answers = Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]]


class _OfBoard(AnsweringWidget):
    """Follows a board, and answers what views of it ask."""

    _css = STYLE
    # The page knows what it said. A repetition that comes late would take a view back.
    step = traitlets.Int(0).tag(sync=True, echo_update=False)
    selected = traitlets.Dict().tag(sync=True, echo_update=False)
    board = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self, shown: Document, board: Board, answers: Answers | None = None, **traits: Any
    ) -> None:
        self._document = shown
        self._board = board
        self._answers = dict(answers or {})
        super().__init__(
            board=board.id, step=board.index, selected=board.selection_data(), **traits
        )
        self.observe(self._moved, names="step")
        self.observe(self._chosen, names="selected")
        board.subscribe(self._follow)

    def _moved(self, _: Any) -> None:
        with self._telling("step"):
            self._board.go(self.step)

    def _chosen(self, _: Any) -> None:
        with self._telling("selected"):
            self._board.choose(self.selected)

    def _telling(self, *names: str) -> AbstractContextManager[None]:
        """Return a context for a change of the board: a value may come from the page."""
        told = any(name in self._property_lock for name in names)
        return self._board.told_by_page() if told else nullcontext()

    def _follow(self, _: bool) -> None:
        if self._board.is_told_by_page:
            # The page may be further by now, and would go back.
            return
        if self.step != self._board.index:
            self.step = self._board.index
        selected = self._board.selection_data()
        if self.selected != selected:
            self.selected = selected

    def _answer_to(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        if question.get("ask") == "levers":
            return levers(self._board, question)
        own = self._answers.get(str(question.get("ask")))
        return own(question) if own else answer(self._document, question)


class KernelLink(_OfBoard, LinkWidget):
    """The kernel of a board: it is never displayed, and serves the views in the page."""


class FrameView(_OfBoard, ModuleWidget):
    """A view of frames as a widget, to be put into a layout.

    Parameters
    ----------
    document
        What is shown.
    board
        The place in the run and the selection; views of one board move together.
    answers
        Answers to more questions, by their name.
    options
        ``height`` and ``compact`` of the view.
    """

    options = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        document: Document,
        board: Board,
        *,
        answers: Answers | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            document, board, answers, document=document.as_data(), options=dict(options or {})
        )
