"""What Kueue's webhooks reject in jobs of any kind: the rules of the server, reported for a job."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.reading import Report
from kueuelab.manifests.server.advice import advice
from kueuelab.manifests.server.problems import FieldError
from kueuelab.manifests.server.webhooks.annotations import gate_errors
from kueuelab.manifests.server.webhooks.jobs import new_job_errors, queue_name_errors

__all__ = ["report_errors", "validate_job"]

# Their webhooks don't look at labels that only jobs understand.
_SERVING: Final = ("Deployment", "StatefulSet", "LeaderWorkerSet")


def validate_job(job: Job) -> None:
    """Report what is wrong with the labels and annotations that any job may carry."""
    obj = {"metadata": {"labels": job.labels, "annotations": job.annotations}}
    if job.kind.kind in _SERVING:
        report_errors(job.report, queue_name_errors(obj))
    else:
        report_errors(job.report, new_job_errors(obj))
        if job.prebuilt_workload and not job.kind.prebuilt_workload:
            label = job.root["metadata"]["labels"].key(constants.PREBUILT_WORKLOAD)
            label.problem(f'Forbidden: Is not supported for "{job.kind.gvk}"')
    if job.elastic and not job.kind.elastic:
        annotation = job.root["metadata"]["annotations"].key(constants.ELASTIC_JOB)
        annotation.problem(f'Forbidden: elastic job is not supported for "{job.kind.gvk}"')
    report_errors(job.report, gate_errors(obj, job.gates))


def report_errors(report: Report, errors: Iterable[FieldError]) -> None:
    """Report what the server says of fields, each with what to do about it."""
    for error in errors:
        report.problem(error.field, error.message, advice(error))
