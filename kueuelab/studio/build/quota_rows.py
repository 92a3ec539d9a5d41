"""The rows of a form for quota: those of a flavor and resource stay as long as both are there."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from functools import partial
from typing import Any, Final

import ipywidgets

from kueuelab.messages import Catalog
from kueuelab.session.building.draft import Draft
from kueuelab.studio.build.field_widgets import hint, quantity
from kueuelab.session.building.fields import QUOTA_FIELDS, FormField
from kueuelab.session.building.quotas import Quota, quotas_of, with_quota, without_quota
from kueuelab.studio.controls import button
from kueuelab.studio.quantity_stepper import QuantityStepper
from kueuelab.whatif.references import Reference
from kueuelab.widgets.forms import html, markup

__all__ = ["QuotaRows"]

_RESOURCES: Final = ("cpu", "memory", "nvidia.com/gpu", "pods", "ephemeral-storage")

#: An edit of the object that the form shows.
_Edit = Callable[[Draft, Reference], Draft]


class QuotaRows:
    """Shows the quota of an object, and edits it.

    Parameters
    ----------
    words
        The language.
    edit
        Makes an edit of the object that is shown.

    Attributes
    ----------
    widget
        The widget.
    """

    def __init__(self, words: Catalog, edit: Callable[[_Edit], object]) -> None:
        self._words = words
        self._edit = edit
        self._rows: dict[str, Any] = {}
        self._box = ipywidgets.VBox()
        self._hints = ipywidgets.HTML(self._hint_lines())
        self._flavor = ipywidgets.Dropdown(description=words.text("studio.build.flavor"))
        title = ipywidgets.HTML(markup("h4", words.text("studio.build.quota")))
        self.widget = ipywidgets.VBox([title, self._box, self._hints, self._new()])

    def show(
        self,
        quotas: Sequence[Quota],
        flavors: Sequence[str],
        controls: MutableMapping[str, Any],
        notes: MutableMapping[str, Any],
    ) -> None:
        """Show quota, with a control and a note for each field by its key."""
        if list(self._flavor.options) != list(flavors):
            chosen = self._flavor.value
            self._flavor.options = flavors
            if chosen in flavors:
                self._flavor.value = chosen
        rows: dict[str, Any] = {}
        for quota in quotas:
            if quota.flavor not in rows:
                rows[quota.flavor] = self._rows.get(quota.flavor) or self._head(quota.flavor)
            for field in QUOTA_FIELDS:
                key = f"{quota.flavor}/{quota.resource}/{field.path}"
                if key not in self._rows:
                    control = self._control(quota, field)
                    controls[key], notes[key] = control, html()
                    self._rows[key] = ipywidgets.VBox([control.widget, notes[key]])
                rows[key] = self._rows[key]
                controls[key].value = quota.shown(field.path)
        for key in self._rows.keys() - rows.keys():
            controls.pop(key, None)
            notes.pop(key, None)
        self._rows = rows
        if list(self._box.children) != [*rows.values()]:
            self._box.children = [*rows.values()]
        self._hints.layout.display = None if rows else "none"

    def _head(self, flavor: str) -> Any:
        words = self._words
        gone = button(
            words,
            "studio.build.delete",
            "studio.build.quota.remove.hover",
            lambda: self._edit(
                lambda draft, reference: without_quota(draft, reference=reference, flavor=flavor)
            ),
        )
        gone.description = words.text("studio.build.quota.remove", name=flavor)
        row = ipywidgets.HBox([ipywidgets.HTML(markup("h5", flavor)), gone])
        row.add_class("kl-buttons")
        return row

    def _control(self, quota: Quota, field: FormField) -> QuantityStepper:
        edit = partial(self._set, quota.flavor, quota.resource, field.path)
        return quantity(self._words, f"{quota.resource} {field.path}", edit)

    def _set(self, flavor: str, resource: str, field: str, value: str) -> None:
        def edit(draft: Draft, reference: Reference) -> Draft:
            for quota in quotas_of(draft, reference):
                if (quota.flavor, quota.resource) == (flavor, resource):
                    amount = int(value) if value.isdecimal() else value or None
                    return draft.with_value(quota.place / (field,), amount)
            return draft

        self._edit(edit)

    def _hint_lines(self) -> str:
        lines = (f"<b>{field.path}</b>: {hint(self._words, field)}" for field in QUOTA_FIELDS)
        return f'<div class="kl-hint">{"<br>".join(lines)}</div>'

    def _new(self) -> Any:
        words = self._words
        resource = ipywidgets.Combobox(
            options=_RESOURCES, value="cpu", description=words.text("studio.build.resource")
        )
        for control in (self._flavor, resource):
            control.style.description_width = "initial"
            control.layout.width = "15em"

        def add() -> None:
            flavor, name = self._flavor.value, resource.value.strip()
            if flavor and name:
                self._edit(
                    lambda draft, reference: with_quota(
                        draft, reference=reference, flavor=flavor, resource=name
                    )
                )

        adds = button(words, "studio.build.quota.add", "studio.build.quota.add.hover", add)
        row = ipywidgets.HBox([self._flavor, resource, adds])
        row.add_class("kl-buttons")
        return row
