"""How fast the queues are: 30 ClusterQueues with 500 workloads each, woken again and again.

Run ``python benchmarks/queues.py``; it prints figures and checks nothing. Every round takes
the heads, gives them all back as not fitting (so that their equals are set aside with them),
and wakes a cohort tree; in "drain" every other head is admitted until all queues are empty.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter

from kueuelab.model import (
    ClusterQueue,
    Configuration,
    FeatureGates,
    LabelSelector,
    LocalQueue,
    ObjectMeta,
    PodSet,
    Resources,
    Workload,
)
from kueuelab.model.times import MILLISECOND
from kueuelab.queues import QueueManager, RequeueReason
from kueuelab.workload import WorkloadState

COHORTS = 5
QUEUES_PER_COHORT = 6
#: Name, number, priority, pods, and milliseconds between two: Kueue's baseline scenario.
SHAPES = (("small", 350, 50, 1, 100), ("medium", 100, 100, 5, 500), ("large", 50, 200, 20, 1200))


def build(*, hashing: bool) -> tuple[QueueManager, list[WorkloadState]]:
    """Return the manager with its queues, and the workloads that are not queued yet."""
    gates = FeatureGates({"SchedulingEquivalenceHashing": hashing})
    manager = QueueManager(Configuration(gates=gates), lambda: 0, lambda namespace: {})
    workloads = []
    for cohort in range(COHORTS):
        manager.set_cohort(f"cohort-{cohort}", "")
        for number in range(QUEUES_PER_COHORT):
            name = f"cq-{cohort}-{number}"
            spec = ClusterQueue(
                ObjectMeta(name), cohort_name=f"cohort-{cohort}", namespace_selector=LabelSelector()
            )
            manager.set_cluster_queue(spec)
            manager.set_local_queue(LocalQueue(ObjectMeta(f"lq-{name}", "ns"), name))
            for shape, count, priority, pods, interval in SHAPES:
                for i in range(count):
                    key = f"{name}-{shape}-{i}"
                    meta = ObjectMeta(
                        key, "ns", uid=key, creation_timestamp=i * interval * MILLISECOND
                    )
                    workload = Workload(
                        meta, (PodSet(count=pods),), queue_name=f"lq-{name}", priority=priority
                    )
                    workloads.append(WorkloadState(workload, Resources(), hashing=hashing))
    return manager, workloads


def wake_and_retry(manager: QueueManager, rounds: int) -> int:
    """Take heads, give them back, wake one queue's cohort tree; return heads taken."""
    taken = 0
    for i in range(rounds):
        for head in manager.heads():
            manager.requeue(head.workload, RequeueReason.NO_FIT)
            taken += 1
        manager.wake((f"cq-{i % COHORTS}-0",))
    return taken


def drain(manager: QueueManager) -> int:
    """Admit every other head, give back the rest, and wake everything in between."""
    taken = 0
    names = [f"cq-{cohort}-0" for cohort in range(COHORTS)]
    while heads := manager.heads():
        for head in heads:
            taken += 1
            if taken % 2:
                manager.delete(head.workload.key)
            else:
                manager.requeue(head.workload, RequeueReason.NO_FIT)
        manager.wake(names)
    return taken


def wake_in_vain(manager: QueueManager, rounds: int) -> int:
    """Wake a cohort tree that has nothing set aside."""
    for _ in range(rounds):
        manager.wake(("cq-0-0",))
    return rounds


def timed(what: str, work: Callable[[], int]) -> None:
    """Run something, and print how long it took in all and for each piece."""
    start = perf_counter()
    pieces = work()
    seconds = perf_counter() - start
    print(f"  {what:<28}{pieces:>8}{seconds:>9.3f} s{seconds / pieces * 1e6:>8.2f} µs each")


def measure(rounds: int, *, hashing: bool) -> None:
    """Print the figures of one configuration."""
    manager, workloads = build(hashing=hashing)
    print(f"hashing {'on' if hashing else 'off'}:")
    timed("push", lambda: sum(map(manager.add_or_update, workloads)))
    timed("update", lambda: sum(map(manager.add_or_update, workloads)))
    timed(f"{rounds} x heads, requeue, wake", lambda: wake_and_retry(manager, rounds))
    timed("wake, nothing to wake", lambda: wake_in_vain(manager, rounds))
    timed("drain", lambda: drain(manager))


if __name__ == "__main__":
    for on in True, False:
        measure(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, hashing=on)
