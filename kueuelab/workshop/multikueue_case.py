"""Playing a case of MultiKueue: workers by their size, jobs, and faults of the workers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final

from kueuelab.manifests import ModelObject, load
from kueuelab.manifests.loading.moments import nanoseconds
from kueuelab.model import ClusterQueue, Configuration, LocalQueue
from kueuelab.model.times import parse_time
from kueuelab.multikueue import ClusterSet, Dispatcher, PodPlan, SharedRecorder
from kueuelab.simulation import Loop, Outcome
from kueuelab.trace import Trace
from kueuelab.trace.recorded_run import RecordedClusterRun
from kueuelab.workshop.answer import Answer, edited_objects
from kueuelab.workshop.spec import Case

__all__ = ["MultiKueueCaseRun", "play_multikueue_case"]

_MANAGER: Final = "manager"
_START: Final = parse_time("2026-01-01T00:00:00Z")

#: A worker offers one flavor in one queue, of the same names as the manager's.
_WORKER: Final = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {{name: {flavor}}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: {cluster_queue}}}
spec:
  namespaceSelector: {{}}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - {{name: {flavor}, resources: [{{name: cpu, nominalQuota: {cpu}}}]}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {{name: {queue}}}
spec: {{clusterQueue: {cluster_queue}}}
"""


@dataclass(frozen=True)
class MultiKueueCaseRun(RecordedClusterRun):
    """The run of a case: the manager's trace, and the clusters in their last state.

    Attributes
    ----------
    name
        What was played.
    cluster set
        All clusters.
    start
        The clock at the start.
    loop, outcomes
        As of other runs; there are none here.
    """

    name: str
    cluster_set: ClusterSet
    start: int
    loop: Loop | None = None
    outcomes: tuple[Outcome, ...] = ()

    def __repr__(self) -> str:
        return f"<MultiKueueCaseRun {self.name}: {self.cluster_set!r}>"

    @cached_property
    def trace(self) -> Trace:
        """The record of every step of the manager."""
        assert self.cluster_set.recorder is not None
        return self.cluster_set.recorder.trace(self.name).of_cluster(_MANAGER)

    def as_text(self) -> str:
        """Return what was written to the API servers, line by line."""
        assert self.cluster_set.log is not None
        return "\n".join(str(fact) for fact in self.cluster_set.log.facts)

    def __str__(self) -> str:
        return self.as_text()


def play_multikueue_case(
    name: str, case: Case, answer: Answer, dispatcher: Dispatcher | None = None
) -> MultiKueueCaseRun:
    """Play a case with the manager's objects of an answer, or with a dispatcher."""
    spec: Mapping[str, Any] = case.scenario["multikueue"]
    workers: Mapping[str, Any] = spec["workers"]
    configurations = {
        _MANAGER: answer.configuration or Configuration(),
        **{worker: Configuration() for worker in workers},
    }
    cluster_set = ClusterSet(
        configurations,
        manager=_MANAGER,
        start=_START,
        dispatcher=dispatcher,
        recorder=SharedRecorder(),
    )
    names = _names(answer)
    objects: dict[str, tuple[ModelObject, ...]] = {
        _MANAGER: edited_objects(answer.objects, case.edits),
        **{
            worker: tuple(load(_WORKER.format(cpu=cpu, **names))) for worker, cpu in workers.items()
        },
    }
    cluster_set.load(objects, missing_crds=spec.get("lacks"), facts=True)
    for job in spec.get("jobs", ()):
        plan = PodPlan(nanoseconds(job["runs"]) if "runs" in job else None)
        cluster_set.loop.at(
            _START + nanoseconds(job["at"]),
            partial(_submit, cluster_set, job, names["queue"], plan),
        )
    for fault in spec.get("faults", ()):
        inject = partial(getattr(cluster_set, fault["do"]), fault["cluster"])
        cluster_set.loop.at(_START + nanoseconds(fault["at"]), inject)
    cluster_set.run_until(_START + nanoseconds(spec["until"]))
    return MultiKueueCaseRun(f"{name}-{case.id}", cluster_set, _START)


def _names(answer: Answer) -> dict[str, str]:
    """Return the name of the manager's only queue, and of its flavor."""
    (queue,) = (each for each in answer.before if isinstance(each, LocalQueue))
    (cluster_queue,) = (each for each in answer.before if isinstance(each, ClusterQueue))
    return {
        "queue": queue.metadata.name,
        "cluster_queue": cluster_queue.metadata.name,
        "flavor": cluster_queue.resource_groups[0].flavors[0].name,
    }


def _submit(cluster_set: ClusterSet, job: Mapping[str, Any], queue: str, plan: PodPlan) -> None:
    cluster_set.submit(job.get("on", _MANAGER), _job(job, queue), plan)


def _job(job: Mapping[str, Any], queue: str) -> dict[str, Any]:
    container = {
        "name": "main",
        "image": "example.invalid/work",
        "resources": {"requests": {"cpu": job["cpu"]}},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": job["name"],
            "namespace": "default",
            "labels": {"kueue.x-k8s.io/queue-name": queue},
        },
        "spec": {
            "suspend": True,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
        },
    }
