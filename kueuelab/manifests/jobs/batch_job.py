"""batch/v1 Job."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.builder import PodSetDraft
from kueuelab.manifests.jobs.cluster_context import ClusterContext
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.reading import Field
from kueuelab.manifests.jobs.templates import add_gate, read_template
from kueuelab.manifests.jobs.validation import report_errors
from kueuelab.manifests.server.webhooks.jobs import completion_errors
from kueuelab.messages import Message
from kueuelab.model import ReclaimablePod
from kueuelab.model.topology import COMPLETION_INDEX

__all__ = ["completion_index_label", "pod_count", "pod_sets", "reclaimable_pods", "validate"]

#: The annotation and label that holds a pod's index within an indexed Job.
completion_index_label: Final = COMPLETION_INDEX

_JOB_NAME: Final = "batch.kubernetes.io/job-name"
_CONTROLLER_LABELS: Final = ("job-name", "controller-uid", "batch.kubernetes.io/controller-uid")
_INTEGER: Final = re.compile(r"[+-]?[0-9]+\Z")


def pod_count(spec: Field) -> int:
    """Return how many pods a Job runs at once: parallelism, but not more than completions."""
    parallelism = spec["parallelism"].count(1)
    return min(parallelism, spec["completions"].count(parallelism))


def pod_sets(job: Job, cluster_context: ClusterContext) -> Sequence[PodSetDraft]:
    """Return the one pod set of a Job."""
    field = job.spec["template"]
    template = read_template(field)
    running = constants.POD_SET in field["metadata"]["labels"].mapping()
    # The API server names the job in the template; the rest is the job controller's own.
    for label in _CONTROLLER_LABELS:
        template["metadata"]["labels"].pop(label, None)
    template["metadata"]["labels"].setdefault(_JOB_NAME, job.name)
    if job.elastic:
        add_gate(template["spec"], constants.ELASTIC_JOB_GATE)
    minimum = _min_parallelism(job)
    if running and minimum is not None:
        job.report.note(Message("manifests.batch-job.parallelism-of-admission"))
    return [
        PodSetDraft(
            "main",
            pod_count(job.spec),
            template,
            field,
            min_count=minimum,
            pod_index_label=completion_index_label,
        )
    ]


def _min_parallelism(job: Job) -> int | None:
    text = job.annotations.get(constants.MIN_PARALLELISM, "")
    return int(text) if _INTEGER.match(text) else None


def validate(job: Job) -> None:
    """Report what Kueue's webhook rejects in a Job."""
    _check_min_parallelism(job)
    _check_completions(job)


def _check_min_parallelism(job: Job) -> None:
    text = job.annotations.get(constants.MIN_PARALLELISM)
    if text is None:
        return
    field = job.root["metadata"]["annotations"].key(constants.MIN_PARALLELISM)
    minimum, count = _min_parallelism(job), pod_count(job.spec)
    running = constants.POD_SET in job.spec["template"]["metadata"]["labels"].mapping()
    if minimum is None:
        field.problem(
            f'Invalid value: "{text}": strconv.Atoi: parsing "{text}": invalid syntax',
            Message("manifests.batch-job.min-parallelism.hint"),
        )
    elif minimum <= 0 or (minimum >= count and not running):
        field.problem(f"Invalid value: {minimum}: should be between 0 and {count - 1}")
    if job.elastic:
        field.problem(
            f'Invalid value: "{text}": partial admission and elastic job cannot be used together'
        )


def _check_completions(job: Job) -> None:
    spec = {
        "completionMode": job.spec["completionMode"].text("NonIndexed"),
        "completions": job.spec["completions"].integer(1),
        "parallelism": job.spec["parallelism"].integer(1),
    }
    obj = {"metadata": {"annotations": job.annotations}, "spec": spec}
    report_errors(job.report, completion_errors(obj))


def reclaimable_pods(job: Job) -> tuple[ReclaimablePod, ...]:
    """Return the pods that are done and leave a place that no other pod will take."""
    parallelism = job.spec["parallelism"].count(1)
    completions = job.spec["completions"].count(parallelism)
    done = job.status["succeeded"].count(0)
    if job.spec["completionMode"].text() == "Indexed":
        done = _terminal_indexes(job, completions)
    remaining = max(completions - done, 0)
    if parallelism <= 1 or done == 0 or remaining >= parallelism:
        return ()
    return (ReclaimablePod("main", parallelism - remaining),)


def _terminal_indexes(job: Job, completions: int) -> int:
    """Count the indexes that will never run again, as ``1,3-5`` lists them."""
    done: set[int] = set()
    for name in ("completedIndexes", "failedIndexes"):
        for interval in job.status[name].text().split(","):
            first, _, last = interval.partition("-")
            if first.isdecimal() and (not last or last.isdecimal()):
                end = min(int(last or first), completions - 1)
                done.update(range(int(first), end + 1))
    return len(done)
