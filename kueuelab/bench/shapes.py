"""What Kueue's scalability scenarios are made of: cohorts, queues, and workloads arriving.

The numbers are those of Kueue's own performance tests of the scheduler
(``test/performance/scheduler/configs``). Everything follows from them; nothing is random.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from kueuelab.model import (
    ClusterQueue,
    ClusterQueuePreemption,
    Condition,
    Container,
    FlavorQuotas,
    LabelSelector,
    LocalQueue,
    Node,
    ObjectMeta,
    PodSet,
    PodSpec,
    PodTemplate,
    ResourceFlavor,
    ResourceGroup,
    ResourceQuota,
    ResourceRequirements,
    Topology,
    Workload,
)
from kueuelab.model.amount import quota_amount
from kueuelab.model.times import MILLISECOND
from kueuelab.quantity import Quantity

__all__ = [
    "BASELINE",
    "LARGE_SCALE",
    "ONE_COHORT",
    "RACK",
    "TAS",
    "Shape",
    "WorkloadClass",
    "nodes_of",
    "objects_of",
    "queue_names",
]

FLAVOR: Final = "rf"


@dataclass(frozen=True, slots=True)
class WorkloadClass:
    """Workloads of one kind: each queue gets ``count`` of them, one every ``every_ms``.

    ``cpu`` is in whole cores, for all its ``pods``. ``topology`` is the topology request of the
    pod set, if it has one. The first arrives after the first interval.
    """

    name: str
    count: int
    every_ms: int
    runtime_ms: int
    priority: int
    cpu: int
    pods: int = 1
    topology: Mapping[str, Any] | None = None

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

    With ``racks`` there are nodes of 96 cores, so many hosts in each rack of one block, and their
    flavor has a topology.

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
    racks: int = 0
    hosts: int = 0

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

#: One cohort of 50 such queues, which all compete with each other.
ONE_COHORT: Final = replace(LARGE_SCALE, name="one-cohort", cohorts=1, queues=50)


#: The node label of racks.
RACK: Final = "cloud.provider.com/topology-rack"
_LEVELS: Final = ("cloud.provider.com/topology-block", RACK, "kubernetes.io/hostname")


def _placed(
    name: str, counts: tuple[int, int, int], times: tuple[int, int], numbers: tuple[int, ...]
) -> Iterator[WorkloadClass]:
    """Return three classes that are placed in racks: required, preferred, and in slices."""
    priority, cpu, pods, size = numbers
    every, runtime = times
    slices = {"podSetSliceRequiredTopology": RACK, "podSetSliceSize": size}
    ways: dict[str, Mapping[str, Any]] = {
        "required": {"required": RACK},
        "preferred": {"preferred": RACK},
        "balanced": slices,
    }
    for (way, request), count in zip(ways.items(), counts, strict=True):
        yield WorkloadClass(
            f"{name}-{way}-rack", count, every, runtime, priority, cpu, pods, request
        )


#: The scenario of topology-aware scheduling: that of ``BASELINE``, on 640 nodes.
TAS: Final = Shape(
    "tas",
    cohorts=5,
    queues=6,
    classes=(
        *_placed("small", (120, 120, 110), (100, 200), (50, 1, 2, 1)),
        *_placed("medium", (34, 33, 33), (500, 500), (100, 5, 4, 2)),
        *_placed("large", (17, 17, 16), (1200, 1000), (200, 20, 8, 4)),
    ),
    racks=10,
    hosts=64,
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


def objects_of(
    shape: Shape,
) -> Iterator[Topology | ResourceFlavor | Node | ClusterQueue | LocalQueue]:
    """Make the objects that are there before the first workload arrives."""
    if shape.racks:
        yield Topology(ObjectMeta("default-topology"), _LEVELS)
        group = {"cloud.provider.com/node-group": FLAVOR}
        yield ResourceFlavor(ObjectMeta(FLAVOR), group, topology_name="default-topology")
        yield from nodes_of(shape)
    else:
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


def nodes_of(shape: Shape) -> Iterator[Node]:
    """Make the nodes of a shape: 96 cores each, in racks of one block."""
    allocatable = {
        name: Quantity.parse(text)
        for name, text in (("cpu", "96"), ("memory", "256Gi"), ("pods", "110"))
    }
    ready = (Condition("Ready", "True", "KubeletReady"),)
    for rack in range(shape.racks):
        for host in range(shape.hosts):
            name = f"block-0-rack-{rack}-node-{host}"
            values = ("block-0", f"block-0-rack-{rack}", name)
            labels = {
                "cloud.provider.com/node-group": FLAVOR,
                **dict(zip(_LEVELS, values, strict=True)),
            }
            meta = ObjectMeta(name, labels=labels)
            yield Node(meta, allocatable=allocatable, conditions=ready)


def pod_sets_of(
    cpu: int, pods: int = 1, topology: Mapping[str, Any] | None = None
) -> tuple[PodSet, ...]:
    """Make the pod sets of a workload: one, of some pods that share some cores."""
    each = Quantity.parse(f"{cpu * 1000 // pods}m")
    requests = ResourceRequirements(requests={"cpu": each})
    spec = PodSpec(containers=(Container("c", requests),))
    return (PodSet(count=pods, template=PodTemplate(spec=spec), topology_request=topology),)


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
