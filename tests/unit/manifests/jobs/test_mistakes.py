"""What Kueue and Kubernetes reject is said with its field, in their words."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from job_samples import DATA, context, documents, job, pod_spec, problems

from kueuelab.manifests.jobs import workloads_for, workloads_for_all

QUEUE = "kueue.x-k8s.io/queue-name"
MINIMUM = "kueue.x-k8s.io/job-min-parallelism"
EQUAL = "kueue.x-k8s.io/job-completions-equal-parallelism"
TEMPLATE = "spec.template.metadata.annotations"


def kueue(names: dict[str, Any]) -> dict[str, Any]:
    return {f"kueue.x-k8s.io/{name}".replace("_", "-"): value for name, value in names.items()}


def labelled(**labels: Any) -> dict[str, Any]:
    return job(labels={QUEUE: "q", **kueue(labels)})


def annotated(spec: dict[str, Any] | None = None, **annotations: str) -> dict[str, Any]:
    return job(spec, annotations=kueue(annotations))


def topology(**annotations: str) -> dict[str, Any]:
    metadata = {"annotations": kueue(annotations)}
    return job({"template": {"metadata": metadata, "spec": pod_spec()}})


CASES = [
    (job(labels={QUEUE: "Team_A"}), f'metadata.labels[{QUEUE}]: Invalid value: "Team_A": a low'),
    (
        labelled(max_exec_time_seconds="0"),
        "metadata.labels[kueue.x-k8s.io/max-exec-time-seconds]: "
        "Invalid value: 0: should be greater than 0",
    ),
    (
        labelled(max_exec_time_seconds="1h"),
        "metadata.labels[kueue.x-k8s.io/max-exec-time-seconds]: "
        'Invalid value: "1h": strconv.Atoi: parsing "1h": invalid syntax',
    ),
    (
        labelled(priority_class="urgent"),
        "metadata.labels[kueue.x-k8s.io/priority-class]: "
        "there is no WorkloadPriorityClass named 'urgent'",
    ),
    (
        labelled(max_exec_time_seconds=60),
        "metadata.labels[kueue.x-k8s.io/max-exec-time-seconds]: "
        "Invalid value: 60: must be a string",
    ),
    (
        annotated({"parallelism": 4}, job_min_parallelism="4"),
        f"metadata.annotations[{MINIMUM}]: Invalid value: 4: should be between 0 and 3",
    ),
    (
        annotated({"parallelism": 4}, job_min_parallelism="some"),
        f'metadata.annotations[{MINIMUM}]: Invalid value: "some": '
        'strconv.Atoi: parsing "some": invalid syntax',
    ),
    (
        annotated({"parallelism": 4}, job_completions_equal_parallelism="true"),
        f'metadata.annotations[{EQUAL}]: Invalid value: "true": '
        "should not be enabled for NonIndexed jobs",
    ),
    (
        annotated({"completionMode": "Indexed"}, job_completions_equal_parallelism="yes"),
        f'metadata.annotations[{EQUAL}]: Invalid value: "yes": '
        'strconv.ParseBool: parsing "yes": invalid syntax',
    ),
    (
        annotated(admission_gated_by="example.com/a,,example.com/a"),
        "metadata.annotations[kueue.x-k8s.io/admission-gated-by]: Invalid value: "
        '"example.com/a,,example.com/a": cannot contain empty gate names',
    ),
    (
        topology(podset_required_topology="rack", podset_preferred_topology="rack"),
        f"{TEMPLATE}: Invalid value: must not contain more than one topology annotation",
    ),
    (
        topology(podset_unconstrained_topology="maybe"),
        f"{TEMPLATE}[kueue.x-k8s.io/podset-unconstrained-topology]: "
        'Invalid value: "maybe": must be a boolean value',
    ),
    (
        topology(podset_slice_required_topology="rack"),
        f"{TEMPLATE}[kueue.x-k8s.io/podset-slice-size]: Required value: must be set when",
    ),
    (
        job({"template": {"spec": pod_spec("1.5.0")}}),
        "spec.template.spec.containers[0].resources.requests[cpu]: Invalid value: '1.5.0'",
    ),
    (job({"template": {"spec": {}}}), "spec.template.spec.containers: Required value"),
    (job({"parallelism": "two"}), "spec.parallelism: Invalid value: 'two': must be an integer"),
    (job({"parallelism": -1}), "spec.parallelism: Invalid value: -1: must be greater than or"),
    (job(name=""), "metadata.name: the name is missing"),
]


@pytest.mark.parametrize(("obj", "expected"), CASES, ids=[expected[:60] for _, expected in CASES])
def test_jobs(obj: dict[str, Any], expected: str) -> None:
    assert problems(obj)[0].startswith(expected)


def test_several_mistakes_are_reported_together() -> None:
    obj = annotated({"parallelism": 4, "template": {"spec": {}}}, job_min_parallelism="9")
    assert len(problems(obj)) == 2


def test_prebuilt_workloads_are_not_for_every_kind() -> None:
    [obj] = documents("jaxjob")
    obj["metadata"]["labels"]["kueue.x-k8s.io/prebuilt-workload-name"] = "mine"
    assert problems(obj) == [
        "metadata.labels[kueue.x-k8s.io/prebuilt-workload-name]: "
        'Forbidden: Is not supported for "kubeflow.org/v1, Kind=JAXJob"'
    ]


def test_ray() -> None:
    [obj] = documents("rayjob")
    obj["spec"]["shutdownAfterJobFinishes"] = False
    obj["spec"]["rayClusterSpec"]["enableInTreeAutoscaling"] = True
    obj["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["groupName"] = "head"
    assert problems(obj) == [
        "spec.shutdownAfterJobFinishes: Invalid value: false: "
        "a kueue managed job should delete the cluster after finishing",
        "spec.rayClusterSpec.enableInTreeAutoscaling: Invalid value: true: "
        "a kueue managed job should only use autoscaling when workload slicing is enabled",
        "spec.rayClusterSpec.workerGroupSpecs[0].groupName: "
        'Forbidden: "head" is reserved for the head group',
    ]
    del obj["spec"]["rayClusterSpec"]
    assert problems(obj)[0].startswith("spec.rayClusterSpec: Required value: rayClusterSpec is")


def test_too_many_pod_sets() -> None:
    [obj] = documents("raycluster")
    group = obj["spec"]["workerGroupSpecs"][0]
    obj["spec"]["workerGroupSpecs"] = [{**group, "groupName": f"g{i}"} for i in range(18)]
    assert problems(obj) == ["spec: Too many: 19: must have at most 18 items"]


def test_spark_memory_is_written_in_the_way_of_java() -> None:
    [obj] = documents("sparkapplication")
    obj["spec"]["driver"]["memory"] = "1G"
    assert problems(obj)[0].startswith("spec.driver.memory: failed to parse 1G:")


def test_spark_modes() -> None:
    [obj] = documents("sparkapplication")
    obj["spec"]["mode"] = "client"
    obj["spec"]["dynamicAllocation"] = {"enabled": True}
    assert [text.partition(":")[0] for text in problems(obj)] == [
        "spec.mode",
        "spec.dynamicAllocation.enabled",
    ]


def test_a_trainjob_without_its_runtime() -> None:
    obj, _ = documents("trainjob")
    conversion = workloads_for(obj, context())
    [problem] = conversion.problems
    assert (problem.field, problem.message) == (
        "spec.runtimeRef",
        "runtime 'torch-distributed' not found",
    )
    assert problem.hint == "Add a ClusterTrainingRuntime named 'torch-distributed'"


def test_replica_types() -> None:
    [obj] = documents("paddlejob")
    obj["spec"]["paddleReplicaSpecs"] = {"worker": {}}
    assert problems(obj)[0] == 'spec.paddleReplicaSpecs.worker: Unsupported value: "worker"'


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values in a manifest."""
    children = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path, *(place for key, child in children for place in places(child, (*path, key)))]


def replaced(obj: dict[str, Any], path: tuple[Any, ...], junk: Any) -> dict[str, Any]:
    result = copy.deepcopy(obj)
    target: Any = result
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = junk
    return result


JUNK = st.sampled_from([None, "", "text", -1, 0, 2**40, 1.5, True, [], [None], ["x"], {}, {"a": 1}])


@given(st.data())
def test_no_junk_breaks_the_conversion(data: st.DataObject) -> None:
    """Whatever stands where: a problem, a note or a Workload comes out, no exception."""
    name = data.draw(st.sampled_from(sorted(p.stem for p in DATA.glob("*.yaml"))))
    if name == "recorded":
        return
    objs = documents(name)
    for _ in range(data.draw(st.integers(1, 2))):
        index = data.draw(st.integers(0, len(objs) - 1))
        paths = [p for p in places(objs[index]) if p and p not in (("kind",), ("apiVersion",))]
        objs[index] = replaced(objs[index], data.draw(st.sampled_from(paths)), data.draw(JUNK))
    conversions = workloads_for_all(objs, context())
    assert len(conversions) == len(objs)
