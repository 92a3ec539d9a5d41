"""Pages of widgets around a session that the app does not have yet. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import ipywidgets

from kueuelab.errors import KueueLabError
from kueuelab.manifests import ScenarioSpec
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.session.session import Session
from kueuelab.studio.clusters_page import ClustersPage
from kueuelab.studio.exercise_page import ExercisePage
from kueuelab.studio.steps_page import StepsPage
from kueuelab.widgets.form_note import display_form
from kueuelab.widgets.forms import STYLE, markup

if TYPE_CHECKING:
    from kueuelab.trace.trace import Trace

__all__ = ["Page", "Studio"]

_STYLE: Final = STYLE + (Path(__file__).parent / "studio.css").read_text("utf-8")


class Page(Protocol):
    """A tab of the studio."""

    widget: Any

    def show_branches(self, names: Sequence[Any]) -> None:
        """Take note that other runs are open: pairs of what is shown and the name."""


class Studio:
    """See several clusters, and do exercises.

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
    >>> Studio("two-teams")
    <Studio: two-teams>
    """

    def __init__(self, *files: str | Path, language: str | Catalog = "en") -> None:
        self.words = language_of(language)
        self.session = Session()
        for file in files:
            self.session = self.session.opened(file)
        self._status = ipywidgets.HTML()
        self.steps = StepsPage(self)
        self.clusters = ClustersPage(self)
        self.exercise = ExercisePage(self)
        #: The pages in the order of their tabs.
        self.pages: Mapping[str, Page] = {
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
        """Return the names of what is open."""
        session = self.session
        return "\n".join([*session.names, *(each.name for each in session.cluster_sets)])

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
            self.show_page("steps")

    def _refresh(self) -> None:
        """Show what depends on what was done on other pages."""
        if self.page == "steps":
            self.steps.refresh()

    def _show_branches(self) -> None:
        names = [(name, name) for name in self.session.names]
        for page in self.pages.values():
            page.show_branches(names)
