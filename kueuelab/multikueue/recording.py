"""The records of all clusters, and the one that there is of them together."""

from __future__ import annotations

from collections.abc import Callable

from kueuelab.trace.recorder import Recorder
from kueuelab.trace.steps import Facts

__all__ = ["ClusterRecorder", "SharedRecorder"]


class SharedRecorder:
    """Has a recorder for each cluster, and knows in which order their steps happened.

    Attributes
    ----------
    clusters
        The recorder of each cluster, which knows nothing of the others.
    order
        The cluster of each step, in the order of all steps.

    Examples
    --------
    >>> from kueuelab.trace.steps import Admitted
    >>> recorder = SharedRecorder()
    >>> recorder.of("w1").record(Admitted(), "team/job-a")
    >>> recorder.together().steps[0].workload, recorder.clusters["w1"].steps[0].workload
    ('w1:team/job-a', 'team/job-a')
    """

    __slots__ = ("clusters", "order")

    def __init__(self) -> None:
        self.clusters: dict[str, ClusterRecorder] = {}
        self.order: list[str] = []

    def of(self, cluster: str, clock: Callable[[], int] | None = None) -> ClusterRecorder:
        """Return the recorder of a cluster.

        ``clock`` tells the time that all clusters share; one in which nothing happened for a
        while may not have looked.
        """
        return self.clusters.setdefault(cluster, ClusterRecorder(cluster, self.order, clock))

    def together(self) -> Recorder:
        """Return one record of all clusters.

        In it, the state of a cluster is below the cluster's name, and so are the keys of
        workloads and the names of ClusterQueues: ``w1:team/job-a``.
        """
        shared = Recorder()
        steps = {name: iter(recorder.steps) for name, recorder in self.clusters.items()}
        for name in self.order:
            step = next(steps[name])
            for change in step.changes:
                shared.change((name, *change.path), change.after)
            shared.time, shared.cycle = step.time, step.cycle
            workload = f"{name}:{step.workload}" if step.workload else ""
            queue = f"{name}:{step.cluster_queue}" if step.cluster_queue else ""
            shared.record(step.facts, workload, queue)
        for name, recorder in self.clusters.items():
            for change in recorder.unrecorded():
                shared.change((name, *change.path), change.after)
        return shared


class ClusterRecorder(Recorder):
    """Collects the steps of one cluster, and notes when it was this cluster's turn."""

    __slots__ = ("_clock", "_cluster", "_order")

    def __init__(self, cluster: str, order: list[str], clock: Callable[[], int] | None) -> None:
        super().__init__()
        self._clock = clock
        self._cluster = cluster
        self._order = order

    def record(self, facts: Facts, workload: str = "", cluster_queue: str = "") -> None:
        """Add a step with the facts and all changes announced since the last one."""
        if self._clock is not None:
            self.time = self._clock()
        self._order.append(self._cluster)
        super().record(facts, workload, cluster_queue)
