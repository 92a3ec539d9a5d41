"""A worker that lacks a CRD, from the start or since somebody deleted it."""

from __future__ import annotations

import pytest

import kueuelab as kl
from kueuelab.errors import InputError
from kueuelab.multikueue import ClusterSetRun, MultiKueueScenario

_TEXT = kl.scenarios.text("crd-missing-on-worker")
_NO_JOBSET = 'no matches for kind "JobSet" in version "jobset.x-k8s.io/v1alpha2"'
_NO_WORKLOAD = 'no matches for kind "Workload" in version "kueue.x-k8s.io/v1beta2"'


def _run(until: float, *changes: tuple[str, str]) -> ClusterSetRun:
    text = _TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    scenario = kl.load(text)
    assert isinstance(scenario, MultiKueueScenario)
    return scenario.run(until=until)


def _active(run: ClusterSetRun, worker: str) -> tuple[str, str, str]:
    found = run.cluster_set.manager.connections.conditions[worker]
    return found.status, found.reason, found.message


def test_one_kind_that_is_missing_keeps_all_jobs_away() -> None:
    run = _run(4)
    assert _active(run, "w1") == ("False", "ClientConnectionFailed", _NO_JOBSET)
    assert _active(run, "w2") == ("True", "Active", "Connected")
    assert not run.cluster_set.workers["w1"].workloads
    assert run.cluster_set.manager.member.workloads["default/train"].cluster_name == "w2"


def test_it_connects_with_the_attempt_after_the_crd_came() -> None:
    # Attempts are 5, 10, 20 seconds apart: at 0, 5, 15.
    assert _active(_run(14.5), "w1")[0] == "False"
    assert _active(_run(16), "w1") == ("True", "Active", "Connected")


def test_a_kind_that_the_manager_does_not_delegate_is_not_missed() -> None:
    run = _run(4, ("[batch/job, jobset.x-k8s.io/jobset]", "[batch/job]"))
    assert _active(run, "w1") == ("True", "Active", "Connected")


def test_without_a_list_of_integrations_every_kind_is_watched() -> None:
    integrations = "integrations: {frameworks: [batch/job, jobset.x-k8s.io/jobset]}"
    run = _run(4, (integrations, "manageJobsWithoutQueueName: false"))
    assert _active(run, "w1") == ("False", "ClientConnectionFailed", _NO_JOBSET)


def test_a_deleted_crd_ends_the_watch_and_the_worker_is_lost() -> None:
    run = _run(25)
    assert _active(run, "w2") == ("False", "ClientConnectionFailed", _NO_JOBSET)
    lacks = "no CRD of JobSet, which the manager watches"
    lines = run.why("train").lines
    assert lines[0].endswith(
        f"it runs on w2, which the manager cannot reach: the cluster has {lacks}"
    )
    lost = f"(the manager cannot reach this cluster: it has {lacks})"
    assert f"w2: admitted; 1 of 1 pod is ready {lost}" in lines
    # A Job, not a JobSet, and it goes on there until the time is over.
    later = _run(40)
    assert later.cluster_set.manager.member.workloads["default/train"].cluster_name == "w1"
    assert later.cluster_set.workers["w2"].workloads["default/train"].is_admitted


def test_the_workloads_go_with_their_crd() -> None:
    run = _run(
        25, ("removeCRD: {worker: w2, kind: JobSet}", "removeCRD: {worker: w2, kind: Workload}")
    )
    assert _active(run, "w2") == ("False", "ClientConnectionFailed", _NO_WORKLOAD)
    w2 = run.cluster_set.workers["w2"]
    assert not w2.workloads
    (job,) = w2.jobs.values()
    assert job.suspend


def test_a_job_of_the_workers_own_gets_its_workload_when_the_crd_comes() -> None:
    own = "  - {at: 2s, cluster: w1, submit: {job: own, queue: team, requests: {cpu: 1}}}\n"
    changes = (
        ("missingCRDs: [JobSet]", "missingCRDs: [Workload]"),
        ("installCRD: {worker: w1, kind: JobSet}", "installCRD: {worker: w1, kind: Workload}"),
        ("  - {at: 6s", own + "  - {at: 6s"),
    )
    before = _run(5, *changes)
    assert _active(before, "w1")[2] == _NO_WORKLOAD
    assert not before.cluster_set.workers["w1"].workloads
    assert _run(8, *changes).cluster_set.workers["w1"].workloads["default/own"].is_admitted


def test_only_kinds_with_a_crd_can_be_missing() -> None:
    with pytest.raises(InputError, match="Job"):
        kl.load(_TEXT.replace("missingCRDs: [JobSet]", "missingCRDs: [Job]"))
    with pytest.raises(InputError, match="Pod"):
        kl.load(_TEXT.replace("worker: w1, kind: JobSet", "worker: w1, kind: Pod"))


def test_without_the_integration_on_a_worker_its_job_is_never_started() -> None:
    manifests = "        missingCRDs: [JobSet]\n"
    without = "        configuration: {integrations: {frameworks: [jobset.x-k8s.io/jobset]}}\n"
    removal = "  - {at: 22s, removeCRD: {worker: w2, kind: JobSet}}\n"
    filler = "  - {at: 0s, cluster: w2, submit: {job: filler, queue: team, requests: {cpu: 3}}}\n"
    run = _run(60, (manifests, without), (removal, ""), ("  - {at: 1s", filler + "  - {at: 1s"))
    assert run.cluster_set.manager.member.workloads["default/train"].cluster_name == "w1"
    job = run.cluster_set.workers["w1"].job_of("default/train")
    assert job is not None
    assert job.suspend
    lines = run.why("train").lines
    reason = "its job is not started: Kueue there does not have the integration batch/job"
    assert f"w1: admitted, but {reason}" in lines


def test_the_board_deletes_and_installs_a_crd() -> None:
    board = kl.widgets.multikueue_board(_run(30))
    board.at(10)
    board.inject("delete CRD", "w2")
    assert isinstance(board.run, ClusterSetRun)
    assert _active(board.run, "w2")[2] == _NO_WORKLOAD
    board.inject("install CRD", "w2")
    # The scenario's own action, later, is another kind's.
    assert board.run.cluster_set.workers["w2"].missing_crds == ("JobSet",)
