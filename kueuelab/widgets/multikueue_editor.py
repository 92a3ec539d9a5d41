"""What if an object of a cluster were different: its YAML, its mistakes, and another run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kueuelab.manifests import load
from kueuelab.messages import Message
from kueuelab.model import ModelObject
from kueuelab.views.editing import editable
from kueuelab.views.rerun import objects_at, objects_of
from kueuelab.widgets.forms import choice
from kueuelab.widgets.object_editor import ObjectEditor

if TYPE_CHECKING:
    from kueuelab.widgets.multikueue_view import MultiKueueBoard

__all__ = ["MultiKueueEditor"]


class MultiKueueEditor(ObjectEditor):
    """Edit the YAML of an object of any cluster, and run again from the start or from here.

    Parameters
    ----------
    owner
        The board.

    Attributes
    ----------
    cluster
        The choice of the cluster.
    widget
        The widget, to be put into a layout of one's own.
    """

    def __init__(self, owner: MultiKueueBoard) -> None:
        self._owner = owner
        self._objects: dict[str, ModelObject] = {}
        manager = owner.run.cluster_set.manager.member.name
        clusters = (manager, *owner.run.cluster_set.workers)
        self.cluster = choice(
            "widgets.what-if.cluster", "widgets.what-if.cluster.hover", clusters, owner.words
        )
        super().__init__(owner.words, Message("widgets.what-if.this-time"), beside=[self.cluster])
        for control in (self.cluster, self.where):
            control.observe(lambda _: self.refresh(), names="value")
        self.object.observe(lambda _: self._fill(), names="value")
        self.reset.on_click(lambda _: self.refresh())
        self.widget = self.controls

    def as_text(self) -> str:
        """Return the object as it stands in the editor, and its mistakes."""
        return "\n".join([self.text.value, self.status])

    def refresh(self) -> None:
        """Show the objects as they are in the run that is shown."""
        owner, cluster = self._owner, self.cluster.value
        found = (
            objects_of(owner.run, cluster)
            if self.from_start
            else objects_at(owner.run, cluster, owner.pane.time)
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

    def rerun(self) -> None:
        """Run again with the change."""
        (obj,) = load(self.text.value)
        self._owner.edit(self.cluster.value, obj, from_start=self.from_start)
        self.refresh()

    def _fill(self) -> None:
        self.show(self._objects.get(self.object.value))
