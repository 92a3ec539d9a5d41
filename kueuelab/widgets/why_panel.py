"""The why panel: the whole explanation of the selected workload, up to the step that is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import ipywidgets

from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Catalog, Message
from kueuelab.messages.catalog import say_script
from kueuelab.trace.explain import Explanation, why
from kueuelab.widgets.board import Watched, board_of
from kueuelab.widgets.frontend import SaidData, SaidText, Speaking, View

__all__ = ["WhyPanel"]

_STATIC: Final = Path(__file__).parent / "static"
_NOBODY: Final = Message("widgets.explanation.prompt")


class ExplanationView(Speaking):
    """Sections of sentences, each with a button to the step that it comes from."""

    _esm = say_script() + (_STATIC / "explanation.js").read_text("utf-8")
    said = ("widgets.explanation.go", "widgets.explanation.step")
    title = SaidText("").tag(sync=True)
    sections = SaidData([]).tag(sync=True)


class WhyPanel(View):
    """Why a workload is where it is: its queue, flavors, candidates, attempts, what it waits for.

    It is about the selected workload, or else about the one that the step is about.

    Parameters
    ----------
    run
        A run, a trace, or the board of another view.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> panel = WhyPanel(scenarios.load("within-1-all-in-one-queue").run())
    >>> print(panel.as_text().splitlines()[3])
      default/job-0 is pending in ClusterQueue cluster-queue.
    """

    def __init__(self, run: Watched, *, language: str | Catalog | None = None) -> None:
        self.board = board_of(run, language=language)
        self._view = ExplanationView(language=self.board.words)
        self._view.on_msg(self._asked)
        self.widget = ipywidgets.VBox([self._view])
        self.widget.add_class("kl-why")
        self.board.subscribe(lambda _: self.refresh() if self.visible else None)
        self.refresh()

    @property
    def explanation(self) -> Explanation | None:
        """What is shown, as data; ``None`` if there is no workload to tell of."""
        workload = self.board.workload or self.board.cursor.step.workload
        if not workload:
            return None
        try:
            return why(self.board.trace, workload, self.board.index, self.board.words)
        except UnknownObjectError:
            return None

    def as_text(self) -> str:
        """Return the explanation as plain text."""
        explanation = self.explanation
        return _NOBODY if explanation is None else explanation.as_text()

    def refresh(self) -> None:
        """Tell the explanation up to this step."""
        explanation = self.explanation
        with self._view.hold_sync():
            self._view.title = _NOBODY if explanation is None else explanation.title
            self._view.sections = [
                {
                    "title": section.title,
                    "lines": [
                        {
                            "text": line.text,
                            "step": line.step,
                            "here": line.step == self.board.index,
                        }
                        for line in section.lines
                    ],
                }
                for section in (() if explanation is None else explanation.sections)
            ]

    def _asked(self, _: Any, content: Any, __: Any) -> None:
        if content.get("type") == "go":
            self.board.go(int(content["step"]))
