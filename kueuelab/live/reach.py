"""Who can have a part in a decision: those who hold quota in the same cohort tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kueuelab.model import ClusterQueue, Cohort, LocalQueue, Workload
from kueuelab.simulation.objects import ClusterObject

__all__ = ["holding", "in_reach"]


def in_reach(
    objects: Iterable[ClusterObject], workloads: Mapping[str, Workload], heads: Iterable[str]
) -> frozenset[str]:
    """Return the ClusterQueues in the cohort trees of those that some workloads wait in.

    Parameters
    ----------
    objects
        Everything but the workloads.
    workloads
        All workloads, by their keys.
    heads
        The keys of those that are decided about.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta
    >>> queues = [ClusterQueue(ObjectMeta(name), cohort_name=name[0]) for name in ("a1", "a2", "b")]
    >>> local = LocalQueue(ObjectMeta("main", namespace="n"), "a1")
    >>> waits = Workload(ObjectMeta("w", namespace="n"), queue_name="main")
    >>> sorted(in_reach([*queues, local], {"n/w": waits}, ["n/w"]))
    ['a1', 'a2']
    """
    parents: dict[str, str] = {}
    cohorts: dict[str, str] = {}
    homes: dict[str, str] = {}
    for obj in objects:
        if isinstance(obj, Cohort):
            parents[obj.name] = obj.parent_name
        elif isinstance(obj, ClusterQueue):
            cohorts[obj.name] = obj.cohort_name
        elif isinstance(obj, LocalQueue):
            homes[obj.key] = obj.cluster_queue

    def root(queue: str) -> str:
        name, seen = cohorts.get(queue, ""), {""}
        while parents.get(name, "") not in seen:
            seen.add(name)
            name = parents[name]
        return f"cohort {name}" if name else f"queue {queue}"

    waiting = (workloads[key] for key in heads if key in workloads)
    queues = {homes.get(f"{each.namespace}/{each.queue_name}", "") for each in waiting}
    roots = {root(queue) for queue in queues}
    return frozenset(queue for queue in cohorts if root(queue) in roots)


def holding(
    workloads: Iterable[Workload], heads: Iterable[str], queues: frozenset[str] | None = None
) -> list[Workload]:
    """Return the heads, and those who hold quota (in these ClusterQueues, if they are given)."""
    wanted = frozenset(heads)
    found = []
    for each in workloads:
        admission = each.status.admission
        holds = admission is not None and (queues is None or admission.cluster_queue in queues)
        if holds or each.key in wanted:
            found.append(each)
    return found
