"""Jobs from a dump: finished, with pods that are done, or started by Kueue."""

from __future__ import annotations

from typing import Any

import pytest
from job_samples import documents, job, pod

from kueuelab.manifests.jobs import workloads_for
from kueuelab.model import ReclaimablePod, Workload
from kueuelab.model.times import parse_time


def only(obj: dict[str, Any]) -> Workload:
    conversion = workloads_for(obj)
    assert conversion.problems == ()
    [workload] = conversion.workloads
    return workload


def test_a_finished_job() -> None:
    at = "2026-01-02T03:04:05Z"
    conditions = [
        {"type": "SuccessCriteriaMet", "status": "True"},
        {"type": "Complete", "status": "True", "message": "done", "lastTransitionTime": at},
    ]
    [finished] = only({**job(), "status": {"conditions": conditions}}).status.conditions
    assert (finished.type, finished.status, finished.reason) == ("Finished", "True", "Succeeded")
    assert (finished.message, finished.last_transition_time) == ("done", parse_time(at))


def test_a_failed_pod() -> None:
    obj = {**pod("p"), "status": {"phase": "Failed", "message": "node lost"}}
    [finished] = only(obj).status.conditions
    assert (finished.reason, finished.message) == ("Failed", "node lost")


@pytest.mark.parametrize(
    ("spec", "status", "reclaimable"),
    [
        ({"parallelism": 3, "completions": 5}, {"succeeded": 2}, ()),
        ({"parallelism": 3, "completions": 5}, {"succeeded": 4}, (2,)),
        ({"parallelism": 3}, {"succeeded": 1}, (1,)),
        ({"parallelism": 1}, {"succeeded": 1}, ()),
        (
            {"parallelism": 4, "completions": 4, "completionMode": "Indexed"},
            {"completedIndexes": "0,2-3,7", "failedIndexes": "2"},
            (3,),
        ),
    ],
)
def test_reclaimable_pods(spec, status, reclaimable) -> None:
    workload = only({**job(spec), "status": status})
    expected = tuple(ReclaimablePod("main", count) for count in reclaimable)
    assert workload.status.reclaimable_pods == expected


def test_reclaimable_pods_of_a_jobset() -> None:
    [obj] = documents("jobset")
    obj["spec"]["replicatedJobs"][1]["template"]["spec"]["template"]["spec"].pop(
        "priorityClassName"
    )
    obj["status"] = {"replicatedJobsStatus": [{"name": "workers", "succeeded": 2}]}
    assert only(obj).status.reclaimable_pods == (ReclaimablePod("workers", 4),)


def test_what_kueue_added_to_a_running_job_is_taken_away() -> None:
    obj = job()
    obj["spec"]["suspend"] = False
    template = obj["spec"]["template"]
    template["metadata"] = {
        "labels": {
            "app": "x",
            "kueue.x-k8s.io/podset": "main",
            "kueue.x-k8s.io/cluster-queue-name": "cq",
            "kueue.x-k8s.io/local-queue-name": "q",
        },
        "annotations": {"kueue.x-k8s.io/workload": "job-j-12345"},
    }
    template["spec"]["schedulingGates"] = [{"name": "kueue.x-k8s.io/topology"}]
    template["spec"]["nodeSelector"] = {"pool": "a"}
    conversion = workloads_for(obj)
    [pod_set] = conversion.workloads[0].pod_sets
    assert pod_set.template.labels == {"app": "x", "batch.kubernetes.io/job-name": "j"}
    assert pod_set.template.annotations == {}
    assert pod_set.template.spec.extra["schedulingGates"] == []
    assert "cannot be separated from the job's own" in conversion.notes[0]
