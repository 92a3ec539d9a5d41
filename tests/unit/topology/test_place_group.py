"""Where pods go: levels, slices, leaders, profiles, and why there is no place."""

from __future__ import annotations

import pytest
from topology_lab import asking, center, forest, hosts, node, placed, use

from kueuelab.model import PodSpec, Taint, Toleration
from kueuelab.model.pods import NodeSelectorRequirement, NodeSelectorTerm, PreferredSchedulingTerm
from kueuelab.model.topology import HOSTNAME

TWO_BLOCKS = center({"b1": {"r1": (4, 4), "r2": (2, 2)}, "b2": {"r3": (3, 3)}})
RACK, BLOCK = {"required": "rack"}, {"required": "block"}


def test_a_required_level_takes_the_tightest_domain_that_has_room() -> None:
    found = placed(forest(TWO_BLOCKS), asking(4, RACK))
    assert hosts(found.assignments["main"]) == {"r2-n0": 2, "r2-n1": 2}
    found = placed(forest(TWO_BLOCKS), asking(5, RACK))
    assert hosts(found.assignments["main"]) == {"r3-n0": 3, "r3-n1": 2}


def test_a_required_level_without_room_says_how_many_fit() -> None:
    found = placed(forest(TWO_BLOCKS), asking(9, RACK))
    assert found.reason == 'topology "t" allows to fit only 8 out of 9 pod(s)'
    made = forest(center({"b": {"r": (1, 4)}}))
    found = placed(made, asking(1, RACK, cpu=5))
    assert found.reason == (
        'topology "t" doesn\'t allow to fit any of 1 pod(s). '
        'Total nodes: 2; excluded: resource "cpu": 2'
    )


def test_a_preferred_level_goes_up_and_then_to_several_domains() -> None:
    made = forest(TWO_BLOCKS)
    found = placed(made, asking(10, {"preferred": "rack"}))
    assert {name[:2] for name in hosts(found.assignments["main"])} == {"r1", "r2"}
    found = placed(made, asking(16, {"preferred": "rack"}))
    assert found.assignments["main"].pods == 16
    found = placed(made, asking(19, {"preferred": "rack"}))
    assert found.reason == 'topology "t" allows to fit only 18 out of 19 pod(s)'


@pytest.mark.parametrize(
    ("mixed", "wanted"), [(True, {"r2-n0": 1}), (False, {"r2-n0": 1})], ids=["mixed", "best-fit"]
)
def test_a_single_unconstrained_pod_takes_the_node_with_the_least_room(
    mixed: bool, wanted: dict[str, int]
) -> None:
    made = forest(TWO_BLOCKS)
    found = placed(made, asking(1, {"unconstrained": True}), mixed_profile=mixed)
    assert hosts(found.assignments["main"]) == wanted


def test_unconstrained_pods_fill_the_smallest_nodes_first_by_the_mixed_profile() -> None:
    made = forest(center({"b": {"r": (4, 1, 2)}}))
    request = {"unconstrained": True}
    found = placed(made, asking(5, request))
    assert hosts(found.assignments["main"]) == {"r-n0": 2, "r-n1": 1, "r-n2": 2}
    found = placed(made, asking(5, request), mixed_profile=False)
    assert hosts(found.assignments["main"]) == {"r-n0": 4, "r-n1": 1}


def test_slices_stay_whole() -> None:
    request = {"required": "block", "podSetSliceRequiredTopology": "rack", "podSetSliceSize": 3}
    made = forest(center({"b": {"r1": (2, 3), "r2": (2, 2), "r3": (1, 1)}}))
    found = placed(made, asking(6, request))
    racks: dict[str, int] = {}
    for name, count in hosts(found.assignments["main"]).items():
        racks[name[:2]] = racks.get(name[:2], 0) + count
    assert racks == {"r1": 3, "r2": 3}
    found = placed(made, asking(9, request))
    assert found.reason == 'topology "t" allows to fit only 2 out of 3 slice(s)'


def test_several_layers_of_slices() -> None:
    layers = [{"topology": "rack", "size": 4}, {"topology": HOSTNAME, "size": 2}]
    request = {"required": "block", "podsetSliceRequiredTopologyConstraints": layers}
    made = forest(center({"b": {"r1": (3, 3), "r2": (2, 2)}}))
    found = placed(made, asking(8, request))
    assert set(hosts(found.assignments["main"]).values()) == {2}
    found = placed(made, asking(12, request))
    assert found.reason == (
        'topology "t" doesn\'t allow to fit; 2/3 slice(s) fit on level rack; '
        f"4/6 slice(s) fit on level {HOSTNAME}"
    )


def test_a_leader_gets_a_place_beside_its_workers() -> None:
    made = forest(center({"b": {"r1": (4, 4), "r2": (4, 5)}}))
    found = placed(made, asking(8, RACK), asking(1, RACK, name="leader"))
    assert set(hosts(found.assignments["main"])) == {"r2-n0", "r2-n1"}
    (leader,) = hosts(found.assignments["leader"])
    assert leader == "r2-n1"
    assert hosts(found.assignments["main"]) == {"r2-n0": 4, "r2-n1": 4}


def test_taints_selectors_and_affinity_exclude_nodes() -> None:
    nodes = {
        "a": node("a", "b", "r", taints=(Taint("maint", "", "NoSchedule"),)),
        "c": node("c", "b", "r"),
        "d": node("d", "b", "r"),
    }
    made = forest(nodes)
    term = NodeSelectorTerm((NodeSelectorRequirement(HOSTNAME, "NotIn", ("d",)),))
    pod = PodSpec(node_selector={"block": "b"}, required_node_affinity=(term,))
    found = placed(made, asking(5, RACK, pod=pod))
    assert found.reason == (
        'topology "t" allows to fit only 4 out of 5 pod(s). '
        'Total nodes: 3; excluded: affinity: 1, taint "maint:NoSchedule": 1'
    )
    tolerant = PodSpec(tolerations=(Toleration("maint", "Exists"),))
    assert not placed(made, asking(12, RACK, pod=tolerant)).reason
    elsewhere = PodSpec(node_selector={"block": "x"})
    found = placed(made, asking(1, RACK, pod=elsewhere))
    assert found.reason.endswith('nodeSelector: 2, taint "maint:NoSchedule": 1')


def test_preferred_affinity_counts_only_with_its_gate() -> None:
    made = forest(center({"b": {"r": (4, 2)}}))
    likes = NodeSelectorTerm((NodeSelectorRequirement(HOSTNAME, "In", ("r-n0",)),))
    pod = PodSpec(preferred_node_affinity=(PreferredSchedulingTerm(5, likes),))
    request = {"required": HOSTNAME}
    assert hosts(placed(made, asking(2, request, pod=pod)).assignments["main"]) == {"r-n1": 2}
    found = placed(made, asking(2, request, pod=pod), by_preference=True)
    assert hosts(found.assignments["main"]) == {"r-n0": 2}


def test_balanced_placement_spreads_slices_evenly() -> None:
    made = forest(center({"b": {"r1": (8, 1), "r2": (6, 1)}}))
    request = {"preferred": "rack"}
    found = placed(made, asking(12, request))
    assert hosts(found.assignments["main"]) == {"r1-n0": 8, "r2-n0": 4}
    found = placed(made, asking(12, request), balanced=True)
    assert hosts(found.assignments["main"]) == {"r1-n0": 6, "r2-n0": 6}


def test_what_is_used_is_not_given_again() -> None:
    made = forest(center({"b": {"r1": (4,), "r2": (4,)}}))
    use(made, "ns/w", "r1-n0", 3)
    assert hosts(placed(made, asking(2, RACK)).assignments["main"]) == {"r2-n0": 2}
    made.release("ns/w")
    assert hosts(placed(made, asking(2, RACK)).assignments["main"]) == {"r1-n0": 2}


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({"required": "room"}, "no requested topology level: room"),
        ({"unconstrained": False}, "topology level not specified"),
        (
            {"required": "rack", "podSetSliceRequiredTopology": "block", "podSetSliceSize": 1},
            "podset slice topology block is above the podset topology rack",
        ),
        (
            {"required": "block", "podSetSliceRequiredTopology": "rack"},
            "slice topology requested, but slice size not provided",
        ),
        (
            {
                "required": "block",
                "podsetSliceRequiredTopologyConstraints": [
                    {"topology": "rack", "size": 4},
                    {"topology": HOSTNAME, "size": 3},
                ],
            },
            "additional slice layer size 3 must evenly divide parent layer size 4",
        ),
    ],
)
def test_what_can_never_be_placed(request_: dict[str, object], reason: str) -> None:
    assert placed(forest(TWO_BLOCKS), asking(4, request_)).reason == reason


def test_without_nodes_there_are_no_domains() -> None:
    found = placed(forest({}), asking(1, RACK))
    assert found.reason == "no topology domains at level: rack"


def test_levels_above_nodes_are_stored_from_the_widest_down() -> None:
    made = forest(TWO_BLOCKS, levels=("block", "rack"))
    found = placed(made, asking(4, RACK)).assignments["main"]
    assert (found.levels, [d.values for d in found.domains]) == (("block", "rack"), [("b1", "r2")])


def test_a_search_is_shared_as_long_as_the_counts_are_the_same() -> None:
    made = forest(center({"b": {"r1": (4,), "r2": (2,)}}))
    first = placed(made, asking(2, RACK))
    assert placed(made, asking(2, RACK)) is first
    use(made, "ns/w", "r2-n0", 1)
    second = placed(made, asking(2, RACK))
    assert hosts(first.assignments["main"]) == {"r2-n0": 2}
    assert hosts(second.assignments["main"]) == {"r1-n0": 2}
    made.release("ns/w")
    assert hosts(placed(made, asking(2, RACK)).assignments["main"]) == {"r2-n0": 2}
    assert placed(made, asking(2, RACK), balanced=True) is not placed(made, asking(2, RACK))
