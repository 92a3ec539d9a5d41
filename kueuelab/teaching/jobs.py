"""The manifest of a small job, to try it before it is submitted."""

from __future__ import annotations

from kueuelab.manifests.writing import write_yaml

__all__ = ["job"]


def job(name: str, queue: str, pods: int, cpu: str, priority: str = "") -> str:
    """Return the manifest of a Job whose pods start together.

    Parameters
    ----------
    name
        Its name.
    queue
        Its LocalQueue.
    pods, cpu
        How many pods it has, and how much cpu each asks for.
    priority
        Its WorkloadPriorityClass; none if omitted.

    Examples
    --------
    >>> print(job("train", "team-a-jobs", 2, "1").splitlines()[1])
    kind: Job
    """
    labels = {"kueue.x-k8s.io/queue-name": queue}
    if priority:
        labels["kueue.x-k8s.io/priority-class"] = priority
    container = {"name": "main", "image": "train", "resources": {"requests": {"cpu": cpu}}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return write_yaml(
        [
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {"name": name, "labels": labels},
                "spec": {"parallelism": pods, "completions": pods, "template": template},
            }
        ]
    )
