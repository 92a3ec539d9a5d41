"""The studio as a widget: pages around a session. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import ipywidgets

from kueuelab.errors import KueueLabError
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.studio.ask_page import AskPage
from kueuelab.studio.change_page import ChangePage
from kueuelab.studio.compare_page import ComparePage
from kueuelab.studio.open_page import OpenPage
from kueuelab.studio.session import Session
from kueuelab.widgets.form_note import display_form
from kueuelab.widgets.forms import STYLE, markup

__all__ = ["Page", "Studio"]

_STYLE: Final = STYLE + (Path(__file__).parent / "studio.css").read_text("utf-8")


class Page(Protocol):
    """A tab of the studio."""

    widget: Any

    def show_branches(self, names: Sequence[Any]) -> None:
        """Take note that other runs are open: pairs of what is shown and the name."""


class Studio:
    """Open, ask, change, compare.

    Parameters
    ----------
    files
        What it opens.
    language
        The language: a code, or a catalogue.

    Attributes
    ----------
    session
        What is open.
    words
        The language.
    widget
        The widget, to be put into a layout of one's own.

    Examples
    --------
    >>> studio = Studio("two-teams")
    >>> studio.ask.workload.value = "team-b/job-b-cpu-2-71f14"
    >>> studio.try_it("two-teams", studio.ask.suggestions[1])
    >>> print(studio.as_text())
    two-teams
      two-teams: quota
    """

    def __init__(self, *files: str | Path, language: str | Catalog = "en") -> None:
        self.words = language_of(language)
        self.session = Session()
        for file in files:
            self.session = self.session.opened(file)
        self._status = ipywidgets.HTML()
        self.opening = OpenPage(self)
        self.ask = AskPage(self)
        self.change = ChangePage(self)
        self.compare = ComparePage(self)
        #: The pages in the order of their tabs.
        self.pages: Mapping[str, Page] = {
            "open": self.opening,
            "ask": self.ask,
            "change": self.change,
            "compare": self.compare,
        }
        self.tabs = ipywidgets.Tab(
            children=[page.widget for page in self.pages.values()],
            titles=[self.words.text(f"studio.page.{name}") for name in self.pages],
        )
        style = ipywidgets.HTML(f"<style>{_STYLE}</style>")
        self.widget = ipywidgets.VBox([style, self._status, self.tabs])
        self.widget.add_class("kl-studio")
        self._show_branches()
        self.tabs.observe(lambda _: self._show_gallery(), names="selected_index")
        self.show_page("ask" if self.session.branches else "open")
        self._show_gallery()

    def __repr__(self) -> str:
        return f"<Studio: {', '.join(self.session.names) or 'nothing is open'}>"

    def as_text(self) -> str:
        """Return the names of what is open, forks below what they were forked from."""
        session = self.session
        return "\n".join("  " * session.depth(name) + name for name in session.names)

    def _ipython_display_(self) -> None:
        title = self.words.text("studio.title")
        display_form(self.widget, title, self.as_text(), self.words)

    @property
    def page(self) -> str:
        """The name of the page that is shown."""
        return list(self.pages)[self.tabs.selected_index or 0]

    def show_page(self, name: str) -> None:
        """Show a page."""
        self.tabs.selected_index = list(self.pages).index(name)

    # --- what the pages ask for ------------------------------------------------------------

    def open(self, source: str | Path) -> None:
        """Open a scenario, a dump, a file, or a folder, and ask about it."""
        self._opened(self.session.opened(source))

    def upload(self, name: str, content: bytes) -> None:
        """Open a file that a browser sent, and ask about it."""
        self._opened(self.session.uploaded(name, content))

    def try_it(self, branch: str, suggestion: Any) -> None:
        """Fork a branch with the changes of a suggestion, and compare both."""
        self._compared(branch, self.session.tried(branch, suggestion))

    def keep(self, branch: str, name: str, fork: Any, run: Any) -> None:
        """Keep a fork that ran already, and compare it with what it was forked from."""
        self._compared(branch, self.session.kept(branch, name, fork, run))

    def rename(self, branch: str, name: str) -> None:
        """Give a branch another name."""
        self.session = self.session.renamed(branch, name)
        self._show_branches()

    def attempt(self, action: Callable[[], object], under_way: Message | None = None) -> None:
        """Do what a button is for; what is wrong with the input is shown above the pages."""
        self.say(under_way or "")
        try:
            action()
        except KueueLabError as error:
            self.say(error.render(self.words), wrong=True)
        except OSError as error:
            self.say(f"{error.filename}: {error.strerror}", wrong=True)
        else:
            if under_way is not None:
                self.say("")

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Show a sentence above the pages."""
        shown = self.words.render(text)
        mark = "✖ " if wrong else ""
        self._status.value = markup("pre", mark + shown, "kl-studio-status") if shown else ""

    # --- inside ----------------------------------------------------------------------------

    def _opened(self, session: Session) -> None:
        self.session = session
        self._show_branches()
        self.ask.show(session.names[-1])
        self.show_page("ask")

    def _compared(self, before: str, session: Session) -> None:
        self.session = session
        self._show_branches()
        self.compare.show(before, session.names[-1])
        self.show_page("compare")

    def _show_gallery(self) -> None:
        if self.page == "open":
            self.opening.show_gallery()

    def _show_branches(self) -> None:
        names = [("\u2003" * self.session.depth(name) + name, name) for name in self.session.names]
        for page in self.pages.values():
            page.show_branches(names)
