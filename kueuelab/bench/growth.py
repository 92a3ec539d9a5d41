"""Does the cost of a cycle grow with the number of admitted workloads? It must not.

A cluster is filled with admitted workloads; then the same three kinds of cycles are run
over and over, one new workload at the head of each queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from kueuelab.bench.measure import measured
from kueuelab.bench.runs import START, configured
from kueuelab.bench.shapes import FLAVOR, Shape, objects_of, pod_sets_of, queue_names, workload_of
from kueuelab.collector import without_collection
from kueuelab.model import (
    Admission,
    Condition,
    Configuration,
    PodSetAssignment,
    WorkloadStatus,
)
from kueuelab.model.times import SECOND

if TYPE_CHECKING:
    from kueuelab.simulation import Cluster

__all__ = ["SIZES", "GrowthRow", "run_growth"]

#: How many workloads are admitted.
SIZES: Final = (1_000, 10_000, 100_000, 300_000)

# A number of queues that goes into the sizes.
_COHORTS: Final = 5
_QUEUES: Final = 5
_ROUNDS: Final = 30
_PRIORITIES: Final = {"admit": 50, "preempt": 100, "wait": 10}


@dataclass(frozen=True, slots=True)
class GrowthRow:
    """What one kind of cycle costs at one size.

    ``kind`` is ``admit`` (each head fits), ``preempt`` (each head preempts a workload of
    its queue) or ``wait`` (no head fits, and none may preempt).
    """

    admitted: int
    kind: str
    cycles: int
    heads: int
    microseconds_per_head: float

    def as_json(self) -> dict[str, Any]:
        """Return the row as plain JSON values."""
        return {
            "admitted": self.admitted,
            "kind": self.kind,
            "cycles": self.cycles,
            "heads": self.heads,
            "microsecondsPerHead": round(self.microseconds_per_head, 1),
        }


def run_growth(
    sizes: tuple[int, ...] = SIZES,
    rounds: int = _ROUNDS,
    progress: Callable[[GrowthRow], None] = lambda row: None,
    *,
    fair_sharing: bool = False,
) -> list[GrowthRow]:
    """Measure cycles at several numbers of admitted workloads.

    Parameters
    ----------
    sizes : tuple of int, optional
        How many workloads are admitted, one number after the other.
    rounds : int, optional
        How many cycles of each kind are measured.
    progress : callable, optional
        Called with each row.
    fair_sharing : bool, optional
        Whether fair sharing is on.

    Returns
    -------
    list of GrowthRow
        Three rows for each size.
    """
    rows = []
    for size in sizes:
        with without_collection():
            for row in _measure(size, rounds, configured(fair_sharing=fair_sharing)):
                progress(row)
                rows.append(row)
    return rows


def _measure(size: int, rounds: int, configuration: Configuration) -> Iterator[GrowthRow]:
    each = max(1, size // (_COHORTS * _QUEUES))
    # Room for one more in each queue, which only the first kind of cycle finds.
    shape = Shape("growth", _COHORTS, _QUEUES, (), str(each + 1), borrowing_limit="0")
    queues = [name for name, _ in queue_names(shape)]
    cluster = _filled(shape, queues, each, configuration)
    for kind in ("admit", "preempt", "wait"):
        if kind == "preempt":
            _fill_last_place(cluster, queues)
        heads, seconds = 0, []
        for number in range(rounds):
            found, spent = _round(cluster, queues, f"{kind}-{number}", kind)
            heads += found
            seconds.append(spent * 1e6 / max(1, found))
        yield GrowthRow(each * len(queues), kind, rounds, heads, median(seconds))


def _filled(shape: Shape, queues: list[str], each: int, configuration: Configuration) -> Cluster:
    """Make a cluster in which each queue has admitted so many workloads."""
    from kueuelab.simulation import Cluster

    cluster = Cluster(configuration, start=START)
    for obj in objects_of(shape):
        cluster.apply(obj)
    pod_sets = pod_sets_of(1)
    conditions = tuple(
        Condition(type_, "True", reason, "", START - SECOND)
        for type_, reason in (("QuotaReserved", "QuotaReserved"), ("Admitted", "Admitted"))
    )
    assignment = PodSetAssignment("main", {"cpu": FLAVOR}, {"cpu": 1000}, 1)
    for queue in queues:
        status = WorkloadStatus(conditions, Admission(queue, (assignment,)))
        for number in range(each):
            created = START - (2 + number) * SECOND
            plain = workload_of(queue, f"full-{number}", created, 50, pod_sets)
            cluster.create_workload(replace(plain, status=status))
    return cluster


def _create(cluster: Cluster, queues: list[str], name: str, priority: int) -> list[str]:
    pod_sets = pod_sets_of(1)
    workloads = [workload_of(queue, name, cluster.now, priority, pod_sets) for queue in queues]
    for workload in workloads:
        cluster.create_workload(workload)
    return [workload.key for workload in workloads]


def _fill_last_place(cluster: Cluster, queues: list[str]) -> None:
    _create(cluster, queues, "last", 50)
    cluster.cycle()


def _round(cluster: Cluster, queues: list[str], name: str, kind: str) -> tuple[int, float]:
    """Run one cycle with a new workload in each queue, and put everything back."""
    cluster.advance_to(cluster.now + SECOND)
    keys = _create(cluster, queues, name, _PRIORITIES[kind])
    with measured() as measurement:
        record = cluster.cycle()
    if kind == "preempt":
        cluster.complete_evictions()
        cluster.cycle()
    if kind != "wait":
        for key in keys:
            cluster.finish(key)
    for key in keys:
        cluster.delete_workload(key)
    if kind == "preempt":
        cluster.cycle()
    return len(record.heads), measurement.seconds
