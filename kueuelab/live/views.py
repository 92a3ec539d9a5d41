"""What people ask of a real cluster, or of a run on one: the same as of a simulated run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from kueuelab.live.mirror import Mirror
from kueuelab.live.redecide import Decision
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.loading.names import WorkloadNames
from kueuelab.manifests.result import Manifests
from kueuelab.trace import Trace
from kueuelab.whatif.lab import Lab

if TYPE_CHECKING:
    from kueuelab.simulation import Run
    from kueuelab.trace.breakpoints import Breakpoint
    from kueuelab.trace.diff import Diff
    from kueuelab.trace.explain import Eviction, Explanation
    from kueuelab.trace.reading import State
    from kueuelab.trace.timetravel import Cursor
    from kueuelab.whatif.report import Report
    from kueuelab.whatif.table import Timeline
    from kueuelab.widgets import Lab as LabView

__all__ = ["ClusterViews"]


class ClusterViews(ABC):
    """Something that followed a cluster. Views of :mod:`kueuelab.widgets` take it as it is."""

    @property
    @abstractmethod
    def mirror(self) -> Mirror:
        """The lab's own cluster, which follows."""

    def _still(self) -> AbstractContextManager[object]:
        """Return what holds the mirror still while it is read."""
        return nullcontext()

    @property
    def trace(self) -> Trace:
        """What happened so far, with the lab's cycle before each decision."""
        mirror = self.mirror
        with self._still():
            return mirror.trace

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Every decision so far, held against the lab's."""
        mirror = self.mirror
        with self._still():
            return tuple(mirror.decisions)

    @property
    def problems(self) -> dict[str, str]:
        """Objects that can't be read, and why; they are left out."""
        mirror = self.mirror
        with self._still():
            return dict(mirror.problems)

    @property
    def timeline(self) -> Timeline:
        """What happened, row by row, and whether the lab decides as Kueue did."""
        from kueuelab.live.marks import marked_timeline

        return marked_timeline(self.trace)

    def state_at(self, step: int) -> State:
        """Return the visible state right after a step, as views."""
        return self.trace.state_at(step)

    def key_of(self, workload: str) -> str:
        """Return the key of the workload that a name means: its own, or its job's.

        Raises
        ------
        UnknownObjectError
            If there is no such workload.
        """
        mirror = self.mirror
        with self._still():
            return WorkloadNames(mirror.seen.values()).key_of(workload)

    # --- why -----------------------------------------------------------------------------

    def why(self, workload: str, at: int | None = None) -> Explanation:
        """Tell why a workload is where it is, from what was seen so far."""
        from kueuelab.trace.explain import why

        return why(self.trace, self.key_of(workload), at)

    def why_not(self, workload: str, victim: str, at: int | None = None) -> Explanation:
        """Tell why a workload does not preempt another one, or that it does."""
        from kueuelab.trace.explain import why_not

        return why_not(self.trace, self.key_of(workload), self.key_of(victim), at)

    def who_evicted(self, workload: str, at: int | None = None) -> Eviction | None:
        """Return who evicted a workload the last time, ``None`` if nobody did."""
        from kueuelab.trace.explain import who_evicted

        return who_evicted(self.trace, self.key_of(workload), at)

    def what_would_admit(self, workload: str) -> Report:
        """Search for changes by which a workload would be admitted, as things are now."""
        run = self.fork().run(until=0)
        cycles = run.trace.cycles
        before = max(cycles[0].first - 1, 0) if cycles else len(run.trace) - 1
        return run.what_would_admit(self.key_of(workload), before)

    def fork(self) -> Lab:
        """Return a lab that stands where the cluster stands; nothing in it ends by itself."""
        mirror = self.mirror
        with self._still():
            objects = {
                **mirror.objects_by_kind(),
                "Workload": tuple(mirror.workloads.values()),
            }
            spec = ScenarioSpec(
                name=mirror.name,
                start=mirror.now,
                configuration=mirror.configuration,
                manifests=Manifests(objects),
            )
        return Lab(spec)

    # --- looking -------------------------------------------------------------------------

    def until(
        self, breakpoint: Breakpoint | None = None, *, event: str | None = None, after: int = -1
    ) -> Cursor:
        """Return a cursor at the first step at which a condition holds; else at the end.

        Parameters
        ----------
        breakpoint
            Any breakpoint (see :class:`~kueuelab.trace.breakpoints.Breakpoint`).
        event
            The step is of this kind: ``admitted``, ``preempted``, ...
        after
            Look behind this step.
        """
        from kueuelab.trace.breakpoints import Breakpoint
        from kueuelab.trace.timetravel import Cursor

        trace = self.trace
        condition = breakpoint or Breakpoint.event(event or "admitted")
        if breakpoint is not None and event is not None:
            condition = breakpoint & Breakpoint.event(event)
        for index in condition.places(trace, after + 1, len(trace)):
            if condition(trace[index]):
                return Cursor(trace, index)
        return Cursor(trace, len(trace) - 1)

    def diff(self, other: ClusterViews | Run) -> Diff:
        """Compare with another run: ``before`` is the other one, ``after`` is this one."""
        from kueuelab.trace.diff import diff

        return diff(other.trace, self.trace)

    def save(self, to: str | Path | TextIO) -> None:
        """Write the record to a file; a name that ends in ``.html`` gives a page."""
        from kueuelab.trace.saving import save_trace

        save_trace(self.trace, to)

    def lab(self) -> LabView:
        """Return all views of what was seen so far, for a notebook."""
        from kueuelab.widgets import lab

        return lab(self.trace)
