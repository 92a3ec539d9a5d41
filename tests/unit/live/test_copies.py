"""Copies of jobs on workers: found by the manager's Workload, played, and not left behind."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pretend import Pretend, pretending
from stand_in import shared

import kueuelab as kl
from kueuelab.live import removal, timeline
from kueuelab.live.job_player import JobPlayer
from kueuelab.live.live_run import LiveRun, play_on
from kueuelab.live.multikueue_copies import job_name
from kueuelab.live.recordings import is_recording, played_from
from kueuelab.live.requests import RUN_LABEL, requests_of
from kueuelab.live.resources import JOBS, WORKLOADS
from kueuelab.live.run_identity import RUN_ID
from kueuelab.live.verify import compare
from kueuelab.manifests import load_scenario
from kueuelab.manifests.jobs.constants import MULTIKUEUE_ORIGIN
from kueuelab.model import Condition, ObjectMeta, OwnerReference, Workload, WorkloadStatus
from kueuelab.scenarios import names

VERSION = "kueue.x-k8s.io/v1beta2"
SCENARIO = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: copies}
spec:
  clusters:
    manager:
      manifests:
      - &flavor
        {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
      - apiVersion: kueue.x-k8s.io/v1beta2
        kind: MultiKueueCluster
        metadata: {name: w1}
        spec: {clusterSource: {kubeConfig: {locationType: Secret, location: w1-secret}}}
      - apiVersion: kueue.x-k8s.io/v1beta2
        kind: MultiKueueConfig
        metadata: {name: fleet}
        spec: {clusters: [w1]}
      - apiVersion: kueue.x-k8s.io/v1beta2
        kind: AdmissionCheck
        metadata: {name: multikueue}
        spec:
          controllerName: kueue.x-k8s.io/multikueue
          parameters: {apiGroup: kueue.x-k8s.io, kind: MultiKueueConfig, name: fleet}
      - apiVersion: kueue.x-k8s.io/v1beta2
        kind: ClusterQueue
        metadata: {name: small}
        spec:
          namespaceSelector: {}
          admissionChecksStrategy: {admissionChecks: [{name: multikueue}]}
          resourceGroups:
          - coveredResources: [cpu]
            flavors: [{name: default, resources: [{name: cpu, nominalQuota: 2}]}]
      - &local
        apiVersion: kueue.x-k8s.io/v1beta2
        kind: LocalQueue
        metadata: {name: main, namespace: default}
        spec: {clusterQueue: small}
    workers:
      w1:
        manifests:
        - *flavor
        - apiVersion: kueue.x-k8s.io/v1beta2
          kind: AdmissionCheck
          metadata: {name: capacity}
          spec: {controllerName: example.com/capacity}
        - apiVersion: kueue.x-k8s.io/v1beta2
          kind: ClusterQueue
          metadata: {name: small}
          spec:
            namespaceSelector: {}
            admissionChecksStrategy: {admissionChecks: [{name: capacity}]}
            resourceGroups:
            - coveredResources: [cpu]
              flavors: [{name: default, resources: [{name: cpu, nominalQuota: 2}]}]
        - *local
  timeline:
  - {at: 0s, submit: {job: a, namespace: default, queue: main, requests: {cpu: 1}}}
  - {at: 0s, cluster: w1, submit: {job: own, namespace: default, queue: main, requests: {cpu: 1}}}
  - {at: 1s, cluster: w1, setCheck: {workload: default/a, check: capacity, state: Ready}}
  expect:
  - {at: 0.5s, cluster: w1, workload: default/a, is: reserved}
  - {at: 2s, cluster: w1, workload: default/a, is: admitted}
"""


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine everything is late: states are waited for, however long they take."""
    monkeypatch.setattr(timeline, "_LATE", 300.0)
    monkeypatch.setattr(removal, "_CONTROLLER_SECONDS", 2.0)


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Pretend]:
    with pretending(tmp_path, "manager", complete=True) as found:
        yield found


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Pretend]:
    with pretending(tmp_path, "w1", complete=True) as found:
        yield found


@contextmanager
def copying(manager: Pretend, worker: Pretend, *, with_jobs: bool) -> Iterator[None]:
    """Make a copy of each Workload on a worker, once, as MultiKueue does; of its job if asked."""
    stop, known = threading.Event(), set()

    def copy() -> None:
        while not stop.wait(0.02):
            with manager.store.lock:
                found = [obj for obj in manager.store.of(WORKLOADS) if obj.get("status")]
                jobs = {job["metadata"]["name"]: job for job in manager.store.of(JOBS)}
            for obj in found:
                meta = obj["metadata"]
                if meta["name"] in known:
                    continue
                known.add(meta["name"])
                labels = {MULTIKUEUE_ORIGIN: "multikueue"}
                spec = {**obj["spec"]}
                there = {"name": meta["name"], "labels": labels}
                body = {"apiVersion": VERSION, "metadata": there, "spec": spec}
                with worker.store.lock:
                    worker.store.create(WORKLOADS, meta["namespace"], body)
                    if with_jobs:
                        job = jobs[meta["ownerReferences"][0]["name"]]
                        there = {
                            "name": job["metadata"]["name"],
                            "labels": {RUN_LABEL: "copies", **labels},
                            "annotations": job["metadata"]["annotations"],
                        }
                        plain = {"metadata": there, "spec": {**job["spec"], "suspend": True}}
                        worker.store.create(JOBS, meta["namespace"], plain)

    thread = threading.Thread(target=copy)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def played(
    manager: Pretend, worker: Pretend, monkeypatch: pytest.MonkeyPatch, *, copied: bool = False
) -> LiveRun:
    """Play the scenario; a check of the copy is waited for where one is made."""
    monkeypatch.setattr(timeline, "_PATIENCE", 300.0 if copied else 0.5)
    monkeypatch.setenv("KUBECONFIG", f"{manager.kubeconfig}:{worker.kubeconfig}")
    spec = load_scenario(SCENARIO)
    workers = {"w1": worker.context}
    return LiveRun(play_on(spec, manager.context, workers=workers, patience=300))


def left(cluster: Pretend) -> list[str]:
    return ["/".join(key[1:]) for key in cluster.store.objects]


def test_a_copy_is_found_by_the_managers_workload_as_long_as_it_has_no_owner(
    manager: Pretend, worker: Pretend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is expected of it holds, its check is set, and it is removed in the end."""
    with copying(manager, worker, with_jobs=False):
        run = played(manager, worker, monkeypatch, copied=True)
    assert [outcome.differences for outcome in run.outcomes] == [(), ()]
    assert [left(cluster) for cluster in (manager, worker)] == [[], []]


def test_jobs_that_multikueue_leaves_on_a_worker_are_removed(
    manager: Pretend, worker: Pretend, monkeypatch: pytest.MonkeyPatch
) -> None:
    with copying(manager, worker, with_jobs=True):
        played(manager, worker, monkeypatch, copied=True)
    made = [
        obj for _, kind, where, obj in worker.store.log if (kind, where[1]) == ("ADDED", "jobs")
    ]
    assert sorted(obj["metadata"]["name"] for obj in made) == ["a", "own"]
    assert [left(cluster) for cluster in (manager, worker)] == [[], []]


def test_what_is_played_on_a_worker_names_its_player(
    manager: Pretend, worker: Pretend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that no job controller makes pods for it; on the manager Kueue's webhook sets it."""
    played(manager, worker, monkeypatch)
    made = {
        obj["metadata"]["name"]: obj["spec"].get("managedBy")
        for cluster in (manager, worker)
        for _, kind, where, obj in cluster.store.log
        if (kind, where[1]) == ("ADDED", "jobs")
    }
    assert made == {"a": None, "own": "kueuelab/player"}


def test_copies_of_another_run_stay(
    manager: Pretend, worker: Pretend, monkeypatch: pytest.MonkeyPatch
) -> None:
    meta = {
        "name": "theirs",
        "labels": {RUN_LABEL: "copies", MULTIKUEUE_ORIGIN: "multikueue"},
        "annotations": {RUN_ID: "another"},
    }
    with worker.store.lock:
        worker.store.create(JOBS, "default", {"metadata": meta, "spec": {"suspend": True}})
        workload = {"name": "theirs", "labels": {MULTIKUEUE_ORIGIN: "multikueue"}}
        container = {"name": "main", "image": "x", "resources": {"requests": {"cpu": "1"}}}
        template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
        pods = [{"name": "main", "count": 1, "template": template}]
        spec = {"active": True, "queueName": "none", "podSets": pods}
        worker.store.create(
            WORKLOADS, "default", {"apiVersion": VERSION, "metadata": workload, "spec": spec}
        )
    played(manager, worker, monkeypatch)
    assert sorted(left(worker)) == ["jobs/default/theirs", "workloads/default/theirs"]


def workload(name: str, owner: str = "", *, label: bool = True, admitted: bool = False) -> Workload:
    labels = {MULTIKUEUE_ORIGIN: "multikueue"} if label else {}
    owners = (OwnerReference("batch/v1", "Job", owner, "1"),) if owner else ()
    conditions = (Condition("Admitted", "True", "Admitted", "", 0),) if admitted else ()
    meta = ObjectMeta(name, "default", labels=labels, owner_references=owners)
    return Workload(meta, (), "main", status=WorkloadStatus(conditions=conditions))


def test_the_job_of_a_copy_is_that_of_the_managers_workload() -> None:
    original = workload("job-a-12345", "a", label=False)
    originals = {original.key: original}
    assert job_name(workload("job-a-12345"), originals) == "a"
    assert job_name(workload("job-a-12345")) == "job-a-12345"
    assert job_name(workload("job-b-12345"), originals) == "job-b-12345"
    assert job_name(workload("job-a-12345", label=False), originals) == "job-a-12345"
    assert job_name(workload("job-a-12345", "own"), originals) == "own"


def test_a_recording_of_several_clusters_is_compared_with_its_copies() -> None:
    folder = shared("recorded/mk-regions-own-check")
    assert is_recording(folder)
    recorded = played_from(folder)
    assert list(recorded.mirrors) == ["", "east", "west"]
    differences = compare(recorded).differences
    assert not [text for text in differences if "nothing happens" in text]
    assert compare(played_from(shared("recorded/mk-quota-far-above"))).differences == ()


@pytest.mark.parametrize("name", ["regions-first-capacity", "evicted-before-job"])
def test_a_check_of_kueues_own_controller_on_a_worker_is_not_reported_on(name: str) -> None:
    """Kueue's controller would write over it: it is refused before anything is created."""
    assert name in names("multikueue")
    spec = kl.multikueue.load(name).spec
    with pytest.raises(kl.InputError, match="AdmissionCheck provision is decided by Kueue's own"):
        requests_of(spec)


# --- a job controller on the worker ---------------------------------------------------------


class OneJob:
    """An API server that has one Job, and notes what is written."""

    def __init__(self, **status: Any) -> None:
        meta = {"name": "a", "namespace": "default", "labels": {RUN_LABEL: "copies"}}
        self.obj: dict[str, Any] = {"metadata": meta, "spec": {}, "status": status}
        self.written: list[dict[str, Any]] = []

    def get(self, path: str, query: Any = None) -> Any:
        return {**self.obj, "status": dict(self.obj["status"])}

    def replace(self, obj: Any, part: str = "") -> Any:
        self.written.append(obj["status"])
        self.obj["status"] = obj["status"]
        return obj


def player(api: OneJob) -> tuple[JobPlayer, list[float]]:
    seconds = [0.0]
    made = JobPlayer(api, played=True, clock=lambda: seconds[0])  # type: ignore[arg-type]
    made.add("default/a", {"kind": "Job", "metadata": {"name": "a"}}, 5_000_000_000)
    return made, seconds


def suspended(status: str) -> dict[str, str]:
    return {"type": "Suspended", "status": status, "reason": "x", "message": "x"}


def test_the_start_of_a_copy_is_left_to_the_controller_that_looks_after_it() -> None:
    api = OneJob(conditions=[suspended("True")])
    jobs, seconds = player(api)
    admitted = workload("job-a-12345", "a", admitted=True)

    def tick(now: float) -> None:
        seconds[0] = now
        jobs.tick({admitted.key: admitted})

    tick(1)
    assert not api.written
    api.obj["status"] = {"conditions": [suspended("False")], "startTime": "2026-01-01T00:00:00Z"}
    tick(2)
    tick(6)
    assert not api.written
    tick(7.5)
    (end,) = api.written
    assert {c["type"] for c in end["conditions"]} >= {"Complete", "SuccessCriteriaMet"}
    assert end["succeeded"] == 1


def test_a_copy_that_is_evicted_is_stopped_by_its_controller() -> None:
    api = OneJob(conditions=[suspended("False")], startTime="2026-01-01T00:00:00Z", active=1)
    jobs, seconds = player(api)
    admitted, evicted = workload("job-a-12345", "a", admitted=True), workload("job-a-12345", "a")
    seconds[0] = 1
    jobs.tick({admitted.key: admitted})
    api.obj["spec"]["suspend"] = True
    seconds[0] = 2
    jobs.tick({evicted.key: evicted})
    assert not api.written
    assert not jobs.ready("default/a", True)  # it does not run any more


def test_without_a_controller_the_start_is_written() -> None:
    api = OneJob()
    jobs, seconds = player(api)
    admitted = workload("job-a-12345", "a", admitted=True)
    seconds[0] = 1
    jobs.tick({admitted.key: admitted})
    assert [status["active"] for status in api.written] == [1]
