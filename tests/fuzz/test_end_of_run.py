"""A run goes on until nothing changes any more, and to stop on the way changes nothing."""

from __future__ import annotations

from typing import Any

from how_many import SCENARIOS, many
from hypothesis import given, settings
from hypothesis import strategies as st

from kueuelab.manifests import load_scenario
from kueuelab.scheduler.assignment import Mode
from kueuelab.simulation import Cluster
from kueuelab.simulation.player import Player
from kueuelab.testing.strategies import scenarios
from kueuelab.trace.export import trace_to_json
from kueuelab.whatif.lab import Lab

few = settings(many, max_examples=max(SCENARIOS // 20, 1))
fewer = settings(many, max_examples=max(SCENARIOS // 40, 1))

#: Cycles in a row that change nothing: more than there are flavors to go on from.
ENOUGH = 12


def situation(cluster: Cluster) -> object:
    """Return all that can be seen of a cluster, and where everything pending is."""
    queues = cluster.queues
    places = {
        name: (queues.pending_active(name), queues.inadmissible(name))
        for name in cluster.cluster_queues
    }
    return cluster.state(), places, sorted(cluster.plane.evicting)


class HandStepped(Player):
    """Runs cycles until many in a row change nothing, whatever the cluster says of itself."""

    def _schedule(self) -> None:
        cluster = self.cluster
        self._follow_jobs()
        same, before = 0, situation(cluster)
        for _ in range(400):
            cluster.cycle()
            self._complete_evictions()
            self._follow_jobs()
            after = situation(cluster)
            same = same + 1 if after == before else 0
            if same == ENOUGH:
                return
            before = after
        raise EndlessError


class EndlessError(Exception):
    """Cycles at one instant go on and on."""


@few
@given(scenarios())
def test_a_run_is_what_stepping_by_hand_gives(scenario: dict[str, Any]) -> None:
    spec = load_scenario(scenario)
    player, stepped = Player(spec), HandStepped(spec)
    player.play()
    if player.loop is not None:
        return
    stepped.play()
    assert situation(player.cluster) == situation(stepped.cluster)
    assert player.cluster.now == stepped.cluster.now


@few
@given(scenarios())
def test_nothing_comes_of_more_cycles_at_the_end(scenario: dict[str, Any]) -> None:
    player = Player(load_scenario(scenario))
    player.play()
    if player.loop is not None:
        return
    cluster = player.cluster
    assert cluster.at_rest
    end = situation(cluster)
    for _ in range(ENOUGH):
        record = cluster.cycle()
        fitting = [
            entry.key
            for entry in record.entries
            if entry.assignment is not None and entry.assignment.mode is Mode.Fit
        ]
        assert not fitting or cluster.is_blocked, fitting
        cluster.complete_evictions(cluster.plane.evicting.keys() - player._stops.keys())
        assert situation(cluster) == end


@fewer
@given(scenarios(), st.data())
def test_a_fork_without_changes_goes_on_as_the_run_did(
    scenario: dict[str, Any], data: st.DataObject
) -> None:
    run = Lab(load_scenario(scenario)).run()
    written = trace_to_json(run.trace)
    steps = st.integers(1, max(len(run.trace) - 1, 1))
    length = (run.cluster.now - run.start) // 1_000_000_000
    places: list[int | str | None] = [None, f"{data.draw(st.integers(0, length))}s"]
    if len(run.trace) > 1:
        places += data.draw(st.lists(steps, min_size=3, max_size=3))
    forked_again = data.draw(st.sampled_from(places))
    for place in places:
        if isinstance(place, str) and run.loop is not None and not run.loop.period:
            continue  # a run in a loop never gets to a later time
        fork = run.fork(place)
        again = fork.run()
        assert trace_to_json(again.trace) == written, place
        assert situation(again.cluster) == situation(run.cluster)
        if place == forked_again:  # nor does a fork of that fork
            assert trace_to_json(again.fork(place).run().trace) == written, place
