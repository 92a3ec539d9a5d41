"""The controls for files: save, export, and copies of edits that were not saved."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets

from kueuelab.messages import Message
from kueuelab.session.building.draft import Draft
from kueuelab.session.building.export import EXPORTS, export
from kueuelab.session.building.saving import Autosave, Unsaved, saved, unsaved_in
from kueuelab.studio.controls import button, text_box
from kueuelab.widgets.forms import markup

if TYPE_CHECKING:
    from kueuelab.studio.build.page import BuildPage
    from kueuelab.studio.studio_view import Studio

__all__ = ["DraftFiles"]

#: So many copies that were not saved are offered.
_MOST: int = 3


class DraftFiles:
    """Where the draft of a page is kept.

    Attributes
    ----------
    path, kind
        The file to save to, and what to export.
    controls
        The controls, in their order.
    offers
        Copies of drafts that were not saved, to go on with.
    """

    def __init__(self, page: BuildPage, studio: Studio, folder: Path) -> None:
        self._page = page
        self._studio = studio
        self._folder = folder
        self._file: Path | None = None
        self._autosave = Autosave(folder)
        words = self._words = studio.words
        self.path = text_box(words, "studio.build.path", "studio.build.path.example", "20em")
        self.kind = ipywidgets.Dropdown(
            options=[(words.text(f"studio.build.export.{kind}"), kind) for kind in EXPORTS],
            description=words.text("studio.build.export"),
        )
        self.kind.style.description_width = "initial"
        self.kind.layout.width = "auto"
        self.controls = (
            self.path,
            button(words, "studio.build.save", "studio.build.save.hover", self.save, main=True),
            self.kind,
            button(words, "studio.build.export.go", "studio.build.export.go.hover", self.export),
        )
        self.offers = ipywidgets.VBox()

    def begin(self, file: Path | None) -> None:
        """Take note of the file that the draft was opened from; ``None`` if it has none."""
        self._file = file
        self._autosave = Autosave(self._home, of_file=self._file is not None)
        self.path.value = "" if file is None else str(file)
        self.offer_unsaved()

    def keep(self, draft: Draft) -> None:
        """Write a copy of the draft."""
        self._autosave = self._autosave.keep(draft)

    def save(self) -> None:
        """Write the draft to the file that is named."""
        self._studio.attempt(self._saved)

    def export(self) -> None:
        """Write the export that is chosen beside the draft."""
        self._studio.attempt(self._exported)

    def offer_unsaved(self) -> None:
        """Offer copies that were not saved."""
        words, rows = self._words, []
        found = [each for each in unsaved_in(self._home) if each.path != self._autosave.path]
        for each in found[:_MOST]:
            text = words.text("studio.build.unsaved", name=each.draft.name)
            row = ipywidgets.HBox(
                [
                    ipywidgets.HTML(markup("span", text)),
                    self._button("unsaved.open", partial(self._reopen, each)),
                    self._button("unsaved.drop", partial(self._forget, each)),
                ]
            )
            row.add_class("kl-buttons")
            rows.append(row)
        self.offers.children = rows

    @property
    def _home(self) -> Path:
        return self._folder if self._file is None else self._file.parent

    def _saved(self) -> None:
        named = self.path.value.strip()
        draft = saved(self._page.draft, named, own=self._file)
        self._autosave.drop()
        self._file = Path(named).expanduser()
        self._autosave = Autosave(self._home, of_file=self._file is not None)
        self.offer_unsaved()
        self._page.now_named(draft)
        self._studio.say(Message("studio.build.saved", file=named))

    def _exported(self) -> None:
        draft, kind = self._page.draft, self.kind.value
        target = self._home / EXPORTS[kind].format(name=Path(draft.name).stem)
        export(draft, kind, target, self._words)
        self._studio.say(Message("studio.build.exported", file=str(target)))

    def _reopen(self, unsaved: Unsaved) -> None:
        self._page.begin(unsaved.draft, unsaved.file)
        # The copy goes on as the copy of this draft.
        of_file = unsaved.file is not None
        self._autosave = Autosave(unsaved.path.parent, unsaved.path, of_file)
        self.offer_unsaved()

    def _forget(self, unsaved: Unsaved) -> None:
        unsaved.path.unlink(missing_ok=True)
        self.offer_unsaved()

    def _button(self, name: str, action: Any) -> Any:
        id_ = f"studio.build.{name}"
        return button(self._words, id_, f"{id_}.hover", action)
