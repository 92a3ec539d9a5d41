"""What the tests of job conversion share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from kueuelab.manifests.jobs import Conversion, JobContext, workloads_for, workloads_for_all
from kueuelab.manifests.jobs.kinds import JOB_KINDS
from kueuelab.model import (
    Configuration,
    FeatureGates,
    ObjectMeta,
    PodSet,
    PriorityClass,
    Workload,
    WorkloadPriorityClass,
)
from kueuelab.workload import pod_requests

FRAMEWORKS = tuple(kind.framework for kind in JOB_KINDS.values())
DATA = Path(__file__).parents[3] / "data" / "jobs"


def documents(name: str) -> list[dict[str, Any]]:
    """Return the manifests of a data file."""
    return list(yaml.safe_load_all((DATA / f"{name}.yaml").read_text()))


def context(**gates: bool) -> JobContext:
    """Return a cluster with a few priority classes, whose Kueue manages every kind."""
    return JobContext(
        configuration=Configuration(frameworks=FRAMEWORKS, gates=FeatureGates(gates)),
        workload_priority_classes={
            "production": WorkloadPriorityClass(ObjectMeta("production"), 1000)
        },
        priority_classes={
            name: PriorityClass(ObjectMeta(name), value)
            for name, value in (("batch-low", 10), ("batch-high", 500))
        },
    )


def convert_all(name: str, where: JobContext | None = None) -> tuple[Conversion, ...]:
    """Convert a data file; nothing in it is wrong."""
    conversions = workloads_for_all(documents(name), where or context())
    assert [problem for c in conversions for problem in c.problems] == []
    return conversions


def workloads(name: str, where: JobContext | None = None) -> list[Workload]:
    """Return all Workloads of a data file."""
    return [workload for c in convert_all(name, where) for workload in c.workloads]


def summary(pod_set: PodSet) -> tuple[str, int, dict[str, str]]:
    """Return name, count and what one pod requests."""
    requests = pod_requests(pod_set.template.spec)
    return pod_set.name, pod_set.count, {name: str(q) for name, q in sorted(requests.items())}


def job(
    spec: dict[str, Any] | None = None,
    *,
    labels: dict[str, Any] | None = None,
    annotations: dict[str, Any] | None = None,
    **metadata: Any,
) -> dict[str, Any]:
    """Return a small Job in the queue ``q``."""
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "j",
            "labels": {"kueue.x-k8s.io/queue-name": "q"} if labels is None else labels,
            "annotations": annotations or {},
            **metadata,
        },
        "spec": {"template": {"spec": pod_spec()}, **(spec or {})},
    }


def pod(name: str, cpu: str = "1", **metadata: Any) -> dict[str, Any]:
    """Return a small Pod in the queue ``q``."""
    labels = {"kueue.x-k8s.io/queue-name": "q", **metadata.pop("labels", {})}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels, **metadata},
        "spec": pod_spec(cpu),
    }


def pod_spec(cpu: str = "1") -> dict[str, Any]:
    return {"containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]}


def problems(obj: dict[str, Any], where: JobContext | None = None) -> list[str]:
    """Return what is wrong with a manifest, as field and message."""
    conversion = workloads_for(obj, where or context())
    assert conversion.workloads == ()
    return [f"{problem.field}: {problem.message}" for problem in conversion.problems]
