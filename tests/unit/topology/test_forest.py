"""What is used of each domain: booked, simulated, undone; flavors that share nodes; counts."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from topology_lab import center, forest, free, node, use

from kueuelab.model import ObjectMeta, ResourceFlavor, Topology
from kueuelab.quota import Journal
from kueuelab.topology import DomainUsage
from kueuelab.topology.capacity import Capacity, PodShape
from kueuelab.topology.feasible import Selection, feasible_leaves

NODES = center({"b1": {"r1": (4, 4), "r2": (2, 2)}, "b2": {"r3": (3, 3)}})


def test_simulated_changes_are_undone_by_the_journal() -> None:
    journal = Journal()
    made = forest(NODES, journal=journal)
    use(made, "ns/w", "r1-n0", 3)
    flavor = made.flavors["gpu"]
    before = free(flavor)
    journal.is_open = True
    mark = journal.mark()
    made.remove_workload("ns/w")
    made.add({"gpu": (DomainUsage("r3-n1", {"cpu": 1000}, 2),)})
    assert free(flavor) == {**before, "r1-n0": 4, "r3-n1": 1}
    journal.undo(mark)
    assert free(flavor) == before


def test_what_a_pod_outside_of_topologies_uses_is_not_free() -> None:
    made = forest(NODES)
    made.count_pod("r1-n0", {"cpu": 1000, "pods": 1}, 1)
    assert free(made.flavors["gpu"])["r1-n0"] == 3
    made.uproot()
    made.begin_cycle()
    assert free(made.flavors["gpu"])["r1-n0"] == 3
    made.count_pod("r1-n0", {"cpu": 1000, "pods": 1}, -1)
    assert free(made.flavors["gpu"])["r1-n0"] == 4


def test_usage_of_a_node_that_is_gone_counts_again_when_it_is_back() -> None:
    nodes = dict(NODES)
    made = forest(nodes)
    use(made, "ns/w", "r1-n0", 3)
    gone = nodes.pop("r1-n0")
    made.uproot()
    made.begin_cycle()
    assert "r1-n0" not in free(made.flavors["gpu"])
    nodes["r1-n0"] = gone
    made.uproot()
    made.begin_cycle()
    assert free(made.flavors["gpu"])["r1-n0"] == 1


@pytest.mark.parametrize(("overlapping", "left"), [(True, 1), (False, 4)])
def test_flavors_that_share_nodes(overlapping: bool, left: int) -> None:
    made = forest(NODES, flavors=("gpu", "cheap"), overlapping=overlapping)
    use(made, "ns/w", "r1-n0", 3, flavor="cheap")
    assert free(made.flavors["gpu"])["r1-n0"] == left
    # What is booked counts for a flavor that comes later, too.
    made.remove_flavor("cheap")
    flavor = ResourceFlavor(ObjectMeta("cheap"), topology_name="t")
    assert made.set_flavor(flavor, Topology(ObjectMeta("t"), made.flavors["gpu"].levels))
    made.begin_cycle()
    assert free(made.flavors["cheap"])["r1-n0"] == 1


def test_a_simulated_change_is_seen_in_its_own_flavor_only() -> None:
    journal = Journal()
    made = forest(NODES, journal=journal, flavors=("gpu", "cheap"))
    journal.is_open = True
    made.add({"gpu": (DomainUsage("r1-n0", {"cpu": 1000}, 4),)})
    assert free(made.flavors["gpu"])["r1-n0"] == 0
    assert free(made.flavors["cheap"])["r1-n0"] == 4


def test_room_is_checked_part_by_part() -> None:
    made = forest(NODES)
    part = DomainUsage("r2-n0", {"cpu": 1000}, 2)
    assert made.fits({"gpu": (part,)})
    assert not made.fits({"gpu": (DomainUsage("r2-n0", {"cpu": 1000}, 3),)})
    assert not made.fits({"gpu": (DomainUsage("gone", {"cpu": 1000}, 1),)})
    # Kueue counts no room for pods that request nothing.
    assert not made.fits({"gpu": (DomainUsage("r2-n0", {}, 1),)})


def test_nodes_that_are_not_ready_or_cordoned_are_no_domains() -> None:
    ready, cordoned = node("a", "b", "r"), replace(node("c", "b", "r"), unschedulable=True)
    not_ready = replace(node("d", "b", "r"), conditions=())
    made = forest({"a": ready, "c": cordoned, "d": not_ready})
    assert list(free(made.flavors["gpu"])) == ["a"]


@pytest.mark.parametrize("seed", range(5))
def test_counts_that_are_kept_equal_counts_made_anew(seed: int) -> None:
    random = Random(seed)
    journal = Journal()
    made = forest(NODES, journal=journal)
    flavor = made.flavors["gpu"]
    shapes = [
        PodShape((("cpu", 1000), ("pods", 1)), slice_level=2),
        PodShape((("cpu", 1000), ("pods", 1)), (("cpu", 2000), ("pods", 1)), 2, 1),
        PodShape((("cpu", 2000), ("pods", 1)), None, 2, 1, ((2, 2),)),
        PodShape((("cpu", 1000), ("pods", 1)), slice_level=2, empty=True),
    ]
    feasible = feasible_leaves(flavor.tree, Selection())
    names = list(flavor.tree.leaf_of)
    for turn in range(1_500):
        journal.is_open = turn % 3 == 0
        mark = journal.mark()
        # Sometimes less is used: else soon nothing would be left to be counted.
        count = random.choice((1, -1))
        made.add({"gpu": (DomainUsage(random.choice(names), {"cpu": 1000}, count),)})
        if random.random() < 0.7:
            journal.undo(mark)
        if turn % 7 == 0:
            use(made, f"ns/{turn % 4}", random.choice(names), random.randint(1, 3))
        shape = random.choice(shapes)
        kept, fresh = flavor.capacity(shape, Selection()), Capacity(flavor.tree, shape, feasible)
        for counts in ("pods", "slices", "pods_with_leader", "slices_with_leader", "leaders"):
            assert getattr(kept, counts) == getattr(fresh, counts)
        assert kept.limited_by() == fresh.limited_by()
    # The list of changes is emptied when it is long.
    assert len(flavor.tree.changes) < 1_100
