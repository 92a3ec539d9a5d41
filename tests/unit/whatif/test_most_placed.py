"""How many pods have a place at most, on empty nodes."""

from __future__ import annotations

from typing import Any

from kueuelab.manifests import load_scenario
from kueuelab.manifests.scenario import Submit
from kueuelab.model import Node
from kueuelab.whatif.advice.most_placed import most_placed, placed_together

HOST = "kubernetes.io/hostname"
RACK = "cloud.provider.com/topology-rack"


def places(pod_sets: list[dict[str, Any]], racks: int = 1, **held: Any) -> int:
    """Return how many pods of a group have a place on hosts that hold so much, with a leader."""
    spec = load_scenario(
        {
            "apiVersion": "kueuelab/v1",
            "kind": "Scenario",
            "metadata": {"name": "small"},
            "spec": {
                "manifests": [],
                "nodes": {"racks": 2, "hosts": 1, **held},
                "timeline": [
                    {"at": "0s", "submit": {"job": "gang", "queue": "q", "podSets": pod_sets}}
                ],
            },
        }
    )
    (submit,) = spec.timeline
    assert isinstance(submit, Submit)
    (wanted,) = placed_together(submit.workloads[0])
    nodes = [each for each in spec.manifests.objects["Node"] if isinstance(each, Node)]
    return most_placed(nodes[:racks], (RACK, HOST), wanted)


GROUP = {"required": "rack", "group": "gang"}
WORKERS = {
    "name": "workers",
    "count": 2,
    "requests": {"cpu": 1, "nvidia.com/gpu": 1},
    "topology": GROUP,
}
LEADER = {"name": "leader", "count": 1, "requests": {"cpu": 1}, "topology": GROUP}


def test_without_nodes_no_pod_has_a_place() -> None:
    assert places([WORKERS], racks=0, cpu=8, gpu=2) == 0


def test_a_leader_takes_only_what_it_asks_for() -> None:
    """It needs no GPU, so that both are left for the workers."""
    assert places([WORKERS, LEADER], cpu=8, gpu=2) == 2
    assert places([WORKERS, LEADER], cpu=2, gpu=2) == 1
