"""Copies of a run share what never changes."""

from __future__ import annotations

from kueuelab import scenarios
from kueuelab.whatif.sandbox import Sandbox


def test_a_copy_has_states_of_its_own_and_shares_their_conditions() -> None:
    player = scenarios.load("reclaim-1-take-back").run().player
    key = min(player.cluster.workloads)
    copy = Sandbox(player, key).copy()
    original, copied = player.cluster.workloads[key], copy.cluster.workloads[key]
    assert copied is not original
    assert copied.conditions is not original.conditions
    assert copied.conditions
    assert all(copied.conditions[name] is found for name, found in original.conditions.items())
