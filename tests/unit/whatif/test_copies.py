"""Copies of a run share what never changes, and nothing is left of them."""

from __future__ import annotations

import gc
from collections import Counter

import pytest

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.bench.cluster_dump import DumpShape, dump_objects
from kueuelab.simulation import Player
from kueuelab.whatif.copies import Copies


def test_a_copy_has_states_of_its_own_and_shares_their_conditions() -> None:
    player = scenarios.load("reclaim-1-take-back").run().player
    key = min(player.cluster.workloads)
    with Copies(player).lend() as copy:
        original, copied = player.cluster.workloads[key], copy.cluster.workloads[key]
        assert copied is not original
        assert copied.conditions is not original.conditions
        assert copied.conditions
        assert all(copied.conditions[name] is found for name, found in original.conditions.items())


def own_objects() -> Counter[type]:
    """Count what the collector knows, by type; containers of Python's own come and go."""
    return Counter(type(obj) for obj in gc.get_objects() if "kueuelab" in str(type(obj).__module__))


@pytest.mark.parametrize("played", [False, True])
def test_a_copy_is_freed_without_the_collector(played: bool) -> None:
    player = Player(kl.load(list(dump_objects(DumpShape(queues=4)))).spec)
    player.play()
    copies = Copies(player)
    gc.collect()
    gc.disable()
    try:
        before = own_objects()
        with copies.lend() as copy:
            assert (own_objects() - before)[Player] == 1
            if played:
                copy.intervene()
                copy.play(copy.cluster.now)
        del copy
        assert own_objects() - before == Counter()
    finally:
        gc.enable()
