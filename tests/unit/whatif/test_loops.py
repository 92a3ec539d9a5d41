"""Loops are found, named, and broken."""

from __future__ import annotations

import copy
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.trace.steps import Evicted, PreemptionStarted, SharesCompared
from kueuelab.trace.trace import Trace
from kueuelab.whatif.lab import LabRun
from kueuelab.whatif.loops import LoopReport, loop_report
from kueuelab.whatif.references import Reference


def found(name: str) -> tuple[LabRun, LoopReport]:
    run = scenarios.load(name).run()
    report = run.loop_report
    assert report is not None
    return run, report


def test_the_victim_returns() -> None:
    run, report = found("loop-1-the-victim-returns")
    assert run.loop is not None
    assert report.workloads == run.loop.workloads == ("default/guest", "default/small")
    assert report.rules == (
        "ClusterQueue/team-b: withinClusterQueue: LowerPriority",
        "ClusterQueue/team-b: reclaimWithinCohort: Any",
    )
    turns = [(turn.preemptor, turn.workload) for turn in report.turns if not turn.back]
    assert turns == [("default/urgent", "default/small"), ("default/small", "default/guest")]
    assert "default/urgent (team-b, priority 2) evicts default/small" in report.as_text()
    assert report.as_text() in run.as_text()
    assert report.table_text().splitlines()[0].split() == [
        "cycle",
        "workload",
        "what",
        "by",
        "policy",
    ]
    assert report.table_text("en-XA") != report.table_text("en") == report.table_text()
    english, other = (
        [line.split()[2] for line in report.table_text(each).splitlines()[1:]]
        for each in ("en", "en-XA")
    )
    assert set(english) >= {"evicted", "admitted"}
    assert not set(english) & {"admitted", "evicted"} & set(other)
    assert {edit.object for edit in report.edits()} == {Reference("ClusterQueue", "", "team-b")}


def test_policies_in_turn_and_what_would_break_it() -> None:
    run, report = found("loop-2-policies-in-turn")
    edits = run.what_would_break_the_loop()
    assert [dict(edit.values) for edit in edits] == [
        {"spec.preemption.withinClusterQueue": "Never"},
        {"spec.preemption.reclaimWithinCohort": "LowerPriority"},
    ]
    for edit in edits:
        assert run.fork(at=0).change(edit).run().loop_report is None
    assert run.trace[-1 + len(run.trace)].kind == "LoopFound"
    assert len(report.as_table()) == len(report.turns)


def test_each_preempts_the_other() -> None:
    _, report = found("loop-3-each-preempts-the-other")
    assert {turn.preemptor for turn in report.turns if not turn.back} == {
        "default/small",
        "default/large",
    }
    assert report.as_data()["period"] == "0s"


def test_of_each_policy_the_first_value_that_breaks_the_loop_is_named() -> None:
    run, _ = found("loop-3-each-preempts-the-other")
    assert [dict(edit.values) for edit in run.what_would_break_the_loop()] == [
        {"spec.preemption.withinClusterQueue": "LowerPriority"},
        {"spec.preemption.reclaimWithinCohort": "LowerPriority"},
    ]


@pytest.mark.parametrize("name", ["loop-2-policies-in-turn", "loop-4-pods-never-ready"])
def test_a_turn_without_a_preemptor_has_no_policy(name: str) -> None:
    _, report = found(name)
    turns = [turn for turn in report.turns if not turn.preemptor]
    assert turns
    for turn in turns:
        assert (turn.preemptor_queue, turn.policy, turn.value) == ("", "", "")


def test_a_workload_that_is_only_admitted_is_none_of_the_loop() -> None:
    run, report = found("loop-1-the-victim-returns")
    steps, first = list(run.trace), report.first
    back = steps[next(turn.step for turn in report.turns if turn.back)]
    # What the first step of a round says is part of it.
    steps[first] = replace(back, index=first, cycle=steps[first].cycle, workload="default/x")
    other_run: Any = SimpleNamespace(trace=Trace(steps), loop=run.loop, start=run.start)
    again = loop_report(other_run)
    assert again is not None
    assert again.turns[0].workload == "default/x"
    assert len(again.turns) == len(report.turns) + 1
    assert again.workloads == report.workloads


def test_who_made_room_is_part_of_the_state() -> None:
    gated = {"featureGates": {"PrioritizePreemptorWorkloads": True}}
    document = yaml.safe_load(scenarios.text("loop-1-the-victim-returns"))
    document["spec"]["configuration"] |= gated
    run = kl.load(document).run()
    # After cycle 7 the same workloads hold and wait as after cycle 5, but another one goes first.
    assert run.loop is not None
    assert (run.loop.first_cycle, run.loop.last_cycle) == (3, 10)
    assert [turn.preemptor for turn in run.loop_report.turns if not turn.back] == [
        "default/urgent",
        "default/guest",
        "default/small",
    ]


def test_a_loop_that_takes_time() -> None:
    run, report = found("loop-4-pods-never-ready")
    assert run.loop is not None
    assert (run.loop.period, run.loop.workloads) == (report.period, report.workloads)
    assert run.loop.time == run.cluster.now
    assert report.workloads == ("default/stuck",)
    assert report.as_text().splitlines()[0] == (
        "The state at 1m41s is the state at 1m6s: this loop repeats every 35s and never ends."
    )
    assert run.trace[-1 + len(run.trace)].kind == "LoopFound"
    assert report.rules == ("PodsReadyTimeout",)
    assert report.period == 35_000_000_000
    assert run.what_would_break_the_loop() == []


def test_the_room_is_taken_while_pods_are_going() -> None:
    run, report = found("loop-5-pods-that-take-their-time")
    assert run.loop is not None
    assert report.period == run.loop.period == 14_000_000_000
    assert report.workloads == ("default/guest", "default/small")
    assert report.rules == (
        "ClusterQueue/team-a: reclaimWithinCohort: Any",
        "ClusterQueue/team-a: withinClusterQueue: LowerPriority",
    )
    edits = run.what_would_break_the_loop()
    assert edits
    for edit in edits:
        assert run.fork(at=0).change(edit).run().loop is None
    document = yaml.safe_load(scenarios.text("loop-5-pods-that-take-their-time"))
    # Not if their pods are gone at once, and not with the gate.
    gated = copy.deepcopy(document)
    gates = {"PrioritizePreemptorWorkloads": True}
    gated["spec"]["configuration"]["featureGates"] = gates
    for action in document["spec"]["timeline"]:
        action["submit"].pop("stops", None)
    for other in (gated, document):
        without = kl.load(other).run()
        assert without.loop is None
        assert without.cluster.workload("default/urgent").is_admitted


def test_the_strategy_is_that_of_the_comparison_that_passed_for_the_preemptor() -> None:
    """Others may be compared after it in the same cycle, and it again later."""
    run, report = found("loop-5-pods-that-take-their-time")
    (turn,) = [turn for turn in report.turns if turn.preemptor == "default/small"]
    said = "InCohortFairSharing, by reclaimWithinCohort: Any, LessThanInitialShare."
    assert str(turn.text).endswith(said)
    (other,) = [turn for turn in report.turns if turn.preemptor == "default/urgent"]
    assert str(other.text).endswith("InClusterQueue, by withinClusterQueue: LowerPriority.")
    steps = list(run.trace)
    last = max(index for index in run.trace.of_kind("SharesCompared") if index < turn.step)
    shares = steps[last].facts
    assert isinstance(shares, SharesCompared)
    compared = replace(shares, strategy="LessThanOrEqualToFinalShare")
    # Of another preemptor, of another candidate, without success.
    steps[last + 1] = replace(steps[last], index=last + 1, workload="default/x", facts=compared)
    elsewhere, failed = replace(compared, candidate="default/x"), replace(compared, passed=False)
    for index, facts in ((last + 2, elsewhere), (last + 3, failed)):
        steps[index] = replace(steps[last], index=index, facts=facts)
    for index in run.trace.of_kind("SharesCompared"):
        if index > turn.step:
            steps[index] = replace(steps[index], facts=replace(compared, passed=True))
    other_run: Any = SimpleNamespace(trace=Trace(steps), loop=run.loop, start=run.start)
    again = loop_report(other_run)
    assert again is not None
    assert [str(each.text) for each in again.turns] == [str(each.text) for each in report.turns]


def test_the_policy_is_that_of_the_preemptor_when_it_preempted() -> None:
    """Policies may be edited within a loop, and some have several parts."""
    run, report = found("loop-1-the-victim-returns")
    first, second = [turn for turn in report.turns if turn.preemptor]
    steps = list(run.trace)
    evicted = steps[second.step].facts
    assert isinstance(evicted, Evicted)
    steps[second.step] = replace(
        steps[second.step],
        facts=replace(evicted, preemption_reason="InCohortReclaimWhileBorrowing"),
    )
    borrow = {"borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 3}}
    for index in run.trace.of_kind("PreemptionStarted"):
        facts = steps[index].facts
        assert isinstance(facts, PreemptionStarted)
        if steps[index].workload == second.preemptor:
            steps[index] = replace(steps[index], facts=replace(facts, policies=borrow))
        elif index > first.step:
            later = replace(facts, policies={"withinClusterQueue": "Any"})
            steps[index] = replace(steps[index], facts=later)
    other_run: Any = SimpleNamespace(trace=Trace(steps), loop=run.loop, start=run.start)
    again = loop_report(other_run)
    assert again is not None
    assert again.rules == (
        "ClusterQueue/team-b: withinClusterQueue: LowerPriority",
        "ClusterQueue/team-b: borrowWithinCohort: policy LowerPriority, maxPriorityThreshold 3",
    )
    assert [dict(edit.values) for edit in again.edits()] == [
        {"spec.preemption.withinClusterQueue": "Never"},
        {"spec.preemption.borrowWithinCohort": None},
    ]


def test_a_loop_that_takes_time_can_be_left() -> None:
    run, _ = found("loop-4-pods-never-ready")
    later = run.fork(at="5m").pods_ready("stuck").run()
    assert later.cluster.now - later.start >= 300_000_000_000
    assert run.fork().delete("stuck").run().loop is None
    # It is found as soon as it may be, whatever else is asked for.
    assert scenarios.load("loop-4-pods-never-ready").run(until=3600).loop == run.loop
    assert scenarios.load("loop-4-pods-never-ready").run(until=90).loop is None


@pytest.mark.parametrize(
    "strategy",
    [
        # The limit ends it; until then the back-off is as long each time.
        {"backoffBaseSeconds": 5, "backoffMaxSeconds": 5, "backoffLimitCount": 9},
        # The back-off gets longer each time.
        {"backoffBaseSeconds": 5, "backoffMaxSeconds": 36000},
    ],
)
def test_what_has_an_end_is_no_loop(strategy: dict[str, int]) -> None:
    document = yaml.safe_load(scenarios.text("loop-4-pods-never-ready"))
    document["spec"]["configuration"]["waitForPodsReady"]["requeuingStrategy"] = strategy
    run = kl.load(document).run()
    assert len(run.trace.of_kind("Evicted")) > 5
    assert (run.loop, run.loop_report) == (None, None)


def test_a_later_arrival_may_end_it() -> None:
    document = yaml.safe_load(scenarios.text("loop-4-pods-never-ready"))
    document["spec"]["timeline"].append({"at": "20m", "delete": "stuck"})
    run = kl.load(document).run()
    assert run.loop is None
    assert run.cluster.now - run.start == 1200_000_000_000


def test_only_those_on_the_way_round_are_named() -> None:
    document = yaml.safe_load(scenarios.text("loop-2-policies-in-turn"))
    # Somebody who is preempted in the same instant, but not in the circle.
    once = {"job": "once", "queue": "team-b", "requests": {"cpu": 1}, "priority": -5}
    document["spec"]["timeline"].insert(0, {"at": "0s", "submit": once})
    document["spec"]["expect"] = []
    run = kl.load(document).run()
    assert run.loop is not None
    assert run.loop.workloads == run.loop_report.workloads


def test_what_no_longer_loops() -> None:
    for name in scenarios.names("loops"):
        if name.startswith("no-loop"):
            run = scenarios.load(name).run()
            assert run.passed
            assert run.loop_report is None


def test_other_scenarios_have_no_loop() -> None:
    for name in scenarios.names("preemption-policies"):
        assert scenarios.load(name).run().loop_report is None
