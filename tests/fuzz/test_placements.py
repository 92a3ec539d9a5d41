"""What holds of where pods are placed, in every cluster with nodes."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from how_many import SCENARIOS, many
from hypothesis import given, settings

from kueuelab.manifests import load_scenario
from kueuelab.scheduler.assignment import Mode
from kueuelab.simulation import Scenario
from kueuelab.simulation.player import Player
from kueuelab.testing import PlacementWatch, Watch
from kueuelab.testing.placed_clusters import placed_scenarios
from kueuelab.trace import Cursor
from kueuelab.trace.export import trace_to_json

some = settings(many, max_examples=max(SCENARIOS // 8, 1))
few = settings(many, max_examples=max(SCENARIOS // 20, 1))


@some
@given(placed_scenarios())
def test_places_at_every_step(scenario: dict[str, Any]) -> None:
    player = Player(load_scenario(scenario))
    watches = (Watch(player.cluster), PlacementWatch(player.cluster))
    found: list[str] = []

    def pause() -> bool:
        for watch in watches:
            found.extend(watch.look())
        return False

    player.on_pause = pause
    for _ in player.instants():
        pause()
        assert not found, found


@few
@given(placed_scenarios())
def test_forward_then_back_is_where_it_began(scenario: dict[str, Any]) -> None:
    trace = Scenario(load_scenario(scenario)).run().trace
    cursor = Cursor(trace)
    states = [deepcopy(cursor._writer.state())]
    while cursor.forward():
        states.append(deepcopy(cursor._writer.state()))
    while cursor.back():
        assert cursor._writer.state() == states[cursor.index]


@few
@given(placed_scenarios())
def test_the_same_scenario_gives_the_same_bytes(scenario: dict[str, Any]) -> None:
    first, second = (trace_to_json(Scenario(load_scenario(scenario)).run().trace) for _ in range(2))
    assert first == second


@few
@given(placed_scenarios())
def test_at_the_end_nothing_fits_that_waits(scenario: dict[str, Any]) -> None:
    player = Player(load_scenario(scenario))
    player.play()
    if player.loop is not None:
        return
    cluster = player.cluster
    assert cluster.at_rest
    for _ in range(4):
        record = cluster.cycle()
        fitting = [
            entry.key
            for entry in record.entries
            if entry.assignment is not None and entry.assignment.mode is Mode.Fit
        ]
        assert not fitting, fitting


def test_kueue_counts_no_pods_between_the_entries_of_one_cycle() -> None:
    """Two ClusterQueues have a head each in one cycle, and the node takes one pod: both get it.

    Kueue v0.19.2 compares what the pods of a later entry request with what is left after the
    earlier one (``TASFlavorSnapshot.Fits``), without the pods themselves. `PlacementWatch` knows
    that. In a cycle of its own the second one waits.
    """

    def admitted(second_at: str) -> list[str]:
        manifests: list[dict[str, Any]] = []
        for name in ("a", "b"):
            quota = [{"name": "cpu", "nominalQuota": 4}]
            flavors = [{"name": "default", "resources": quota}]
            group = {"coveredResources": ["cpu"], "flavors": flavors}
            spec = {"namespaceSelector": {}, "resourceGroups": [group]}
            kueue, meta = {"apiVersion": "kueue.x-k8s.io/v1beta2"}, {"metadata": {"name": name}}
            manifests.append({**kueue, "kind": "ClusterQueue", **meta, "spec": spec})
            manifests.append(
                {**kueue, "kind": "LocalQueue", **meta, "spec": {"clusterQueue": name}}
            )
        job = {"pods": 1, "requests": {"cpu": 1}, "topology": {"required": "host"}}
        scenario = {
            "apiVersion": "kueuelab/v1",
            "kind": "Scenario",
            "metadata": {"name": "two"},
            "spec": {
                "nodes": {"hosts": 1, "cpu": 8, "pods": 1},
                "manifests": manifests,
                "timeline": [
                    {"at": at, "submit": {"job": f"job-{name}", "queue": name, **job}}
                    for at, name in (("0s", "a"), (second_at, "b"))
                ],
            },
        }
        player = Player(load_scenario(scenario))
        watch = PlacementWatch(player.cluster)
        watch.look()
        player.play()
        assert watch.look() == []
        return [key for key, each in player.cluster.workloads.items() if each.is_admitted]

    assert admitted("0s") == ["default/job-a", "default/job-b"]
    assert admitted("1s") == ["default/job-a"]
