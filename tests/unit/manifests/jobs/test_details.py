"""Elastic jobs, slices of pod sets, submission modes, what operators add."""

from __future__ import annotations

from job_samples import context, documents, job, pod_spec, summary

from kueuelab.manifests.jobs import JobContext, workloads_for
from kueuelab.manifests.jobs.names import workload_name
from kueuelab.model import Workload


def only(obj: dict[str, object], **gates: bool) -> Workload:
    conversion = workloads_for(obj, context(**gates))
    assert conversion.problems == ()
    [workload] = conversion.workloads
    return workload


def test_names_are_as_long_as_they_may_be() -> None:
    assert len(workload_name("batch", "Job", "j" * 300, "u")) == 253
    assert len(workload_name("batch", "Job", "j" * 300, "u", short=True)) == 63


def test_elastic_jobs_have_a_workload_per_generation() -> None:
    elastic = {"kueue.x-k8s.io/elastic-job": "true"}
    first, second = (only(job(annotations=elastic, generation=g)) for g in (1, 2))
    assert first.name != second.name
    assert first.metadata.annotations == {
        "kueue.x-k8s.io/elastic-job": "true",
        "kueue.x-k8s.io/workload-slice-name": first.name,
    }
    gates = first.pod_sets[0].template.spec.extra["schedulingGates"]
    assert gates == [{"name": "kueue.x-k8s.io/elastic-job"}]
    off = only(job(annotations=elastic), ElasticJobsViaWorkloadSlices=False)
    assert off.name == only(job()).name


def test_slices() -> None:
    annotations = {
        "kueue.x-k8s.io/podset-required-topology": "block",
        "kueue.x-k8s.io/podset-slice-required-topology": "rack",
        "kueue.x-k8s.io/podset-slice-size": "4",
    }
    template = {"metadata": {"annotations": annotations}, "spec": pod_spec()}
    assert only(job({"parallelism": 8, "template": template})).pod_sets[0].topology_request == {
        "required": "block",
        "podSetSliceRequiredTopology": "rack",
        "podSetSliceSize": 4,
        "podIndexLabel": "batch.kubernetes.io/job-completion-index",
    }


def test_layers_of_slices() -> None:
    layers = '[{"topology": "block", "size": 8}, {"topology": "rack", "size": 4}]'
    annotations = {"kueue.x-k8s.io/podset-slice-required-topology-constraints": layers}
    template = {"metadata": {"annotations": annotations}, "spec": pod_spec()}
    request = only(job({"parallelism": 8, "template": template})).pod_sets[0].topology_request
    assert request is not None
    assert request["podsetSliceRequiredTopologyConstraints"] == [
        {"topology": "block", "size": 8},
        {"topology": "rack", "size": 4},
    ]


def test_a_submitter_within_the_head() -> None:
    [obj] = documents("rayjob")
    obj["spec"]["submissionMode"] = "SidecarMode"
    head, workers = only(obj).pod_sets
    assert summary(head) == ("head", 1, {"cpu": "1500m", "memory": "2248Mi"})
    assert workers.count == 8
    obj["spec"]["submissionMode"] = "HTTPMode"
    assert [summary(ps)[0] for ps in only(obj).pod_sets] == ["head", "gpu-group"]


def test_the_autoscaler_of_an_elastic_raycluster() -> None:
    [obj] = documents("raycluster")
    obj["metadata"]["annotations"] = {"kueue.x-k8s.io/elastic-job": "true"}
    obj["spec"]["enableInTreeAutoscaling"] = True
    head = only(obj).pod_sets[0]
    assert summary(head) == ("head", 1, {"cpu": "700m", "memory": "2560Mi"})


def test_spark_defaults_are_those_of_its_operator() -> None:
    [obj] = documents("sparkapplication")
    obj["spec"]["executor"] = {}
    driver, executor = only(obj).pod_sets
    assert summary(driver) == ("driver", 1, {"cpu": "1", "memory": "1Gi"})
    assert summary(executor) == ("executor", 1, {"memory": "1Gi"})
    obj["spec"]["sparkConf"] = {"spark.executor.instances": "3", "spark.executor.memory": "2g"}
    assert summary(only(obj).pod_sets[1]) == ("executor", 0, {})


def test_serving_jobs_scaled_to_zero_have_no_workload() -> None:
    for name in ("deployment", "statefulset", "leaderworkerset"):
        [obj] = documents(name)
        obj["spec"]["replicas"] = 0
        conversion = workloads_for(obj, context())
        assert (conversion.managed, conversion.workloads) == (True, ())


def test_a_leaderworkerset_without_a_leader_template() -> None:
    [obj] = documents("leaderworkerset")
    del obj["spec"]["leaderWorkerTemplate"]["leaderTemplate"]
    first, _ = workloads_for(obj, context()).workloads
    [pod_set] = first.pod_sets
    assert summary(pod_set) == ("main", 4, {"cpu": "4", "nvidia.com/gpu": "8"})


def test_a_launcher_that_is_a_node_of_a_trainjob() -> None:
    obj, runtime = documents("trainjob")
    policy = {"numNodes": 1, "mpi": {"runLauncherAsNode": True}}
    runtime["spec"]["mlPolicy"] = policy
    [workload] = workloads_for(obj, JobContext(objects=(runtime,))).workloads
    assert [(ps.name, ps.count) for ps in workload.pod_sets] == [
        ("dataset-initializer", 1),
        ("node", 3),
    ]
