"""Which flavors suit which pods."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

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


def tainted(effect: str, value: str = "5") -> ResourceFlavor:
    return ResourceFlavor(ObjectMeta("f"), {}, (Taint("k", value, effect),))


@pytest.mark.parametrize(
    ("effect", "toleration", "fits"),
    [
        ("NoSchedule", None, False),
        ("NoExecute", None, False),
        ("PreferNoSchedule", None, True),
        ("NoExecute", Toleration("k", "Exists", "", "NoExecute"), True),
        ("NoExecute", Toleration("k", "Exists", "", "NoSchedule"), False),
        ("NoSchedule", Toleration("other", "Exists"), False),
        ("NoSchedule", Toleration("k", "", "5"), True),
        ("NoSchedule", Toleration("k", "", "6"), False),
        ("NoSchedule", Toleration("k", "Equal", "6"), False),
        ("NoSchedule", Toleration("k", "Gt", "4"), True),
        ("NoSchedule", Toleration("k", "Gt", "5"), False),
        ("NoSchedule", Toleration("k", "Lt", "6"), True),
        ("NoSchedule", Toleration("k", "Lt", "5"), False),
        ("NoSchedule", Toleration("k", "Lt", "many"), False),
        ("NoSchedule", Toleration("k", "Unknown", "5"), False),
    ],
)
def test_which_tolerations_tolerate_a_taint(
    effect: str, toleration: Toleration | None, fits: bool
) -> None:
    """A flavor's own tolerations count as those of the pod."""
    flavor = tainted(effect)
    spec = PodSpec(tolerations=() if toleration is None else (toleration,))
    assert (flavor_mismatch(flavor, spec) == "") is fits
    of_flavor = replace(flavor, tolerations=spec.tolerations)
    assert (flavor_mismatch(of_flavor, PodSpec()) == "") is fits


def test_every_taint_has_to_be_tolerated() -> None:
    taints = (
        Taint("soft", "", "PreferNoSchedule"),
        Taint("a", "", "NoSchedule"),
        Taint("b", "", "NoSchedule"),
    )
    flavor = ResourceFlavor(ObjectMeta("f"), {}, taints)
    spec = PodSpec(tolerations=(Toleration("a", "Exists"),))
    assert flavor_mismatch(flavor, spec) == "untolerated taint {b  NoSchedule <nil>} in flavor f"


@pytest.mark.parametrize(
    ("operator", "values", "fits"),
    [
        ("In", ("5",), True),
        ("In", ("6",), False),
        ("NotIn", ("5",), False),
        ("NotIn", ("6",), True),
        ("Exists", (), True),
        ("DoesNotExist", (), False),
        ("Gt", ("4",), True),
        ("Gt", ("5",), False),
        ("Lt", ("6",), True),
        ("Lt", ("5",), False),
        ("Lt", ("many",), False),
        ("Lt", (), False),
        ("Unknown", ("5",), False),
    ],
)
def test_which_node_affinity_matches_the_labels(
    operator: Any, values: tuple[str, ...], fits: bool
) -> None:
    flavor = ResourceFlavor(ObjectMeta("f"), {"k": "5"})
    spec = requires(NodeSelectorRequirement("k", operator, values))
    assert (flavor_mismatch(flavor, spec) == "") is fits


def test_terms_are_alternatives_and_requirements_of_a_term_all_count() -> None:
    flavor = ResourceFlavor(ObjectMeta("f"), {"a": "1", "b": "2"})
    right = NodeSelectorRequirement("a", "In", ("1",))
    wrong = NodeSelectorRequirement("b", "In", ("1",))
    elsewhere = NodeSelectorRequirement("c", "In", ("1",))

    def fits(*terms: tuple[NodeSelectorRequirement, ...]) -> bool:
        affinity = tuple(NodeSelectorTerm(term) for term in terms)
        return flavor_mismatch(flavor, PodSpec(required_node_affinity=affinity)) == ""

    assert fits((wrong,), (right,))
    assert not fits((right, wrong))
    assert fits((right, elsewhere))
    assert fits((wrong,), (elsewhere,))
    assert not fits((wrong, elsewhere))
