"""Nodes of a scenario on an API server: what is written, while it runs and at the end.

The lab plays Kueue there (see `pretend`); whether a node controller is content with the Leases, and
what a scheduler binds to such nodes, only a real cluster can show.
"""

from __future__ import annotations

from threading import Thread
from types import ModuleType

import pytest
from pretend import Json, Pretend, wait_until

from kueuelab.errors import InputError
from kueuelab.live import fake_nodes, lease
from kueuelab.live.access import open_cluster
from kueuelab.live.cleaning import clean
from kueuelab.live.errors import LiveError
from kueuelab.live.lease import RunLease
from kueuelab.live.limits import limits_of
from kueuelab.live.live_run import play_on
from kueuelab.live.requests import MOST_NODES, requests_of, run_labels, setup_of
from kueuelab.live.scenario_cluster import ScenarioCluster
from kueuelab.manifests import ScenarioSpec, load_scenario

RACK = "cloud.provider.com/topology-rack"
HOST = "kubernetes.io/hostname"
WORLD = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: places}
spec:
  nodes: {racks: 2, hosts: 2, cpu: 4}
  manifests:
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: main}
    spec:
      namespaceSelector: {}
      resourceGroups:
      - coveredResources: [cpu]
        flavors: [{name: default, resources: [{name: cpu, nominalQuota: 32}]}]
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: main, namespace: places}
    spec: {clusterQueue: main}
  timeline:
"""


def scenario(*lines: str) -> ScenarioSpec:
    return load_scenario(WORLD + "\n".join(f"  {line}" for line in lines))


def job(name: str, at: int = 0, more: str = "", cpu: int = 4) -> str:
    return (
        f"- {{at: {at}s, submit: {{job: {name}, namespace: places, queue: main, pods: 2, "
        f"requests: {{cpu: {cpu}}}, topology: {{required: rack}}{more}}}}}"
    )


pytestmark = pytest.mark.usefixtures("unhurried")


def versions(cluster: Pretend, plural: str, name: str, group: str = "") -> list[Json]:
    """Return every version that an object had, the first one first."""
    with cluster.store.lock:
        return [
            obj
            for _, type_, where, obj in cluster.store.log
            if type_ != "DELETED" and where == (group, plural) and obj["metadata"]["name"] == name
        ]


def left(cluster: Pretend) -> list[str]:
    with cluster.store.lock:
        return [key[3] for key in cluster.store.objects if key[1] in ("nodes", "leases", "pods")]


def ready_and_bare(node: Json) -> bool:
    conditions = (node.get("status") or {}).get("conditions") or ()
    ready = any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
    return ready and not node["spec"]["taints"]


def test_a_run_creates_nodes_that_are_ready_and_removes_them(cluster: Pretend) -> None:
    places = "places: {r1-h1: 1, r1-h2: 1}"
    spec = scenario(
        job("train", more=", runs: 1s"),
        f"expect: [{{at: 0s, workload: places/train, is: admitted, {places}}}]",
    )
    played = play_on(spec, cluster.context)
    assert [outcome.differences for outcome in played.outcomes] == [()]
    last = versions(cluster, "nodes", "r1-h1")[-1]
    assert ready_and_bare(last)
    assert last["metadata"]["labels"][RACK] == "r1"
    assert last["metadata"]["labels"][HOST] == "r1-h1"
    assert last["status"]["allocatable"] == {"cpu": "4", "pods": "110"}
    assert left(cluster) == []


def test_every_request_about_a_node_is_known(cluster: Pretend) -> None:
    play_on(scenario(job("train", more=", runs: 1s")), cluster.context)
    asked = {(m, p) for m, p in cluster.asked if m != "GET" and ("r1-h1" in p or "/nodes" in p)}
    node, held = "/api/v1/nodes", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
    assert asked == {
        ("POST", node),
        ("PUT", f"{node}/r1-h1"),
        ("PUT", f"{node}/r1-h1/status"),
        ("DELETE", f"{node}/r1-h1"),
        ("PUT", f"{held}/r1-h1"),
        ("DELETE", f"{held}/r1-h1"),
        *(
            (method, f"{node}/{name}{part}")
            for name in ("r1-h2", "r2-h1", "r2-h2")
            for method, part in (("PUT", ""), ("PUT", "/status"), ("DELETE", ""))
        ),
    }
    assert sum((m, p) == ("POST", held) for m, p in cluster.asked) == 4


def on_cluster(cluster: Pretend, spec: ScenarioSpec) -> ScenarioCluster:
    api = open_cluster(cluster.context, writable=True)
    held = RunLease(api, "run-1", run_labels(spec))
    return ScenarioCluster("", api, played=True, patience=60.0, lease=held)


def test_leases_are_renewed_until_the_run_ends(cluster: Pretend) -> None:
    spec = scenario(job("train"))
    there = on_cluster(cluster, spec)
    there.set_up(setup_of(spec))

    def renewed(name: str) -> bool:
        found = versions(cluster, "leases", name, "coordination.k8s.io")
        return len({each["spec"]["renewTime"] for each in found}) > 2

    wait_until(lambda: renewed("r1-h1") and renewed("r2-h2"))
    there.nodes.close()
    [first, *_] = versions(cluster, "leases", "r1-h1", "coordination.k8s.io")
    assert first["spec"]["holderIdentity"] == "r1-h1"
    assert first["metadata"]["ownerReferences"][0]["kind"] == "Node"
    there.created.remove()
    there.close()
    assert left(cluster) == []


def test_what_a_run_left_is_cleaned(cluster: Pretend) -> None:
    spec = scenario(job("train"))
    there = on_cluster(cluster, spec)
    there.set_up(setup_of(spec))
    there.close()
    api = open_cluster(cluster.context, writable=True)
    cleaned = clean(api)
    api.close()
    assert {"Node/r1-h1", "Lease/r1-h1"} <= set(cleaned.removed)
    assert left(cluster) == []


def test_a_node_that_is_added_admits(cluster: Pretend) -> None:
    node = (
        "{apiVersion: v1, kind: Node, metadata: {name: extra, labels: "
        f"{{{RACK}: r2, {HOST}: extra, cloud.provider.com/node-group: default}}}}, "
        "status: {allocatable: {cpu: 8, pods: 10}, conditions: [{type: Ready, status: 'True'}]}}"
    )
    spec = scenario(
        job("first"),
        job("second", 1, cpu=3),
        job("third", 2, cpu=4),
        f"- {{at: 3s, apply: {node}}}",
        "expect:",
        "- {at: 2.5s, workload: places/third, is: pending}",
        "- {at: 3s, workload: places/third, is: admitted, places: {extra: 2}}",
    )
    played = play_on(spec, cluster.context, seconds=300.0, speed=1.0)
    assert [outcome.differences for outcome in played.outcomes] == [(), ()]


def test_a_node_that_fails_is_replaced(cluster: Pretend) -> None:
    spec = scenario(
        job("train", cpu=2),
        # On a busy machine it is admitted late.
        "- {at: 6s, node: {name: r1-h1, ready: false}}",
        "expect:",
        "- {at: 0s, workload: places/train, is: admitted, places: {r1-h1: 2}}",
        "- {at: 6s, workload: places/train, is: admitted, places: {r1-h2: 2}}",
    )
    played = play_on(spec, cluster.context)
    assert [outcome.differences for outcome in played.outcomes] == [(), ()]
    assert not ready_and_bare(versions(cluster, "nodes", "r1-h1")[-1])


def test_pods_outside_of_kueue_take_room_and_nodes_go(cluster: Pretend) -> None:
    cluster.decides_in_turn = True
    spec = scenario(
        "- {at: 0s, pod: {name: agent, namespace: places, node: r1-h1, requests: {cpu: 1}}}",
        "- {at: 1s, remove: Node/r2-h1}",
        job("train", 2),
        "- {at: 5s, remove: Pod/places/agent}",
        "expect:",
        "- {at: 2.5s, workload: places/train, is: pending}",
        # Kueue offers room that other pods gave back every ten seconds.
        "- {at: 15s, workload: places/train, is: admitted, places: {r1-h1: 1, r1-h2: 1}}",
    )
    played = play_on(spec, cluster.context)
    assert [outcome.differences for outcome in played.outcomes] == [(), ()]
    [sent, *_] = versions(cluster, "pods", "agent")
    assert sent["spec"]["terminationGracePeriodSeconds"] == 0  # no kubelet confirms its end
    assert left(cluster) == []


def test_jobs_ask_for_their_places_by_annotations() -> None:
    slices = ", slices: [{level: host, size: 1}]}"
    spec = scenario(job("a").replace("{required: rack}", "{required: rack" + slices))
    [request] = requests_of(spec, played=True)
    [body] = request.bodies
    assert body["spec"]["completionMode"] == "Indexed"
    assert body["spec"]["template"]["metadata"]["annotations"] == {
        "kueue.x-k8s.io/podset-required-topology": RACK,
        "kueue.x-k8s.io/podset-slice-required-topology": HOST,
        "kueue.x-k8s.io/podset-slice-size": "1",
    }


def test_nodes_without_a_topology_are_left_out() -> None:
    text = WORLD.replace("  nodes: {racks: 2, hosts: 2, cpu: 4}\n", "")
    node = "  - {apiVersion: v1, kind: Node, metadata: {name: n1}}\n"
    kind = "apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor"
    flavor = f"  - {{{kind}, metadata: {{name: default}}}}\n"
    spec = load_scenario(text.replace("  timeline:\n", node + flavor))
    assert "Node" not in {obj["kind"] for obj in setup_of(spec)}


def test_jobs_do_not_run_as_pods_there(cluster: Pretend) -> None:
    with pytest.raises(LiveError, match="no pod runs on the nodes that the run creates"):
        play_on(scenario(job("train")), cluster.context, jobs="pods")
    assert [method for method, _ in cluster.asked if method != "GET"] == []


def test_too_many_nodes_are_refused(cluster: Pretend) -> None:
    text = WORLD.replace("hosts: 2", f"hosts: {MOST_NODES}")
    with pytest.raises(InputError, match="a run creates at most 200 nodes"):
        play_on(load_scenario(text + f"  {job('train')}"), cluster.context)
    assert [method for method, _ in cluster.asked if method != "GET"] == []


def test_a_cluster_that_may_not_be_written_gets_no_nodes(cluster: Pretend) -> None:
    text = cluster.kubeconfig.read_text().replace(cluster.context, "production")
    cluster.kubeconfig.write_text(text)
    with pytest.raises(LiveError) as caught:
        play_on(scenario(job("train")), "production")
    assert caught.value.trouble == "guarded"
    assert cluster.asked == []


def test_what_differs_there_is_said_before() -> None:
    def said(*lines: str) -> list[str]:
        return [str(note) for note in limits_of(scenario(*lines), 1.0)]

    [note] = said(job("train"))
    assert "no pod runs on them" in note
    failing = said(job("train"), "- {at: 1s, node: {name: r1-h1, ready: false}}")
    assert "Kueue replaces one that fails at once" in failing[1]
    ranks = "expect: [{at: 0s, workload: places/train, ranks: {main: [r1-h1, r1-h2]}}]"
    assert "which pod is on which node is not judged" in said(job("train"), ranks)[1]


def test_ranks_are_not_held_against_a_cluster(cluster: Pretend) -> None:
    ranks = "expect: [{at: 0s, workload: places/train, is: admitted, ranks: {main: [a, b]}}]"
    played = play_on(scenario(job("train", more=", runs: 1s"), ranks), cluster.context)
    assert [outcome.differences for outcome in played.outcomes] == [()]


@pytest.mark.parametrize("module", [lease, fake_nodes])
@pytest.mark.parametrize("runs", [False, True])
def test_ctrl_c_while_a_thread_starts_leaves_nothing(
    cluster: Pretend, monkeypatch: pytest.MonkeyPatch, module: ModuleType, runs: bool
) -> None:
    class Interrupted(Thread):
        def start(self) -> None:
            if runs:
                super().start()
            raise KeyboardInterrupt

    monkeypatch.setattr(module, "Thread", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        play_on(scenario(job("train", more=", runs: 1s")), cluster.context)
    assert left(cluster) == []
