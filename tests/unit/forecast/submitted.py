"""Manifests of jobs, for tests of what would come of them."""

from __future__ import annotations

from typing import Any


def job(
    queue: str,
    cpu: str = "200m",
    *,
    pods: int = 1,
    name: str = "train",
    namespace: str = "default",
    **more: Any,
) -> dict[str, Any]:
    """Return a Job; ``priority`` is the name of its WorkloadPriorityClass."""
    labels = {"kueue.x-k8s.io/queue-name": queue}
    if priority := more.pop("priority", ""):
        labels["kueue.x-k8s.io/priority-class"] = priority
    container = {"name": "main", "image": "train", "resources": {"requests": {"cpu": cpu}}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    spec = {"parallelism": pods, "completions": pods, "template": template, **more}
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}
