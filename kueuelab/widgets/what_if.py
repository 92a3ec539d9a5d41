"""The what-if editor: change an object, fork the run, and see both runs side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import ipywidgets

from kueuelab.messages import Catalog, Message
from kueuelab.views.editing import editable
from kueuelab.views.frame.comparison import ComparisonDocument
from kueuelab.widgets.board import Board, board_of
from kueuelab.widgets.form_note import display_form
from kueuelab.widgets.object_editor import ObjectEditor
from kueuelab.widgets.still_view import StillView
from kueuelab.widgets.view import View

if TYPE_CHECKING:
    from kueuelab.trace.diff import Diff
    from kueuelab.whatif.fork import Fork
    from kueuelab.whatif.lab import LabRun

__all__ = ["WhatIf"]

_KINDS: Final = ("ClusterQueue", "Cohort", "LocalQueue", "Workload")


class WhatIf(ObjectEditor, View):
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
    fork
        What the other run does differently, once there is one.
    after
        The other run, once there is one.
    diff
        What differs between the two.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> editor = WhatIf(scenarios.load("reclaim-3-late-after-finish").run())
    >>> editor.object.value
    'ClusterQueue/team-a'
    >>> editor.text.value = editor.text.value.replace("nominalQuota: 500m", "nominalQuota: 700m")
    >>> editor.run()
    >>> print(editor.diff.as_text().splitlines()[0])
    The first decision that differs is number 3.
    """

    def __init__(
        self,
        run: LabRun,
        board: Board | None = None,
        *,
        language: str | Catalog | None = None,
    ) -> None:
        self.board = board_of(run, language=language) if board is None else board
        self.before = run
        self.fork: Fork | None = None
        self.after: LabRun | None = None
        self.diff: Diff | None = None
        self._objects = editable(run.fork(0).objects())
        super().__init__(self.board.words, Message("widgets.what-if.this-step"), self._objects)
        self._result = ipywidgets.VBox()
        for control in (self.where, self.object):
            control.observe(lambda _: self._fill(), names="value")
        self.reset.on_click(lambda _: self._fill())
        self.widget = ipywidgets.VBox([*self.controls.children, self._result])
        self.widget.add_class("kl-what-if")
        self.board.subscribe(lambda _: self._follow())
        self._fill()
        self._follow()

    def _ipython_display_(self) -> None:
        words = self.board.words
        display_form(self.widget, words.text("widgets.what-if.title"), "", words)

    def as_text(self) -> str:
        """Return the object as it stands in the editor, its mistakes, and the difference."""
        parts = [self.text.value, self.status]
        return "\n".join([*parts, *([self.diff.as_text()] if self.diff is not None else [])])

    def rerun(self) -> None:
        """Fork, run, and show both runs."""
        self.say(Message("widgets.what-if.running"))
        self.fork = self._fork().edit(self.object.value, self.edited.values)
        self.after = self.fork.run()
        self.diff = self.after.diff(self.before)
        self.say(Message("widgets.what-if.result"))
        words = self.board.words
        both = ComparisonDocument(self.diff, self.before.trace, self.after.trace, words)
        self._result.children = [StillView(both.as_data(), both.answer, at_once=True)]

    # --- the editor ----------------------------------------------------------------------

    def _fork(self) -> Fork:
        return self.before.fork(0 if self.from_start else max(1, self.board.index))

    def _follow(self) -> None:
        """Edit what is selected, unless something was typed already."""
        selected = self.board.selected
        if selected is None or selected[0] not in _KINDS or self.edited.values:
            return
        name = "/".join(selected)
        if name in self._objects:
            self.object.value = name

    def _fill(self) -> None:
        objects = editable(self._fork().objects())
        self.show(objects.get(self.object.value) or self._objects[self.object.value])
