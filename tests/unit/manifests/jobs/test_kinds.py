"""Every kind of job, by the example in ``tests/data/jobs``."""

from __future__ import annotations

import pytest
from job_samples import context, convert_all, documents, summary, workloads

from kueuelab.manifests.jobs import JOB_KINDS, kind_of, workloads_for_all
from kueuelab.model import OwnerReference, PriorityClassRef

WORKLOAD_CLASS = PriorityClassRef("kueue.x-k8s.io", "WorkloadPriorityClass", "production")
BATCH_HIGH = PriorityClassRef("scheduling.k8s.io", "PriorityClass", "batch-high")
BATCH_LOW = PriorityClassRef("scheduling.k8s.io", "PriorityClass", "batch-low")

#: File, pod sets of the (first) Workload, where its priority comes from, the priority.
EXPECTED = [
    ("job", [("main", 10, {"cpu": "1", "memory": "2Gi"})], WORKLOAD_CLASS, 1000),
    (
        "jobset",
        [("coordinator", 1, {"cpu": "200m"}), ("workers", 6, {"cpu": "2", "memory": "4Gi"})],
        BATCH_HIGH,
        500,
    ),
    ("pod", [("main", 1, {"cpu": "100m", "memory": "64Mi"})], None, 0),
    ("pod-group", [("4b0469f7", 1, {"cpu": "1"}), ("c3465716", 2, {"cpu": "2"})], None, 0),
    ("deployment", [("main", 1, {"cpu": "250m"})], WORKLOAD_CLASS, 1000),
    ("statefulset", [("main", 3, {"cpu": "500m", "memory": "1Gi"})], None, 0),
    (
        "leaderworkerset",
        [("leader", 1, {"cpu": "1"}), ("worker", 3, {"cpu": "4", "nvidia.com/gpu": "8"})],
        WORKLOAD_CLASS,
        1000,
    ),
    (
        "pytorchjob",
        [
            ("master", 1, {"cpu": "2", "nvidia.com/gpu": "1"}),
            ("worker", 3, {"cpu": "4", "nvidia.com/gpu": "1"}),
        ],
        BATCH_HIGH,
        500,
    ),
    (
        "tfjob",
        [
            ("chief", 1, {"cpu": "1"}),
            ("ps", 2, {"cpu": "500m"}),
            ("worker", 2, {"cpu": "2"}),
            ("evaluator", 1, {"cpu": "300m"}),
        ],
        BATCH_LOW,
        10,
    ),
    ("xgboostjob", [("master", 1, {"cpu": "500m"}), ("worker", 2, {"cpu": "1"})], None, 0),
    ("paddlejob", [("worker", 2, {"cpu": "600m"})], None, 0),
    ("jaxjob", [("worker", 4, {"google.com/tpu": "4"})], None, 0),
    ("mpijob", [("launcher", 1, {"cpu": "1"}), ("worker", 4, {"cpu": "8"})], BATCH_LOW, 10),
    (
        "trainjob",
        [
            ("dataset-initializer", 1, {"cpu": "500m"}),
            ("node", 4, {"cpu": "8100m", "nvidia.com/gpu": "2"}),
        ],
        None,
        0,
    ),
    (
        "rayjob",
        [
            ("head", 1, {"cpu": "1", "memory": "2Gi"}),
            ("gpu-group", 8, {"cpu": "2", "nvidia.com/gpu": "1"}),
            ("submitter", 1, {"cpu": "500m", "memory": "200Mi"}),
        ],
        None,
        0,
    ),
    (
        "raycluster",
        [
            # At least what the cleanup of Redis needs: 200m, 256Mi.
            ("head", 1, {"cpu": "200m", "memory": "2Gi"}),
            ("small", 3, {"cpu": "1"}),
            ("idle", 0, {"cpu": "1"}),
        ],
        None,
        0,
    ),
    ("rayservice", [("head", 1, {"cpu": "2"}), ("replicas", 2, {"cpu": "1"})], BATCH_HIGH, 500),
    (
        "appwrapper",
        [
            ("bundle-0", 1, {"cpu": "1"}),
            # The sidecar counts as a plain init container: an AppWrapper loses its policy.
            ("bundle-1", 2, {"cpu": "2"}),
            ("bundle-2", 6, {"cpu": "300m"}),
            ("bundle-3", 5, {"cpu": "50m"}),
        ],
        None,
        0,
    ),
    (
        "sparkapplication",
        [
            ("driver", 1, {"cpu": "1", "memory": "1Gi"}),
            ("executor", 5, {"cpu": "1600m", "memory": "4Gi"}),
        ],
        BATCH_LOW,
        10,
    ),
]


@pytest.mark.parametrize(
    ("name", "pod_sets", "reference", "priority"), EXPECTED, ids=[row[0] for row in EXPECTED]
)
def test_pod_sets_and_priority(name, pod_sets, reference, priority) -> None:
    workload = workloads(name)[0]
    assert [summary(pod_set) for pod_set in workload.pod_sets] == pod_sets
    assert (workload.priority_class_ref, workload.priority) == (reference, priority)


@pytest.mark.parametrize("name", [row[0] for row in EXPECTED])
def test_manifests_are_not_changed(name) -> None:
    before, after = documents(name), documents(name)
    first = workloads_for_all(after, context())
    assert after == before
    assert workloads_for_all(after, context()) == first


def test_every_kind_has_an_example() -> None:
    shown = set()
    for name, *_ in EXPECTED:
        for obj in documents(name):
            kind = kind_of(obj["apiVersion"], obj["kind"])
            if kind is not None:
                shown.add((kind.group, kind.kind))
    assert shown == set(JOB_KINDS)


def test_job() -> None:
    [workload] = workloads("job")
    uid = "1f0b6f3a-6f7d-4c55-9c0e-7a2a3d0a3c01"
    assert workload.key == "film/job-render-6405b"
    assert workload.queue_name == "film-queue"
    assert workload.maximum_execution_time_seconds == 7200
    assert workload.metadata.labels == {"kueue.x-k8s.io/job-uid": uid}
    assert workload.metadata.annotations == {"provreq.kueue.x-k8s.io/ValidUntilSeconds": "60"}
    assert workload.metadata.owner_references == (
        OwnerReference("batch/v1", "Job", "render", uid, controller=True),
    )
    [pod_set] = workload.pod_sets
    assert pod_set.min_count == 4
    assert pod_set.topology_request == {"podIndexLabel": "batch.kubernetes.io/job-completion-index"}
    assert pod_set.template.labels == {"app": "render", "batch.kubernetes.io/job-name": "render"}
    assert pod_set.template.spec.containers[0].extra["env"] == [
        {"name": "QUALITY", "value": "final"},
        {"name": "SCENE", "value": "12"},
    ]


def test_min_count_needs_partial_admission() -> None:
    [workload] = workloads("job", context(PartialAdmission=False))
    assert workload.pod_sets[0].min_count is None


def test_jobset_topology() -> None:
    [workload] = workloads("jobset")
    assert [pod_set.topology_request for pod_set in workload.pod_sets] == [
        {
            "podIndexLabel": "batch.kubernetes.io/job-completion-index",
            "subGroupIndexLabel": "jobset.sigs.k8s.io/job-index",
            "subGroupCount": 1,
        },
        {
            "preferred": "cloud.example.com/rack",
            "podIndexLabel": "batch.kubernetes.io/job-completion-index",
            "subGroupIndexLabel": "jobset.sigs.k8s.io/job-index",
            "subGroupCount": 3,
        },
    ]
    [workload] = workloads("jobset", context(TopologyAwareScheduling=False))
    assert [pod_set.topology_request for pod_set in workload.pod_sets] == [None, None]


def test_pod() -> None:
    [workload] = workloads("pod")
    assert workload.name.startswith("pod-probe-")
    [pod_set] = workload.pod_sets
    assert pod_set.template.labels == pod_set.template.annotations == {}
    assert pod_set.template.spec.extra["schedulingGates"] == [
        {"name": "kueue.x-k8s.io/admission"},
        {"name": "kueue.x-k8s.io/topology"},
    ]


def test_pod_group() -> None:
    driver, *workers = convert_all("pod-group")
    [workload] = driver.workloads
    assert [worker.workloads for worker in workers] == [(), ()]
    assert all(worker.managed for worker in workers)
    assert workload.key == "biology/genome"
    assert workload.metadata.labels == {}
    assert workload.metadata.annotations == {"kueue.x-k8s.io/is-group-workload": "true"}
    assert [(o.name, o.controller) for o in workload.metadata.owner_references] == [
        ("genome-driver", False),
        ("genome-worker-0", False),
        ("genome-worker-1", False),
    ]


def test_deployment() -> None:
    [conversion] = convert_all("deployment")
    assert [w.metadata.owner_references[0].name for w in conversion.workloads] == ["web-0", "web-1"]
    assert len({w.name for w in conversion.workloads}) == 2
    assert all(w.queue_name == "shop-queue" for w in conversion.workloads)
    assert "numbered" in conversion.notes[0]


def test_statefulset() -> None:
    [workload] = workloads("statefulset")
    assert workload.name.startswith("statefulset-db-")
    assert workload.metadata.labels == {
        "kueue.x-k8s.io/job-uid": "1f0b6f3a-6f7d-4c55-9c0e-7a2a3d0a3c08"
    }
    assert workload.metadata.annotations == {
        "kueue.x-k8s.io/is-group-workload": "true",
        "kueue.x-k8s.io/job-owner-gvk": "apps/v1, Kind=StatefulSet",
        "kueue.x-k8s.io/job-owner-name": "db",
    }
    assert not workload.metadata.owner_references[0].controller
    assert workload.pod_sets[0].template.labels == {}
    assert workload.pod_sets[0].topology_request == {
        "podIndexLabel": "apps.kubernetes.io/pod-index"
    }


def test_leaderworkerset() -> None:
    first, second = workloads("leaderworkerset")
    assert first.name.startswith("leaderworkerset-llm-0-")
    assert second.name.startswith("leaderworkerset-llm-1-")
    assert second.metadata.annotations["kueue.x-k8s.io/component-workload-index"] == "1"
    assert second.metadata.annotations["kueue.x-k8s.io/job-owner-name"] == "llm"
    leader, worker = first.pod_sets
    assert leader.template.labels == {
        "kueue.x-k8s.io/queue-name": "serving-queue",
        "kueue.x-k8s.io/priority-class": "production",
    }
    assert leader.topology_request is None
    assert worker.template.annotations["kueue.x-k8s.io/pod-index-offset"] == "1"
    assert worker.topology_request == {"podIndexLabel": "leaderworkerset.sigs.k8s.io/worker-index"}


def test_mpijob_workers_come_after_the_launcher() -> None:
    [workload] = workloads("mpijob")
    launcher, worker = workload.pod_sets
    assert launcher.template.annotations == {}
    assert worker.template.annotations == {"kueue.x-k8s.io/pod-index-offset": "1"}


def test_trainjob_changes_its_runtime() -> None:
    job, runtime = convert_all("trainjob")
    assert not runtime.managed
    node = job.workloads[0].pod_sets[1]
    assert node.template.spec.containers[0].extra["image"] == "example.com/trainer:2"
    assert node.template.spec.node_selector == {"disk": "ssd"}
    assert node.topology_request is not None


def test_rayjob_submitter_has_the_image_of_the_head() -> None:
    [workload] = workloads("rayjob")
    assert workload.pod_sets[2].template.spec.containers[0].extra["image"] == "example.com/ray:2"
    assert [pod_set.topology_request for pod_set in workload.pod_sets] == [None, None, None]


def test_raycluster_says_that_replicas_default_to_none() -> None:
    [conversion] = convert_all("raycluster")
    assert conversion.notes == ("worker group 'idle' has no replicas; KubeRay's default is 0",)


def test_appwrapper_ranks() -> None:
    [workload] = workloads("appwrapper")
    assert [pod_set.topology_request for pod_set in workload.pod_sets] == [
        {"podIndexLabel": "training.kubeflow.org/replica-index"},
        {"podIndexLabel": "training.kubeflow.org/replica-index"},
        {
            "podIndexLabel": "batch.kubernetes.io/job-completion-index",
            "subGroupIndexLabel": "jobset.sigs.k8s.io/job-index",
            "subGroupCount": 2,
        },
        None,
    ]


def test_sparkapplication() -> None:
    [conversion] = convert_all("sparkapplication")
    driver, executor = conversion.workloads[0].pod_sets
    assert driver.template.labels == {"role": "driver"}
    limits = executor.template.spec.containers[0].resources.limits
    assert {name: str(quantity) for name, quantity in limits.items()} == {"nvidia.com/gpu": "1"}
    assert "SparkApplicationIntegration" in conversion.notes[0]
    gated = convert_all("sparkapplication", context(SparkApplicationIntegration=True))
    assert gated[0].notes == ()


def test_multikueue_support_is_data() -> None:
    support = {kind.kind: kind.multikueue for kind in JOB_KINDS.values()}
    assert support["SparkApplication"] is None
    assert support["Job"] is not None
    assert support["Job"].managed_by == "spec.managedBy"
    assert support["Job"].default_controller == "kubernetes.io/job-controller"
    assert support["PyTorchJob"] is not None
    assert support["PyTorchJob"].managed_by == "spec.runPolicy.managedBy"
    for name in ("Pod", "StatefulSet", "LeaderWorkerSet"):
        assert support[name] is not None
        assert support[name].delegation == "Always"
