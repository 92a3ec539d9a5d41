"""Nodes that fail under a leader with its workers, and under several workloads at a time."""

from __future__ import annotations

from typing import Any

from kueuelab.manifests import load_scenario
from kueuelab.simulation.player import Player
from kueuelab.testing import PlacementWatch


def played(pool: dict[str, Any], *timeline: dict[str, Any]) -> tuple[Player, list[str]]:
    """Play a scenario with one ClusterQueue; return what a watch finds after each cycle too."""
    quotas = {"name": "default", "resources": [{"name": "cpu", "nominalQuota": 100}]}
    groups = [{"coveredResources": ["cpu"], "flavors": [quotas]}]
    spec: dict[str, Any] = {"namespaceSelector": {}, "resourceGroups": groups}
    api = {"apiVersion": "kueue.x-k8s.io/v1beta2"}
    manifests = [
        {**api, "kind": "ClusterQueue", "metadata": {"name": "cq"}, "spec": spec},
        {**api, "kind": "LocalQueue", "metadata": {"name": "q"}, "spec": {"clusterQueue": "cq"}},
    ]
    scenario = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": "groups"},
        "spec": {"nodes": pool, "manifests": manifests, "timeline": list(timeline)},
    }
    player = Player(load_scenario(scenario))
    watch = PlacementWatch(player.cluster)
    found: list[str] = []

    def look() -> bool:
        found.extend(watch.look())
        return False

    player.on_pause = look
    player.play()
    look()
    return player, found


def group(name: str, workers: int, cpu: int = 1, level: str = "rack") -> dict[str, Any]:
    together = {"required": level, "group": "all"}
    leader = {"name": "leader", "requests": {"cpu": cpu}, "topology": together}
    return {
        "job": name,
        "queue": "q",
        "podSets": [leader, {**leader, "name": "workers", "count": workers}],
    }


def places(player: Player, name: str) -> dict[str, dict[str, int]]:
    state = player.cluster.workload(f"default/{name}")
    return {
        pod_set: {domain.values[-1]: domain.count for domain in assignment.domains}
        for pod_set, assignment in state.topology_assignments.items()
    }


def test_a_leader_is_replaced_in_any_domain_where_it_has_no_other_pods() -> None:
    """Kueue replaces one pod set at a time, in the domain of the other pods of that pod set."""
    player, found = played(
        {"racks": 2, "hosts": 3, "cpu": 1},
        {"at": "0s", "submit": group("a", 2)},
        {"at": "4s", "node": {"name": "r2-h1", "cordoned": True}},
        {"at": "4s", "node": {"name": "r2-h2", "cordoned": True}},
        {"at": "5s", "remove": "Node/r1-h1"},
    )
    assert places(player, "a") == {
        "leader": {"r2-h3": 1},
        "workers": {"r1-h2": 1, "r1-h3": 1},
    }
    assert found == []


def test_workers_that_stay_keep_those_that_are_replaced_in_their_domain() -> None:
    player, found = played(
        {"racks": 2, "hosts": 3, "cpu": 1},
        {"at": "0s", "submit": group("a", 2)},
        {"at": "5s", "remove": "Node/r1-h2"},
    )
    assert "EvictedDueToNodeFailures" in {event.reason for event in player.cluster.events}
    assert {host[:2] for pods in places(player, "a").values() for host in pods} == {"r2"}
    assert found == []


def test_two_replacements_of_one_cycle_do_not_count_the_pods_of_each_other() -> None:
    player, found = played(
        {"hosts": 4, "cpu": 2, "pods": 1},
        {"at": "0s", "node": {"name": "h3", "cordoned": True}},
        {"at": "0s", "node": {"name": "h4", "cordoned": True}},
        {"at": "0s", "submit": {"job": "a", "queue": "q", "pods": 1, "requests": {"cpu": 1}}},
        {"at": "0s", "submit": {"job": "b", "queue": "q", "pods": 1, "requests": {"cpu": 1}}},
        {"at": "5s", "node": {"name": "h3", "cordoned": False}},
        {"at": "9s", "remove": "Node/h1"},
        {"at": "9s", "remove": "Node/h2"},
    )
    assert places(player, "a") == places(player, "b") == {"main": {"h3": 1}}
    assert found == []
