"""What the simulator does not decide is named, and so is what stops Kueue itself."""

from __future__ import annotations

from typing import Any

import pytest
from simulation_lab import work

from kueuelab.manifests.decode import decode_configuration, decode_object
from kueuelab.manifests.result import Manifests
from kueuelab.simulation.not_modelled import not_modelled


def said(min_count: int, *, gate: bool = True, **topology: Any) -> tuple[str, ...]:
    obj = work("w", count=4)
    obj["spec"]["podSets"][0] |= {
        "minCount": min_count,
        "topologyRequest": {
            "podSetSliceRequiredTopology": "rack",
            "podSetSliceSize": 2,
            **topology,
        },
    }
    configuration = decode_configuration({"featureGates": {"TASBalancedPlacement": gate}})
    workload: Any = decode_object(obj)
    return not_modelled(configuration, Manifests({"Workload": (workload,)}))


def test_fewer_pods_than_a_slice_stop_kueue_with_balanced_placement() -> None:
    (sentence,) = said(1, preferred="block")
    assert "division by zero" in sentence
    assert "pod set main of workload default/w" in sentence


@pytest.mark.parametrize(
    ("min_count", "more"),
    [
        (2, {"preferred": "block"}),
        (1, {"required": "block"}),
        (1, {"preferred": "b", "gate": False}),
    ],
    ids=["a whole slice", "required", "without the gate"],
)
def test_what_kueue_can_do_is_not_named(min_count: int, more: dict[str, Any]) -> None:
    assert said(min_count, **more) == ()
