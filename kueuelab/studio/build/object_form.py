"""The form of one object of a draft: each field with its meaning and Kueue's page on it.

A control stays as long as its field is there, whatever the edit: one that is made anew would lose
what is typed into it until the edit has come back from the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import ipywidgets

from kueuelab.errors import Problem
from kueuelab.messages import Catalog
from kueuelab.session.building.draft import Draft, Edit
from kueuelab.studio.build.field_widgets import LABEL, hint, link, quantity
from kueuelab.session.building.fields import FIELDS, FormField, choices_of, page_of
from kueuelab.session.building.form_values import shown, written
from kueuelab.session.building.naming import deleted, renamed
from kueuelab.studio.build.quota_rows import QuotaRows
from kueuelab.session.building.quotas import Quota, quotas_of
from kueuelab.studio.controls import button
from kueuelab.whatif.references import Reference
from kueuelab.widgets.forms import html, markup

__all__ = ["ObjectForm"]


class ObjectForm:
    """Shows an object and edits it; while its fields stay the same, so do the controls.

    Parameters
    ----------
    words
        The language.
    edit
        Makes an edit.

    Attributes
    ----------
    widget
        The widget.
    controls
        The controls by field: of a quota by flavor, resource and field.
    """

    def __init__(self, words: Catalog, edit: Edit) -> None:
        self._words = words
        self._edit = edit
        self._reference: Reference | None = None
        self._shape: object = None
        self._quotas: QuotaRows | None = None
        self._is_showing = False
        self._notes: dict[str, Any] = {}
        self.controls: dict[str, Any] = {}
        self.name: Any = None
        self.widget = ipywidgets.VBox()
        self.widget.add_class("kl-build-form")

    def show(self, draft: Draft, reference: Reference | None) -> None:
        """Show an object, or that nothing is chosen."""
        known = reference is not None and any(each.reference == reference for each in draft.objects)
        quotas = quotas_of(draft, reference) if known and reference is not None else ()
        shape = (reference.kind if known and reference is not None else reference, known)
        self._is_showing = True
        try:
            self._reference = reference
            if shape != self._shape:
                self._shape, self._quotas = shape, None
                self.controls, self._notes = {}, {}
                self.widget.children = self._parts(reference, known=known)
            if known and reference is not None:
                self._fill(draft, reference, quotas)
        finally:
            self._is_showing = False

    # --- making the controls -------------------------------------------------------------

    def _parts(self, reference: Reference | None, *, known: bool) -> Sequence[Any]:
        words = self._words
        if reference is None:
            return [ipywidgets.HTML(markup("p", words.text("studio.build.nothing-chosen")))]
        if not known:
            text = words.text("studio.build.implicit-cohort", name=reference.name)
            make = partial(Draft.added, kind="Cohort", name=reference.name)
            return [
                ipywidgets.HTML(markup("p", text)),
                self._button("studio.build.make-cohort", lambda: self._edit(make)),
            ]
        parts: list[Any] = [self._head(reference)]
        heading = ""
        for number, field in enumerate(FIELDS.get(reference.kind, ())):
            group, _, label = field.label.rpartition(".")
            if group and group != heading:
                parts.append(ipywidgets.HTML(markup("h5", group)))
            heading = group
            parts.append(self._row(field, label))
            if number == 0 and reference.kind in ("ClusterQueue", "Cohort"):
                self._quotas = QuotaRows(self._words, self._edit_chosen)
                parts.append(self._quotas.widget)
        if reference.kind not in FIELDS:
            parts.append(ipywidgets.HTML(markup("p", words.text("studio.build.only-yaml"))))
        return parts

    def _head(self, reference: Reference) -> Any:
        words = self._words
        self.name = self._text(words.text("studio.build.name", kind=reference.kind))
        self.name.value = reference.name
        self.name.observe(lambda change: self._rename(change["new"]), names="value")
        delete = self._button("studio.build.delete", self._delete)
        row = ipywidgets.HBox([self.name, delete])
        row.add_class("kl-buttons")
        page = link(page_of(reference.kind), words.text("studio.build.page", name=reference.kind))
        self._notes["metadata"] = note = html()
        return ipywidgets.VBox([row, note, ipywidgets.HTML(f'<div class="kl-hint">{page}</div>')])

    def _row(self, field: FormField, label: str) -> Any:
        key = field.path
        if field.form == "checks":
            control: Any = ipywidgets.VBox()
        elif field.form in ("choice", "cohort", "queue"):
            control = ipywidgets.Dropdown(description=label)
            control.style.description_width = LABEL
            control.layout.width = "26em"
            control.observe(partial(self._chosen, field), names="value")
        elif field.form == "quantity":
            control = quantity(self._words, label, partial(self._set, field))
        else:
            control = self._text(label)
            control.observe(partial(self._typed, field), names="value")
        self.controls[key] = control
        return self._explained(key, getattr(control, "widget", control), field)

    def _explained(self, key: str, control: Any, field: FormField) -> Any:
        self._notes[key] = note = html()
        said = ipywidgets.HTML(f'<div class="kl-hint">{hint(self._words, field)}</div>')
        return ipywidgets.VBox([control, note, said])

    def _text(self, label: str) -> Any:
        control = ipywidgets.Text(description=label, continuous_update=False)
        control.style.description_width = LABEL
        control.layout.width = "26em"
        return control

    def _button(self, id_: str, action: Callable[[], object], **values: str) -> Any:
        found = button(self._words, "studio.build.delete", f"{id_}.hover", action)
        found.description = self._words.text(id_, **values)
        return found

    # --- what is in them -----------------------------------------------------------------

    def _fill(self, draft: Draft, reference: Reference, quotas: Sequence[Quota]) -> None:
        each = draft[reference]
        self.name.value = reference.name
        for field in FIELDS.get(reference.kind, ()):
            control, value = self.controls[field.path], each.field(field.path)
            if field.form == "checks":
                self._fill_checks(control, value, field, draft)
            elif field.form in ("choice", "cohort", "queue"):
                self._offer(control, self._options(draft, reference, field), value)
            else:
                control.value = shown(value, field)
        if self._quotas is not None:
            self._quotas.show(quotas, draft.names("ResourceFlavor"), self.controls, self._notes)
        self._fill_notes(draft, reference, quotas)

    def _options(self, draft: Draft, reference: Reference, field: FormField) -> list[Any]:
        unset = (self._words.text("studio.build.not-set"), "")
        if field.form == "queue":
            return [unset, *((name, name) for name in draft.names("ClusterQueue"))]
        if field.form == "choice":
            return [unset, *((each, each) for each in choices_of(reference.kind, field.path))]
        outside = [
            (name, name)
            for name in draft.cohorts
            if reference.kind != "Cohort" or reference.name not in draft.ancestors(name)
        ]
        return [unset, *outside]

    @staticmethod
    def _offer(control: Any, options: list[Any], value: Any) -> None:
        chosen = "" if value is None else str(value)
        if chosen not in [each for _, each in options]:
            options = [*options, (chosen, chosen)]
        if list(control.options) != options:
            control.options = options
        control.value = chosen

    def _fill_checks(self, control: Any, value: Any, field: FormField, draft: Draft) -> None:
        listed = value if isinstance(value, list) else ()
        named = {each.get("name") for each in listed if isinstance(each, dict)}
        known = {getattr(box, "description", ""): box for box in control.children}
        boxes = []
        for name in draft.names("AdmissionCheck"):
            box = known.get(name)
            if box is None:
                box = ipywidgets.Checkbox(description=name, indent=False)
                box.observe(partial(self._check, field, name), names="value")
            box.value = name in named
            boxes.append(box)
        if not boxes:
            boxes = [known.get("") or ipywidgets.HTML(self._no_checks)]
        if list(control.children) != boxes:
            control.children = boxes

    @property
    def _no_checks(self) -> str:
        return markup("p", self._words.text("studio.build.no-checks"))

    def _fill_notes(self, draft: Draft, reference: Reference, quotas: Sequence[Quota]) -> None:
        found: dict[str, list[str]] = {}
        names = {str(reference), f"{reference.kind}/{reference.name}"}
        for problem in draft.problems:
            if problem.object in names:
                key = self._key_of(draft, reference, problem, quotas)
                known = getattr(self.controls.get(key), "problem", "")
                found.setdefault(key, []).append(self._said(problem, known=bool(known)))
        for key, note in self._notes.items():
            lines = "".join(markup("div", f"✖ {each}", "kl-wrong") for each in found.get(key, ()))
            if note.value != lines:
                note.value = lines

    def _said(self, problem: Problem, *, known: bool) -> str:
        """Return the line, and the sentence unless the control says it itself."""
        where = self._words.text(
            "studio.build.line", line=problem.location.line if problem.location else 0
        )
        return where if known else f"{where}: {self._words.render(problem.message)}"

    def _key_of(
        self, draft: Draft, reference: Reference, problem: Problem, quotas: Sequence[Quota]
    ) -> str:
        """Return which control a problem is shown at."""
        from kueuelab.manifests.reading.paths import parse_path

        path = parse_path(problem.field)
        place = draft[reference].place / path
        for quota in quotas:
            depth = len(quota.place.path)
            if place.path[:depth] == quota.place.path:
                name = place.path[depth] if len(place.path) > depth else "nominalQuota"
                return f"{quota.flavor}/{quota.resource}/{name}"
        fitting = [key for key in self._notes if problem.field.startswith(key)]
        return max(fitting, key=len, default="metadata")

    # --- edits ---------------------------------------------------------------------------

    def _do(self, edit: Callable[[Draft], Draft]) -> None:
        if not self._is_showing:
            self._edit(edit)

    def _edit_chosen(self, edit: Callable[[Draft, Reference], Draft]) -> None:
        reference = self._reference
        assert reference is not None
        self._do(lambda draft: edit(draft, reference))

    def _set(self, field: FormField, value: Any) -> None:
        text = "" if value is None else str(value)
        self._edit_chosen(
            lambda draft, reference: draft.with_field(reference, field.path, written(text, field))
        )

    def _typed(self, field: FormField, change: Any) -> None:
        self._set(field, str(change["new"]).strip())

    def _chosen(self, field: FormField, change: Any) -> None:
        reference = self._reference
        assert reference is not None
        if field.form == "choice":
            self._set(field, change["new"])
        else:
            self._do(lambda draft: draft.moved(reference, change["new"] or ""))

    def _check(self, field: FormField, name: str, change: Any) -> None:
        reference = self._reference
        assert reference is not None
        self._do(lambda draft: _with_check(draft, reference, field.path, name, on=change["new"]))

    def _rename(self, name: str) -> None:
        reference = self._reference
        assert reference is not None
        self._do(lambda draft: renamed(draft, reference, name.strip()))

    def _delete(self) -> None:
        reference = self._reference
        assert reference is not None
        self._do(lambda draft: deleted(draft, reference))


def _with_check(draft: Draft, reference: Reference, path: str, name: str, *, on: bool) -> Draft:
    listed = draft[reference].field(path)
    place = draft[reference].place
    for segment in path.split("."):
        place = place / (segment,)
    names = [each.get("name") for each in listed] if isinstance(listed, list) else []
    if on and name not in names:
        return draft.with_item(place, {"name": name})
    if not on and name in names:
        if len(names) == 1:
            return draft.with_field(reference, path.rpartition(".")[0], None)
        return draft.with_value(place / (names.index(name),), None)
    return draft
