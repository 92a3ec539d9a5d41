"""What holds in every scenario, whatever happens in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from how_many import SCENARIOS, many
from hypothesis import given, settings

from kueuelab.manifests import load_scenario
from kueuelab.queues import Head
from kueuelab.quota import QuotaTree
from kueuelab.scheduler.entry import Entry
from kueuelab.scheduler.nominate import Nominator
from kueuelab.simulation import Scenario
from kueuelab.simulation.player import Player
from kueuelab.testing import Watch
from kueuelab.testing.strategies import scenarios
from kueuelab.trace.export import trace_to_json


@many
@given(scenario=scenarios())
def test_invariants_at_every_step(looked_at: list[str], scenario: dict[str, Any]) -> None:
    """Of the cluster at every pause; of each nomination by what looks at it."""
    player = Player(load_scenario(scenario))
    watch = Watch(player.cluster)
    found: list[str] = []

    def pause() -> bool:
        found.extend(watch.look())
        return False

    player.on_pause = pause
    for _ in player.instants():
        found.extend(watch.look())
        assert not found, found
    # The end is reached, or the loop that keeps it from being reached has a name.
    if player.loop is not None:
        assert player.loop.workloads


@settings(many, max_examples=max(SCENARIOS // 20, 1))
@given(scenarios())
def test_same_scenario_same_bytes(scenario: dict[str, Any]) -> None:
    spec = load_scenario(scenario)
    first, second = (trace_to_json(Scenario(spec).run().trace) for _ in range(2))
    assert first == second
    assert load_scenario(scenario) == spec


@pytest.fixture(scope="module")
def looked_at() -> Any:
    """Look at every nomination: its tree as before, and its targets needed."""
    seen: list[str] = []
    original = Nominator.nominate

    def nominate(self: Nominator, heads: Iterable[Head]) -> tuple[list[Entry], list[Entry]]:
        tree = self._scheduler.tree
        before = usage_of(tree)
        entries, inadmissible = original(self, heads)
        assert usage_of(tree) == before, "nominating left something in the tree"
        for entry in entries:
            check_targets(tree, entry, seen)
        return entries, inadmissible

    Nominator.nominate = nominate  # type: ignore[method-assign]
    yield seen
    Nominator.nominate = original  # type: ignore[method-assign]
    assert len(seen) > SCENARIOS // 100, "there were hardly any targets"


def usage_of(tree: QuotaTree) -> dict[str, dict[Any, int]]:
    nodes = [*tree.cluster_queues.values(), *tree.cohorts.values()]
    return {repr(node): {fr: n for fr, n in node.usage.items() if n} for node in nodes}


def check_targets(tree: QuotaTree, entry: Entry, seen: list[str]) -> None:
    """Make sure that there would be no room if any one of the targets stayed."""
    targets = [target.workload for target in entry.preempted]
    if not targets or entry.replaced is not None:
        return  # A slice may preempt the one that it replaces, too, which frees more than it needs.
    node = tree.cluster_queues[entry.cluster_queue]
    assert entry.assignment is not None
    usage = entry.assignment.usage
    seen.append(entry.workload.key)

    def has_room() -> tuple[bool, bool]:
        fits = all(value <= node.available(fr) for fr, value in usage.items())
        borrows = any(node.borrowing_with(fr, value) for fr, value in usage.items())
        return fits, borrows

    with tree.without(targets):
        fits, borrows = has_room()
    assert fits, f"{entry.workload.key} does not fit after its targets are gone"
    for kept in targets:
        with tree.without([target for target in targets if target is not kept]):
            still_fits, would_borrow = has_room()
        needless = still_fits and would_borrow == borrows
        assert not needless, f"{entry.workload.key} does not need {kept.key} to go"
