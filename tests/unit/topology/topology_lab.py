"""Small data centres, and what asks for a place in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kueuelab.model import (
    Condition,
    Node,
    ObjectMeta,
    PodSpec,
    ResourceFlavor,
    Taint,
    Topology,
    TopologyAssignment,
    TopologyRequest,
)
from kueuelab.model.topology import HOSTNAME
from kueuelab.quantity import Quantity
from kueuelab.quota import Journal
from kueuelab.topology import (
    DomainUsage,
    GroupSearch,
    PlacementRequest,
    PlacementRules,
    TopologyForest,
)
from kueuelab.topology.flavor import TopologyFlavor
from kueuelab.topology.group import GroupPlacement, place_group

LEVELS = ("block", "rack", HOSTNAME)
READY = (Condition("Ready", "True", ""),)


def node(
    name: str, block: str, rack: str, cpu: int = 4, pods: int = 10, taints: tuple[Taint, ...] = ()
) -> Node:
    labels = {"block": block, "rack": rack, HOSTNAME: name}
    allocatable = {"cpu": Quantity.parse(str(cpu)), "pods": Quantity.parse(str(pods))}
    return Node(ObjectMeta(name, labels=labels), allocatable, taints, False, READY)


def center(rooms: Mapping[str, Mapping[str, tuple[int, ...]]]) -> dict[str, Node]:
    """Return the nodes of blocks of racks; a rack is given by the cpu of each of its nodes."""
    return {
        name: node(name, block, rack, cpu)
        for block, racks in rooms.items()
        for rack, cpus in racks.items()
        for place, cpu in enumerate(cpus)
        for name in (f"{rack}-n{place}",)
    }


def forest(
    nodes: Mapping[str, Node],
    *,
    journal: Journal | None = None,
    overlapping: bool = True,
    flavors: tuple[str, ...] = ("gpu",),
    levels: tuple[str, ...] = LEVELS,
) -> TopologyForest:
    made = TopologyForest(journal or Journal(), nodes, overlapping=overlapping)
    for name in flavors:
        flavor = ResourceFlavor(ObjectMeta(name), topology_name="t")
        made.set_flavor(flavor, Topology(ObjectMeta("t"), levels))
    made.begin_cycle()
    return made


def asking(
    count: int, request: dict[str, Any] | None = None, cpu: int = 1, **rest: Any
) -> PlacementRequest:
    return PlacementRequest(
        pod_set=rest.pop("name", "main"),
        flavor="gpu",
        request=TopologyRequest.of(request),
        pod=rest.pop("pod", PodSpec()),
        requests={"cpu": cpu * 1000},
        count=count,
        implied=request is None,
        **rest,
    )


def search(
    flavor: TopologyFlavor,
    workers: PlacementRequest,
    leader: PlacementRequest | None = None,
    **rules: bool,
) -> GroupSearch:
    members = (workers,) if leader is None else (workers, leader)
    return GroupSearch.of(flavor, PlacementRules(**rules), members)


def placed(
    made: TopologyForest,
    workers: PlacementRequest,
    leader: PlacementRequest | None = None,
    **rules: bool,
) -> GroupPlacement:
    flavor = made.flavors["gpu"]
    return place_group(search(flavor, workers, leader, **rules))


def hosts(assignment: TopologyAssignment) -> dict[str, int]:
    return {domain.values[-1]: domain.count for domain in assignment.domains}


def use(made: TopologyForest, key: str, host: str, cpu: int, flavor: str = "gpu") -> None:
    made.book(key, {flavor: (DomainUsage(host, {"cpu": 1000}, cpu),)})


def free(flavor: TopologyFlavor) -> dict[str, int]:
    return {leaf.values[-1]: leaf.remaining("cpu") // 1000 for leaf in flavor.tree.leaves}
