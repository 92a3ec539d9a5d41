"""Snapshots of recorded clusters: complete, loadable, without secrets, and renamed on request."""

from __future__ import annotations

import json

import httpx2
import pytest
import yaml
from stand_in import Serving, api, config, shared

import kueuelab as kl
from kueuelab.live.errors import LiveError
from kueuelab.live.following import Following
from kueuelab.live.kueue_configuration import installed_configuration, require_configuration
from kueuelab.live.rbac import reader_role
from kueuelab.live.snapshot import take
from kueuelab.live.why import why
from kueuelab.model import RELEASE, Configuration

CONFIGURATION = "/api/v1/namespaces/kueue-system/configmaps/kueue-manager-config"
CLUSTERS = (
    "queues-2-preempted/main",
    "mixed-1/main",
    "multikueue-1-dispatched/manager",
    "multikueue-1-dispatched/w1",
)


@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize("versions", [("v1beta2", "v1beta1"), ("v1beta1",)])
def test_a_snapshot_loads_in_either_version(cluster: str, versions: tuple[str, ...]) -> None:
    serving = Serving(shared(f"snapshots/{cluster}"), versions)
    found = take(api(serving))
    lab = kl.load(found.as_yaml())
    workloads = {obj["metadata"]["name"] for obj in found.of_kind("Workload")}
    assert {workload.metadata.name for workload in lab.spec.manifests.workloads} == workloads
    assert {request.method for request in serving.asked} == {"GET"}
    assert not [request for request in serving.asked if "secret" in request.url.path]


def test_the_configuration_of_kueue_comes_along() -> None:
    serving = Serving(shared("snapshots/mixed-1/main"))
    text = """
        apiVersion: config.kueue.x-k8s.io/v1beta2
        kind: Configuration
        health: {healthProbeBindAddress: ":8081"}
        fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]}
    """
    body = {"data": {"controller_manager_config.yaml": text}}
    serving.instead[CONFIGURATION] = lambda request: httpx2.Response(200, json=body)
    lab = kl.load(take(api(serving)).as_yaml())
    assert lab.spec.configuration.fair_sharing is not None


def test_what_kueue_adds_to_its_configuration_comes_along() -> None:
    """A Configuration that does not name ``waitForPodsReady`` has it on."""
    serving = Serving(shared("snapshots/mixed-1/main"))
    text = "{apiVersion: config.kueue.x-k8s.io/v1beta2, kind: Configuration}"
    body = {"data": {"controller_manager_config.yaml": text}}
    serving.instead[CONFIGURATION] = lambda request: httpx2.Response(200, json=body)
    lab = kl.load(take(api(serving)).as_yaml())
    assert lab.spec.configuration.wait_for_pods_ready is not None
    # A scenario that does not name it, either, is played there.
    require_configuration(api(serving), Configuration())


@pytest.mark.parametrize("text", ["- a list", "{", None])
def test_where_the_configuration_cannot_be_read_the_defaults_of_kueue_count(
    text: str | None,
) -> None:
    serving = Serving(shared("snapshots/mixed-1/main"))
    body = {"data": {"controller_manager_config.yaml": text}}
    status = 403 if text is None else 200
    serving.instead[CONFIGURATION] = lambda request: httpx2.Response(status, json=body)
    found = take(api(serving))
    assert [note for note in found.notes if "so its defaults are used" in note]
    assert kl.load(found.as_yaml()).spec.configuration == installed_configuration(RELEASE)


def test_nothing_that_could_be_secret_gets_into_it() -> None:
    serving = Serving(shared("snapshots/queues-2-preempted/main"))

    def jobs(request: httpx2.Request) -> httpx2.Response:
        container = {
            "name": "main",
            "command": ["run", "--password=hunter2"],
            "env": [{"name": "TOKEN", "value": "hunter2"}],
        }
        template = {"spec": {"containers": [container], "restartPolicy": "Never"}}
        meta = {
            "name": "a",
            "namespace": "team-a",
            "labels": {"kueue.x-k8s.io/queue-name": "main"},
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "hunter2"},
        }
        job = {"metadata": meta, "spec": {"template": template}}
        page = {"kind": "JobList", "apiVersion": "batch/v1", "metadata": {}, "items": [job]}
        return httpx2.Response(200, json=page)

    serving.instead["/apis/batch/v1/jobs"] = jobs
    text = take(api(serving)).as_yaml()
    assert "name: a\n" in text
    assert "hunter2" not in text
    assert "s3cret" not in text


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_redacted_names_are_gone_and_the_decisions_are_the_same(cluster: str) -> None:
    found = take(api(Serving(shared(f"snapshots/{cluster}"))))
    redacted = found.without_names()
    text = redacted.as_yaml()
    for kind in ("ClusterQueue", "Workload", "ResourceFlavor", "Node"):
        for obj in found.of_kind(kind):
            name = obj["metadata"]["name"]
            assert name in ("default", "main") or f" {name}\n" not in text
    before, after = (kl.load(each.as_yaml()).run(until=0) for each in (found, redacted))
    assert len(before.trace) == len(after.trace)
    assert [step.kind for step in before.trace] == [step.kind for step in after.trace]


def test_names_of_what_is_not_there_and_of_containers_are_replaced_too() -> None:
    """A flavor that is only named, pod sets and containers: none of them has an object."""
    found = take(api(Serving(shared("snapshots/mixed-1/main"))))
    text, redacted = found.as_yaml(), found.without_names().as_yaml()
    for name in ("missing-flavor", "name: c\n"):
        assert name in text
        assert name not in redacted
    before, after = (kl.load(each).run(until=0) for each in (text, redacted))
    assert [step.kind for step in before.trace] == [step.kind for step in after.trace]


def with_overhead(serving: Serving) -> Serving:
    """Serve a RuntimeClass, and a pending workload whose pods name it."""
    meta = {"name": "vm", "uid": "u", "resourceVersion": "1"}
    runtime = {"metadata": meta, "handler": "kata", "overhead": {"podFixed": {"cpu": "2"}}}
    page = {"kind": "RuntimeClassList", "apiVersion": "node.k8s.io/v1", "metadata": {}}
    path = "/apis/node.k8s.io/v1/runtimeclasses"
    serving.instead[path] = lambda request: httpx2.Response(200, json={**page, "items": [runtime]})
    path = "/apis/kueue.x-k8s.io/v1beta2/workloads"

    def workloads(request: httpx2.Request) -> httpx2.Response:
        file = serving.folder / "workloads.yaml"
        items = yaml.load(file.read_text(), yaml.CSafeLoader)["items"]
        for item in items:
            item["spec"]["podSets"][0]["template"]["spec"]["runtimeClassName"] = "vm"
        page = {"kind": "WorkloadList", "apiVersion": "kueue.x-k8s.io/v1beta2"}
        return httpx2.Response(200, json={**page, "metadata": {}, "items": items})

    serving.instead[path] = workloads
    return serving


def test_the_overhead_of_a_runtime_class_is_counted() -> None:
    serving = with_overhead(Serving(shared("snapshots/queues-2-preempted/main")))
    found = take(api(serving))
    [runtime] = found.of_kind("RuntimeClass")
    assert runtime["overhead"] == {"podFixed": {"cpu": "2"}}
    lab = kl.load(found.as_yaml())
    key = next(w.key for w in lab.spec.manifests.workloads if "b-gpu-1" in w.key)
    plain = kl.load(take(api(Serving(serving.folder))).as_yaml())
    more, less = (each.run(until=0).cluster.workloads[key] for each in (lab, plain))
    pods = more.obj.pod_sets[0].count
    asked = [state.requests[0].requests.get("cpu", 0) for state in (more, less)]
    assert asked[0] - asked[1] == 2000 * pods
    with Following(api(serving)) as following:
        assert list(following.mirror.cluster.objects.runtime_classes) == ["vm"]
    assert "runtimeclasses" in reader_role()


def test_what_may_not_be_read_is_left_out_and_noted() -> None:
    serving = Serving(shared("snapshots/queues-1-admitted/main"))
    message = (
        'nodes is forbidden: User "me" cannot list resource "nodes" in API group "" '
        "at the cluster scope"
    )
    status = {"kind": "Status", "message": message, "reason": "Forbidden", "code": 403}
    serving.instead["/api/v1/nodes"] = lambda request: httpx2.Response(403, json=status)
    found = take(api(serving))
    assert [note for note in found.notes if "me is not allowed to list nodes" in note]
    path = "/apis/kueue.x-k8s.io/v1beta2/workloads"
    message = message.replace("nodes", "workloads")
    status = {**status, "message": message}
    serving.instead[path] = lambda request: httpx2.Response(403, json=status)
    with pytest.raises(LiveError, match="me is not allowed to list workloads"):
        take(api(serving))


def test_without_kueue_it_says_so() -> None:
    status = {"kind": "Status", "message": "not found", "reason": "NotFound", "code": 404}
    transport = httpx2.MockTransport(lambda request: httpx2.Response(404, json=status))
    with pytest.raises(LiveError, match="Kueue is not installed in 'kind-lab'"):
        take(api(transport))


def test_a_kueue_of_unknown_versions_is_named() -> None:
    versions = {"versions": [{"version": "v2"}]}

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/apis/kueue.x-k8s.io":
            return httpx2.Response(200, json=versions)
        return httpx2.Response(404, json={"message": "no", "reason": "NotFound"})

    with pytest.raises(LiveError, match="serves only v2"):
        take(api(httpx2.MockTransport(answer)))


def test_the_rights_cover_exactly_what_is_asked_for() -> None:
    serving = Serving(shared("snapshots/queues-2-preempted/main"))
    take(api(serving))
    why(api(serving), "b-gpu-1")
    role, by_name = yaml.safe_load_all(reader_role())
    named = {
        (rule["apiGroups"][0], rule["resources"][0], *rule["resourceNames"])
        for rule in by_name["rules"]
    }
    granted = {
        (group, plural)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for plural in rule["resources"]
    }
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"get", "list", "watch"}
    for request in serving.asked:
        parts = request.url.path.strip("/").split("/")
        if parts[-1] == "pendingworkloads":
            assert (parts[1], f"{parts[3]}/{parts[5]}") in granted
        elif parts[-1] == "events":
            assert ("", "events") in granted
        elif "kueue-system" in parts:
            group = parts[1] if parts[0] == "apis" else ""
            assert (group, *parts[-2:]) in named
        elif parts[0] == "apis" and len(parts) > 3:
            assert (parts[1], parts[3]) in granted
        elif parts[0] == "api":
            assert ("", parts[2]) in granted
    assert {verb for rule in by_name["rules"] for verb in rule["verbs"]} == {"get"}
    assert "secrets" not in json.dumps([role, by_name])
    assert config().contexts


def test_where_pods_are_placed_the_pods_on_nodes_come_along() -> None:
    found = take(api(Serving(shared("snapshots/mixed-1/main"))))
    pods = found.of_kind("Pod")
    assert pods
    assert all(pod["spec"]["nodeName"] for pod in pods)
    assert {pod["status"]["phase"] for pod in pods} == {"Running"}
    assert {"command", "env", "volumeMounts"}.isdisjoint(
        field for pod in pods for container in pod["spec"]["containers"] for field in container
    )
    manifests = kl.load(found.as_yaml()).spec.manifests
    assert len(manifests.objects["Pod"]) == len(pods)
    nodes = {node.metadata.name for node in manifests.objects["Node"]}
    assert {pod.node_name for pod in manifests.objects["Pod"]} <= nodes
    renamed = found.without_names()
    named = {pod["spec"]["nodeName"] for pod in renamed.of_kind("Pod")}
    assert named <= {node["metadata"]["name"] for node in renamed.of_kind("Node")}
    assert not named & nodes


def test_without_a_topology_no_pod_is_read() -> None:
    serving = Serving(shared("snapshots/queues-2-preempted/main"))
    assert not take(api(serving)).of_kind("Pod")
    assert not [request for request in serving.asked if request.url.path == "/api/v1/pods"]


def test_a_dump_with_a_topology_is_decided_on_its_nodes() -> None:
    found = take(api(Serving(shared("snapshots/mixed-1/main"))))
    run = kl.load(found.as_yaml()).run(until=0)
    placed = {
        key: state.topology_assignments
        for key, state in run.cluster.workloads.items()
        if state.topology_assignments
    }
    assert placed
    nodes = run.cluster.objects.nodes
    assert all(
        name in nodes for each in placed.values() for one in each.values() for name in one.nodes
    )


def test_pods_are_among_the_least_rights() -> None:
    assert "- pods\n" in reader_role()


def with_devices(serving: Serving) -> Serving:
    """Serve a claim of a device by a pending workload, its template, and the device's class."""
    claims = {"devices": {"requests": [{"name": "d", "exactly": {"deviceClassName": "gpu"}}]}}
    items = {
        "DeviceClass": [{"metadata": {"name": "gpu", "uid": "c"}, "spec": {}}],
        "ResourceClaimTemplate": [
            {"metadata": {"name": "one", "namespace": "team-b"}, "spec": {"spec": claims}}
        ],
    }
    for kind, found in items.items():
        head = {"kind": f"{kind}List", "apiVersion": "resource.k8s.io/v1", "metadata": {}}
        page = {**head, "items": found}
        path = f"/apis/resource.k8s.io/v1/{kind.lower()}{'es' if kind.endswith('s') else 's'}"
        serving.instead[path] = lambda request, page=page: httpx2.Response(200, json=page)
    path = "/apis/kueue.x-k8s.io/v1beta2/workloads"

    def workloads(request: httpx2.Request) -> httpx2.Response:
        file = serving.folder / "workloads.yaml"
        items = yaml.load(file.read_text(), yaml.CSafeLoader)["items"]
        for item in items:
            claim = {"name": "g", "resourceClaimTemplateName": "one"}
            item["spec"]["podSets"][0]["template"]["spec"]["resourceClaims"] = [claim]
        page = {"kind": "WorkloadList", "apiVersion": "kueue.x-k8s.io/v1beta2"}
        return httpx2.Response(200, json={**page, "metadata": {}, "items": items})

    serving.instead[path] = workloads
    return serving


def test_devices_are_read_where_they_are_claimed() -> None:
    serving = with_devices(Serving(shared("snapshots/queues-1-admitted/main")))
    found = take(api(serving))
    assert [obj["metadata"]["name"] for obj in found.of_kind("DeviceClass")] == ["gpu"]
    [template] = found.of_kind("ResourceClaimTemplate")
    assert template["spec"]["spec"]["devices"]["requests"][0]["name"] == "d"
    assert not found.of_kind("ResourceSlice")
    [kept] = kl.load(found.as_yaml()).spec.manifests.objects["ResourceClaimTemplate"]
    assert kept.metadata.name == "one"
    redacted = found.without_names()
    text = redacted.as_yaml()
    assert kl.load(text).spec.manifests.objects["DeviceClass"]
    role = reader_role()
    assert "resourceclaimtemplates" in role
    assert "resourceclaims\n" not in role


def test_devices_that_none_claims_are_not_read() -> None:
    asked: list[str] = []
    serving = Serving(shared("snapshots/queues-1-admitted/main"))
    path = "/apis/resource.k8s.io/v1/deviceclasses"
    serving.instead[path] = lambda request: asked.append(path) or httpx2.Response(404)
    take(api(serving))
    assert not asked
