"""The MultiKueue board: a lane for each cluster, rounds as columns, copies as chips."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import ipywidgets

from kueuelab.errors import KueueLabError, UnknownObjectError
from kueuelab.frozen import EMPTY
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.multikueue import ClusterSetRun, Dispatcher
from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.trace.names import short_name
from kueuelab.trace.timetravel import Cursor
from kueuelab.views.comparison import Comparison
from kueuelab.views.multikueue import MultiKueuePicture
from kueuelab.widgets.collapsible import collapsible
from kueuelab.widgets.form_note import display_form
from kueuelab.widgets.multikueue_changes import MultiKueueChanges
from kueuelab.widgets.multikueue_editor import MultiKueueEditor
from kueuelab.widgets.multikueue_pane import MultiKueuePane
from kueuelab.widgets.multikueue_reruns import MultiKueueReruns
from kueuelab.widgets.multikueue_runs import MultiKueueRuns

__all__ = ["MultiKueueBoard", "multikueue_board"]


class MultiKueueBoard(MultiKueueReruns):
    r"""Step through a run of several clusters: the manager on top, a lane for each worker.

    Faults, or another order of the dispatch, is run as a fork of the scenario;
    the runs can be shown in turn and compared.

    Parameters
    ----------
    run
        What :func:`kueuelab.multikueue.load` and its ``run`` gave.
    stop_at
        Where playing stops.
    dispatchers
        Dispatchers of your own, by name, to run again with.
    at
        The step that it opens at: its index, or what ``run.until`` gives.
    language
        The language: a code, or a catalogue.

    Attributes
    ----------
    drawer
        Where faults and changes are, closed at first.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> view = MultiKueueBoard(mk.load("rounds-step-by-step").run())
    >>> view.until("nominated", "train")
    True
    >>> print("\n".join(view.as_text().splitlines()[-4:]))
      round 1 at 100ms: w1
      clock: 0s of 5m0s; the round ends at 5m0.1s
      check multikueue is Pending
      conditions: QuotaReserved is True, PodsReady is False (WaitForStart)
    >>> view.rerun("w3", "w1", "w2")
    >>> print(view.comparison.jobs[0].after[0].as_text())
    w3 from 100ms to 22.5s (finished)
    """

    def __init__(
        self,
        run: ClusterSetRun,
        stop_at: Breakpoint | None = None,
        dispatchers: Mapping[str, Dispatcher] = EMPTY,
        *,
        at: int | Cursor | None = None,
        language: str | Catalog | None = None,
    ) -> None:
        self.words = words = language_of(language)
        self._stop_at = stop_at
        self._panes: dict[int, MultiKueuePane] = {}
        self._runs = MultiKueueRuns(run, lambda number: self.show(number + 1), words)
        self._stage: Any = None
        self._show(0)
        own = run.scenario.dispatcher
        known = dict(dispatchers)
        if own is not None and own not in known.values():
            known[getattr(own, "__name__", type(own).__name__)] = own
        self._dispatchers = known
        sections = {
            words.text("widgets.fault.section"): lambda: self.changes.widget,
            words.text("widgets.what-if.clusters-section"): lambda: self.editor.widget,
        }
        self.drawer = collapsible(sections, self._opened)
        if at is not None:
            self.to(at if isinstance(at, int) else at.index)

    @cached_property
    def changes(self) -> MultiKueueChanges:
        """The controls for faults and for the dispatch, made when they are first needed."""
        return MultiKueueChanges(self, self._dispatchers)

    @cached_property
    def editor(self) -> MultiKueueEditor:
        """Where objects of the clusters can be changed, made when it is first needed."""
        return MultiKueueEditor(self)

    @cached_property
    def widget(self) -> Any:
        """The widget, to be put into a layout of one's own; the frames are made for it."""
        self._stage = ipywidgets.VBox([self.pane.widget])
        found = ipywidgets.VBox([self._runs.widget, self._stage, self.drawer])
        found.add_class("kl-lab")
        return found

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        # The still picture and the text are those of the run that is shown.
        return {**self.pane._repr_mimebundle_(), "text/plain": self.as_text()}

    def _ipython_display_(self) -> None:
        """Show the board as a part of the page, which steps without a kernel; below it, the widget.

        While the widget is there, it stands for that part.
        """
        from IPython.display import display

        display(self._repr_mimebundle_(), raw=True)  # type: ignore[no-untyped-call]
        display_form(self.widget, self.words.text("widgets.fault.section"), "", self.words)

    # --- reading -----------------------------------------------------------------------

    @property
    def run(self) -> ClusterSetRun:
        """The run that is shown."""
        return self._runs.runs[self._runs.now]

    @property
    def runs(self) -> tuple[ClusterSetRun, ...]:
        """All runs, the scenario's own first."""
        return tuple(self._runs.runs)

    @property
    def titles(self) -> tuple[str, ...]:
        """What the runs are called."""
        return tuple(self._runs.titles)

    @property
    def comparison(self) -> Comparison | None:
        """How the run that is shown compares with another; ``None`` if there is no other."""
        return self._runs.comparison

    @property
    def pane(self) -> MultiKueuePane:
        """What shows the present run."""
        return self._panes[self._runs.now]

    @property
    def picture(self) -> MultiKueuePicture:
        """What is shown, as data."""
        return self.pane.picture

    def as_text(self) -> str:
        """Return lanes, jobs with their rounds, races, hazards, and what was compared."""
        parts = [self.pane.as_text()]
        if self.comparison is not None:
            title = self.titles[self._runs.now]
            parts = [
                self.words.text("widgets.runs.shown-is", run=title),
                *parts,
                self._runs.as_text(),
            ]
        return "\n\n".join(parts)

    # --- moving ------------------------------------------------------------------------

    def next(self) -> None:
        """Go one step on."""
        self.board.move(Cursor.forward)

    def previous(self) -> None:
        """Go one step back."""
        self.board.move(Cursor.back)

    def to(self, index: int) -> None:
        """Go to a step; they count from 0."""
        self.board.go(index)

    def at(self, seconds: float) -> None:
        """Go to a time, in seconds since the start: the last step by then, and the clocks."""
        self.pane.at(seconds)

    def until(self, what: str, workload: str = "") -> bool:
        """Go on to the next step of a kind; tell whether there is one.

        Parameters
        ----------
        what
            ``nominated``, ``copied``, ``removed``, ``chosen``, ``evicted``, ``connection``,
            or the name of a kind of step.
        workload
            Whose; that of any job, if left out.
        """
        return self.pane.until(what, workload)

    def select(self, workload: str) -> None:
        """Select a job of the manager by ``namespace/name``, or the name alone; ask why."""
        manager, board = self.run.cluster_set.manager.member.name, self.board
        found = {step.workload for step in self.run.trace if step.cluster == manager} - {""}
        for key in sorted(found):
            if workload in (key, short_name(key)):
                if (board.cluster, board.workload) != (manager, key):
                    board.select("Workload", key, manager)
                return
        raise UnknownObjectError("job", workload, sorted(found))

    # --- showing -----------------------------------------------------------------------

    def _add(self, title: str, run: ClusterSetRun, at: int | None) -> None:
        selected = self.board.selected, self.board.cluster
        self._show(self._runs.add(title, run))
        if at is not None:
            self.pane.go_to_time(at - 1)
            if not self.board.move(Cursor.forward):
                self.pane.go_to_time(at)
        elif self.comparison is not None and self.comparison.divergence is not None:
            self.board.go(self.comparison.divergence)
        chosen, cluster = selected
        if chosen is not None and (self.board.selected, self.board.cluster) != selected:
            self.board.select(*chosen, cluster)
        self._reset()
        self._follow()
        if run.left_out:
            told = "; ".join(reason for _, reason in run.left_out[:3])
            self.changes.say(Message("widgets.runs.left-out", omitted=told))

    def show(self, number: int) -> None:
        """Show one of the runs, counted from 1, at the time that is shown now."""
        if not 0 < number <= len(self.runs):
            raise UnknownObjectError("run", str(number), map(str, range(1, len(self.runs) + 1)))
        time = self.pane.time
        self._show(number - 1)
        self.pane.go_to_time(time)
        self._reset()
        self._follow()

    def _show(self, number: int) -> None:
        self._runs.show(number)
        if number not in self._panes:
            self._panes[number] = MultiKueuePane(
                self.run, self._stop_at, self._injected, self.words
            )
            self._panes[number].board.subscribe(lambda _: self._follow())
        self.board = self.pane.board
        self.pane.compare(self._runs.comparison_data)
        if self._stage is not None:
            self.pane.widget.at_once = True
            self._stage.children = [self.pane.widget]

    def _injected(self, fault: str, cluster: str) -> str:
        """Do what a button in a lane asks for; return what is wrong with it."""
        try:
            self.inject(fault, cluster)
        except KueueLabError as error:
            return error.render(self.words)
        return ""

    def _follow(self) -> None:
        """Offer what is possible now, while it can be seen."""
        if self.drawer.selected_index == 0:
            self.changes.follow()

    def _reset(self) -> None:
        """Show the dispatch of another run, where there are controls for it."""
        if "changes" in self.__dict__:
            self.changes.reset()

    def _opened(self, _: int) -> None:
        self._follow()
        if self.drawer.selected_index == 1:
            self.editor.refresh()


#: The same, named as what shows the view of a run.
multikueue_board = MultiKueueBoard
