"""The MultiKueue board: a lane for each cluster, rounds as columns, copies as chips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

import ipywidgets

from kueuelab.errors import KueueLabError, UnknownObjectError
from kueuelab.manifests import ModelObject
from kueuelab.manifests.scenario import Action, Apply
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.model.times import MILLISECOND
from kueuelab.multikueue import ClusterSetRun, Dispatcher
from kueuelab.multikueue.dispatches import seconds_text
from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.trace.names import short_name
from kueuelab.trace.timetravel import Cursor
from kueuelab.views.comparison import Comparison
from kueuelab.views.multikueue import MultiKueuePicture
from kueuelab.views.rerun import (
    Dispatching,
    branched,
    changed_object,
    dispatch_title,
    dispatching_of,
    end_of,
    redispatched,
    reordered_at,
)
from kueuelab.widgets.form_note import display_form
from kueuelab.widgets.multikueue_changes import MultiKueueChanges
from kueuelab.widgets.multikueue_editor import MultiKueueEditor
from kueuelab.widgets.multikueue_pane import MultiKueuePane
from kueuelab.widgets.multikueue_runs import MultiKueueRuns
from kueuelab.widgets.view import View

__all__ = ["MultiKueueBoard", "multikueue_board"]

_NO_DISPATCHERS: Final[Mapping[str, Dispatcher]] = {}


class MultiKueueBoard(View):
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
    changes
        The controls for faults and for the dispatch.
    editor
        Where objects of the clusters can be changed.
    drawer
        Where both are, closed at first.

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
        dispatchers: Mapping[str, Dispatcher] = _NO_DISPATCHERS,
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
        self.changes = MultiKueueChanges(self, known)
        self.editor = MultiKueueEditor(self)
        self.drawer = ipywidgets.Accordion(
            children=[self.changes.widget, self.editor.widget],
            titles=(
                words.text("widgets.fault.section"),
                words.text("widgets.what-if.clusters-section"),
            ),
        )
        self.drawer.observe(lambda _: self._opened(), names="selected_index")
        if at is not None:
            self.to(at if isinstance(at, int) else at.index)

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

    # --- what if -----------------------------------------------------------------------

    def inject(self, fault: str, cluster: str = "", workload: str = "") -> None:
        """Run again with a fault right after the moment shown.

        Parameters
        ----------
        fault
            ``disconnect``, ``reconnect``, ``break kubeconfig``, ``take out of config``,
            ``delete cluster``, ``restart Kueue``, ``drain`` with the name of a
            ClusterQueue, ``evict copy``, ``deactivate copy``, ``delete copy``, ...; see
            ``changes.as_text()`` for all that is possible now.
        cluster
            Which cluster; the manager, if left out.
        workload
            The job whose copy is meant; the selected one, if left out.

        Raises
        ------
        UnknownObjectError
            If that can't happen there now.
        """
        if workload:
            self.select(workload)
        pane, cluster = self.pane, cluster or self.run.cluster_set.manager.member.name
        self.run.cluster_set.member(cluster)
        offers = {offer.id: offer for offer in pane.offers(cluster, pane.board.job)}
        if fault not in offers:
            raise UnknownObjectError(Message("widgets.fault.kind"), fault, offers)
        offer, at = offers[fault], _just_after(pane.time)
        actions = offer.actions(self.run, at)
        title = Message("widgets.runs.at", title=offer.label, time=seconds_text(pane.time))
        self._fork(title, actions, at)

    def reorder(self, *clusters: str) -> None:
        """Run again with other workers in the MultiKueueConfig from the moment shown on."""
        at = _just_after(self.pane.time)
        title = Message(
            "widgets.runs.reordered",
            clusters=", ".join(clusters),
            time=seconds_text(self.pane.time),
        )
        self._fork(title, (reordered_at(self.run, clusters, at),), at)

    def rerun(
        self,
        *clusters: str,
        dispatcher: Dispatcher | str | None = None,
        step_size: int | None = None,
        seed: int | None = None,
    ) -> None:
        """Run again from the start with another dispatch.

        Parameters
        ----------
        clusters
            The workers of the MultiKueueConfig in order; as they are, if left out.
        dispatcher
            A ``dispatcherName``, or a dispatcher of your own.
        step_size
            ``stepSize`` of the incremental dispatcher.
        seed
            How lots are drawn where workers race.
        """
        now = dispatching_of(self.run.scenario)
        wanted = replace(
            now,
            clusters=clusters or now.clusters,
            step_size=now.step_size if step_size is None else step_size,
        )
        if isinstance(dispatcher, str):
            wanted = replace(wanted, name=dispatcher, own=None)
        elif dispatcher is not None:
            wanted = replace(wanted, own=dispatcher)
        self.redispatch(wanted, seed=seed)

    def redispatch(self, wanted: Dispatching, *, seed: int | None = None) -> None:
        """Run again from the start with a dispatch that is there as data."""
        scenario = redispatched(self.run.scenario, wanted)
        if seed is not None:
            scenario = replace(scenario, seed=seed)
        until = end_of(self.run, 0)
        self._add(dispatch_title(self.run.scenario, scenario), scenario.run(until=until), None)

    def edit(self, cluster: str, obj: ModelObject, *, from_start: bool = True) -> None:
        """Run again with another object in a cluster, from the start or the moment shown on."""
        title = Message(
            "widgets.runs.edited",
            kind=type(obj).__name__,
            object=obj.metadata.name,
            cluster=cluster,
        )
        if from_start:
            scenario = changed_object(self.run.scenario, cluster, obj)
            self._add(title, scenario.run(until=end_of(self.run, 0)), None)
            return
        at = _just_after(self.pane.time)
        place = "" if cluster == self.run.cluster_set.manager.member.name else cluster
        action = Apply((obj,), at=at, cluster=place)
        title = Message("widgets.runs.at", title=title, time=seconds_text(self.pane.time))
        self._fork(title, (action,), at)

    def check(self, wanted: Dispatching) -> None:
        """Raise what is wrong with a dispatch; run nothing."""
        redispatched(self.run.scenario, wanted)

    def _fork(self, title: str, actions: Sequence[Action], at: int) -> None:
        scenario = branched(self.run, actions)
        self._add(title, scenario.run(until=end_of(self.run, at)), at)

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
        self.changes.reset()
        self._follow()
        if run.left_out:
            told = "; ".join(reason for _, reason in run.left_out[:3])
            self.changes.say(Message("widgets.runs.left-out", omitted=told))

    # --- showing -----------------------------------------------------------------------

    def show(self, number: int) -> None:
        """Show one of the runs, counted from 1, at the time that is shown now."""
        if not 0 < number <= len(self.runs):
            raise UnknownObjectError("run", str(number), map(str, range(1, len(self.runs) + 1)))
        time = self.pane.time
        self._show(number - 1)
        self.pane.go_to_time(time)
        self.changes.reset()
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

    def _opened(self) -> None:
        self._follow()
        if self.drawer.selected_index == 1:
            self.editor.refresh()


def _just_after(time: int) -> int:
    """Return the next moment, when all that happens at a time has happened."""
    return (time // MILLISECOND + 1) * MILLISECOND


#: The same, named as what shows the view of a run.
multikueue_board = MultiKueueBoard
