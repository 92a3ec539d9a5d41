"""The app in a cell of a notebook: the handler is in the kernel, a widget carries the texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import traitlets

from kueuelab.app.contexts import contexts
from kueuelab.app.joined import cell_modules
from kueuelab.messages import Catalog, language_of
from kueuelab.session.handler import Handler
from kueuelab.session.history import History
from kueuelab.session.session import Session
from kueuelab.trace.recorded_run import RecordedRun
from kueuelab.whatif.lab import Lab
from kueuelab.widgets.form_note import display_form
from kueuelab.widgets.module_widget import ModulesWidget

__all__ = ["StudioCell", "studio"]


class StudioCell(ModulesWidget):
    """The app as a widget, to be shown in a notebook.

    Parameters
    ----------
    handler
        What answers the page.
    address
        What is shown first, as the address of a page has it.

    Attributes
    ----------
    address
        What is shown.
    """

    address = traitlets.Unicode().tag(sync=True, echo_update=False)

    def __init__(self, handler: Handler, address: str) -> None:
        super().__init__(brought=cell_modules(), address=address)
        self._handler = handler
        self._parts: dict[str, str] = {}
        self.on_msg(self._heard)

    @property
    def session(self) -> Session:
        """What is open: runs, and forks of them."""
        return self._handler.history.present

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self._names) or 'nothing is open'}>"

    def _ipython_display_(self) -> None:
        words = self._handler.words
        display_form(self, words.text("app.name"), ", ".join(self._names), words)

    @property
    def _names(self) -> tuple[str, ...]:
        return (*self.session.names, *(each.name for each in self.session.cluster_sets))

    def _heard(self, _: Any, message: Any, __: Any) -> None:
        """Answer one of the places where the widget is shown; a large command comes in parts."""
        match message:
            case {"view": str(view), "part": str(part), "last": bool(last)}:
                text = self._parts.pop(view, "") + part
                if not last:
                    self._parts[view] = text
                    return
                try:
                    answer = self._handler.reply(text)
                except KeyboardInterrupt:
                    # The kernel was interrupted: what is open stays as it was.
                    self.send({"view": view, "stopped": True})
                else:
                    self.send({"view": view, "answer": answer})


def _first_page(session: Session) -> str:
    """Return the address that is shown first: what is open, or what can be opened."""
    if not session.branches:
        return "#/home"
    return f"#/overview?branch={quote(session.branches[-1].name, safe='')}"


def studio(*sources: RecordedRun | Lab | str | Path, language: str | Catalog = "en") -> StudioCell:
    """Return the app, to be shown in a cell of a notebook.

    Parameters
    ----------
    sources
        What it opens: runs, names of packaged scenarios and dumps, files, or folders.
    language
        The language: a code, or a catalogue.

    Raises
    ------
    InputError
        If something is wrong with a file.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> studio(scenarios.load("reclaim-1-take-back").run(), "two-teams")
    <StudioCell: reclaim-1-take-back, two-teams>
    """
    session = Session()
    for source in sources:
        if isinstance(source, str | Path):
            session = session.opened(source)
        else:
            session = session.with_run(source if isinstance(source, RecordedRun) else source.run())
    # The kernel runs what its reader writes: no file is kept from it.
    handler = Handler(language_of(language), lambda _: None, contexts)
    handler.history = History(session)
    return StudioCell(handler, _first_page(session))
