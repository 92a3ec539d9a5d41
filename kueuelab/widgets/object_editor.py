"""The editor of one object of a run: its YAML, its mistakes, and the buttons beside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import ipywidgets

from kueuelab.errors import KueueLabError
from kueuelab.messages import Catalog, Message
from kueuelab.model import ModelObject
from kueuelab.views.editing import Edited, manifest_of, read_edit
from kueuelab.widgets.editor import Editor
from kueuelab.widgets.forms import choice

__all__ = ["FROM_START", "ObjectEditor"]

FROM_START: Final = Message("widgets.what-if.start")


class ObjectEditor:
    """Controls to choose an object, to edit its YAML, and to run again with the change.

    Parameters
    ----------
    here
        What the place is called that is shown: the other run can leave this one there.
    names
        The objects to choose from.
    beside
        More controls, after the choice of the object.

    Attributes
    ----------
    object, where
        The choice of the object, and of the place where the other run leaves this one.
    text, go, reset
        The YAML, and the buttons.
    controls
        The widget with all of them.
    edited
        The fields that are changed.
    status
        The changes or the mistakes, as text.
    """

    def __init__(
        self, words: Catalog, here: str, names: Iterable[str] = (), beside: Iterable[Any] = ()
    ) -> None:
        self._words = words
        self._original: ModelObject | None = None
        self.edited = Edited((), {})
        self.status = ""
        self.object = choice(
            "widgets.what-if.object", "widgets.what-if.object.hover", tuple(names), words
        )
        self.where = choice(
            "widgets.what-if.from", "widgets.what-if.from.hover", (FROM_START, here), words
        )
        self.text = Editor(label="YAML", hint=words.text("widgets.what-if.text"))
        self.go = ipywidgets.Button(
            description=words.text("widgets.what-if.run"),
            tooltip=words.text("widgets.what-if.run.hover"),
            button_style="primary",
        )
        self.go.layout.width = "auto"
        self.reset = ipywidgets.Button(
            description=words.text("widgets.what-if.reset"),
            tooltip=words.text("widgets.what-if.reset.hover"),
        )
        self.text.observe(lambda _: self._check(), names="value")
        self.go.on_click(lambda _: self.run())
        row = ipywidgets.HBox([self.object, *beside, self.where, self.go, self.reset])
        row.add_class("kl-buttons")
        self.controls = ipywidgets.VBox([row, self.text])
        self.controls.add_class("kl-what-if")

    @property
    def from_start(self) -> bool:
        """Whether the other run leaves this one at the start."""
        return bool(self.where.value == FROM_START)

    def rerun(self) -> None:
        """Run again with the change."""
        raise NotImplementedError

    def show(self, obj: ModelObject | None) -> None:
        """Edit an object from now on."""
        self._original = obj
        self.text.value = "" if obj is None else manifest_of(obj)
        self._check()

    def run(self) -> None:
        """Run again with the change; nothing happens while there are mistakes."""
        if self.go.disabled:
            return
        try:
            self.rerun()
        except KueueLabError as error:
            self.say(*str(error).splitlines(), wrong=True)

    def say(self, *lines: str, wrong: bool = False) -> None:
        """Show lines below the YAML; mistakes are marked in it."""
        lines = tuple(map(self._words.render, lines))
        self.status = "\n".join(lines)
        original = "" if self._original is None else manifest_of(self._original)
        self.text.judge(lines if wrong else (), "" if wrong else self.status, original)

    def _check(self) -> None:
        found = self._original
        self.edited = Edited((), {}) if found is None else read_edit(found, self.text.value)
        if self.edited.problems:
            self.say(*self.edited.problems, wrong=True)
        elif self.edited.values:
            fields = ", ".join(self.edited.values)
            self.say(Message("widgets.what-if.changes", fields=fields))
        else:
            self.say(Message("widgets.what-if.unchanged"))
        self.go.disabled = bool(self.edited.problems) or not self.edited.values
