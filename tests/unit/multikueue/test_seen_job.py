"""What facts tell of a job from one write to the next."""

from __future__ import annotations

from typing import Any

from kueuelab.multikueue.jobs import Job
from kueuelab.multikueue.seen_job import SeenJob

_PREBUILT = "kueue.x-k8s.io/prebuilt-workload-name"
_PRIORITY = "kueue.x-k8s.io/priority-class"


def _job(labels: dict[str, str] | None = None, **spec: Any) -> Job:
    metadata = {"name": "train", "labels": labels or {}}
    return Job({"kind": "Job", "metadata": metadata, "spec": spec}, "team", "uid", 0)


def test_of_a_new_one_what_is_not_the_default_is_told() -> None:
    assert SeenJob().follow(_job()) == ["suspend=false"]
    labels = {
        _PREBUILT: "job-train-1b2c3",
        "kueue.x-k8s.io/multikueue-origin": "manager",
        _PRIORITY: "high",
    }
    job = _job(labels, suspend=True, managedBy="kueue.x-k8s.io/multikueue")
    assert SeenJob().follow(job) == [
        "suspend=true",
        "managedBy=kueue.x-k8s.io/multikueue",
        "origin=manager",
        "prebuiltWorkload=job-train",
        "priorityClass=high",
    ]


def test_labels_are_told_if_they_read_otherwise() -> None:
    seen, job = SeenJob(), _job({_PREBUILT: "job-train-1b2c3", _PRIORITY: "high"})
    seen.follow(job)
    job.relabel({_PREBUILT: "job-train-4d5e6"})
    assert seen.follow(job) == []  # the hash is no part of the name
    job.relabel({_PREBUILT: "job-test-4d5e6", _PRIORITY: "low"})
    assert seen.follow(job) == ["prebuiltWorkload=job-test", "priorityClass=low"]
    job.labels = {_PREBUILT: "job-test-4d5e6"}
    assert seen.follow(job) == []  # that a label is gone is no fact
    job.relabel({_PRIORITY: "low"})
    assert seen.follow(job) == ["priorityClass=low"]


def test_counts_are_told_where_they_changed() -> None:
    seen, job = SeenJob(), _job()
    seen.follow(job)
    job.status = job.status._replace(active=2, ready=1)
    assert seen.follow(job) == ["active=2", "ready=1"]
    job.status = job.status._replace(active=0, succeeded=2)
    assert seen.follow(job) == ["active=0", "succeeded=2"]
    job.status = job.status._replace()
    assert seen.follow(job) == []


def test_that_it_started_and_ended_is_told_but_not_when() -> None:
    seen, job = SeenJob(), _job()
    seen.follow(job)
    job.status = job.status._replace(start_time=5)
    assert seen.follow(job) == ["startTime set"]
    job.status = job.status._replace(start_time=6, completion_time=8)
    assert seen.follow(job) == ["completionTime set"]
    job.suspend = True
    job.status = job.status._replace(start_time=None, completion_time=None, active=1)
    assert seen.follow(job) == ["suspend=true", "active=1", "startTime cleared"]


def test_conditions_are_told_unless_only_their_time_changed() -> None:
    seen, job = SeenJob(), _job()
    seen.follow(job)
    job.status = job.status.with_condition("Suspended", "True", "JobSuspended", "Job suspended", 5)
    assert seen.follow(job) == [
        "condition Suspended=True reason=JobSuspended message=Job suspended"
    ]
    job.status = job.status.with_condition("Suspended", "True", "JobSuspended", "Job suspended", 6)
    assert seen.follow(job) == []
    job.status = job.status._replace(conditions={}).with_condition(
        "Complete", "True", "CompletionsReached", "All are done", 7
    )
    assert seen.follow(job) == [
        "condition Complete=True reason=CompletionsReached message=All are done",
        "condition Suspended removed",
    ]
