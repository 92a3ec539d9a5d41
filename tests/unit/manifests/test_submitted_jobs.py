"""A job that a timeline submits twice is changed; its pods succeed one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

import kueuelab as kl
from kueuelab.errors import InputError

HEAD: dict[str, Any] = {
    "apiVersion": "kueuelab/v1",
    "kind": "Scenario",
    "metadata": {"name": "twice"},
}
ELASTIC = {"kueue.x-k8s.io/elastic-job": "true"}


def job(parallelism: int, completions: int, cpu: str = "1", **annotations: str) -> Any:
    """Return the manifest of Job x in queue a."""
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "x",
            "labels": {"kueue.x-k8s.io/queue-name": "a"},
            "annotations": annotations,
        },
        "spec": {
            "suspend": True,
            "parallelism": parallelism,
            "completions": completions,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
        },
    }


def run_of(*timeline: tuple[str, str, Any]) -> kl.LabRun:
    """Play actions, each with its time, in a queue of 6 cpu."""
    entries = [{"at": at, verb: value} for at, verb, value in timeline]
    spec = {"queues": {"a": {"cpu": 6}}, "timeline": entries}
    lab = kl.load(yaml.safe_dump({**HEAD, "spec": spec}))
    assert isinstance(lab, kl.Lab)
    return lab.run()


def used(run: kl.LabRun) -> int:
    """Return how many cpu are in use at the end."""
    usage: Mapping[tuple[str, str], int] = run.cluster.tree.cluster_queues["a"].usage
    return usage.get(("default", "cpu"), 0) // 1000


def test_a_second_manifest_changes_a_job_that_waits() -> None:
    run = run_of(("1s", "submit", job(9, 9)), ("5s", "apply", job(3, 3)))
    assert used(run) == 3
    assert [step.kind for step in run.trace].count("WorkloadCreated") == 1


def test_the_same_manifest_changes_nothing() -> None:
    run = run_of(("1s", "submit", job(2, 2)), ("5s", "submit", job(2, 2)))
    assert used(run) == 2
    assert len(run.cluster.workloads) == 1


def test_an_elastic_job_is_scaled() -> None:
    run = run_of(("1s", "submit", job(2, 2, **ELASTIC)), ("5s", "submit", job(3, 3, **ELASTIC)))
    assert used(run) == 3
    assert len(run.cluster.workloads) == 2


def test_a_job_that_was_deleted_is_another_one() -> None:
    run = run_of(
        ("1s", "submit", job(2, 2)), ("3s", "delete", "x"), ("5s", "submit", job(4, 4, cpu="500m"))
    )
    assert used(run) == 2


def test_what_a_job_cannot_change_is_said() -> None:
    with pytest.raises(InputError, match="job x is there already, and more than") as caught:
        run_of(("1s", "submit", job(2, 2)), ("5s", "submit", job(2, 2, cpu="2")))
    assert "Delete it before" in str(caught.value)


@pytest.mark.parametrize(
    ("succeeded", "left"),
    [((1,), 4), ((1, 1), 4), ((1, 1, 1), 3), ((4,), 2), ((1, 1, 1, 1, 1), 1), ((3, 3), 0)],
)
def test_quota_is_given_back_once_fewer_pods_are_to_succeed_than_run(
    succeeded: tuple[int, ...], left: int
) -> None:
    steps = [
        (f"{5 + n}s", "succeed", {"job": "x", "pods": pods}) for n, pods in enumerate(succeeded)
    ]
    run = run_of(("1s", "submit", job(4, 6)), *steps)
    assert used(run) == left
    assert run.cluster.workloads[run.key_of("x")].is_finished == (left == 0)


@pytest.mark.parametrize(("succeeded", "left"), [(1, 1), (2, 0), (3, 4)])
def test_with_more_parallelism_than_completions_running_pods_lose_their_quota(
    succeeded: int, left: int
) -> None:
    """kueue#16132: six slots for four pods count two of them as done; five is refused."""
    run = run_of(("1s", "submit", job(6, 4)), ("5s", "succeed", {"job": "x", "pods": succeeded}))
    assert used(run) == left


def test_pods_of_a_deleted_job_cannot_succeed() -> None:
    with pytest.raises(InputError, match="no job with one pod set in this timeline named 'x'"):
        run_of(
            ("1s", "submit", job(2, 2)),
            ("2s", "delete", "x"),
            ("3s", "succeed", {"job": "x", "pods": 1}),
        )
