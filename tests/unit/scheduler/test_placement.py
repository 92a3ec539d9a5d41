"""Which flavors suit which pods."""

from __future__ import annotations

import pytest

from kueuelab.model import (
    NodeSelectorRequirement,
    NodeSelectorTerm,
    ObjectMeta,
    PodSpec,
    ResourceFlavor,
    Taint,
    Toleration,
)
from kueuelab.scheduler.placement import accepts_any_pod, flavor_mismatch

SPOT = ResourceFlavor(ObjectMeta("spot"), {"type": "spot"}, (Taint("spot", "true", "NoSchedule"),))
PLAIN = ResourceFlavor(ObjectMeta("plain"), {"type": "plain"})


def requires(*requirements: NodeSelectorRequirement) -> PodSpec:
    return PodSpec(required_node_affinity=(NodeSelectorTerm(requirements),))


@pytest.mark.parametrize(
    ("flavor", "spec", "reason"),
    [
        (PLAIN, PodSpec(), ""),
        (SPOT, PodSpec(), "untolerated taint {spot true NoSchedule <nil>} in flavor spot"),
        (SPOT, PodSpec(tolerations=(Toleration("spot", "Exists"),)), ""),
        (SPOT, PodSpec(tolerations=(Toleration("", "Exists"),)), ""),
        (SPOT, PodSpec(tolerations=(Toleration("spot", "Equal", "true", "NoSchedule"),)), ""),
        (
            SPOT,
            PodSpec(tolerations=(Toleration("spot", "Exists", "", "NoExecute"),)),
            "untolerated taint {spot true NoSchedule <nil>} in flavor spot",
        ),
        (
            PLAIN,
            PodSpec(node_selector={"type": "spot"}),
            "flavor plain doesn't match node affinity",
        ),
        (PLAIN, PodSpec(node_selector={"zone": "a"}), ""),
        (PLAIN, requires(NodeSelectorRequirement("type", "In", ("plain",))), ""),
        (
            PLAIN,
            requires(NodeSelectorRequirement("type", "NotIn", ("plain",))),
            "flavor plain doesn't match node affinity",
        ),
        (PLAIN, requires(NodeSelectorRequirement("zone", "In", ("a",))), ""),
    ],
)
def test_mismatch(flavor: ResourceFlavor, spec: PodSpec, reason: str) -> None:
    assert flavor_mismatch(flavor, spec) == reason


def test_a_flavor_without_labels_and_taints_accepts_any_pod() -> None:
    assert accepts_any_pod(ResourceFlavor(ObjectMeta("default")))
    assert not accepts_any_pod(PLAIN)
    assert not accepts_any_pod(SPOT)
