"""What holds of where pods are placed, in every cluster with nodes."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from how_many import SCENARIOS, many
from hypothesis import given, settings

from kueuelab.manifests import load_scenario
from kueuelab.scheduler.assignment import Mode
from kueuelab.simulation import Scenario
from kueuelab.simulation.player import Player
from kueuelab.testing import PlacementWatch, Watch
from kueuelab.testing.placed_clusters import placed_scenarios
from kueuelab.trace import Cursor
from kueuelab.trace.export import trace_to_json

some = settings(many, max_examples=max(SCENARIOS // 8, 1))
few = settings(many, max_examples=max(SCENARIOS // 20, 1))


@some
@given(placed_scenarios())
def test_places_at_every_step(scenario: dict[str, Any]) -> None:
    player = Player(load_scenario(scenario))
    watches = (Watch(player.cluster), PlacementWatch(player.cluster))
    found: list[str] = []

    def pause() -> bool:
        for watch in watches:
            found.extend(watch.look())
        return False

    player.on_pause = pause
    for _ in player.instants():
        pause()
        assert not found, found


@few
@given(placed_scenarios())
def test_forward_then_back_is_where_it_began(scenario: dict[str, Any]) -> None:
    trace = Scenario(load_scenario(scenario)).run().trace
    cursor = Cursor(trace)
    states = [deepcopy(cursor._writer.state())]
    while cursor.forward():
        states.append(deepcopy(cursor._writer.state()))
    while cursor.back():
        assert cursor._writer.state() == states[cursor.index]


@few
@given(placed_scenarios())
def test_the_same_scenario_gives_the_same_bytes(scenario: dict[str, Any]) -> None:
    first, second = (trace_to_json(Scenario(load_scenario(scenario)).run().trace) for _ in range(2))
    assert first == second


@few
@given(placed_scenarios())
def test_at_the_end_nothing_fits_that_waits(scenario: dict[str, Any]) -> None:
    player = Player(load_scenario(scenario))
    player.play()
    if player.loop is not None:
        return
    cluster = player.cluster
    assert cluster.at_rest
    for _ in range(4):
        record = cluster.cycle()
        fitting = [
            entry.key
            for entry in record.entries
            if entry.assignment is not None and entry.assignment.mode is Mode.Fit
        ]
        assert not fitting, fitting
