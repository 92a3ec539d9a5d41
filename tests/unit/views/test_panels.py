"""The decision panel, the queues panel and the timeline as data and as text."""

from __future__ import annotations

from kueuelab import scenarios
from kueuelab.trace import Trace
from kueuelab.trace.step_text import step_text
from kueuelab.views import Document, RunIndex, timeline_of
from kueuelab.views.frame.text import decision_text, queue_rows, queues_text


def test_every_step_has_a_sentence(trace: Trace) -> None:
    document = Document(trace)
    for index in range(0, len(trace), 1 + len(trace) // 200):
        frame = document.frame(index)
        assert frame["title"]
        assert frame["sentence"] == step_text(trace[index])
        assert frame["sentence"] in decision_text(frame, len(trace), len(trace.cycles))


def test_every_verdict_has_a_rule(curated: dict[str, Trace]) -> None:
    rows = [
        row
        for trace in curated.values()
        for index in trace.of_kind("TargetsChosen")
        for row in Document(trace).frame(index)["candidates"].values()
    ]
    assert len(rows) > 40
    assert all(row["why"] and row["verdict"] for row in rows)


def test_numbers_are_those_of_the_flavor(late: Trace) -> None:
    index = late.of_kind("FlavorConsidered")[2]
    assert dict(Document(late).frame(index)["numbers"].values()) == {
        "requested": "500m",
        "nominal quota": "500m",
        "used": "200m",
        "available": "0",
        "maximum capacity": "700m",
    }


def test_a_decision_reads_as_text(within: Trace) -> None:
    index = within.of_kind("CandidatesOrdered")[1]
    text = decision_text(Document(within).frame(index), len(within), len(within.cycles))
    lines = text.splitlines()
    first = next(place for place, line in enumerate(lines) if line.lstrip().startswith("#"))
    head, *rows = lines[first:-1]
    assert lines[-1].startswith("What this step changes: nothing yet.")
    assert head.split() == ["#", "candidate", "verdict", "why"]
    assert [" ".join(row.split()) for row in rows] == [
        "1 default/job-1 candidate priority 10 is lower than 100 under LowerPriority",
        "default/job-0 excluded priority 100 is not lower than 100 under LowerPriority",
        "all of team-b excluded reclaimWithinCohort of team-a is Never",
    ]


def test_queues_are_in_the_order_of_the_scheduler() -> None:
    for name in scenarios.names():
        run = scenarios.load(name).run()
        queues = run.cluster.queues
        frame = Document(run.trace).frame(len(run.trace) - 1)
        for key, queue in frame["queues"].items():
            node = frame["tree"][key]["name"]
            chips = [
                chip
                for chip in frame.get("chips", {}).values()
                if "queue" in chip and frame["tree"][chip["queue"]]["parent"] == key
            ]
            rows = list(queue_rows(chips, queue))
            assert len(rows) == queue["pending"]
            active = [workload for position, workload, *_ in rows if position != "-"]
            parked = [workload for _, workload, _, place, _ in rows if place == "inadmissible"]
            assert active == list(queues.pending_active(node)), name
            assert sorted(parked) == list(queues.inadmissible(node)), name


def test_a_workload_that_waits_says_why(late: Trace) -> None:
    text = queues_text(Document(late).frame(len(late) - 1))
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
