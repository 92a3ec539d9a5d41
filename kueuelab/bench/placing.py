"""What a cycle costs that places pods on 5,000 nodes which 10,000 admitted pods use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from kueuelab.bench.measure import measured
from kueuelab.bench.runs import START, configured
from kueuelab.bench.shapes import (
    FLAVOR,
    RACK,
    TAS,
    Shape,
    nodes_of,
    objects_of,
    pod_sets_of,
    queue_names,
    workload_of,
)
from kueuelab.collector import without_collection
from kueuelab.model import (
    Admission,
    Condition,
    Configuration,
    PodSetAssignment,
    TopologyAssignment,
    TopologyDomain,
    Workload,
    WorkloadStatus,
)
from kueuelab.model.times import SECOND
from kueuelab.model.topology import HOSTNAME

if TYPE_CHECKING:
    from kueuelab.simulation import Cluster

__all__ = ["CYCLE", "PlacingResult", "run_placing"]

#: 5,000 nodes in 50 racks, and 30 queues.
CYCLE: Final = Shape("tas-cycle", 5, 6, (), "1000000", "1000000", racks=50, hosts=100)

_PODS_EACH: Final = 4
_ROUNDS: Final = 30


@dataclass(frozen=True, slots=True)
class PlacingResult:
    """What a cycle costs; ``milliseconds`` is the median of wall time, ``most`` the longest."""

    nodes: int
    pods: int
    heads: int
    cycles: int
    milliseconds: float
    most: float

    def as_json(self) -> dict[str, Any]:
        """Return the result as plain JSON values."""
        return {
            "nodes": self.nodes,
            "pods": self.pods,
            "heads": self.heads,
            "cycles": self.cycles,
            "millisecondsPerCycle": round(self.milliseconds, 1),
            "mostMilliseconds": round(self.most, 1),
        }


def run_placing(
    shape: Shape = CYCLE,
    pods: int = 10_000,
    rounds: int = _ROUNDS,
    *,
    fair_sharing: bool = False,
) -> PlacingResult:
    """Measure cycles, each with a new workload in each queue that is placed and admitted.

    Parameters
    ----------
    shape : Shape, optional
        Nodes and queues.
    pods : int, optional
        How many pods are admitted before.
    rounds : int, optional
        How many cycles are measured.
    fair_sharing : bool, optional
        Whether fair sharing is on.
    """
    queues = [name for name, _ in queue_names(shape)]
    with without_collection():
        cluster = _filled(shape, queues, pods, configured(fair_sharing=fair_sharing))
        spent, heads = [], 0
        for number in range(rounds):
            cluster.advance_to(cluster.now + SECOND)
            keys = [_create(cluster, queue, number + place) for place, queue in enumerate(queues)]
            with measured() as measurement:
                record = cluster.cycle()
            spent.append(measurement.seconds * 1000)
            heads = len(record.heads)
            for key in keys:
                cluster.finish(key)
                cluster.delete_workload(key)
    nodes = shape.racks * shape.hosts
    return PlacingResult(nodes, pods, heads, rounds, median(spent), max(spent))


def _create(cluster: Cluster, queue: str, number: int) -> str:
    """Create a workload like those of Kueue's scenario, each time of the next class."""
    kind = TAS.classes[number % len(TAS.classes)]
    pod_sets = pod_sets_of(kind.cpu, kind.pods, kind.topology)
    name = f"new-{number}"
    return cluster.create_workload(
        workload_of(queue, name, cluster.now, kind.priority, pod_sets)
    ).key


def _filled(shape: Shape, queues: list[str], pods: int, configuration: Configuration) -> Cluster:
    """Make a cluster with so many admitted pods, spread over its nodes."""
    from kueuelab.simulation import Cluster

    cluster = Cluster(configuration, start=START)
    cluster.load([*objects_of(shape), *_admitted(shape, queues, pods)])
    return cluster


def _admitted(shape: Shape, queues: list[str], pods: int) -> Iterator[Workload]:
    hosts = [node.metadata.name for node in nodes_of(shape)]
    plain = pod_sets_of(_PODS_EACH, _PODS_EACH, {"required": RACK})
    conditions = tuple(
        Condition(type_, "True", type_, "", START - SECOND)
        for type_ in ("QuotaReserved", "Admitted")
    )
    for number in range(pods // _PODS_EACH):
        queue = queues[number % len(queues)]
        host = hosts[number * 7 % len(hosts)]
        places = TopologyAssignment((HOSTNAME,), (TopologyDomain((host,), _PODS_EACH),))
        assignment = PodSetAssignment(
            "main",
            {"cpu": FLAVOR},
            {"cpu": 1000 * _PODS_EACH},
            _PODS_EACH,
            topology_assignment=places.stored(),
        )
        status = WorkloadStatus(conditions, Admission(queue, (assignment,)))
        created = START - (2 + number) * SECOND
        workload = workload_of(queue, f"full-{number}", created, 50, plain)
        yield replace(workload, status=status)
