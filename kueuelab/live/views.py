"""Questions to a real cluster, or to a run on one: the same as to a simulated run."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from kueuelab.live.decisions import Decision
from kueuelab.live.mirror import Mirror
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.loading.names import WorkloadNames
from kueuelab.manifests.result import Manifests
from kueuelab.trace import Trace
from kueuelab.trace.recorded_run import RecordedClusterRun
from kueuelab.whatif.lab import Lab

if TYPE_CHECKING:
    from kueuelab.whatif.report import Report
    from kueuelab.whatif.table import Timeline

__all__ = ["ClusterViews"]


class ClusterViews(RecordedClusterRun):
    """Something that followed a cluster. Views of :mod:`kueuelab.widgets` take it as it is."""

    @property
    @abstractmethod
    def mirror(self) -> Mirror:
        """The lab's own cluster, which repeats every change."""

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
        """Every decision so far, compared with the lab's."""
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

    def what_would_admit(self, workload: str) -> Report:
        """Search for changes by which a workload would be admitted in the current state."""
        run = self.fork().run(until=0)
        cycles = run.trace.cycles
        before = max(cycles[0].first - 1, 0) if cycles else len(run.trace) - 1
        return run.what_would_admit(self.key_of(workload), before)

    def fork(self) -> Lab:
        """Return a lab in the state of the cluster; nothing in it ends by itself."""
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
