"""How far a job has come, for jobs from a dump: finished, or some of its pods done."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from kueuelab.manifests.decode.meta import time
from kueuelab.manifests.jobs import batch_job, jobset
from kueuelab.manifests.jobs.job import Job
from kueuelab.messages import verbatim
from kueuelab.model import Condition, ReclaimablePod, WorkloadStatus

__all__ = ["status_of"]

#: The conditions that say that a job has succeeded, or failed.
_CONDITIONS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "Job": ("Complete", "Failed"),
        "JobSet": ("Completed", "Failed"),
        "TrainJob": ("Complete", "Failed"),
        "PyTorchJob": ("Succeeded", "Failed"),
        "TFJob": ("Succeeded", "Failed"),
        "XGBoostJob": ("Succeeded", "Failed"),
        "PaddleJob": ("Succeeded", "Failed"),
        "JAXJob": ("Succeeded", "Failed"),
        "MPIJob": ("Succeeded", "Failed"),
    }
)


def status_of(job: Job, pod_set_counts: Mapping[str, int]) -> WorkloadStatus:
    """Return the status of a job's Workload as far as the job's own status tells."""
    finished = _finished(job)
    if finished is not None:
        return WorkloadStatus(conditions=(finished,))
    if not job.gates["ReclaimablePods"]:
        return WorkloadStatus()
    done = tuple(
        ReclaimablePod(pod.name, min(pod.count, pod_set_counts.get(pod.name, 0)))
        for pod in _reclaimable_pods(job)
    )
    return WorkloadStatus(reclaimable_pods=done)


def _reclaimable_pods(job: Job) -> tuple[ReclaimablePod, ...]:
    match job.kind.kind:
        case "Job":
            return batch_job.reclaimable_pods(job)
        case "JobSet":
            return jobset.reclaimable_pods(job)
    return ()


def _finished(job: Job) -> Condition | None:
    match job.kind.kind:
        case "Pod":
            return _pod(job)
        case "AppWrapper":
            return _app_wrapper(job)
        case "RayJob":
            return _ray_job(job)
        case "SparkApplication":
            return _spark_application(job)
        case kind if kind in _CONDITIONS:
            return _by_conditions(job, *_CONDITIONS[kind])
    return None


def _by_conditions(job: Job, succeeded: str, failed: str) -> Condition | None:
    for entry in job.status["conditions"].items():
        kind = entry["type"].text()
        if kind in (succeeded, failed) and entry["status"].text() == "True":
            at = time(entry["lastTransitionTime"].value) or job.created or 0
            return _condition(kind == succeeded, entry["message"].text(), at)
    return None


def _pod(job: Job) -> Condition | None:
    phase = job.status["phase"].text()
    if phase not in ("Succeeded", "Failed"):
        return None
    return _condition(phase == "Succeeded", job.status["message"].text(), job.created or 0)


def _app_wrapper(job: Job) -> Condition | None:
    match job.status["phase"].text():
        case "Succeeded":
            return _condition(True, verbatim("AppWrapper finished successfully"), job.created or 0)
        case "Failed":
            return _condition(False, "AppWrapper failed", job.created or 0)
    return None


def _spark_application(job: Job) -> Condition | None:
    application = job.status["applicationState"]
    state = application["state"].text()
    if state not in ("COMPLETED", "FAILED", "SUBMISSION_FAILED"):
        return None
    at = time(job.status["terminationTime"].value) or job.created or 0
    return _condition(state == "COMPLETED", application["errorMessage"].text(), at)


def _ray_job(job: Job) -> Condition | None:
    if job.status["jobDeploymentStatus"].text() not in ("Failed", "Complete"):
        return None
    at = time(job.status["endTime"].value) or job.created or 0
    succeeded = job.status["jobStatus"].text() == "SUCCEEDED"
    return _condition(succeeded, job.status["message"].text(), at)


def _condition(succeeded: bool, message: str, at: int) -> Condition:
    reason = "Succeeded" if succeeded else "Failed"
    return Condition("Finished", "True", reason, message, last_transition_time=at)
