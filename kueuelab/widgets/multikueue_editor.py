"""What if an object of a cluster were different: its YAML, its mistakes, and another run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import ipywidgets

from kueuelab.errors import KueueLabError
from kueuelab.manifests import ModelObject, load
from kueuelab.widgets.breakpoints import choice
from kueuelab.widgets.editor import Editor
from kueuelab.widgets.viewmodel.editing import Edited, editable, manifest_of, read_edit
from kueuelab.widgets.viewmodel.rerun import objects_at, objects_of

if TYPE_CHECKING:
    from kueuelab.widgets.multikueue_view import MultiKueueBoard

__all__ = ["MultiKueueEditor"]

_START: Final = "the start"
_HERE: Final = "this moment"


class MultiKueueEditor:
    """Edit the YAML of an object of any cluster, and run again from the start or from here.

    Parameters
    ----------
    owner
        The board.

    Attributes
    ----------
    cluster, object, where
        Which object of which cluster, and where the other run leaves this one.
    text, go
        The YAML, and the button.
    widget
        The widget, to be put into a layout of one's own.
    """

    def __init__(self, owner: MultiKueueBoard) -> None:
        self._owner = owner
        self._objects: dict[str, ModelObject] = {}
        self._edited = Edited((), {})
        self._status = ""
        manager = owner.run.world.manager.site.name
        clusters = (manager, *owner.run.world.workers)
        self.cluster = choice("in", clusters, "The cluster whose object is to change")
        self.object = choice("edit", (), "The object to change")
        self.where = choice("from", (_START, _HERE), "Where the other run leaves this one")
        self.text = Editor(
            label="YAML", hint="The object as it is; change what you like under spec"
        )
        self.go = ipywidgets.Button(
            description="Fork and run ▶",
            tooltip="Run again with this change, and compare",
            button_style="primary",
        )
        self.go.layout.width = "auto"
        self.reset = ipywidgets.Button(
            description="Reset", tooltip="Go back to the object as it is in this run"
        )
        for control in (self.cluster, self.where):
            control.observe(lambda _: self.refresh(), names="value")
        self.object.observe(lambda _: self._fill(), names="value")
        self.text.observe(lambda _: self._check(), names="value")
        self.go.on_click(lambda _: self.run())
        self.reset.on_click(lambda _: self.refresh())
        row = ipywidgets.HBox([self.object, self.cluster, self.where, self.go, self.reset])
        row.add_class("kl-buttons")
        self.widget = ipywidgets.VBox([row, self.text])
        self.widget.add_class("kl-what-if")

    def as_text(self) -> str:
        """Return the object as it stands in the editor, and its mistakes."""
        return "\n".join([self.text.value, self._status])

    def refresh(self) -> None:
        """Show the objects as they are in the run that is shown."""
        owner, cluster = self._owner, self.cluster.value
        here = self.where.value == _HERE
        found = (
            objects_at(owner.run, cluster, owner.pane.time)
            if here
            else objects_of(owner.run, cluster)
        )
        objects = [obj for same in found.values() for obj in same]
        self._objects = {
            name: obj for name, obj in editable(objects).items() if not name.startswith("Workload/")
        }
        kept, names = self.object.value, tuple(self._objects)
        if names != self.object.options:
            self.object.options = names
            self.object.value = kept if kept in names else names[0] if names else None
        self._fill()

    def run(self) -> None:
        """Run again with the change; nothing happens while there are mistakes."""
        if self.go.disabled:
            return
        (obj,) = load(self.text.value)
        try:
            self._owner.edit(self.cluster.value, obj, from_start=self.where.value == _START)
        except KueueLabError as error:
            self._say(*str(error).splitlines(), wrong=True)
            return
        self.refresh()

    def _fill(self) -> None:
        found = self._objects.get(self.object.value)
        self.text.value = "" if found is None else manifest_of(found)
        self._check()

    def _check(self) -> None:
        found = self._objects.get(self.object.value)
        self._edited = Edited((), {}) if found is None else read_edit(found, self.text.value)
        if self._edited.problems:
            self._say(*self._edited.problems, wrong=True)
        elif self._edited.values:
            self._say("changes " + ", ".join(self._edited.values))
        else:
            self._say("nothing is changed yet")
        self.go.disabled = bool(self._edited.problems) or not self._edited.values

    def _say(self, *lines: str, wrong: bool = False) -> None:
        self._status = "\n".join(lines)
        found = self._objects.get(self.object.value)
        original = "" if found is None else manifest_of(found)
        self.text.judge(lines if wrong else (), "" if wrong else self._status, original)
