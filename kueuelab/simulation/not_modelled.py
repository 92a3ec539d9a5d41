"""What a scenario depends on and the simulator does not decide yet."""

from __future__ import annotations

from kueuelab.manifests.result import Manifests
from kueuelab.messages import Message
from kueuelab.model import ClusterQueue, Configuration, Workload

__all__ = ["not_modelled"]

_ELASTIC = "kueue.x-k8s.io/elastic-job"
_SLICE_OF = "kueue.x-k8s.io/workload-slice-replacement-for"


def not_modelled(configuration: Configuration, manifests: Manifests) -> tuple[str, ...]:
    """Return a sentence for each part of Kueue that matters here and is not modelled.

    Examples
    --------
    >>> not_modelled(Configuration(), Manifests())
    ()
    """
    gates = configuration.gates
    found: list[str] = []
    if gates["ConcurrentAdmission"] and (queues := _concurrent_queues(manifests)):
        found.append(
            Message("simulation.not-modelled.concurrent-admission", queues=", ".join(queues))
        )
    if gates["ElasticJobsViaWorkloadSlices"] and (workloads := _elastic(manifests.workloads)):
        found.append(Message("simulation.not-modelled.elastic", workloads=", ".join(workloads)))
    return tuple(found)


def _concurrent_queues(manifests: Manifests) -> list[str]:
    return sorted(q.name for q in manifests.cluster_queues if _is_concurrent(q))


def _is_concurrent(queue: ClusterQueue) -> bool:
    return "concurrentAdmissionPolicy" in queue.extra_spec


def _elastic(workloads: tuple[Workload, ...]) -> list[str]:
    return sorted(
        workload.key
        for workload in workloads
        if workload.metadata.annotations.get(_ELASTIC) == "true"
        or _SLICE_OF in workload.metadata.annotations
    )
