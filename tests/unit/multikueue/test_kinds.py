"""Every kind of job that MultiKueue delegates: what runs where, and what comes back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from kueuelab.manifests import load, load_configuration
from kueuelab.manifests.jobs import JOB_KINDS
from kueuelab.multikueue import ClusterSet

sys.path.insert(0, str(Path(__file__).parents[2] / "multikueue"))
from cluster_sets import dispatching, plan, queues

_POD = {"name": "main", "image": "x", "resources": {"requests": {"cpu": "1"}}}
_TEMPLATE = {"spec": {"restartPolicy": "Never", "containers": [_POD]}}
_RAY = {
    "headGroupSpec": {"template": _TEMPLATE},
    "workerGroupSpecs": [{"groupName": "workers", "replicas": 2, "template": _TEMPLATE}],
}
_REPLICAS = {"Worker": {"replicas": 2, "template": _TEMPLATE}}


def _manifest(api: str, kind: str, spec: Any) -> dict[str, Any]:
    labels = {"kueue.x-k8s.io/queue-name": "main"}
    metadata = {"name": "a", "namespace": "team", "labels": labels}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec}


_JOB = _manifest("batch/v1", "Job", {"template": _TEMPLATE})
_APP_WRAPPER = {
    "components": [{"template": _JOB, "podSets": [{"path": "template.spec.template"}]}],
}
_JOBSET = {
    "replicatedJobs": [
        {"name": "driver", "replicas": 1, "template": {"spec": {"template": _TEMPLATE}}},
        {
            "name": "workers",
            "replicas": 2,
            "template": {"spec": {"parallelism": 2, "template": _TEMPLATE}},
        },
    ]
}
_MANAGED: list[tuple[dict[str, Any], int]] = [
    (_JOB, 1),
    (_manifest("jobset.x-k8s.io/v1alpha2", "JobSet", _JOBSET), 5),
    (_manifest("kubeflow.org/v1", "PyTorchJob", {"pytorchReplicaSpecs": _REPLICAS}), 2),
    (_manifest("kubeflow.org/v1", "TFJob", {"tfReplicaSpecs": _REPLICAS}), 2),
    (_manifest("kubeflow.org/v1", "XGBoostJob", {"xgbReplicaSpecs": _REPLICAS}), 2),
    (_manifest("kubeflow.org/v1", "PaddleJob", {"paddleReplicaSpecs": _REPLICAS}), 2),
    (_manifest("kubeflow.org/v1", "JAXJob", {"jaxReplicaSpecs": _REPLICAS}), 2),
    (_manifest("kubeflow.org/v2beta1", "MPIJob", {"mpiReplicaSpecs": _REPLICAS}), 2),
    (_manifest("workload.codeflare.dev/v1beta2", "AppWrapper", _APP_WRAPPER), 1),
]


def _cluster_set(workers: int = 1, **configuration: Any) -> ClusterSet:
    frameworks = sorted({kind.framework for kind in JOB_KINDS.values()})
    every = load_configuration({"integrations": {"frameworks": frameworks}, **configuration})
    names = [f"w{number}" for number in range(1, workers + 1)]
    made = ClusterSet({"manager": every, **dict.fromkeys(names, every)})
    objects = {"manager": list(load([*queues(100, checks=["multikueue"]), *dispatching(names)]))}
    objects.update({name: list(load(queues(20))) for name in names})
    made.load(objects, facts=True)
    return made


def _pods(made: ClusterSet, cluster: str) -> int:
    return sum(
        pod.is_alive(made.now) for job in made.member(cluster).jobs.values() for pod in job.pods
    )


@pytest.mark.parametrize(
    ("manifest", "pods"), _MANAGED, ids=[manifest["kind"] for manifest, _ in _MANAGED]
)
def test_kinds_with_managed_by_come_back_with_their_status(
    manifest: dict[str, Any], pods: int
) -> None:
    made = _cluster_set()
    job = made.submit("manager", manifest, plan(5))
    assert job.managed_by == "kueue.x-k8s.io/multikueue"
    made.advance(3)
    remote = made.workers["w1"].jobs[job.key]
    assert remote.managed_by == ""
    assert (_pods(made, "manager"), _pods(made, "w1")) == (0, pods)
    assert job.status.active == pods
    made.advance(20)
    assert job.status.succeeded == pods
    (state,) = made.manager.member.workloads.values()
    assert state.is_finished
    assert not made.workers["w1"].jobs


@pytest.mark.parametrize("kind", ["RayCluster", "RayService"])
def test_what_serves_never_ends(kind: str) -> None:
    spec = _RAY if kind == "RayCluster" else {"rayClusterConfig": _RAY}
    made = _cluster_set()
    job = made.submit("manager", _manifest("ray.io/v1", kind, spec), plan(5))
    made.advance(60)
    assert (job.managed_by, job.status.active) == ("kueue.x-k8s.io/multikueue", 3)
    made.delete_job("manager", job.key)
    made.advance(5)
    assert not made.workers["w1"].workloads


def test_a_pod_stays_gated_on_the_manager_and_shows_the_workers_status() -> None:
    made = _cluster_set()
    pod = made.submit("manager", _manifest("v1", "Pod", _TEMPLATE["spec"]), plan(5))
    made.advance(3)
    assert (pod.suspend, pod.status.active) == (True, 1)
    assert (_pods(made, "manager"), _pods(made, "w1")) == (0, 1)
    made.advance(20)
    assert pod.status.succeeded == 1
    assert not made.workers["w1"].jobs


def test_a_stateful_set_runs_on_the_worker_and_looks_unready_on_the_manager() -> None:
    made = _cluster_set()
    spec = {"replicas": 2, "selector": {}, "template": _TEMPLATE}
    made.submit("manager", _manifest("apps/v1", "StatefulSet", spec))
    made.advance(30)
    local, remote = (made.member(name).jobs["StatefulSet/team/a"] for name in ("manager", "w1"))
    assert (remote.status.active, remote.status.ready) == (2, 2)
    assert (local.status.active, local.status.ready) == (0, 0)
    (state,) = made.manager.member.workloads.values()
    assert state.cluster_name == "w1"
    assert state.is_admitted


def test_all_groups_of_a_leader_worker_set_go_to_one_worker() -> None:
    made = _cluster_set(workers=3)
    spec = {"replicas": 3, "leaderWorkerTemplate": {"size": 2, "workerTemplate": _TEMPLATE}}
    api = "leaderworkerset.x-k8s.io/v1"
    made.submit("manager", _manifest(api, "LeaderWorkerSet", spec))
    made.advance(1)
    nominated = [
        state.obj.name
        for state in made.manager.member.workloads.values()
        if state.nominated_cluster_names or state.cluster_name
    ]
    assert len(nominated) == 1  # the first goes ahead, the others follow
    assert "-0-" in nominated[0]
    made.advance(10)
    states = list(made.manager.member.workloads.values())
    assert len(states) == 3
    (cluster,) = {state.cluster_name for state in states}
    assert cluster is not None
    assert [_pods(made, name) for name in sorted(made.workers)].count(6) == 1
    assert _pods(made, cluster) == 6
    assert made.member("manager").jobs["LeaderWorkerSet/team/a"].status.active == 0


def test_pods_of_a_deployment_are_delegated_one_by_one() -> None:
    made = _cluster_set(workers=2)
    spec = {"replicas": 3, "selector": {}, "template": _TEMPLATE}
    made.submit("manager", _manifest("apps/v1", "Deployment", spec))
    made.advance(5)
    states = list(made.manager.member.workloads.values())
    assert [state.obj.metadata.owner_references[0].kind for state in states] == ["Pod"] * 3
    assert all(state.cluster_name in made.workers for state in states)
    assert _pods(made, "manager") == 0
    assert sum(_pods(made, name) for name in made.workers) == 3
    made.delete_job("manager", "Deployment/team/a")
    made.advance(5)
    assert not any(member.jobs or member.workloads for member in made.members.values())


def test_a_kind_without_adapter_is_rejected() -> None:
    made = _cluster_set(featureGates={"SparkApplicationIntegration": True})
    spec = {
        "type": "Scala",
        "mode": "cluster",
        "driver": {"cores": 1, "memory": "1g"},
        "executor": {"cores": 1, "memory": "1g", "instances": 1},
    }
    manifest = _manifest("sparkoperator.k8s.io/v1beta2", "SparkApplication", spec)
    made.submit("manager", manifest)
    made.advance(3)
    assert made.log is not None
    (told, *_) = [fact.fact for fact in made.log.facts if "=Rejected" in fact.fact]
    assert told.endswith(
        'message=No multikueue adapter found for owner kind "sparkoperator.k8s.io/v1beta2, '
        'Kind=SparkApplication", Previously: "Pending"'
    )


def test_the_older_mode_without_managed_by_is_gone() -> None:
    """v0.19 knows no gate for it: a job without ``managedBy`` is rejected."""
    made = _cluster_set()
    job = made.submit("manager", _JOB)
    job.managed_by = ""
    made.advance(3)
    (state,) = made.manager.member.workloads.values()
    told = [f.fact for f in made.log.facts if "=Rejected" in f.fact] if made.log else []
    assert told[0].endswith(
        "message=The owner is not managed by Kueue: Expecting spec.managedBy to be "
        '"kueue.x-k8s.io/multikueue" not "", Previously: "Pending"'
    )
    assert not state.active
