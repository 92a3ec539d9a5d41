"""One record of all clusters: each has its own trace, and there is one of them together."""

from __future__ import annotations

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

    def of(self, cluster: str) -> ClusterRecorder:
        """Return the recorder of a cluster."""
        return self.clusters.setdefault(cluster, ClusterRecorder(cluster, self))


class ClusterRecorder(Recorder):
    """Collects the steps of one cluster, and hands them on."""

    __slots__ = ("_cluster", "_shared")

    def __init__(self, cluster: str, shared: SharedRecorder) -> None:
        super().__init__()
        self._cluster = cluster
        self._shared = shared

    def change(self, path: Path, before: Any, after: Any) -> None:
        """Announce that a value of the visible state changed."""
        super().change(path, before, after)
        self._shared.change((self._cluster, *path), before, after)

    def record(self, facts: Facts, workload: str = "", cluster_queue: str = "") -> None:
        """Add a step with the facts and all changes announced since the last one."""
        super().record(facts, workload, cluster_queue)
        shared = self._shared
        shared.time, shared.cycle = self.time, self.cycle
        shared.record(facts, self._inside(workload), self._inside(cluster_queue))

    def _inside(self, name: str) -> str:
        return f"{self._cluster}:{name}" if name else ""
