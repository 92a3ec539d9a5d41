"""Where a run of several clusters is: the step, the clock, the selected job."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from kueuelab.messages import Catalog
from kueuelab.model.times import MILLISECOND
from kueuelab.multikueue import ClusterSetRun
from kueuelab.trace.timetravel import Cursor
from kueuelab.views.frame.multikueue_document import MultiKueueDocument
from kueuelab.views.svg_clusters import svg_of_clusters
from kueuelab.widgets.board import Board

__all__ = ["MultiKueuePosition"]


class MultiKueuePosition(Board):
    """A board on which a copy and the job that it is a copy of are selected as one.

    Attributes
    ----------
    run
        The run.
    dispatches
        What the manager did with each job.
    manager
        The manager's name.
    elapsed
        Milliseconds that have gone by since the step.
    """

    def __init__(self, run: ClusterSetRun, language: str | Catalog | None = None) -> None:
        super().__init__(run.trace, language=language)
        self.run = run
        self.dispatches = run.dispatches
        self.manager = run.cluster_set.manager.member.name
        self.elapsed = 0

    @cached_property
    def document(self) -> MultiKueueDocument:
        """The frames of the run."""
        return MultiKueueDocument(self.run, self.start, self.words)

    def picture(self, index: int) -> str:
        """Return the lanes after a step as SVG."""
        return svg_of_clusters(self.document.frame(index), self.trace.title or self.trace.name)

    def select(self, kind: str, name: str, cluster: str = "") -> None:
        """Select something in all views; a copy stands for the manager's workload."""
        cluster = cluster or self.cursor.step.cluster
        if kind == "Workload" and (cluster, name) in self.dispatches.copies:
            cluster = self.manager
        super().select(kind, name, cluster)

    def choose(self, selected: Mapping[str, Any]) -> None:
        """Select what a view in the browser has selected; a copy stands for its job there, too."""
        if (selected.get("cluster"), selected.get("name")) in self.dispatches.copies:
            selected = {**selected, "cluster": self.manager}
        super().choose(selected)

    def move(self, move: Callable[[Cursor], bool]) -> bool:
        """Move the cursor; the clock shows the time of the step."""
        before = self.index
        moved = move(self.cursor)
        if moved and self.index != before:
            self.elapsed = 0
        if moved:
            self._tell(moved=True)
        return moved

    def go_to_time(self, when: int) -> None:
        """Go to a time, in nanoseconds since 1970: to the last step by then, and the clock."""
        steps = self.trace.steps
        when = max(when, steps[0].time)
        self.cursor.to(bisect_right(steps, when, key=lambda step: step.time) - 1)
        self.elapsed = (when - self.cursor.step.time) // MILLISECOND
        self._tell(moved=True)

    def pass_time(self, elapsed: int) -> None:
        """Set what the clock shows: so many milliseconds after the step."""
        if elapsed != self.elapsed:
            self.elapsed = elapsed
            self._tell(moved=True)

    @property
    def time(self) -> int:
        """What the clock shows, nanoseconds since 1970."""
        return self.cursor.step.time + self.elapsed * MILLISECOND

    @property
    def now(self) -> int | None:
        """What the clock shows if some time has gone by since the step."""
        return self.time if self.elapsed else None

    @property
    def job(self) -> str:
        """The key of the selected job in its cluster, ``""`` if none is selected."""
        return self.workload
