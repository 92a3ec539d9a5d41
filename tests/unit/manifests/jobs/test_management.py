"""Which jobs Kueue manages, and which have Workloads of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from job_samples import context, job, pod, pod_spec

from kueuelab.manifests.jobs import JobContext, workloads_for, workloads_for_all
from kueuelab.manifests.jobs.kinds import JOB_KINDS, JobKind
from kueuelab.model import (
    RELEASE,
    Configuration,
    FeatureGates,
    LabelSelector,
    Namespace,
    ObjectMeta,
    WorkloadPriorityClass,
)

QUEUE = "kueue.x-k8s.io/queue-name"


def configured(**fields: Any) -> JobContext:
    return JobContext(configuration=Configuration(**fields))


def owned_by(kind: str, name: str, api_version: str = "batch/v1") -> dict[str, Any]:
    reference = {"apiVersion": api_version, "kind": kind, "name": name, "controller": True}
    return {"ownerReferences": [reference]}


def test_other_kinds_are_not_managed() -> None:
    conversion = workloads_for({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}})
    assert (conversion.managed, conversion.workloads, conversion.notes) == (False, (), ())


def test_a_job_without_a_queue() -> None:
    conversion = workloads_for(job(labels={}))
    assert not conversion.managed
    assert "it has no label kueue.x-k8s.io/queue-name" in conversion.notes[0]

    conversion = workloads_for(job(labels={}), configured(manage_jobs_without_queue_name=True))
    assert conversion.workloads[0].queue_name == ""


def test_a_pod_without_a_queue_is_not_worth_a_word() -> None:
    conversion = workloads_for(pod("p", labels={QUEUE: ""}))
    assert (conversion.managed, conversion.notes) == (False, ())


@pytest.mark.parametrize("kind", JOB_KINDS.values(), ids=lambda kind: kind.kind)
@pytest.mark.parametrize("suspend", [True, False])
def test_the_annotation_of_2022_names_no_queue(kind: JobKind, suspend: bool) -> None:
    obj = job({"suspend": suspend}, labels={}, annotations={QUEUE: "team-a"})
    obj |= {"apiVersion": kind.api_version, "kind": kind.kind}
    conversion = workloads_for(obj, context())
    assert (conversion.managed, conversion.workloads) == (False, ())
    [note] = conversion.cautions
    assert "Kueue reads only the label kueue.x-k8s.io/queue-name" in note
    assert ("so it never starts" in note) is suspend
    assert ("no quota counts them" in note) is not suspend


def test_a_label_beside_the_annotation_counts() -> None:
    [workload] = workloads_for(job(annotations={QUEUE: "team-a"})).workloads
    assert workload.queue_name == "q"


def test_the_default_local_queue() -> None:
    where = JobContext(local_queues=frozenset({"default/default"}))
    assert workloads_for(job(labels={}), where).workloads[0].queue_name == "default"
    assert workloads_for(job(), where).workloads[0].queue_name == "q"


def test_namespaces_that_kueue_leaves_alone() -> None:
    assert not workloads_for(job(namespace="kube-system")).managed
    where = replace(
        configured(managed_jobs_namespace_selector=LabelSelector({"batch": "yes"})),
        namespaces={"a": Namespace(ObjectMeta("a", labels={"batch": "yes"}))},
    )
    assert workloads_for(job(namespace="a"), where).managed
    conversion = workloads_for(job(namespace="b"), where)
    assert not conversion.managed
    assert "managedJobsNamespaceSelector" in conversion.notes[0]


def test_frameworks() -> None:
    where = configured(frameworks=("batch/job", "deployment"))
    assert workloads_for(job(), where).workloads
    assert not workloads_for(pod("p"), where).managed
    suspended = {"kueue.x-k8s.io/pod-suspending-parent": "deployment"}
    assert workloads_for(pod("p", annotations=suspended), where).workloads


@pytest.mark.parametrize("kind", JOB_KINDS.values(), ids=lambda kind: kind.kind)
def test_without_a_configuration_the_frameworks_of_an_installed_kueue_count(kind: JobKind) -> None:
    obj = job() | {"apiVersion": kind.api_version, "kind": kind.kind}
    conversion = workloads_for(obj)
    assert conversion.managed is (kind.framework in RELEASE.frameworks)
    if kind.api_version == "kubeflow.org/v1":
        [note] = conversion.cautions
        assert "does not enable the kinds of Kubeflow's training v1, only batch/job, " in note
        assert f"name {kind.framework} in integrations.frameworks" in note
    elif not conversion.managed:
        assert kind.kind == "SparkApplication"


def test_a_framework_that_is_not_named() -> None:
    [note] = workloads_for(job(), configured(frameworks=("pod",))).cautions
    assert "integrations.frameworks does not enable batch/job, only pod" in note


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_a_queue_in_the_pod_template_alone(kind: str) -> None:
    template = {"metadata": {"labels": {QUEUE: "q"}}, "spec": pod_spec()}
    obj = job({"replicas": 3, "template": template}, labels={})
    obj |= {"apiVersion": "apps/v1", "kind": kind}
    conversion = workloads_for(obj)
    assert [w.metadata.owner_references[0].name for w in conversion.workloads] == [
        "j-0",
        "j-1",
        "j-2",
    ]
    assert {(w.queue_name, w.pod_sets[0].count) for w in conversion.workloads} == {("q", 1)}
    assert "each of its pods is a Workload of its own" in conversion.cautions[0]
    # Kueue's integration for pods can be off.
    conversion = workloads_for(obj, configured(frameworks=("batch/job",)))
    assert (conversion.workloads, conversion.cautions) == ((), ())


def test_pods_of_a_template_that_are_among_the_manifests() -> None:
    template = {"metadata": {"labels": {QUEUE: "q"}}, "spec": pod_spec()}
    obj = job({"replicas": 1, "template": template}, labels={})
    obj |= {"apiVersion": "apps/v1", "kind": "StatefulSet"}
    owned = pod("j-0", **owned_by("StatefulSet", "j", "apps/v1"))
    conversions = workloads_for_all([obj, owned])
    assert [len(c.workloads) for c in conversions] == [0, 1]


def test_pods_that_a_job_makes_one_after_the_other_are_left_out() -> None:
    template = {"metadata": {"labels": {QUEUE: "q"}}, "spec": pod_spec()}
    conversion = workloads_for(job({"template": template}, labels={}))
    assert conversion.workloads == ()
    assert "put the label on the Job" in conversion.cautions[0]


def test_a_prebuilt_workload() -> None:
    name = "kueue.x-k8s.io/prebuilt-workload-name"
    for metadata in ({"labels": {QUEUE: "q", name: "mine"}}, {"annotations": {name: "mine"}}):
        conversion = workloads_for(job(**metadata))
        assert conversion.managed
        assert conversion.workloads == ()
        assert conversion.prebuilt_workload == "mine"
    where = configured(gates=FeatureGates({"WorkloadIdentifierAnnotations": False}))
    assert workloads_for(job(annotations={name: "mine"}), where).workloads


def test_jobs_of_managed_owners_have_no_workload() -> None:
    parent = job(name="parent")
    child = job(name="child", **owned_by("Job", "parent"))
    grandchild = pod("grandchild", **owned_by("Job", "child"))
    conversions = workloads_for_all([grandchild, parent, child])
    assert [len(c.workloads) for c in conversions] == [0, 1, 0]
    assert all(c.managed for c in conversions)
    assert "it runs within the Workload of Job/parent" in conversions[2].notes[0]


def test_owners_without_a_queue_do_not_count() -> None:
    parent = job(name="parent", labels={})
    child = job(name="child", **owned_by("Job", "parent"))
    assert [len(c.workloads) for c in workloads_for_all([parent, child])] == [0, 1]


def test_unknown_owners_do_not_count() -> None:
    child = job(**owned_by("CronJob", "nightly"))
    assert workloads_for(child).workloads


def test_an_owner_that_is_not_known_counts_as_managed() -> None:
    conversion = workloads_for(job(**owned_by("JobSet", "gone", "jobset.x-k8s.io/v1alpha2")))
    assert conversion.managed
    assert conversion.workloads == ()
    assert "which is not among the manifests" in conversion.notes[0]


def test_an_owner_of_another_uid_is_another_owner() -> None:
    parent = job(name="parent", uid="new")
    child = job(name="child", **owned_by("Job", "parent"))
    child["metadata"]["ownerReferences"][0]["uid"] = "old"
    assert workloads_for_all([parent, child])[1].workloads


def test_owners_may_be_a_circle() -> None:
    jobs = [job(name="a", **owned_by("Job", "b")), job(name="b", **owned_by("Job", "a"))]
    assert [c.workloads for c in workloads_for_all(jobs)] == [(), ()]


def test_pods_of_a_deployment_from_a_dump() -> None:
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "labels": {QUEUE: "q"}},
        "spec": {"replicas": 2, "template": {"spec": pod_spec()}},
    }
    pods = [
        pod(
            f"web-5d9c7-{suffix}",
            labels={"kueue.x-k8s.io/managed": "true"},
            annotations={"kueue.x-k8s.io/pod-suspending-parent": "deployment"},
            **owned_by("ReplicaSet", "web-5d9c7", "apps/v1"),
        )
        for suffix in ("abc", "def")
    ]
    conversions = workloads_for_all([deployment, *pods])
    assert [len(c.workloads) for c in conversions] == [0, 1, 1]


def test_pods_of_a_statefulset_use_its_workload() -> None:
    annotations = {"kueue.x-k8s.io/pod-suspending-parent": "statefulset"}
    conversion = workloads_for(pod("db-0", annotations=annotations))
    assert conversion.managed
    assert conversion.workloads == ()


def test_a_statefulset_of_a_leaderworkerset_is_left_to_it() -> None:
    parent = "leaderworkerset.x-k8s.io/leaderworkerset"
    annotations = {"kueue.x-k8s.io/pod-suspending-parent": parent}
    conversion = workloads_for(
        {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": {"name": "llm-0", "labels": {QUEUE: "q"}},
            "spec": {"template": {"metadata": {"annotations": annotations}, "spec": pod_spec()}},
        }
    )
    assert not conversion.managed


def test_a_rayjob_in_an_existing_cluster_is_not_managed() -> None:
    conversion = workloads_for(
        {
            "apiVersion": "ray.io/v1",
            "kind": "RayJob",
            "metadata": {"name": "r", "labels": {QUEUE: "q"}},
            "spec": {"clusterSelector": {"ray.io/cluster": "shared"}},
        }
    )
    assert not conversion.managed
    assert "existing cluster" in conversion.notes[0]


def test_another_version_of_a_kind_is_read_as_the_one_that_kueue_watches() -> None:
    obj = {**job(), "apiVersion": "batch/v1beta1"}
    conversion = workloads_for(obj)
    assert conversion.workloads[0].metadata.owner_references[0].api_version == "batch/v1"
    assert "batch/v1beta1 is read as batch/v1" in conversion.notes[0]


def test_labels_to_copy() -> None:
    where = configured(extra={"integrations": {"labelKeysToCopy": ["team", "missing"]}})
    [workload] = workloads_for(job(labels={QUEUE: "q", "team": "a"}), where).workloads
    assert workload.metadata.labels == {"team": "a", "kueue.x-k8s.io/job-uid": "uid-default-j"}


def test_a_uid_that_is_no_label_value_is_left_out() -> None:
    [workload] = workloads_for(job(name="j" * 60)).workloads
    assert workload.metadata.labels == {}


def test_generated_names_are_counted() -> None:
    jobs = [job(name="", generateName="sample-") for _ in range(2)]
    names = [c.workloads[0].metadata.owner_references[0].name for c in workloads_for_all(jobs)]
    assert names == ["sample-1", "sample-2"]


def test_admission_gates_are_taken_over() -> None:
    gate = "kueue.x-k8s.io/admission-gated-by"
    [workload] = workloads_for(job(annotations={gate: "example.com/budget"})).workloads
    assert workload.metadata.annotations == {gate: "example.com/budget"}


def test_priority() -> None:
    labels = {QUEUE: "q", "kueue.x-k8s.io/priority-class": "production"}
    template = {"template": {"spec": {**pod_spec(), "priorityClassName": "batch-high"}}}
    where = context()
    assert workloads_for(job(template, labels=labels), where).workloads[0].priority == 1000
    assert workloads_for(job(template), where).workloads[0].priority == 500
    assert workloads_for(job(), where).workloads[0].priority_class_ref is None

    classes = dict(where.priority_classes)
    classes["batch-low"] = replace(classes["batch-low"], global_default=True)
    [workload] = workloads_for(job(), replace(where, priority_classes=classes)).workloads
    assert workload.priority == 10
    assert workload.priority_class_ref is not None
    assert workload.priority_class_ref.name == "batch-low"


def test_priority_classes_that_every_cluster_has_or_has_resolved() -> None:
    template = {"template": {"spec": {**pod_spec(), "priorityClassName": "system-node-critical"}}}
    assert workloads_for(job(template)).workloads[0].priority == 2_000_001_000
    template = {"template": {"spec": {**pod_spec(), "priorityClassName": "old", "priority": 7}}}
    assert workloads_for(job(template)).workloads[0].priority == 7


def test_default_workload_priority_class() -> None:
    where = replace(
        context(WorkloadPriorityClassDefaulting=True),
        workload_priority_classes={"default": WorkloadPriorityClass(ObjectMeta("default"), 3)},
    )
    assert workloads_for(job(), where).workloads[0].priority == 3
    assert workloads_for(job(), context()).workloads[0].priority == 0
