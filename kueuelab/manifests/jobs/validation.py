"""What Kueue's webhooks reject in jobs of any kind, in their words."""

from __future__ import annotations

import re
from typing import Final

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.names import is_subdomain
from kueuelab.manifests.jobs.reading import Field
from kueuelab.messages import Message, verbatim

__all__ = ["validate_job"]

_SUBDOMAIN: Final = verbatim(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
    "'-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "
    "regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
# Their webhooks don't look at labels that only jobs understand.
_SERVING: Final = ("Deployment", "StatefulSet", "LeaderWorkerSet")
_INTEGER: Final = re.compile(r"[+-]?[0-9]+\Z")


def validate_job(job: Job) -> None:
    """Report what is wrong with the labels and annotations that any job may carry."""
    labels, annotations = job.root["metadata"]["labels"], job.root["metadata"]["annotations"]
    _check_subdomain(labels, constants.QUEUE_NAME, job.labels.get(constants.QUEUE_NAME))
    if job.kind.kind not in _SERVING:
        _check_prebuilt_workload(labels, job)
        _check_maximum_execution_time(labels.key(constants.MAX_EXEC_TIME), job)
    if job.elastic and not job.kind.elastic:
        annotations.key(constants.ELASTIC_JOB).problem(
            f'Forbidden: elastic job is not supported for "{job.kind.gvk}"'
        )
    if job.gates["AdmissionGatedBy"]:
        _check_gates(annotations.key(constants.ADMISSION_GATED_BY), job)


def _check_subdomain(labels: Field, name: str, value: str | None) -> None:
    if value and not is_subdomain(value):
        labels.key(name).problem(f'Invalid value: "{value}": {_SUBDOMAIN}')


def _check_prebuilt_workload(labels: Field, job: Job) -> None:
    name = constants.PREBUILT_WORKLOAD
    _check_subdomain(labels, name, job.labels.get(name))
    if job.prebuilt_workload and not job.kind.prebuilt_workload:
        labels.key(name).problem(f'Forbidden: Is not supported for "{job.kind.gvk}"')


def _check_maximum_execution_time(field: Field, job: Job) -> None:
    text = job.labels.get(constants.MAX_EXEC_TIME)
    if text is None:
        return
    if not _INTEGER.match(text):
        field.problem(
            f'Invalid value: "{text}": strconv.Atoi: parsing "{text}": invalid syntax',
            Message("manifests.validation.write-number-seconds-such"),
        )
    elif int(text) <= 0:
        field.problem(f"Invalid value: {int(text)}: should be greater than 0")


def _check_gates(field: Field, job: Job) -> None:
    value = job.annotations.get(constants.ADMISSION_GATED_BY, "")
    seen: list[str] = []
    for gate in (part.strip() for part in value.split(",")) if value else ():
        if not gate:
            field.problem(f'Invalid value: "{value}": cannot contain empty gate names')
        elif gate in seen:
            field.problem(f'Invalid value: "{value}": duplicate gate name: {gate}')
        else:
            seen.append(gate)
            if "/" not in gate:
                field.problem(
                    f'Invalid value: "{gate}": must be a domain-prefixed path '
                    '(such as "acme.io/foo")'
                )
