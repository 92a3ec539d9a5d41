"""The what-if editor: change an object, fork the run, and see both runs side by side."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final

import ipywidgets

from kueuelab.errors import KueueLabError
from kueuelab.widgets.board import Board, board_of
from kueuelab.widgets.frontend import View, html
from kueuelab.widgets.stepper import Stepper
from kueuelab.widgets.viewmodel.editing import editable, manifest_of, read_edit

if TYPE_CHECKING:
    from kueuelab.trace.diff import Diff
    from kueuelab.whatif.fork import Fork
    from kueuelab.whatif.lab import LabRun

__all__ = ["WhatIf"]

_START: Final = "the start"
_HERE: Final = "this step"
_KINDS: Final = ("ClusterQueue", "Cohort", "LocalQueue", "Workload")


class WhatIf(View):
    """Edit the YAML of an object, with its mistakes shown while typing, and run again.

    The run is forked at the start or at the step that is shown; where the two runs part,
    both can be stepped side by side.

    Parameters
    ----------
    run
        A run of a lab (:func:`kueuelab.load` or :func:`kueuelab.scenarios.load` made it).
    board
        The board of another view of the same run.

    Attributes
    ----------
    after
        The other run, once there is one.
    diff
        What differs between the two.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> editor = WhatIf(scenarios.load("reclaim-3-late-after-finish").run())
    >>> editor.object.value
    'ClusterQueue/cluster-queue'
    >>> editor.text.value = editor.text.value.replace("nominalQuota: 500m", "nominalQuota: 700m")
    >>> editor.run()
    >>> print(editor.diff.as_text().splitlines()[0])
    The first decision that differs is number 3.
    """

    def __init__(self, run: LabRun, board: Board | None = None) -> None:
        self.board = board_of(run) if board is None else board
        self.before = run
        self.after: LabRun | None = None
        self.diff: Diff | None = None
        self._objects = editable(run.fork(0).objects())
        self.where = _choice("from", (_START, _HERE), "Where the other run leaves this one")
        self.object = _choice("edit", tuple(self._objects), "The object to change")
        self.text = ipywidgets.Textarea(
            description="YAML",
            tooltip="The object as it is; change what you like under spec",
            continuous_update=True,
        )
        self.text.layout.width = "auto"
        self.text.layout.height = "280px"
        self.text.style.description_width = "initial"
        self.text.style.font_family = "monospace"
        self.go = ipywidgets.Button(
            description="Fork and run ▶", tooltip="Run again with this change, and compare"
        )
        self.reset = ipywidgets.Button(
            description="Reset", tooltip="Go back to the object as it is in this run"
        )
        self._verdict = html("kl-sentence")
        self._result = ipywidgets.VBox()
        for control in (self.where, self.object):
            control.observe(lambda _: self._fill(), names="value")
        self.text.observe(lambda _: self._check(), names="value")
        self.go.on_click(lambda _: self.run())
        self.reset.on_click(lambda _: self._fill())
        row = ipywidgets.HBox([self.object, self.where, self.go, self.reset])
        row.layout.flex_flow = "row wrap"
        self.widget = ipywidgets.VBox([row, self.text, self._verdict, self._result])
        self.widget.add_class("kl-what-if")
        self.board.subscribe(lambda _: self._follow())
        self._fill()

    def as_text(self) -> str:
        """Return the object as it stands in the editor, its mistakes, and the difference."""
        parts = [self.text.value, self._status]
        return "\n".join([*parts, *([self.diff.as_text()] if self.diff is not None else [])])

    def run(self) -> None:
        """Fork, run, and show both runs; nothing happens while there are mistakes."""
        if self.go.disabled:
            return
        self._say("running …")
        try:
            fork = self._fork().edit(self.object.value, self._edited.values)
            self.after = fork.run()
            self.diff = self.after.diff(self.before)
        except KueueLabError as error:
            self._say(str(error), wrong=True)
            return
        self._say("")
        self._show(self.diff, self.after)

    # --- the editor ----------------------------------------------------------------------

    def _fork(self) -> Fork:
        return self.before.fork(0 if self.where.value == _START else max(1, self.board.index))

    def _follow(self) -> None:
        """Edit what is selected, unless something was typed already."""
        selected = self.board.selected
        if selected is None or selected[0] not in _KINDS or self._edited.values:
            return
        name = "/".join(selected)
        if name in self._objects:
            self.object.value = name

    def _fill(self) -> None:
        objects = editable(self._fork().objects())
        found = objects.get(self.object.value) or self._objects[self.object.value]
        self._original = found
        self.text.value = manifest_of(found)
        self._check()

    def _check(self) -> None:
        self._edited = read_edit(self._original, self.text.value)
        if self._edited.problems:
            self._say("\n".join(self._edited.problems), wrong=True)
        elif self._edited.values:
            self._say("changes " + ", ".join(self._edited.values))
        else:
            self._say("nothing is changed yet")
        self.go.disabled = bool(self._edited.problems) or not self._edited.values

    def _say(self, text: str, *, wrong: bool = False) -> None:
        self._status = text
        mark = "✖ " if wrong else ""
        lines = "<br>".join(mark + escape(line) for line in text.splitlines())
        self._verdict.value = f'<p role="{"alert" if wrong else "status"}">{lines}</p>'

    # --- both runs -----------------------------------------------------------------------

    def _show(self, diff: Diff, after: LabRun) -> None:
        text = html("kl-text")
        text.value = f"<pre>{escape(diff.as_text())}</pre>"
        parting = diff.parting
        sides = []
        first = (None, None) if parting is None else (parting.before, parting.after)
        for title, run, step in zip(("Before", "After"), (self.before, after), first, strict=True):
            heading = html("kl-sentence")
            heading.value = f'<p class="kl-kind">{title}</p>'
            board = Board(run.trace, step.index if step is not None else len(run.trace) - 1)
            side = ipywidgets.VBox([heading, Stepper(board).widget])
            side.layout.flex = "1 1 400px"
            side.layout.min_width = "320px"
            sides.append(side)
        both = ipywidgets.HBox(sides)
        both.layout.flex_flow = "row wrap"
        self._result.children = [text, both]


def _choice(label: str, options: Any, tooltip: str) -> Any:
    found = ipywidgets.Dropdown(options=options, description=label, tooltip=tooltip)
    found.style.description_width = "initial"
    found.layout.width = "auto"
    return found
