"""Changing a Job on a cluster, as its user does with kubectl; Kueue does the rest."""

from __future__ import annotations

from functools import partial

from kueuelab.live.api import ClusterApi
from kueuelab.live.editing import change_object
from kueuelab.live.resources import JOBS, Json
from kueuelab.manifests.jobs.constants import PRIORITY_CLASS, QUEUE_NAME
from kueuelab.manifests.scenario import ChangeJob

__all__ = ["change_job", "shown_changes"]


def change_job(api: ClusterApi, job: Json, change: ChangeJob) -> bool:
    """Change a Job that was submitted; tell whether it is there and was different."""
    meta = job["metadata"]
    namespace = meta.get("namespace") or "default"
    return change_object(api, JOBS, meta["name"], namespace, partial(_set, change))


def shown_changes(change: ChangeJob) -> str:
    """Return what is changed, as fields and labels of the Job have it.

    Examples
    --------
    >>> shown_changes(ChangeJob("default/train", pods=2, suspend=True))
    'parallelism=2 suspend=true'
    >>> shown_changes(ChangeJob("default/train", queue="a", priority_class="high"))
    'kueue.x-k8s.io/queue-name=a kueue.x-k8s.io/priority-class=high'
    """
    values = {**_spec(change), **_labels(change)}
    shown = {True: "true", False: "false"}
    return " ".join(
        f"{name}={shown[value] if isinstance(value, bool) else value}"
        for name, value in values.items()
    )


def _spec(change: ChangeJob) -> dict[str, int | bool]:
    found: dict[str, int | bool] = {}
    if change.pods is not None:
        found["parallelism"] = change.pods  # Kubernetes refuses another number of completions.
    if change.suspend is not None:
        found["suspend"] = change.suspend
    return found


def _labels(change: ChangeJob) -> dict[str, str]:
    labels = {QUEUE_NAME: change.queue, PRIORITY_CLASS: change.priority_class}
    return {name: value for name, value in labels.items() if value is not None}


def _set(change: ChangeJob, job: Json) -> bool:
    spec, labels = _spec(change), _labels(change)
    known = job["metadata"].setdefault("labels", {})
    if spec.items() <= job["spec"].items() and labels.items() <= known.items():
        return False
    job["spec"].update(spec)
    known.update(labels)
    return True
