"""One run of several clusters, to be stepped through: controls, decision, lanes, why."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, Final

import ipywidgets

from kueuelab.messages import Catalog
from kueuelab.model.times import SECOND
from kueuelab.multikueue import WorldRun
from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.trace.names import short_name
from kueuelab.views.faults import Offer, offers_at
from kueuelab.views.multikueue import MultiKueuePicture, picture_at
from kueuelab.widgets.clusters_view import ClustersView, clusters_data
from kueuelab.widgets.frontend import View
from kueuelab.widgets.multikueue_controls import (
    MultiKueueControls,
    MultiKueueDecision,
    MultiKueuePosition,
)

__all__ = ["MultiKueuePane"]

#: Called when a button for a fault was pressed: with its id and the cluster.
Injector = Callable[[str, str], None]

_KINDS: Final = {
    "nominated": "ClustersNominated",
    "copied": "CopyCreated",
    "removed": "CopyRemoved",
    "chosen": "WorkerChosen",
    "evicted": "Evicted",
    "connection": "WorkerConnectionChanged",
}


class MultiKueuePane(View):
    """Step through one run.

    Parameters
    ----------
    run
        What came of a scenario with several clusters.
    stop_at
        Where playing stops.
    inject
        What to call when a fault is asked for.
    language
        The language: a code, or a catalogue.

    Attributes
    ----------
    controls
        The buttons and the slider.
    """

    board: MultiKueuePosition

    def __init__(
        self,
        run: WorldRun,
        stop_at: Breakpoint | None,
        inject: Injector,
        language: str | Catalog | None = None,
    ) -> None:
        self.run = run
        self._inject = inject
        self.dispatches = run.dispatches
        manager = run.world.manager.site.name
        self.board = MultiKueuePosition(run.trace, self.dispatches, manager, language)
        self.controls = MultiKueueControls(self.board, stop_at)
        self._decision = MultiKueueDecision(self.board)
        self.clusters = ClustersView(language=self.board.words)
        self.clusters.on_msg(self._asked)
        self.widget = ipywidgets.VBox([self.controls.widget, self._decision.widget, self.clusters])
        self.board.subscribe(lambda _: self._show())
        self._show()

    @property
    def picture(self) -> MultiKueuePicture:
        """What is shown, as data."""
        return self._picture

    @property
    def time(self) -> int:
        """The time that is shown, nanoseconds since the start: that of the step, or later."""
        return self.board.time - self.run.start

    def as_text(self) -> str:
        """Return lanes, jobs with their rounds, why, races and hazards as plain text."""
        return self._picture.as_text()

    def offers(self, cluster: str, workload: str = "") -> tuple[Offer, ...]:
        """Return what can befall a cluster, and a workload in it, at the step shown."""
        return offers_at(self.run, self.board.cursor.state, cluster, workload)

    def go_to_time(self, nanoseconds: int) -> None:
        """Go to a time since the start: the last step by then, and the clock."""
        self.board.go_to_time(self.run.start + nanoseconds)

    def at(self, seconds: float) -> None:
        """Go to a time, in seconds since the start: the last step by then, and the clocks."""
        self.go_to_time(round(seconds * SECOND))

    def until(self, what: str, workload: str = "") -> bool:
        """Go on to the next step of a kind; tell whether there is one."""
        kind = _KINDS.get(what, what)
        for step in islice(self.run.trace.steps, self.board.index + 1, None):
            key = step.workload
            if step.kind == kind and workload in ("", key, short_name(key)):
                return self.board.go(step.index)
        return False

    def _asked(self, _: Any, content: Any, __: Any) -> None:
        if content.get("type") == "select":
            self.board.select("Workload", str(content["workload"]), str(content["cluster"]))
        elif content.get("type") == "inject":
            self._inject(str(content["id"]), str(content["cluster"]))

    def _show(self) -> None:
        board = self.board
        self._picture = picture_at(
            self.run,
            self.dispatches,
            board.index,
            state=board.cursor.state,
            sentence=board.run_index.decision(board.index).sentence,
            selected=board.job,
            now=board.now,
        )
        offers = {lane.cluster: self._buttons(lane.cluster) for lane in self._picture.lanes}
        self.clusters.picture = clusters_data(self._picture, (board.cluster, board.job), offers)

    def _buttons(self, cluster: str) -> list[Offer]:
        """Return the few faults that a lane has buttons for; the others are in a list."""
        found = {offer.id: offer for offer in self.offers(cluster)}
        lane = next(lane for lane in self._picture.lanes if lane.cluster == cluster)
        if lane.is_manager:
            wanted = ["restart Kueue"]
        else:
            wanted = ["disconnect" if lane.connected else "reconnect"]
        queues = {queue.queue for queue in lane.queues}
        if len(queues) == 1:
            (queue,) = queues
            wanted.append(f"drain {queue}" if f"drain {queue}" in found else f"resume {queue}")
        return [found[name] for name in wanted if name in found]
