"""The studio as a widget: pages around a session. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import ipywidgets

from kueuelab.errors import KueueLabError
from kueuelab.manifests import ScenarioSpec
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.session.session import Session
from kueuelab.studio.ask_page import AskPage
from kueuelab.studio.build.page import BuildPage
from kueuelab.studio.change_page import ChangePage
from kueuelab.studio.clusters_page import ClustersPage
from kueuelab.studio.compare_page import ComparePage
from kueuelab.studio.exercise_page import ExercisePage
from kueuelab.studio.home_page import SECTIONS, HomePage
from kueuelab.studio.steps_page import StepsPage
from kueuelab.widgets.form_note import display_form
from kueuelab.widgets.forms import STYLE, markup

if TYPE_CHECKING:
    from kueuelab.trace.trace import Trace
    from kueuelab.whatif.changes import Edit

__all__ = ["Page", "Studio"]

_STYLE: Final = STYLE + (Path(__file__).parent / "studio.css").read_text("utf-8")


class Page(Protocol):
    """A tab of the studio."""

    widget: Any

    def show_branches(self, names: Sequence[Any]) -> None:
        """Take note that other runs are open: pairs of what is shown and the name."""


class Studio:
    """Open, ask, change, compare, and do exercises.

    Parameters
    ----------
    files
        What it opens.
    language
        The language: a code, or a catalogue.
    server
        The address of the Jupyter server, below which notebooks open; ``None`` if it isn't known.

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
    >>> studio.ask.pending.workload.value = "team-b/job-b-cpu-2-71f14"
    >>> studio.try_it("two-teams", studio.ask.pending.suggestions[1])
    >>> print(studio.as_text())
    two-teams
      two-teams: priority (tried)
    >>> studio.keep_branch("two-teams: priority")
    >>> print(studio.as_text())
    two-teams
      two-teams: priority
    """

    def __init__(
        self, *files: str | Path, language: str | Catalog = "en", server: str | None = None
    ) -> None:
        self.server = server
        self.words = language_of(language)
        self.session = Session()
        for file in files:
            self.session = self.session.opened(file)
        self._status = ipywidgets.HTML()
        self.home = HomePage(self)
        self.ask = AskPage(self)
        self.change = ChangePage(self)
        self.compare = ComparePage(self)
        self.steps = StepsPage(self)
        self.clusters = ClustersPage(self)
        self.exercise = ExercisePage(self)
        #: The pages in the order of their tabs.
        self.pages: Mapping[str, Page] = {
            "home": self.home,
            "build": BuildPage(self),
            "ask": self.ask,
            "change": self.change,
            "compare": self.compare,
            "steps": self.steps,
            "clusters": self.clusters,
            "exercise": self.exercise,
        }
        self.tabs = ipywidgets.Tab(
            children=[page.widget for page in self.pages.values()],
            titles=[self.words.text(f"studio.page.{name}") for name in self.pages],
            selected_index=0,
        )
        style = ipywidgets.HTML(f"<style>{_STYLE}</style>")
        self.widget = ipywidgets.VBox([style, self._status, self.tabs])
        self.widget.add_class("kl-studio")
        self.tabs.observe(lambda _: self._refresh(), names="selected_index")
        self._show_branches()
        if files:
            self._show_opened(Session())

    def __repr__(self) -> str:
        opened = [*self.session.names, *(each.name for each in self.session.cluster_sets)]
        return f"<Studio: {', '.join(opened) or 'nothing is open'}>"

    def as_text(self) -> str:
        """Return the names of what is open, forks below what they were forked from."""
        session = self.session
        names = [self._named(name, "  ") for name in session.names]
        return "\n".join([*names, *(each.name for each in session.cluster_sets)])

    def _named(self, name: str, indent: str) -> str:
        shown = indent * self.session.depth(name) + name
        if self.session[name].kept:
            return shown
        return self.words.text("studio.tried", name=shown)

    def _ipython_display_(self) -> None:
        title = self.words.text("studio.title")
        display_form(self.widget, title, self.as_text(), self.words)

    @property
    def page(self) -> str:
        """The name of the page that is shown."""
        return list(self.pages)[self.tabs.selected_index or 0]

    def show_page(self, name: str) -> None:
        """Show a page, or a section of the first one; what is neither is ignored."""
        if name in SECTIONS:
            self.home.show(name)
            name = "home"
        if name in self.pages:
            self.tabs.selected_index = list(self.pages).index(name)

    @property
    def can_build(self) -> bool:
        """Whether there is a page to build a scenario on."""
        return (Path(__file__).parent / "build" / "page.py").exists()

    def build(self, source: str = "") -> None:
        """Build on a scenario: a packaged one, a file, or nothing."""
        page = import_module("kueuelab.studio.build")
        self.attempt(lambda: page.build(self, source))

    # --- what the pages ask for ------------------------------------------------------------

    def open(self, source: str | Path) -> None:
        """Open a scenario, a dump, a file, or a folder, and ask about it."""
        self._opened(self.session.opened(source))

    def upload(self, name: str, content: bytes) -> None:
        """Open a file that a browser sent, and ask about it."""
        self._opened(self.session.uploaded(name, content))

    def connect(self, context: str) -> None:
        """Read a cluster, and ask about its state."""
        self._opened(self.session.connected(context))

    def open_exercise(self, name: str) -> None:
        """Open an exercise."""
        self.exercise.show(name)
        self.show_page("exercise")

    def show_step(
        self, trace: Trace, step: int | None = None, selected: tuple[str, str] = ("", "")
    ) -> None:
        """Step through a run from a step, with an object selected."""
        self.steps.show(trace, step, selected)
        self.show_page("steps")

    def open_spec(self, name: str, spec: ScenarioSpec) -> None:
        """Run a scenario that was built here, and ask about it."""
        self._opened(self.session.with_spec(name, spec))

    def try_it(self, branch: str, suggestion: Any) -> None:
        """Fork a branch with the changes of a suggestion, and compare both."""
        self._compared(branch, self.session.tried(branch, suggestion))

    def try_edit(self, branch: str, edit: Edit) -> None:
        """Fork a run at its start with an object edited, and compare both."""
        self._compared(branch, self.session.edited(branch, edit))

    def keep(self, branch: str, name: str, fork: Any, run: Any) -> None:
        """Keep a fork that ran already, and compare it with what it was forked from."""
        self._compared(branch, self.session.kept(branch, name, fork, run))

    def rename(self, branch: str, name: str) -> None:
        """Give a branch another name."""
        self.session = self.session.renamed(branch, name)
        self._show_branches()

    def keep_branch(self, branch: str) -> None:
        """Keep a fork that was tried."""
        self.session = self.session.keeping(branch)
        self._show_branches()

    def revert(self, branch: str) -> None:
        """Take a fork back."""
        self.session = self.session.reverted(branch)
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
        before, self.session = self.session, session
        self._show_branches()
        self._show_opened(before)

    def _show_opened(self, before: Session) -> None:
        """Show what was opened last: a run of one cluster, or of several."""
        session = self.session
        if len(session.cluster_sets) > len(before.cluster_sets):
            self.clusters.show(session.cluster_sets[-1].name)
            self.show_page("clusters")
        else:
            self.ask.show(session.names[-1])
            self.show_page("ask")

    def _compared(self, before: str, session: Session) -> None:
        self.session = session
        self._show_branches()
        self.compare.show(before, session.names[-1])
        self.show_page("compare")

    def _refresh(self) -> None:
        """Show what depends on what was done on other pages."""
        if self.page == "home":
            self.home.refresh()
        elif self.page == "steps":
            self.steps.refresh()

    def _show_branches(self) -> None:
        names = [(self._named(name, "\u2003"), name) for name in self.session.names]
        for page in self.pages.values():
            page.show_branches(names)
