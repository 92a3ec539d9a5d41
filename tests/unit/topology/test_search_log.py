"""What is recorded of a search for domains, and the sentences about it."""

from __future__ import annotations

from typing import Any

from topology_lab import asking, center, forest, search, use

from kueuelab.model.topology import HOSTNAME
from kueuelab.topology import PlacementRequest
from kueuelab.topology.group import place_group
from kueuelab.topology.search_log import SearchLog
from kueuelab.trace.coding import decode_step, encode_step
from kueuelab.trace.step import Step
from kueuelab.trace.step_text import step_text
from kueuelab.trace.steps import DomainsSearched

ROOMS = {"b1": {"r1": (4, 4), "r2": (2, 2)}, "b2": {"r3": (3, 3)}}


def searched(
    workers: PlacementRequest,
    leader: PlacementRequest | None = None,
    rooms: Any = ROOMS,
    *,
    used: int = 0,
    empty: bool = False,
    **rules: bool,
) -> DomainsSearched:
    made = forest(center(rooms))
    if used:
        use(made, "ns/w", "r1-n0", used)
    flavor = made.flavors["gpu"]
    log = SearchLog(flavor, workers, leader, empty=empty)
    found = place_group(search(flavor, workers, leader, **rules), empty=empty, log=log)
    return log.facts(found.reason)


def rows(facts: DomainsSearched) -> list[tuple[str, int, int, str]]:
    return list(zip(facts.domains, facts.pods, facts.given, facts.verdicts, strict=True))


def text(facts: DomainsSearched) -> str:
    return step_text(Step(0, 0, 1, "ns/w", "q", facts))


def test_domains_in_their_order_with_what_fits_and_why_not() -> None:
    facts = searched(asking(5, {"required": "rack"}))
    assert rows(facts) == [
        ("b1,r1", 8, 0, "less-tight"),
        ("b2,r3", 6, 5, "chosen"),
        ("b1,r2", 4, 0, "too-small"),
        ("b2,r3,r3-n0", 3, 3, "chosen"),
        ("b2,r3,r3-n1", 3, 2, "chosen"),
    ]
    assert facts.levels == ("rack", "rack", "rack", HOSTNAME, HOSTNAME)
    assert text(facts) == (
        "Topology t has a place for 5 pods of main in flavor gpu, by best fit: "
        "3 on r3-n0 and 2 on r3-n1."
    )


def test_a_search_that_goes_up_lists_each_level() -> None:
    facts = searched(asking(10, {"preferred": "rack"}))
    levels = dict.fromkeys(facts.levels)
    assert list(levels) == ["rack", "block", HOSTNAME]
    assert [row[3] for row in rows(facts)[:3]] == ["too-small"] * 3


def test_no_place_says_how_many_fit_where() -> None:
    facts = searched(asking(9, {"required": "rack"}))
    assert facts.reason == 'topology "t" allows to fit only 8 out of 9 pod(s)'
    assert text(facts) == (
        "Topology t has no place for 9 pods of main in flavor gpu at level rack: "
        "r1 has room for 8 of 9, r3 has room for 6 of 9 and r2 has room for 4 of 9."
    )


def test_slices_are_counted_where_they_are_asked_for() -> None:
    request = {"required": "block", "podSetSliceRequiredTopology": "rack", "podSetSliceSize": 4}
    facts = searched(asking(16, request))
    assert text(facts).endswith(
        "at level block: b1 has room for 3 of 4 slices and b2 has room for 1 of 4 slices."
    )


def test_without_the_usage_of_workloads() -> None:
    request = asking(8, {"required": "rack"})
    assert searched(request, used=3).reason
    facts = searched(request, used=3, empty=True)
    assert text(facts).startswith("If no workload used anything, topology t would have a place")
    never = searched(asking(9, {"required": "rack"}), used=3, empty=True)
    assert text(never).startswith("Even if no workload used anything, topology t would have no")


def test_what_can_never_be_placed_lists_no_domains() -> None:
    facts = searched(asking(1, {"required": "room"}))
    assert (rows(facts), facts.level) == ([], "room")
    assert text(facts) == "Topology t can't place 1 pod of main in flavor gpu."


def test_a_leader_is_named_and_counted() -> None:
    facts = searched(asking(4, {"required": "rack"}), asking(1, name="leader"))
    assert (facts.pod_sets, facts.leaders) == (("leader", "main"), 1)
    assert text(facts).startswith("Topology t has a place for 5 pods of leader and main")


def test_other_profiles_are_named() -> None:
    facts = searched(asking(5, {"unconstrained": True}))
    assert (facts.profile, facts.request) == ("least-free-capacity", "unconstrained")
    assert "smallest room first: 2 on r2-n0, 2 on r2-n1 and 1 on r3-n0" in text(facts)
    even = {"b": {"r1": (8, 1), "r2": (6, 1)}}
    facts = searched(asking(12, {"preferred": "rack"}), rooms=even, balanced=True)
    assert facts.profile == "balanced"
    assert "balanced: 6 on r1-n0 and 6 on r2-n0" in text(facts)


def test_of_many_domains_the_chosen_ones_are_listed_and_others_counted() -> None:
    facts = searched(asking(2, {"required": HOSTNAME}), rooms={"b": {"r": tuple([2] * 60)}})
    assert len(facts.domains) == 40
    assert facts.more == {HOSTNAME: 20}
    assert sum(facts.given) == 2


def test_the_step_is_the_same_from_a_file() -> None:
    step = Step(0, 0, 1, "ns/w", "q", searched(asking(5, {"required": "rack"})))
    assert decode_step(encode_step(step)) == step
