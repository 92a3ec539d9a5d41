"""Which flavors suit what a pod set asks of a topology, and what of it counts in a cycle."""

from __future__ import annotations

import pytest
from scheduler_lab import FakeCluster, configuration

from kueuelab.model import (
    ClusterQueue,
    FlavorQuotas,
    ObjectMeta,
    PodSet,
    ResourceFlavor,
    ResourceGroup,
    Topology,
    TopologyRequest,
)
from kueuelab.model.pods import Container, PodSpec, PodTemplate, ResourceRequirements
from kueuelab.quantity import Quantity
from kueuelab.quota import QuotaTree
from kueuelab.scheduler.flavor_rules import FlavorRules
from kueuelab.scheduler.placer import Placer
from kueuelab.topology import TopologyForest

GPU = PodSpec(containers=(Container("c", ResourceRequirements({"gpu": Quantity.parse("1")})),))


def mismatch(
    request: dict[str, str] | None,
    *,
    everywhere: bool = False,
    flavor: str = "tas",
    resources: tuple[str, ...] = ("gpu",),
    known: bool = True,
) -> str:
    flavors = {
        "tas": ResourceFlavor(ObjectMeta("tas"), topology_name="racks"),
        "plain": ResourceFlavor(ObjectMeta("plain"), topology_name="racks" if everywhere else None),
    }
    group = ResourceGroup(resources, tuple(FlavorQuotas(name) for name in flavors))
    tree = QuotaTree()
    tree.set_cluster_queue(ClusterQueue(ObjectMeta("q"), (group,)))
    forest = TopologyForest(tree.journal, {})
    if known:
        forest.set_flavor(flavors["tas"], Topology(ObjectMeta("racks"), ("rack", "host")))
    placer = Placer(forest, flavors, FlavorRules.of(configuration()), FakeCluster())
    pods = PodSet(topology_request=request, template=PodTemplate(GPU))
    asked = TopologyRequest.of(request)
    return placer.mismatch(flavors[flavor], pods, asked, tree.cluster_queues["q"], group)


@pytest.mark.parametrize(
    ("request_", "everywhere", "fits"),
    [
        (None, False, False),
        ({"required": "rack"}, False, True),
        ({"podSetGroupName": "x"}, False, False),
        ({"podIndexLabel": "x"}, False, False),
        ({"podIndexLabel": "x", "preferred": "rack"}, False, True),
        (None, True, True),
    ],
)
def test_a_flavor_with_a_topology_needs_a_request_for_one(
    request_: dict[str, str] | None, everywhere: bool, fits: bool
) -> None:
    reason = 'Flavor "tas" supports only TopologyAwareScheduling'
    assert mismatch(request_, everywhere=everywhere) == ("" if fits else reason)


def test_a_level_that_the_topology_does_not_have() -> None:
    reason = 'Flavor "tas" does not contain the requested level'
    assert mismatch({"required": "block"}) == reason
    assert mismatch({"podSetSliceRequiredTopology": "block", "preferred": "rack"}) == reason


def test_a_request_may_name_every_level() -> None:
    assert mismatch({"podSetSliceRequiredTopology": "host", "preferred": "rack"}) == ""


@pytest.mark.parametrize(
    ("gate", "rule"),
    [
        ("TASProfileMixed", "mixed_profile"),
        ("TASBalancedPlacement", "balanced"),
        ("TASRespectNodeAffinityPreferred", "by_preference"),
        ("TASCacheNodeMatchResults", "keeps_matches"),
        ("SkipReassignmentForPodOwnedWorkloads", "keeps_pod_owned"),
    ],
)
@pytest.mark.parametrize("on", [True, False])
def test_gates_decide_how_pods_are_placed(gate: str, rule: str, on: bool) -> None:
    assert getattr(FlavorRules.of(configuration(**{gate: on})).placement, rule) is on


def test_a_topology_that_is_not_there() -> None:
    found = mismatch({"required": "rack"}, known=False)
    assert found == 'Flavor "tas" information missing in TAS cache'


def test_a_flavor_without_a_topology_is_only_for_what_pods_do_not_request() -> None:
    request = {"required": "rack"}
    reason = 'Flavor "plain" does not support TopologyAwareScheduling'
    assert mismatch(request, flavor="plain") == reason
    assert mismatch(request, flavor="plain", resources=("credits",)) == ""
