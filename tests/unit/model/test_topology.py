"""Topology requests and assignments: read as they are written, stored as Kueue stores them."""

from __future__ import annotations

from kueuelab.model import SliceLayer, TopologyAssignment, TopologyDomain, TopologyRequest
from kueuelab.model.topology import HOSTNAME


def hosts(**counts: int) -> TopologyAssignment:
    domains = (TopologyDomain((name.replace("_", "-"),), n) for name, n in counts.items())
    return TopologyAssignment((HOSTNAME,), tuple(domains))


def test_a_request_says_its_level() -> None:
    levels = ("block", "rack", HOSTNAME)
    assert TopologyRequest.of({"required": "rack"}).level(levels) == "rack"
    assert TopologyRequest.of({"unconstrained": True}).level(levels) == HOSTNAME
    assert TopologyRequest.of(None).level(levels) is None


def test_slices_alone_ask_for_the_widest_level() -> None:
    request = TopologyRequest.of({"podSetSliceRequiredTopology": "rack", "podSetSliceSize": 2})
    assert request.slices == (SliceLayer("rack", 2),)
    assert request.slices_only
    assert request.level(("block", "rack")) == "block"


def test_a_group_alone_is_no_explicit_request() -> None:
    assert not TopologyRequest.of({"podSetGroupName": "g", "podIndexLabel": "i"}).is_explicit
    assert TopologyRequest.of({"unconstrained": False}).is_explicit


def test_equal_counts_and_values_are_written_once() -> None:
    assignment = TopologyAssignment(
        ("block", "rack"), (TopologyDomain(("b", "r1"), 2), TopologyDomain(("b", "r2"), 2))
    )
    assert assignment.stored()["slices"] == [
        {
            "domainCount": 2,
            "valuesPerLevel": [
                {"universal": "b"},
                {"individual": {"prefix": "r", "roots": ["1", "2"]}},
            ],
            "podCounts": {"universal": 2},
        }
    ]


def test_prefix_and_suffix_do_not_overlap() -> None:
    assignment = TopologyAssignment(
        ("rack",), (TopologyDomain(("aba",), 1), TopologyDomain(("ababa",), 1))
    )
    assert assignment.stored()["slices"][0]["valuesPerLevel"] == [
        {"individual": {"suffix": "aba", "roots": ["", "ab"]}}
    ]


def test_hosts_with_a_common_prefix_get_a_slice_of_their_own_if_that_is_shorter() -> None:
    names = {
        f"{pool}_with_a_long_name_{place}": 1 for pool in ("first", "other") for place in range(9)
    }
    assignment = hosts(**names)
    by_prefix = assignment.stored()
    assert [part["domainCount"] for part in by_prefix["slices"]] == [9, 9]
    assert len(assignment.stored(by_hostname_prefix=False)["slices"]) == 1
    assert TopologyAssignment.of(by_prefix) == assignment


def test_one_slice_stays_where_it_is_shorter() -> None:
    assignment = hosts(a_1=1, a_2=2, b_1=3, b_2=4)
    assert len(assignment.stored()["slices"]) == 1
    assert TopologyAssignment.of(assignment.stored()) == assignment


def test_an_assignment_without_domains() -> None:
    assert hosts().stored() == {"levels": [HOSTNAME]}
