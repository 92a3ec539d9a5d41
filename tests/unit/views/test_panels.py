"""The decision panel, the queues panel and the timeline as data and as text."""

from __future__ import annotations

from kueuelab import scenarios
from kueuelab.trace import Trace
from kueuelab.views import (
    RunIndex,
    cycle_marks,
    decision_at,
    queues_at,
    timeline_of,
)


def test_every_step_has_a_sentence(trace: Trace) -> None:
    for step in trace:
        decision = decision_at(trace, step.index)
        assert decision.title
        assert decision.sentence
        assert decision.sentence in decision.as_text()


def test_every_verdict_has_a_rule(curated: dict[str, Trace]) -> None:
    rows = [
        row
        for trace in curated.values()
        for index in trace.of_kind("TargetsChosen")
        for row in decision_at(trace, index).candidates
    ]
    assert len(rows) > 40
    assert all(row.why and row.verdict for row in rows)


def test_numbers_are_those_of_the_flavor(late: Trace) -> None:
    index = late.of_kind("FlavorConsidered")[2]
    assert dict(decision_at(late, index).numbers) == {
        "requested": "500m",
        "nominal quota": "500m",
        "used": "200m",
        "available": "0",
        "maximum capacity": "700m",
    }


def test_a_decision_reads_as_text(within: Trace) -> None:
    index = within.of_kind("CandidatesOrdered")[1]
    head, *rows = decision_at(within, index).as_text().splitlines()[2:]
    assert head.split() == ["#", "candidate", "verdict", "why"]
    assert [" ".join(row.split()) for row in rows] == [
        "1 default/job-1 candidate priority 10 is lower than 100 under LowerPriority",
        "default/job-0 excluded priority 100 is not lower than 100 under LowerPriority",
        "all of cohort-queue excluded reclaimWithinCohort of cluster-queue is Never",
    ]


def test_queues_are_in_the_order_of_the_scheduler() -> None:
    for name in scenarios.names():
        run = scenarios.load(name).run()
        queues = run.cluster.queues
        shown = queues_at(RunIndex(run.trace), len(run.trace) - 1)
        for queue in shown.queues:
            active = [row.workload for row in queue.pending if row.position]
            parked = [row.workload for row in queue.pending if row.place == "inadmissible"]
            assert active == list(queues.pending_active(queue.name)), name
            assert sorted(parked) == list(queues.inadmissible(queue.name)), name


def test_a_workload_that_waits_says_why(late: Trace) -> None:
    text = queues_at(RunIndex(late), len(late) - 1).as_text()
    assert "insufficient unused quota for cpu in flavor default, 300m more needed" in text
    assert "inadmissible" in text


def test_the_timeline_has_every_phase(late: Trace) -> None:
    timeline = timeline_of(RunIndex(late))
    assert timeline.as_text().splitlines() == [
        "workload       phases and their start",
        "default/job-0  Pending at 1s, Admitted at 1s, Finished at 1m9s",
        "default/job-1  Pending at 4s, Admitted at 4s, Evicted at 1m9s, Pending at 1m9s",
        "default/job-2  Pending at 7s, Admitted at 1m9s",
    ]
    for phase in timeline.phases:
        assert phase.start <= phase.end <= timeline.end
        change = next(
            change
            for change in late[phase.step].changes
            if change.path == ("workloads", phase.workload, "phase")
        )
        assert change.after == phase.phase


def test_samples_show_queues_and_use(late: Trace) -> None:
    last = timeline_of(RunIndex(late)).samples[-1]
    assert (last.pending, last.admitted) == (1, 1)
    assert round(last.used["cpu"], 3) == round(500 / 700, 3)


def test_of_many_workloads_the_evicted_and_wanted_are_shown(busy: Trace) -> None:
    timeline = timeline_of(RunIndex(busy), always=["default/job-399"])
    assert "default/job-399" in timeline.workloads
    assert len(timeline.workloads) == 60
    assert timeline.hidden == len(busy.workloads) - 60
    assert f"and {timeline.hidden} more workloads" in timeline.as_text()


def test_an_empty_run_has_an_empty_timeline() -> None:
    assert timeline_of(RunIndex(Trace(()))).workloads == ()


def test_of_many_cycles_some_are_marked(late: Trace) -> None:
    assert [number for _, number in cycle_marks(late)] == [1, 2, 3, 4, 5, 6]
    assert [number for _, number in cycle_marks(late, most=3)] == [1, 3, 5]
