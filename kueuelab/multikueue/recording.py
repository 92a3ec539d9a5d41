"""The record of each cluster, and one record of all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kueuelab.model import RELEASE
from kueuelab.multikueue.jobs import Job
from kueuelab.trace import Trace
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.steps import Facts

__all__ = ["ClusterRecorder", "SharedRecorder", "announce_job"]


class SharedRecorder:
    """Has a recorder for each cluster, and knows in which order their steps happened.

    Attributes
    ----------
    clusters
        The recorder of each cluster.
    order
        The cluster of each step, in the order of all steps.

    Examples
    --------
    >>> from kueuelab.trace.steps import Admitted
    >>> recorder = SharedRecorder()
    >>> recorder.of("w1").record(Admitted(), "team/job-a")
    >>> step = recorder.trace()[0]
    >>> step.cluster, step.workload
    ('w1', 'team/job-a')
    """

    __slots__ = ("clusters", "order")

    def __init__(self) -> None:
        self.clusters: dict[str, ClusterRecorder] = {}
        self.order: list[str] = []

    def of(self, cluster: str, clock: Callable[[], int] | None = None) -> ClusterRecorder:
        """Return the recorder of a cluster.

        ``clock`` returns the time that all clusters share; a cluster's own clock may be
        behind it.
        """
        return self.clusters.setdefault(cluster, ClusterRecorder(cluster, self.order, clock))

    def trace(
        self,
        name: str = "",
        title: str = "",
        end: int | None = None,
        kueue_version: str = RELEASE.version,
        description: str = "",
    ) -> Trace:
        """Return one record of all clusters."""
        steps = {each: iter(Trace.of(recorder)) for each, recorder in self.clusters.items()}
        shared = (
            replace(next(steps[cluster]), index=index) for index, cluster in enumerate(self.order)
        )
        return Trace(
            tuple(shared),
            name,
            title,
            kueue_version,
            clusters=tuple(self.clusters),
            end=end,
            description=description,
        )


def announce_job(recorder: Recorder, job: Job, *, managed: bool, gone: bool = False) -> None:
    """Announce how many pods of a job run; ``managed`` says whether Kueue there manages it."""
    status = {
        "workloads": sorted(job.workload_keys),
        "framework": job.kind.framework,
        "managed": managed,
        "pods": job.parallelism,
        "active": job.status.active,
        "ready": job.status.ready,
        "withoutNode": sum(not pod.has_node for pod in job.pods),
    }
    recorder.change(("jobs", job.key, "status"), None if gone else status)


class ClusterRecorder(Recorder):
    """Collects the steps of one cluster, with their place in the common order."""

    __slots__ = ("_clock", "_order")

    def __init__(self, cluster: str, order: list[str], clock: Callable[[], int] | None) -> None:
        super().__init__(cluster)
        self._clock = clock
        self._order = order

    def record(self, facts: Facts, workload: str = "", cluster_queue: str = "") -> None:
        """Add a step with the facts and all changes announced since the last one."""
        if self._clock is not None:
            self.time = self._clock()
        self._order.append(self.cluster)
        super().record(facts, workload, cluster_queue)

    def record_all(
        self, all_facts: Sequence[Facts], workload: str = "", cluster_queue: str = ""
    ) -> None:
        """Add a step for each of some facts: each has its place in the common order."""
        for facts in all_facts:
            self.record(facts, workload, cluster_queue)
