"""A job as a model or a trace has it, and the Workloads that it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kueuelab.manifests.scenario import Submit
from kueuelab.model import (
    Container,
    ObjectMeta,
    PodSet,
    PodSpec,
    PodTemplate,
    ResourceRequirements,
    Workload,
)
from kueuelab.quantity import Quantity

__all__ = ["Job", "WorkloadMaker"]


@dataclass(frozen=True, slots=True)
class Job:
    """A job: when it is submitted, for how long it runs, and what its pods ask for.

    Attributes
    ----------
    name
        Its name in the trace.
    submitted, runs
        Nanoseconds since the start of the trace, and of the run.
    pods, least_pods
        How many pods; with how many it may start, if it may start with fewer.
    requests
        Of each pod: resource to quantity.
    user, group, queue, flavor
        As the trace names them.
    priority
        Its priority.
    """

    name: str
    submitted: int
    runs: int
    pods: int = 1
    requests: Mapping[str, str] = field(default_factory=dict)
    least_pods: int | None = None
    user: str = ""
    group: str = ""
    queue: str = ""
    flavor: str = ""
    priority: int = 0


class WorkloadMaker:
    """Makes Workloads; those that ask for the same share their pod sets."""

    def __init__(self) -> None:
        self._pod_sets: dict[object, tuple[PodSet, ...]] = {}

    def submit(
        self, job: Job, at: int, name: str, local_queue: str, node_selector: Mapping[str, str]
    ) -> Submit:
        """Return the submission of a job to a LocalQueue (``namespace/name``) at a time."""
        namespace, _, queue = local_queue.rpartition("/")
        meta = ObjectMeta(name, namespace=namespace or "default")
        pod_sets = self._of(job, node_selector)
        workload = Workload(meta, pod_sets, queue_name=queue, priority=job.priority)
        return Submit((workload,), runs=job.runs, at=at)

    def _of(self, job: Job, node_selector: Mapping[str, str]) -> tuple[PodSet, ...]:
        key = (
            job.pods,
            job.least_pods,
            tuple(job.requests.items()),
            tuple(node_selector.items()),
        )
        found = self._pod_sets.get(key)
        if found is None:
            requests = {name: Quantity.parse(text) for name, text in job.requests.items()}
            container = Container("main", ResourceRequirements(requests=requests))
            spec = PodSpec(
                containers=(container,),
                node_selector=dict(node_selector),
                restart_policy="Never",
            )
            template = PodTemplate(spec=spec)
            found = (PodSet(count=job.pods, min_count=job.least_pods, template=template),)
            self._pod_sets[key] = found
        return found
