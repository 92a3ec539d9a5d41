"""The page *Build*: a scenario from nothing, or another one changed, without code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import ipywidgets

from kueuelab import scenarios
from kueuelab.errors import InputError, KueueLabError, Problem
from kueuelab.messages import Message
from kueuelab.studio.build.controls import STYLE, TreeControl
from kueuelab.session.building.draft import KINDS, Draft
from kueuelab.studio.build.draft_files import DraftFiles
from kueuelab.studio.build.history import History
from kueuelab.studio.build.jobs_panel import JobsPanel
from kueuelab.session.building.naming import deleted, renamed
from kueuelab.studio.build.nodes_panel import NodesPanel
from kueuelab.studio.build.object_form import ObjectForm
from kueuelab.studio.build.picture import DraftPicture
from kueuelab.session.building.tree_rows import tree_rows
from kueuelab.studio.controls import button, text_box
from kueuelab.whatif.references import Reference
from kueuelab.widgets.editor import Editor
from kueuelab.widgets.forms import markup

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio

__all__ = ["BuildPage"]

#: The kinds that are added below what is chosen, and what has to be chosen.
_BELOW: Final[Mapping[str, tuple[str, ...]]] = {
    "Cohort": ("Cohort",),
    "ClusterQueue": ("Cohort",),
    "LocalQueue": ("ClusterQueue",),
}
_FIRST_NAMES: Final = {
    "Cohort": "cohort",
    "ClusterQueue": "team",
    "LocalQueue": "jobs",
    "ResourceFlavor": "flavor",
    "AdmissionCheck": "check",
    "WorkloadPriorityClass": "priority",
    "Topology": "topology",
}


class BuildPage:
    """Edits a draft: as a tree, in forms, on an axis of time, and as YAML.

    Parameters
    ----------
    studio
        The studio that it is a page of.
    folder
        Where drafts are kept as long as they have no file: the working folder.

    Attributes
    ----------
    history
        The draft, and what *undo* and *redo* lead to.
    chosen
        The object that the form shows.
    tree, form, text, nodes, jobs, picture
        The parts of the page.
    widget
        The widget.
    """

    def __init__(self, studio: Studio, folder: str | Path = ".") -> None:
        self._studio = studio
        words = self._words = studio.words
        self.history = History(Draft.new())
        self.chosen: Reference | None = None
        self.files = DraftFiles(self, studio, Path(folder))
        self._is_showing = False
        self._is_typed = False
        self.tree = TreeControl(
            self._act, label=words.text("studio.build.tree"), hint=words.text("studio.build.keys")
        )
        self.tree.observe(lambda change: self._choose_id(change["new"]), names="selected")
        self.form = ObjectForm(words, self.edit)
        self.jobs = JobsPanel(words, self.edit)
        self.nodes = NodesPanel(words, self.edit)
        self.picture = DraftPicture(words, self.choose)
        self.text = Editor(label="YAML", hint=words.text("studio.build.yaml"))
        self.text.observe(lambda change: self._typed(change["new"]), names="value")
        self.undo = self._button("undo", self._undo)
        self.redo = self._button("redo", self._redo)
        self.source = text_box(words, "studio.build.source", "studio.build.source.example", "20em")
        self.add_buttons = {kind: self._add_button(kind) for kind in KINDS}
        run = self._button("run", self._run)
        self.widget = ipywidgets.VBox(
            [
                ipywidgets.HTML(f"<style>{STYLE}</style>"),
                self._row(
                    self._button("new", self.start),
                    self.source,
                    self._button("open", self._open),
                    self.undo,
                    self.redo,
                ),
                self.files.offers,
                self._columns(),
                self._titled("studio.build.picture", self.picture.widget),
                self._titled("studio.build.nodes", self.nodes.widget),
                self._titled("studio.build.jobs", self.jobs.widget),
                self._row(*self.files.controls[:2], run, *self.files.controls[2:]),
            ]
        )
        self.widget.add_class("kl-build")
        self.files.offer_unsaved()
        self._show()

    @property
    def draft(self) -> Draft:
        """The draft as it is now."""
        return self.history.draft

    def show_branches(self, names: Sequence[Any]) -> None:
        """Take note that other runs are open: nothing here depends on them."""

    # --- what it starts from -------------------------------------------------------------

    def start(self) -> None:
        """Start from nothing; a draft that was edited stays in its copy."""
        self.begin(Draft.new(), None)

    def change(self, source: str | Path) -> None:
        """Edit a packaged scenario or dump, a file, or a folder; all but a file as a copy.

        Raises
        ------
        InputError
            If there is nothing of this name.
        """
        named = str(source)
        if named in (*scenarios.names(), *scenarios.names("multikueue")):
            self.begin(Draft(scenarios.text(named), f"{named}.yaml"), None)
        elif named in scenarios.dumps() or (named and Path(named).expanduser().is_dir()):
            folder = Path(scenarios.dump(named) if named in scenarios.dumps() else named)
            self.begin(Draft.of_folder(folder.expanduser()), None)
        else:
            path = Path(named).expanduser()
            try:
                draft = Draft.of_file(path)
            except OSError as error:
                message = Message("session.open.no-file", file=named)
                hint = Message("session.open.no-file.hint")
                raise InputError(Problem(message, hint=hint)) from error
            self.begin(draft, path)

    def begin(self, draft: Draft, file: Path | None) -> None:
        """Go on with another draft."""
        self.history, self.chosen = History(draft), None
        self.files.begin(file)
        self._show()

    def now_named(self, draft: Draft) -> None:
        """Take note that the draft has another file."""
        self.history = replace(self.history, draft=draft)
        self._show()

    # --- edits ---------------------------------------------------------------------------

    def edit(self, make: Callable[[Draft], Draft]) -> None:
        """Make an edit; one that is refused changes nothing, and a sentence says why."""
        self._is_typed = False
        self._studio.attempt(lambda: self._set(self.history.edited(make(self.draft))))
        # What a control shows goes back to what is written.
        self._show()

    def add(self, kind: str) -> None:
        """Add an object below what is chosen, with a name that is free."""
        parent = ""
        if self.chosen is not None and self.chosen.kind in _BELOW.get(kind, ()):
            parent = self.chosen.name
        elif kind == "LocalQueue":
            parent = next(iter(self.draft.names("ClusterQueue")), "")
        first, used = _FIRST_NAMES[kind], {*self.draft.names(kind), *self.draft.cohorts}
        name = next(
            name for number in range(1, len(used) + 2) if (name := f"{first}-{number}") not in used
        )
        self.edit(partial(Draft.added, kind=kind, name=name, parent=parent))
        if name in self.draft.names(kind):
            self.choose(self.draft[f"{kind}/{name}"].reference)

    def choose(self, reference: Reference) -> None:
        """Show an object in the form, and where it is in the tree."""
        self.chosen = reference
        self._show()

    def _set(self, history: History) -> None:
        before = self.draft
        self.history = history
        self._follow(before)
        if self.draft.text != before.text:
            self.files.keep(self.draft)
        self._show()

    def _follow(self, before: Draft) -> None:
        """Keep what is chosen: under its new name, or nothing if it is gone."""
        if self.chosen is None:
            return
        now = {row.reference for row in tree_rows(self.draft)}
        if self.chosen in now:
            return
        same = [
            each.reference
            for each, old in zip(self.draft.objects, before.objects, strict=False)
            if old.reference == self.chosen and each.place == old.place
        ]
        kept = len(self.draft.objects) == len(before.objects)
        self.chosen = same[0] if same and kept and same[0].kind == self.chosen.kind else None

    def _typed(self, text: str) -> None:
        if self._is_showing or text == self.draft.text:
            return
        history = self.history
        if self._is_typed and history.before:
            # What is typed in one go is one edit.
            history = History(history.before[-1], history.before[:-1])
        self._is_typed = True
        draft = self.draft.with_text(text)
        self._studio.attempt(lambda: self._set(history.edited(draft)))

    def _undo(self) -> None:
        self._is_typed = False
        self._studio.attempt(lambda: self._set(self.history.undone()))

    def _redo(self) -> None:
        self._is_typed = False
        self._studio.attempt(lambda: self._set(self.history.redone()))

    def _act(self, action: Mapping[str, Any]) -> None:
        id_, to = str(action.get("id", "")), str(action.get("to", ""))
        match action["do"]:
            case "undo":
                self._undo()
            case "redo":
                self._redo()
            case "rename":
                self.edit(lambda draft: renamed(draft, id_, to))
            case "delete":
                self.edit(lambda draft: deleted(draft, id_))
            case "move":
                self.edit(lambda draft: _moved(draft, id_, to))

    # --- files ---------------------------------------------------------------------------

    def _open(self) -> None:
        self._studio.attempt(lambda: self.change(self.source.value.strip()))

    def _run(self) -> None:
        self._studio.attempt(self._ran, Message("studio.running"))

    def _ran(self) -> None:
        if self.draft.problems:
            raise InputError(self.draft.problems)
        assert self.draft.spec is not None
        self._studio.open_spec(Path(self.draft.name).stem, self.draft.spec)

    # --- what is shown -------------------------------------------------------------------

    def _show(self) -> None:
        self._is_showing = True
        try:
            draft = self.draft
            self._show_tree(draft)
            self.form.show(draft, self.chosen)
            self.nodes.show(draft)
            self.jobs.show(draft)
            with self.text.hold_sync():
                self.text.problems = [self._at_line(each) for each in draft.problems]
                self.text.said = self._words.text("studio.build.valid")
            if self.text.value != draft.text:
                self.text.value = draft.text
            self.undo.disabled, self.redo.disabled = (
                not self.history.before,
                not self.history.after,
            )
            self.picture.show(draft)
        finally:
            self._is_showing = False

    def _show_tree(self, draft: Draft) -> None:
        wrong: dict[str, str] = {}
        for problem in draft.problems:
            wrong.setdefault(problem.object, self._words.render(problem.message))
        implicit = self._words.text("studio.build.implicit")
        rows = []
        for row in tree_rows(draft):
            reference = row.reference
            short = f"{reference.kind}/{reference.name}"
            rows.append(
                {
                    "id": str(reference),
                    "level": row.level,
                    "name": reference.name,
                    "kind": reference.kind + (f" {implicit}" if row.is_implicit else ""),
                    "wrong": wrong.get(str(reference), wrong.get(short, "")),
                }
            )
        self.tree.rows = rows
        self.tree.selected = "" if self.chosen is None else str(self.chosen)

    def _at_line(self, problem: Problem) -> list[Any]:
        """Return a problem as the editor marks it: its line, and what is said."""
        line = 0 if problem.location is None else problem.location.line
        shown = replace(problem, location=None).render(self._words)
        where = self._words.text("studio.build.line", line=line)
        return [line, f"{where}: {shown}" if line else shown]

    def _choose_id(self, id_: str) -> None:
        if self._is_showing:
            return
        found = [row.reference for row in tree_rows(self.draft) if str(row.reference) == id_]
        if found:
            self.choose(found[0])

    # --- layout --------------------------------------------------------------------------

    def _columns(self) -> Any:
        adding = ipywidgets.HBox(list(self.add_buttons.values()))
        adding.add_class("kl-buttons")
        tree = ipywidgets.VBox([adding, self.tree])
        tree.add_class("kl-build-tree")
        text = ipywidgets.VBox([self.text])
        text.add_class("kl-build-text")
        columns = ipywidgets.HBox([tree, self.form.widget, text])
        columns.add_class("kl-build-columns")
        return columns

    def _titled(self, title: str, widget: Any) -> Any:
        return ipywidgets.VBox([ipywidgets.HTML(markup("h4", self._words.text(title))), widget])

    def _row(self, *widgets: Any) -> Any:
        row = ipywidgets.HBox(widgets)
        row.add_class("kl-buttons")
        return row

    def _button(self, name: str, action: Callable[[], object], *, main: bool = False) -> Any:
        id_ = f"studio.build.{name}"
        return button(self._words, id_, f"{id_}.hover", action, main=main)

    def _add_button(self, kind: str) -> Any:
        found = button(
            self._words, "studio.build.add", "studio.build.add.hover", partial(self.add, kind)
        )
        found.description = f"+ {kind}"
        return found


def _moved(draft: Draft, id_: str, to: str) -> Draft:
    """Return a draft with an object below another one, as the tree shows it."""
    kind, _, name = to.partition("/")
    moved = id_.partition("/")[0]
    wanted = {"Cohort": "Cohort", "ClusterQueue": "Cohort", "LocalQueue": "ClusterQueue"}
    if moved not in wanted or (to and kind != wanted[moved]):
        raise KueueLabError(Message("studio.build.no-move", name=id_, to=to or "-"))
    return draft.moved(id_, name)
