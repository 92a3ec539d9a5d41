"""Pod groups: who belongs to them, their roles, and what Kueue rejects."""

from __future__ import annotations

from typing import Any

from job_samples import pod

from kueuelab.manifests.jobs import JobContext, workloads_for, workloads_for_all
from kueuelab.model import ObjectMeta, ReclaimablePod, RuntimeClass
from kueuelab.quantity import Quantity

GROUP = "kueue.x-k8s.io/pod-group-name"
TOTAL = "kueue.x-k8s.io/pod-group-total-count"


def member(name: str, total: str = "2", cpu: str = "1", **metadata: Any) -> dict[str, Any]:
    annotations = {TOTAL: total, **metadata.pop("annotations", {})}
    labels = {GROUP: "g", **metadata.pop("labels", {})}
    return pod(name, cpu, labels=labels, annotations=annotations, **metadata)


def test_roles_are_pod_sets_sorted_by_hash() -> None:
    first, second = workloads_for_all([member("a", cpu="2"), member("b")])
    assert [(ps.name, ps.count) for ps in first.workloads[0].pod_sets] == [
        ("4b0469f7", 1),
        ("c3465716", 1),
    ]
    assert second.workloads == ()


def test_one_pod_with_the_others_in_its_context() -> None:
    a, b = member("a"), member("b")
    conversion = workloads_for(a, JobContext(objects=(a, b)))
    assert conversion.workloads[0].pod_sets[0].count == 2


def test_the_annotation_names_the_group_too() -> None:
    pods = [pod(name, annotations={GROUP: "g", TOTAL: "2"}) for name in "ab"]
    assert workloads_for_all(pods)[0].workloads[0].name == "g"


def test_groups_of_other_namespaces_are_others() -> None:
    conversions = workloads_for_all([member("a", "1"), member("a", "1", namespace="n")])
    assert [c.workloads[0].key for c in conversions] == ["default/g", "n/g"]


def test_a_group_that_is_not_complete_waits() -> None:
    conversion = workloads_for(member("a", "3"))
    assert conversion.workloads == ()
    assert conversion.managed
    assert "'g' group has fewer runnable pods than expected (1 of 3)" in conversion.notes[0]


def test_failed_pods_do_not_count() -> None:
    failed = {**member("a"), "status": {"phase": "Failed"}}
    assert workloads_for_all([failed, member("b")])[0].workloads == ()
    conversions = workloads_for_all([failed, member("b"), member("c")])
    owners = conversions[0].workloads[0].metadata.owner_references
    assert [owner.name for owner in owners] == ["b", "c"]


def test_fast_admission_does_not_wait() -> None:
    fast = {"kueue.x-k8s.io/pod-group-fast-admission": "true"}
    [workload] = workloads_for(member("a", "5", annotations=fast)).workloads
    assert [(ps.name, ps.count) for ps in workload.pod_sets] == [("4b0469f7", 5)]


def test_the_youngest_is_one_too_many() -> None:
    times = {"a": "2026-01-01T00:00:02Z", "b": "2026-01-01T00:00:03Z", "c": "2026-01-01T00:00:01Z"}
    pods = [member(name, creationTimestamp=time) for name, time in times.items()]
    conversions = workloads_for_all(pods)
    owners = conversions[0].workloads[0].metadata.owner_references
    assert [owner.name for owner in owners] == ["a", "c"]
    assert "exceeds the size of the group" in conversions[1].notes[0]


def test_succeeded_pods_are_reclaimable() -> None:
    done = {**member("a"), "status": {"phase": "Succeeded"}}
    [workload] = workloads_for_all([done, member("b")])[0].workloads
    assert workload.status.reclaimable_pods == (ReclaimablePod("4b0469f7", 1),)
    serving = {"kueue.x-k8s.io/pod-group-serving": "true"}
    done = {**member("a", annotations=serving), "status": {"phase": "Succeeded"}}
    [workload] = workloads_for_all([done, member("b")])[0].workloads
    assert workload.status.reclaimable_pods == ()


def test_mistakes() -> None:
    def found(*pods: dict[str, Any]) -> list[tuple[str, str]]:
        conversions = workloads_for_all(pods)
        assert all(c.workloads == () for c in conversions)
        return [(p.field, p.message) for c in conversions for p in c.problems]

    annotation = f"metadata.annotations[{TOTAL}]"
    missing = pod("a", labels={GROUP: "g"})
    assert "both the" in found(missing)[0][1]
    assert found(member("a", "many")) == [
        (annotation, 'Invalid value: "many": strconv.Atoi: parsing "many": invalid syntax')
    ]
    assert "greater than zero" in found(member("a", "0"))[0][1]
    other_queue = member("b", labels={"kueue.x-k8s.io/queue-name": "other"})
    assert found(member("a"), other_queue) == [
        (
            "metadata.labels[kueue.x-k8s.io/queue-name]",
            "pods 'a' and 'b' has different queue names: q!=other",
        )
    ]
    assert found(member("a"), member("b", "3")) == [
        (annotation, f"pods 'a' and 'b' has different '{TOTAL}' values: 2!=3")
    ]


def test_the_role_hash_sees_what_kubernetes_adds() -> None:
    """Limits stand in for requests, tolerations are added, overhead comes from the class."""
    plain, limited = member("a"), member("b")
    container = limited["spec"]["containers"][0]
    container["resources"] = {"limits": {"cpu": "1000m"}}
    [workload] = workloads_for_all([plain, limited])[0].workloads
    assert [ps.name for ps in workload.pod_sets] == ["4b0469f7"]

    limited["spec"]["runtimeClassName"] = "sandbox"
    overhead = {"cpu": Quantity.parse("100m")}
    context = JobContext(runtime_classes={"sandbox": RuntimeClass(ObjectMeta("sandbox"), overhead)})
    [workload] = workloads_for_all([plain, limited], context)[0].workloads
    assert len(workload.pod_sets) == 2


def test_a_role_hash_that_is_there_is_kept() -> None:
    known = {"kueue.x-k8s.io/role-hash": "driver"}
    [workload] = workloads_for(member("a", "1", annotations=known)).workloads
    assert [ps.name for ps in workload.pod_sets] == ["driver"]
