"""What holds of the record of any run, in random scenarios."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kueuelab as kl
from kueuelab.manifests import load_scenario
from kueuelab.simulation import Run, Scenario
from kueuelab.simulation.player import Player
from kueuelab.testing.strategies import scenarios
from kueuelab.trace import Cursor, Recorder, Trace
from kueuelab.trace.explain import who_evicted, why
from kueuelab.trace.reading import State
from kueuelab.trace.steps import EntryProcessed, Evicted

T = TypeVar("T")

pytestmark = pytest.mark.usefixtures("minutes_of_timers")

many_runs = settings(
    max_examples=20,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)

#: What a sentence never has: a blank that was not filled, a list of nobody, a doubled mark.
_UNFINISHED = re.compile(r"\{[a-z]\w*\}|  +\S|: ?\.|\.\.$| ,|\(\)|\b(1 times|1 workloads|1 pods)\b")


#: So many steps of a run are looked at; some runs go on for long.
_LOOKS = 15


def _spread(items: Sequence[T]) -> Sequence[T]:
    """Return some of many, the last one with them."""
    return items[:: -max(1, len(items) // _LOOKS)]


def _trace(scenario: dict[str, Any]) -> Trace:
    return Scenario(load_scenario(scenario)).run().trace


@many_runs
@given(scenarios())
def test_the_explanation_names_exactly_the_targets_of_the_trace(scenario: dict[str, Any]) -> None:
    trace = _trace(scenario)
    kinds = ("EntryProcessed", "Evicted")
    for step in [trace[index] for kind in kinds for index in _spread(trace.of_kind(kind))]:
        facts = step.facts
        if isinstance(facts, EntryProcessed):
            section = why(trace, step.workload, step.index).section("candidates")
            lines = section.lines if section is not None else ()
            named = {line.about for line in lines if line.verdict == "target"}
            assert named == {key for key, _ in facts.targets}
        elif isinstance(facts, Evicted):
            eviction = who_evicted(trace, step.workload, step.index)
            assert eviction is not None
            assert eviction.preemptor == facts.preemptor
            assert not facts.preemptor or facts.preemptor in eviction.as_text()


@many_runs
@given(scenarios())
def test_an_explanation_is_readable_at_any_step(scenario: dict[str, Any]) -> None:
    trace = _trace(scenario)
    for workload in _spread(trace.workloads):
        for at in {len(trace) - 1, *_spread(trace.index.about(workload, "subject"))}:
            explanation = why(trace, workload, at)
            for section in explanation.sections:
                sentences = section.sentences
                assert len(set(sentences)) == len(sentences) or section.id in _TOLD_AGAIN
                for sentence in sentences:
                    assert not _UNFINISHED.search(_without_quotes(sentence)), sentence
            if explanation.phase == "Pending" and explanation.section("status") is not None:
                assert len(explanation.sections[0].sentences) > 1, explanation


#: Where the same may be said twice: a flavor for each pod set, the same search made again,
#: several evictions at a time.
_TOLD_AGAIN = ("flavors", "candidates", "attempts", "evictions")


def _without_quotes(sentence: str) -> str:
    """Leave out what Kueue itself says."""
    return re.sub(
        r"(Kueue says|stays pending|is skipped|Flavor \S+ is out for \S+): .*", "", sentence
    )


@many_runs
@given(scenarios(), st.lists(st.floats(0, 1), max_size=8))
def test_forward_and_back_is_the_identity(scenario: dict[str, Any], places: list[float]) -> None:
    trace = _trace(scenario)
    cursor = Cursor(trace)
    for place in places:
        index, before = cursor.index, cursor.state
        copy = repr(before.as_data())
        there = round(place * (len(trace) - 1))
        cursor.to(there)
        assert cursor.state == trace.state_at(there)
        cursor.to(index)
        assert cursor.state == before
        assert repr(before.as_data()) == copy
        cursor.to(there)


@many_runs
@given(scenarios())
def test_the_state_is_that_of_the_cluster_at_the_time(scenario: dict[str, Any]) -> None:
    """Run on in steps of time; at each stop the record says what the cluster is like."""
    recorder = Recorder()
    player = Player(load_scenario(scenario), recorder)
    stops: list[tuple[int, State]] = []
    for _ in islice(player.instants(), _LOOKS):
        stopped = Trace.of(recorder)
        state = stopped.state_at(len(stopped) - 1)
        _agree(state, player)
        stops.append((len(stopped), state))
    trace = Trace.of(recorder)
    for count, state in stops:
        # What was announced, but not recorded yet, at the stop came with the next step.
        rest = recorder.steps[count : count + 1]
        if count and not any(step.changes for step in rest):
            assert trace.state_at(count - 1) == state


def _agree(state: State, player: Player) -> None:
    cluster = player.cluster
    views = state.workloads
    assert views.keys() == set(cluster.workloads)
    for key, workload in cluster.workloads.items():
        view = views[key]
        assert view.place == (cluster.queues.place(key) or "")
        assert view.priority == workload.priority
        assert view.admission.cluster_queue == workload.cluster_queue
        conditions = {found.type: found.status for found in view.conditions}
        assert conditions == {name: found.status for name, found in workload.conditions.items()}
    queues, cohorts = cluster.tree.cluster_queues, cluster.tree.cohorts
    for name, queue in queues.items():
        found = state.cluster_queue(name).usage
        assert found == {fr: amount for fr, amount in queue.usage.items() if amount}
    for name, cohort in cohorts.items():
        found = state.cohort(name).usage
        assert found == {fr: amount for fr, amount in cohort.usage.items() if amount}


def test_a_run_stopped_at_a_time_is_the_run_up_to_there() -> None:
    for name in (
        "reclaim-1-take-back",
        "loop-1-the-victim-returns",
        "ready-1-pods-that-never-come",
    ):
        lab = kl.scenarios.load(name)
        run = lab.run()
        times = sorted({step.time for step in run.trace})
        for time in times[:: max(1, len(times) // 8)]:
            stopped: Run = lab.run(until=(time - run.start) / 10**9)
            count = len(stopped.trace)
            assert stopped.trace.steps[:-1] == run.trace.steps[: count - 1]
            after = [step.time for step in run.trace.steps[count:]]
            assert all(each > time for each in after)
            assert stopped.trace.state_at(count - 1) == run.trace.state_at(count - 1)
