"""The rules of the queues written down as plainly as possible, to hold the real ones against.

Every workload is moved one by one, every order is sorted afresh, and nothing is shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kueuelab.model import ClusterQueue, Configuration
from kueuelab.queues import is_admissible
from kueuelab.workload import WorkloadState, queue_order_timestamp

AT_ONCE = {"FailedAfterNomination", "PendingPreemption", "PendingMigration", "PreemptionFailed"}


@dataclass(frozen=True)
class Seen:
    """A workload as it was when the queue looked at it."""

    workload: WorkloadState
    order: tuple[Any, ...]
    hash: str
    matters: tuple[Any, ...]
    generation: int
    evaluated: int
    requeued_false: bool
    requeue_at: int


@dataclass
class NaiveQueue:
    spec: ClusterQueue
    active: dict[str, Seen] = field(default_factory=dict)
    parked: dict[str, Seen] = field(default_factory=dict)
    inflight: str = ""
    pops: int = 0
    woken_at_pop: int = -1
    bulk: dict[str, str] = field(default_factory=dict)
    preemptor: tuple[str, int, bool] | None = None

    @property
    def best_effort(self) -> bool:
        return self.spec.queueing_strategy == "BestEffortFIFO"

    def in_order(self) -> list[str]:
        sticky = self.preemptor[0] if self.preemptor and self.preemptor[2] else None
        return sorted(self.active, key=lambda key: (key != sticky, self.active[key].order))

    def drop(self, key: str) -> None:
        self.active.pop(key, None)
        self.parked.pop(key, None)
        if self.inflight == key:
            self.inflight = ""
        if self.preemptor and self.preemptor[0] == key:
            self.preemptor = None

    def push_if_untracked(self, seen: Seen) -> None:
        key = seen.workload.key
        if key != self.inflight and key not in self.parked and key not in self.active:
            self.active[key] = seen


@dataclass
class NaiveLocalQueue:
    cluster_queue: str
    items: dict[str, WorkloadState] = field(default_factory=dict)


class NaiveManager:
    def __init__(
        self,
        configuration: Configuration,
        clock: Callable[[], int],
        namespace_labels: Callable[[str], Mapping[str, str] | None],
    ) -> None:
        self.configuration = configuration
        self.clock = clock
        self.namespace_labels = namespace_labels
        self.queues: dict[str, NaiveQueue] = {}
        self.local_queues: dict[str, NaiveLocalQueue] = {}
        self.assigned: dict[str, str] = {}
        self.parents: dict[str, str] = {}

    # --- helpers

    def look(self, workload: WorkloadState, evaluated: int) -> Seen:
        conditions = workload.conditions
        requeued = conditions.get("Requeued")
        state = workload.requeue_state
        obj = workload.obj
        spec = (obj.pod_sets, obj.queue_name, obj.priority, obj.active, obj.preemption_gates)
        matters = (
            spec,
            workload.reclaimable_pods,
            conditions.get("Evicted"),
            requeued,
            workload.has_closed_preemption_gate,
        )
        time = queue_order_timestamp(workload, self.configuration)
        return Seen(
            workload,
            (-workload.priority, time, workload.uid),
            workload.scheduling_hash,
            matters,
            obj.metadata.generation,
            evaluated,
            requeued is not None and requeued.status == "False",
            (state.requeue_at or 0) if state else 0,
        )

    def backs_off(self, seen: Seen) -> bool:
        return seen.requeued_false or self.clock() < seen.requeue_at

    def root(self, cohort: str) -> str | None:
        path = [cohort]
        while path[-1] in self.parents:
            parent = self.parents[path[-1]]
            if parent in path:
                return None
            path.append(parent)
        return path[-1]

    def tree(self, name: str) -> list[str]:
        cohort = self.queues[name].spec.cohort_name
        if not cohort:
            return [name]
        root = self.root(cohort)
        return [] if root is None else self.below(root)

    def below(self, root: str) -> list[str]:
        return [
            name
            for name, queue in self.queues.items()
            if queue.spec.cohort_name and self.root(queue.spec.cohort_name) == root
        ]

    def queue_of(self, key: str) -> NaiveQueue | None:
        local_queue = self.local_queues.get(self.assigned.get(key, ""))
        return self.queues.get(local_queue.cluster_queue) if local_queue else None

    def place(self, key: str) -> str | None:
        queue = self.queue_of(key)
        if queue is None:
            return None
        if key in queue.active:
            return "active"
        if key in queue.parked:
            return "inadmissible"
        return "inflight" if queue.inflight == key else None

    # --- objects

    def set_cluster_queue(self, spec: ClusterQueue) -> None:
        name = spec.name
        if name in self.queues:
            if self.queues[name].spec == spec:
                return
            self.queues[name].spec = spec
        else:
            self.queues[name] = NaiveQueue(spec)
            for local_queue in self.local_queues.values():
                if local_queue.cluster_queue == name:
                    self.fill(local_queue)
        self.wake([name])

    def remove_cluster_queue(self, name: str) -> None:
        self.queues.pop(name, None)

    def set_cohort(self, name: str, parent: str) -> None:
        self.parents.pop(name, None)
        if parent:
            self.parents[name] = parent
        root = self.root(name)
        if root is not None:
            for queue in self.below(root):
                self.wake_one(self.queues[queue])

    def remove_cohort(self, name: str) -> None:
        self.parents.pop(name, None)

    def set_local_queue(self, key: str, target: str, workloads: Iterable[WorkloadState]) -> None:
        known = self.local_queues.get(key)
        if known is None:
            known = self.local_queues[key] = NaiveLocalQueue(target)
            for workload in workloads:
                if workload.queue_key == key:
                    self.assigned[workload.key] = key
                    if is_admissible(workload, self.configuration.gates):
                        known.items[workload.key] = workload
            self.fill(known)
        elif known.cluster_queue != target:
            self.empty(known)
            known.cluster_queue = target
            self.fill(known)

    def remove_local_queue(self, key: str) -> None:
        if key in self.local_queues:
            self.empty(self.local_queues.pop(key))

    def fill(self, local_queue: NaiveLocalQueue) -> None:
        queue = self.queues.get(local_queue.cluster_queue)
        if queue is not None:
            for workload in local_queue.items.values():
                queue.push_if_untracked(self.look(workload, 0))

    def empty(self, local_queue: NaiveLocalQueue) -> None:
        queue = self.queues.get(local_queue.cluster_queue)
        if queue is not None:
            for key in local_queue.items:
                queue.drop(key)

    # --- workloads

    def add_or_update(self, workload: WorkloadState) -> bool:
        key = workload.key
        if not is_admissible(workload, self.configuration.gates):
            return False
        if self.assigned.get(key, workload.queue_key) != workload.queue_key:
            self.forget(key)
        local_queue = self.local_queues.get(workload.queue_key)
        if local_queue is None:
            return False
        self.assigned[key] = workload.queue_key
        local_queue.items[key] = workload
        queue = self.queues.get(local_queue.cluster_queue)
        if queue is None:
            return False
        if queue.inflight == key:
            return True
        new = self.look(workload, 0)
        if key in queue.active:
            queue.active[key] = new
            return True
        old = queue.parked.pop(key, None)
        bulk_moved = queue.best_effort and bool(new.hash) and new.hash in queue.bulk
        unchanged = (
            old is not None
            and old.matters == new.matters
            and (old.evaluated == 0 or old.evaluated == new.generation)
        )
        if unchanged or self.backs_off(new) or bulk_moved:
            queue.parked[key] = new
        else:
            queue.active[key] = new
        return True

    def requeue(self, workload: WorkloadState, reason: str, quota_reason: str) -> bool:
        key = workload.key
        local_queue = self.local_queues.get(workload.queue_key)
        if local_queue is None or not is_admissible(workload, self.configuration.gates):
            return False
        self.assigned[key] = workload.queue_key
        local_queue.items[key] = workload
        queue = self.queues.get(local_queue.cluster_queue)
        if queue is None:
            return False
        seen = self.look(workload, workload.last_evaluated_generation)
        if reason in ("PendingPreemption", "PendingMigration"):
            queue.preemptor = (key, seen.evaluated, queue.best_effort)
        if queue.inflight == key:
            queue.inflight = ""
        at_once = reason in AT_ONCE if queue.best_effort else reason != "NamespaceMismatch"
        last = workload.last_assignment
        more_flavors = last is not None and last.has_pending_flavors
        woken = queue.woken_at_pop >= queue.pops
        if not self.backs_off(seen) and (at_once or more_flavors or woken):
            if key in queue.active:
                return False
            queue.parked.pop(key, None)
            queue.active[key] = seen
            return True
        if key in queue.parked or key in queue.active:
            return False
        queue.parked[key] = seen
        if seen.hash and queue.best_effort and reason in ("NoFit", "PreemptionNoCandidates"):
            queue.bulk[seen.hash] = quota_reason or "PendingEvaluation"
            for other in [k for k, each in queue.active.items() if each.hash == seen.hash]:
                queue.parked[other] = queue.active.pop(other)
        return True

    def delete(self, key: str) -> None:
        local_queue = self.local_queues.get(self.assigned.get(key, ""))
        if local_queue is not None:
            local_queue.items.pop(key, None)
            queue = self.queues.get(local_queue.cluster_queue)
            if queue is not None:
                queue.drop(key)

    def forget(self, key: str) -> None:
        self.delete(key)
        self.assigned.pop(key, None)

    def heads(self, active: Callable[[str], bool]) -> list[tuple[str, str, bool]]:
        heads = []
        for name in sorted(self.queues):
            queue = self.queues[name]
            if not active(name):
                continue
            queue.pops += 1
            queue.inflight = ""
            if queue.active:
                key = queue.in_order()[0]
                workload = queue.active.pop(key).workload
                queue.inflight = key
                generation = workload.obj.metadata.generation
                preemptor = queue.preemptor is not None and queue.preemptor[:2] == (key, generation)
                heads.append((key, name, preemptor))
                local_queue = self.local_queues.get(self.assigned[key])
                if local_queue is not None:
                    local_queue.items.pop(key, None)
        return heads

    def wake(self, names: Iterable[str]) -> int:
        found = {other for name in names if name in self.queues for other in self.tree(name)}
        return sum(self.wake_one(self.queues[name]) for name in sorted(found))

    def wake_for(self, key: str) -> int:
        local_queue = self.local_queues.get(self.assigned.get(key, ""))
        return self.wake([local_queue.cluster_queue]) if local_queue else 0

    def wake_one(self, queue: NaiveQueue) -> int:
        queue.woken_at_pop = queue.pops
        queue.bulk.clear()
        selector = queue.spec.namespace_selector
        eligible = []
        for key, seen in queue.parked.items():
            labels = self.namespace_labels(seen.workload.obj.namespace)
            if labels is None or selector is None or not selector.matches(labels):
                continue
            if not self.backs_off(seen):
                eligible.append(key)
        for key in eligible:
            queue.active[key] = queue.parked.pop(key)
        return len(eligible)
