"""One ClusterQueue, one LocalQueue and a clock, for tests of the queues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

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
from kueuelab.queues import QueueManager, RequeueReason
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import WorkloadState

EVERYWHERE = LabelSelector()


class Lab:
    """A manager with the ClusterQueue ``cq``, the LocalQueue ``ns/lq``, and a clock."""

    def __init__(
        self,
        *,
        strategy: str = "BestEffortFIFO",
        gates: Mapping[str, bool] | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        self.now = 1_000
        self.namespaces: dict[str, dict[str, str]] = {"ns": {}, "other": {}}
        self.configuration = Configuration(gates=FeatureGates(gates or {}))
        self.queues = QueueManager(
            self.configuration, lambda: self.now, self.namespaces.get, recorder
        )
        self.spec = ClusterQueue(
            ObjectMeta("cq"),
            queueing_strategy="StrictFIFO" if strategy == "StrictFIFO" else "BestEffortFIFO",
            namespace_selector=EVERYWHERE,
        )
        self.queues.set_cluster_queue(self.spec)
        self.set_local_queue("ns/lq", "cq")

    def set_local_queue(
        self, key: str, cluster_queue: str, *workloads: WorkloadState, stop: bool = False
    ) -> None:
        namespace, name = key.split("/")
        spec = LocalQueue(
            ObjectMeta(name, namespace), cluster_queue, stop_policy="Hold" if stop else "None"
        )
        self.queues.set_local_queue(spec, workloads)

    def state(
        self,
        name: str,
        *,
        priority: int = 0,
        pods: int = 1,
        namespace: str = "ns",
        queue: str = "lq",
    ) -> WorkloadState:
        meta = ObjectMeta(name, namespace, uid=name, creation_timestamp=self.now, generation=1)
        obj = Workload(meta, (PodSet(count=pods),), queue_name=queue, priority=priority)
        hashing = self.configuration.gates["SchedulingEquivalenceHashing"]
        return WorkloadState(obj, Resources(), hashing=hashing)

    def push(self, name: str, *, priority: int = 0, pods: int = 1) -> WorkloadState:
        state = self.state(name, priority=priority, pods=pods)
        assert self.queues.add_or_update(state)
        return state

    def edit(self, state: WorkloadState, **changes: object) -> None:
        generation = state.obj.metadata.generation + 1
        metadata = replace(state.obj.metadata, generation=generation)
        state.set_obj(replace(state.obj, metadata=metadata, **changes))  # type: ignore[arg-type]
        self.queues.add_or_update(state)

    def head(self) -> WorkloadState:
        (head,) = self.queues.heads()
        return head.workload

    def cycle(self, reason: RequeueReason, quota_reason: str = "") -> WorkloadState:
        state = self.head()
        self.queues.requeue(state, reason, quota_reason)
        return state

    @property
    def active(self) -> list[str]:
        return [key.removeprefix("ns/") for key in self.queues.pending_active("cq")]

    @property
    def parked(self) -> list[str]:
        return [key.removeprefix("ns/") for key in self.queues.inadmissible("cq")]
