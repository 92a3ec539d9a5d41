"""Loops are found, named, and broken."""

from __future__ import annotations

import yaml

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.whatif.lab import LabRun
from kueuelab.whatif.loops import LoopReport


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
    assert run.loop is None
    assert report.workloads == ("default/stuck",)
    assert report.rules == ("PodsReadyTimeout",)
    assert report.period == 35_000_000_000
    assert run.what_would_break_the_loop() == []


def test_what_no_longer_loops() -> None:
    for name in scenarios.names("loops"):
        if name.startswith("no-loop"):
            run = scenarios.load(name).run()
            assert run.passed
            assert run.loop_report is None


def test_other_scenarios_have_no_loop() -> None:
    for name in scenarios.names("preemption-policies"):
        assert scenarios.load(name).run().loop_report is None
