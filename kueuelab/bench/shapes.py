"""What Kueue's scalability scenarios are made of: cohorts, queues, and workloads arriving.

The numbers are those of Kueue's own performance tests of the scheduler
(``test/performance/scheduler/configs``). Everything follows from them; nothing is random.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kueuelab.model import (
    ClusterQueue,
    ClusterQueuePreemption,
    Container,
    FlavorQuotas,
    LabelSelector,
    LocalQueue,
    ObjectMeta,
    PodSet,
    PodSpec,
    PodTemplate,
    ResourceFlavor,
    ResourceGroup,
    ResourceQuota,
    ResourceRequirements,
    Workload,
)
from kueuelab.model.amount import quota_amount
from kueuelab.model.times import MILLISECOND
from kueuelab.quantity import Quantity

__all__ = ["BASELINE", "LARGE_SCALE", "Shape", "WorkloadClass", "objects_of", "queue_names"]

FLAVOR: Final = "rf"


@dataclass(frozen=True, slots=True)
class WorkloadClass:
    """Workloads of one kind: each queue gets ``count`` of them, one every ``every_ms``.

    ``cpu`` is in whole cores. The first arrives after the first interval.
    """

    name: str
    count: int
    every_ms: int
    runtime_ms: int
    priority: int
    cpu: int

    @property
    def runtime(self) -> int:
        """How long one runs once it is admitted, in nanoseconds."""
        return self.runtime_ms * MILLISECOND

    @property
    def interval(self) -> int:
        """The time between two arrivals in nanoseconds."""
        return self.every_ms * MILLISECOND


@dataclass(frozen=True, slots=True)
class Shape:
    """A scenario: equal cohorts of equal queues, and what arrives in each queue.

    Examples
    --------
    >>> BASELINE.workloads, LARGE_SCALE.workloads
    (15000, 50000)
    """

    name: str
    cohorts: int
    queues: int
    classes: tuple[WorkloadClass, ...]
    nominal: str = "20"
    borrowing_limit: str = "100"

    @property
    def workloads(self) -> int:
        """How many workloads arrive in all."""
        return self.cohorts * self.queues * sum(kind.count for kind in self.classes)


BASELINE: Final = Shape(
    "baseline",
    cohorts=5,
    queues=6,
    classes=(
        WorkloadClass("small", count=350, every_ms=100, runtime_ms=200, priority=50, cpu=1),
        WorkloadClass("medium", count=100, every_ms=500, runtime_ms=500, priority=100, cpu=5),
        WorkloadClass("large", count=50, every_ms=1200, runtime_ms=1000, priority=200, cpu=20),
    ),
)

LARGE_SCALE: Final = Shape(
    "large-scale",
    cohorts=10,
    queues=100,
    classes=(
        WorkloadClass("small", count=35, every_ms=60, runtime_ms=150, priority=50, cpu=1),
        WorkloadClass("medium", count=11, every_ms=300, runtime_ms=350, priority=100, cpu=5),
        WorkloadClass("large", count=4, every_ms=700, runtime_ms=700, priority=200, cpu=20),
    ),
)


def queue_names(shape: Shape) -> Iterator[tuple[str, str]]:
    """Go through the queues, each with its cohort.

    A queue's name is that of its ClusterQueue, its LocalQueue and its namespace.

    Examples
    --------
    >>> list(queue_names(BASELINE))[6]
    ('cq-0-0-cohort-1', 'cohort-1')
    """
    for cohort in range(shape.cohorts):
        for queue in range(shape.queues):
            yield f"cq-0-{queue}-cohort-{cohort}", f"cohort-{cohort}"


def objects_of(shape: Shape) -> Iterator[ResourceFlavor | ClusterQueue | LocalQueue]:
    """Make the objects that are there before the first workload arrives."""
    yield ResourceFlavor(ObjectMeta(FLAVOR))
    quota = ResourceQuota(
        "cpu", quota_amount("cpu", shape.nominal), quota_amount("cpu", shape.borrowing_limit)
    )
    groups = (ResourceGroup(("cpu",), (FlavorQuotas(FLAVOR, (quota,)),)),)
    preemption = ClusterQueuePreemption(
        within_cluster_queue="LowerPriority", reclaim_within_cohort="Any"
    )
    for name, cohort in queue_names(shape):
        yield ClusterQueue(
            ObjectMeta(name),
            groups,
            cohort_name=cohort,
            namespace_selector=LabelSelector(),
            preemption=preemption,
        )
        yield LocalQueue(ObjectMeta(name, namespace=name), cluster_queue=name)


def pod_sets_of(cpu: int) -> tuple[PodSet, ...]:
    """Make the pod sets of a workload: one pod, one container, some cores."""
    requests = ResourceRequirements(requests={"cpu": Quantity.parse(cpu)})
    spec = PodSpec(containers=(Container("c", requests),))
    return (PodSet(template=PodTemplate(spec=spec)),)


def workload_of(
    queue: str, name: str, created: int, priority: int, pod_sets: tuple[PodSet, ...]
) -> Workload:
    """Make a workload for a queue."""
    return Workload(
        ObjectMeta(name, namespace=queue, uid=f"{queue}-{name}", creation_timestamp=created),
        pod_sets,
        queue_name=queue,
        priority=priority,
    )
