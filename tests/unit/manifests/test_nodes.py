"""Nodes and pods: as they are written, as ``kubectl get`` prints them, and in short form."""

from __future__ import annotations

from pathlib import Path

import pytest

from kueuelab.errors import InputError
from kueuelab.manifests import load, load_scenario
from kueuelab.manifests.scenario import Apply, Remove, ScenarioSpec, Submit
from kueuelab.model import Node, Pod, ResourceFlavor, Topology, TopologyRequest

HEAD = "apiVersion: kueuelab/v1\nkind: Scenario\nmetadata: {name: t}\nspec:\n"
RACK = "cloud.provider.com/topology-rack"
BLOCK = "cloud.provider.com/topology-block"
HOST = "kubernetes.io/hostname"
DUMP = """
apiVersion: kueue.x-k8s.io/VERSION
kind: Topology
metadata: {name: dc}
spec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: n1, uid: abc, labels: {rack: r1, kubernetes.io/hostname: n1}}
  spec: {podCIDR: 10.0.0.0/24, providerID: kind://n1, taints: [{key: a, effect: NoSchedule}]}
  status:
    addresses: [{address: 10.0.0.1, type: InternalIP}]
    allocatable: {cpu: "4", pods: "110"}
    capacity: {cpu: "5", pods: "110"}
    conditions:
    - {type: Ready, status: "True", reason: KubeletReady, lastHeartbeatTime: "2026-01-01T00:00:00Z",
       lastTransitionTime: "2026-01-01T00:00:00Z"}
    nodeInfo: {kernelVersion: "6"}
- apiVersion: v1
  kind: Pod
  metadata: {name: dns, namespace: kube-system, deletionTimestamp: "2026-01-01T00:00:00Z"}
  spec: {nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: waits, namespace: default}
  spec: {containers: [{name: c, image: i}]}
  status: {phase: Pending}
"""


def scenario(tmp_path: Path, text: str) -> ScenarioSpec:
    path = tmp_path / "t.yaml"
    path.write_text(HEAD + text)
    return load_scenario(path)


def nodes(spec: ScenarioSpec) -> list[Node]:
    return [each for each in spec.manifests.objects["Node"] if isinstance(each, Node)]


@pytest.mark.parametrize("version", ["v1alpha1", "v1beta1", "v1beta2"])
def test_a_dump_has_topologies_nodes_and_the_pods_on_them(version: str) -> None:
    objects = load(DUMP.replace("VERSION", version)).objects
    (topology,) = objects["Topology"]
    assert isinstance(topology, Topology)
    assert topology.levels == ("rack", HOST)
    (node,) = objects["Node"]
    assert isinstance(node, Node)
    assert (node.is_ready, str(node.allocatable["cpu"]), node.taints[0].key) == (True, "4", "a")
    (pod,) = objects["Pod"]
    assert isinstance(pod, Pod)
    assert (pod.metadata.key, pod.node_name, pod.is_terminating) == (
        "kube-system/dns",
        "n1",
        True,
    )


def test_without_a_topology_pods_do_not_matter() -> None:
    assert "Pod" not in load(DUMP.partition("---")[2]).objects


def test_the_short_form_makes_topology_flavor_and_nodes(tmp_path: Path) -> None:
    spec = scenario(tmp_path, "  nodes: {blocks: 2, racks: 3, hosts: 4, cpu: 8, gpu: 8}\n")
    (topology,) = spec.manifests.objects["Topology"]
    assert isinstance(topology, Topology)
    assert (topology.metadata.name, topology.levels) == ("default", (BLOCK, RACK, HOST))
    (flavor,) = spec.manifests.objects["ResourceFlavor"]
    assert isinstance(flavor, ResourceFlavor)
    assert flavor.topology_name == "default"
    found = nodes(spec)
    assert len(found) == 24
    last = found[-1]
    assert dict(last.metadata.labels) == {
        **flavor.node_labels,
        BLOCK: "b2",
        RACK: "b2-r3",
        HOST: "b2-r3-h4",
    }
    assert (last.metadata.name, last.is_ready) == ("b2-r3-h4", True)
    amounts = {name: str(value) for name, value in last.allocatable.items()}
    assert amounts == {"cpu": "8", "nvidia.com/gpu": "8", "pods": "110"}


def test_names_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    spec = scenario(tmp_path, "  nodes: {name: gpu, hosts: 10, resources: {example.com/nic: 1}}\n")
    names = [node.metadata.name for node in nodes(spec)]
    assert names == sorted(names)
    assert (names[0], names[-1]) == ("gpu-h01", "gpu-h10")
    assert [obj.metadata.name for obj in spec.manifests.objects["ResourceFlavor"]] == ["gpu"]


def test_pools_share_a_topology_and_take_the_labels_of_a_flavor_that_is_there(
    tmp_path: Path,
) -> None:
    spec = scenario(
        tmp_path,
        """\
  manifests:
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ResourceFlavor
    metadata: {name: spot}
    spec: {nodeLabels: {pool: spot}, topologyName: default}
  nodes:
  - {name: a, racks: 1, hosts: 1, cpu: 1}
  - {name: b, flavor: spot, racks: 1, hosts: 1, cpu: 1, labels: {zone: z},
     taints: [{key: spot, effect: NoSchedule}]}
""",
    )
    a, b = nodes(spec)
    assert len(spec.manifests.objects["Topology"]) == 1
    assert (a.metadata.name, b.metadata.name) == ("a-r1-h1", "b-r1-h1")
    assert dict(b.metadata.labels) == {"pool": "spot", "zone": "z", RACK: "b-r1", HOST: "b-r1-h1"}
    assert b.taints[0].key == "spot"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  nodes: {racks: 2}\n", "spec.nodes.hosts: Required value"),
        ("  nodes: {racks: 0, hosts: 1}\n", "t.yaml:5.*spec.nodes.racks: .*greater than or equal"),
        ("  nodes:\n  - {hosts: 1}\n  - {host: 1, hosts: 1}\n", r"t.yaml:7.*nodes\[1\].host"),
        ("  nodes: {blocks: 200, racks: 200, hosts: 200}\n", "these are 8000000 nodes"),
        ("  nodes: [{hosts: 1}, {racks: 1, hosts: 1}]\n", "Topology default has other levels"),
        ("  nodes: [{hosts: 1}, {hosts: 1}]\n", "there are two objects Node/h1"),
        ("  nodes: {hosts: 1, cpu: x}\n", "spec.nodes.cpu"),
        ("  nodes: three\n", "spec.nodes"),
    ],
)
def test_what_is_wrong_with_a_short_form(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        scenario(tmp_path, text)


def test_jobs_ask_for_a_place_in_short_form(tmp_path: Path) -> None:
    spec = scenario(
        tmp_path,
        """\
  timeline:
  - submit: {job: a, queue: q, topology: {required: rack, group: g}}
  - submit: {job: b, queue: q, topology: {preferred: example.com/row}}
  - submit: {job: c, queue: q, topology: {unconstrained: true}}
  - submit: {job: d, queue: q, pods: 2,
             topology: {required: block, slices: [{level: rack, size: 2}]}}
  - submit: {job: e, queue: q, pods: 4,
             topology: {slices: [{level: rack, size: 4}, {level: host, size: 2}]}}
""",
    )
    requests = [
        TopologyRequest.of(workload.pod_sets[0].topology_request)
        for action in spec.timeline
        if isinstance(action, Submit)
        for workload in action.workloads
    ]
    a, b, c, d, e = requests
    assert (a.required, a.group) == (RACK, "g")
    assert b.preferred == "example.com/row"
    assert c.unconstrained is True
    assert (d.required, [(each.level, each.size) for each in d.slices]) == (BLOCK, [(RACK, 2)])
    assert [(each.level, each.size) for each in e.slices] == [(RACK, 4), (HOST, 2)]


def test_the_timeline_changes_nodes(tmp_path: Path) -> None:
    spec = scenario(
        tmp_path,
        """\
  nodes: {racks: 1, hosts: 2, cpu: 8}
  timeline:
  - {at: 1s, node: {name: r1-h1, ready: false}}
  - {at: 2s, node: {name: r1-h1, cordoned: true, taints: [{key: a, effect: NoExecute}]}}
  - {at: 3s, node: {name: r1-h2, cpu: 4}}
  - {at: 4s, pod: {name: agent, node: r1-h2, requests: {cpu: 1}}}
  - {at: 5s, remove: Pod/default/agent}
  - {at: 6s, remove: Node/r1-h2}
""",
    )
    applied = [obj for act in spec.timeline if isinstance(act, Apply) for obj in act.objects]
    down, cordoned, smaller = (each for each in applied if isinstance(each, Node))
    assert (down.is_ready, down.unschedulable) == (False, False)
    assert (cordoned.is_ready, cordoned.unschedulable) == (False, True)
    assert cordoned.taints[0].effect == "NoExecute"
    amounts = {name: str(value) for name, value in smaller.allocatable.items()}
    assert amounts == {"cpu": "4", "pods": "110"}
    (pod,) = (each for each in applied if isinstance(each, Pod))
    assert (pod.node_name, pod.phase, pod.metadata.key) == ("r1-h2", "Running", "default/agent")
    removed = [(a.kind, a.namespace, a.name) for a in spec.timeline if isinstance(a, Remove)]
    assert removed == [("Pod", "default", "agent"), ("Node", "", "r1-h2")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("node: {name: r1-h3, ready: false}", "there is no Node named 'r1-h3'"),
        ("node: {name: r1-h1}", "nothing happens to the node"),
        ("pod: {name: a, node: h}", "there is no Node named 'h'"),
        ("submit: {job: a, queue: q, topology: {required: a, preferred: b}}", "in one way"),
        ("submit: {job: a, queue: q, topology: {slices: [{level: rack, size: 0}]}}", "size"),
    ],
)
def test_what_is_wrong_with_actions_on_nodes(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        scenario(
            tmp_path, f"  nodes: {{racks: 1, hosts: 1}}\n  timeline:\n  - {{at: 1s, {text}}}\n"
        )
