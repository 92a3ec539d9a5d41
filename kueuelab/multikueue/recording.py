"""One record of all clusters: each has its own trace, and there is one of them together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kueuelab.trace.recorder import Recorder
from kueuelab.trace.steps import Facts, Path

__all__ = ["ClusterRecorder", "SharedRecorder"]


class SharedRecorder(Recorder):
    """Collects the steps of all clusters in the order in which they happened.

    In it, the state of a cluster is below the cluster's name, and so are the keys of
    workloads and the names of ClusterQueues: ``w1:team/job-a``.

    Attributes
    ----------
    clusters
        The recorder of each cluster, which knows nothing of the others.

    Examples
    --------
    >>> from kueuelab.trace.steps import Admitted
    >>> recorder = SharedRecorder()
    >>> recorder.of("w1").record(Admitted(), "team/job-a")
    >>> recorder.steps[0].workload, recorder.clusters["w1"].steps[0].workload
    ('w1:team/job-a', 'team/job-a')
    """

    __slots__ = ("clusters",)

    def __init__(self) -> None:
        super().__init__()
        self.clusters: dict[str, ClusterRecorder] = {}

    def of(self, cluster: str, clock: Callable[[], int] | None = None) -> ClusterRecorder:
        """Return the recorder of a cluster.

        ``clock`` tells the time that all clusters share; one in which nothing happened for a
        while may not have looked.
        """
        return self.clusters.setdefault(cluster, ClusterRecorder(cluster, self, clock))


class ClusterRecorder(Recorder):
    """Collects the steps of one cluster, and hands them on."""

    __slots__ = ("_clock", "_cluster", "_shared")

    def __init__(
        self, cluster: str, shared: SharedRecorder, clock: Callable[[], int] | None
    ) -> None:
        super().__init__()
        self._clock = clock
        self._cluster = cluster
        self._shared = shared

    def change(self, path: Path, before: Any, after: Any) -> None:
        """Announce that a value of the visible state changed."""
        super().change(path, before, after)
        self._shared.change((self._cluster, *path), before, after)

    def record(self, facts: Facts, workload: str = "", cluster_queue: str = "") -> None:
        """Add a step with the facts and all changes announced since the last one."""
        shared = self._shared
        if self._clock is not None:
            self.time = self._clock()
        super().record(facts, workload, cluster_queue)
        shared.time, shared.cycle = self.time, self.cycle
        shared.record(facts, self._inside(workload), self._inside(cluster_queue))

    def _inside(self, name: str) -> str:
        return f"{self._cluster}:{name}" if name else ""
