"""Why pods have no place: each message of Kueue's topology-aware scheduling, to the letter."""

from __future__ import annotations

from typing import Any

import pytest
from topology_lab import asking, center, forest, node, placed, use

from kueuelab.model import PodSetUpdate, PodSpec, Taint, TopologyAssignment, TopologyDomain
from kueuelab.model.pods import NodeSelectorRequirement, NodeSelectorTerm
from kueuelab.model.topology import HOSTNAME
from kueuelab.topology import PlacementRequest, PlacementRules, TopologyForest
from kueuelab.topology.replace import replace_node

RACK = {"required": "rack"}
LAYERS = "podsetSliceRequiredTopologyConstraints"


def layers(*pairs: tuple[str, int]) -> dict[str, Any]:
    return {"required": "block", LAYERS: [{"topology": at, "size": size} for at, size in pairs]}


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (None, 'topology "t" allows to fit only 4 out of 9 pod(s)'),
        ({"unconstrained": False}, "topology level not specified"),
        ({"required": "room"}, "no requested topology level: room"),
        (
            {"required": "rack", "podSetSliceRequiredTopology": "room", "podSetSliceSize": 1},
            "no requested topology level for slices: room",
        ),
        (
            {"required": "rack", "podSetSliceRequiredTopology": "block", "podSetSliceSize": 1},
            "podset slice topology block is above the podset topology rack",
        ),
        (
            {"required": "block", "podSetSliceRequiredTopology": "rack"},
            "slice topology requested, but slice size not provided",
        ),
        (
            layers(("rack", 3), ("room", 1)),
            "no requested topology level for additional slice layer: room",
        ),
        (
            layers(("rack", 3), ("rack", 1)),
            "additional slice layer topology rack must be at a lower level than rack",
        ),
        (
            layers(("rack", 3), (HOSTNAME, 2)),
            "additional slice layer size 2 must evenly divide parent layer size 3",
        ),
    ],
)
def test_requests_that_cannot_be_placed(request_: dict[str, Any] | None, reason: str) -> None:
    made = forest(center({"b": {"r": (2, 2)}}))
    assert placed(made, asking(9, request_)).reason == reason


def test_without_nodes() -> None:
    assert placed(forest({}), asking(1, RACK)).reason == "no topology domains at level: rack"


@pytest.mark.parametrize(
    ("count", "cpu", "request_", "reason"),
    [
        (5, 1, RACK, 'topology "t" allows to fit only 4 out of 5 pod(s)'),
        (
            1,
            3,
            RACK,
            'topology "t" doesn\'t allow to fit any of 1 pod(s). '
            'Total nodes: 2; excluded: resource "cpu": 2',
        ),
        (
            9,
            1,
            {"required": "block", "podSetSliceRequiredTopology": "rack", "podSetSliceSize": 3},
            'topology "t" allows to fit only 1 out of 3 slice(s)',
        ),
        (
            6,
            1,
            {"required": "block", "podSetSliceRequiredTopology": HOSTNAME, "podSetSliceSize": 3},
            'topology "t" doesn\'t allow to fit any of 2 slice(s)',
        ),
        (
            8,
            1,
            layers(("rack", 4), (HOSTNAME, 2)),
            'topology "t" doesn\'t allow to fit; 1/2 slice(s) fit on level rack; '
            f"2/4 slice(s) fit on level {HOSTNAME}",
        ),
    ],
)
def test_too_little_room(count: int, cpu: int, request_: dict[str, Any], reason: str) -> None:
    made = forest(center({"b": {"r": (2, 2)}}))
    assert placed(made, asking(count, request_, cpu)).reason == reason


def test_all_that_excludes_nodes_is_listed_in_the_order_of_the_alphabet() -> None:
    nodes = {
        "a": node("a", "b", "r", taints=(Taint("broken", "", "NoExecute"),)),
        "b": node("b", "b", "r", taints=(Taint("team", "red", "NoSchedule"),)),
        "c": node("c", "x", "r"),
        "d": node("d", "b", "r"),
        "e": node("e", "b", "r", cpu=1),
        "f": node("f", "b", "r"),
    }
    term = NodeSelectorTerm((NodeSelectorRequirement(HOSTNAME, "NotIn", ("d",)),))
    pod = PodSpec(node_selector={"block": "b"}, required_node_affinity=(term,))
    assert placed(forest(nodes), asking(3, RACK, 2, pod=pod)).reason == (
        'topology "t" allows to fit only 2 out of 3 pod(s). Total nodes: 6; excluded: '
        'affinity: 1, nodeSelector: 1, resource "cpu": 1, taint "broken:NoExecute": 1, '
        'taint "team=red:NoSchedule": 1'
    )


def test_updates_of_checks_that_conflict() -> None:
    update = PodSetUpdate("main", node_selector={"zone": "b"})
    asked = asking(1, RACK, pod=PodSpec(node_selector={"zone": "a"}), updates=(update,))
    assert placed(forest(center({"b": {"r": (2,)}})), asked).reason == (
        "invalid podSetUpdate for PodSet main, error: invalid admission check PodSetUpdate: "
        "conflict for nodeSelector: conflict for key=zone, value1=a, value2=b"
    )


def replaced(made: TopologyForest, asked: PlacementRequest, *hosts: str) -> str:
    """Return why the pods on the first host find no other."""
    domains = tuple(TopologyDomain((host,), 1) for host in hosts)
    assigned = TopologyAssignment((HOSTNAME,), domains)
    flavor = made.flavors["gpu"]
    return replace_node(flavor, asked, assigned, hosts[0], PlacementRules(), "")[2]


def test_a_node_without_replacement() -> None:
    nodes = center({"b": {"r1": (1, 1), "r2": (4,)}})
    del nodes["r1-n0"]
    made = forest(nodes)
    use(made, "ns/w", "r1-n1", 1)
    assert replaced(made, asking(2, RACK), "r1-n0", "r1-n1") == (
        'topology "t" doesn\'t allow to fit any of 1 pod(s). '
        'Total nodes: 2; excluded: resource "cpu": 1, topologyDomain: 1'
    )
    assert replaced(made, asking(2, RACK), "r1-n0", "gone") == (
        "Cannot replace the node, because the existing topologyAssignment is invalid, "
        "as it contains the stale domain gone"
    )
    wrong = {"required": "block", "podSetSliceRequiredTopology": "rack"}
    assert replaced(made, asking(2, wrong), "r1-n0", "r1-n1") == (
        "slice topology requested, but slice size not provided"
    )


def test_a_node_that_has_none_of_the_pods_cannot_be_replaced() -> None:
    made = forest(center({"b": {"r1": (1, 1)}}))
    assigned = TopologyAssignment((HOSTNAME,), (TopologyDomain(("r1-n1",), 1),))
    _, _, reason = replace_node(
        made.flavors["gpu"], asking(1, RACK), assigned, "other", PlacementRules(), ""
    )
    assert reason == "cannot find replacement assignment for unhealthy node: other"
