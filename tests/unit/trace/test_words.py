"""The catalogue, timelines and comparisons."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

import pytest

from kueuelab.errors import InputError
from kueuelab.files.languages import load_catalog
from kueuelab.messages.languages import ids_of
from kueuelab.scheduler.entry import EntryStatus
from kueuelab.trace import Recorder, Trace
from kueuelab.trace.coding import camel_case
from kueuelab.trace.diff import Diff, QueueDiff, diff
from kueuelab.trace.explain import why
from kueuelab.trace.statistics import QueueStatistics, statistics
from kueuelab.trace.step_text import step_text
from kueuelab.trace.steps import KINDS, EntryProcessed, NotNominated, WorkloadCreated
from kueuelab.trace.timeline import timeline, timeline_text
from kueuelab.trace.wording import MessageParts

from .conftest import recorded


def test_every_kind_of_step_is_in_the_catalogue() -> None:
    ids = ids_of("trace")
    for kind in KINDS:
        assert any(id_ == f"step.{kind}" or id_.startswith(f"step.{kind}.") for id_ in ids), kind


def test_another_language_leaves_kueues_words_alone(tmp_path: Path, take_back: Trace) -> None:
    path = tmp_path / "de.yaml"
    path.write_text(
        "language: de\n"
        "messages:\n"
        '  status.message: "Kueue sagt: {message}"\n'
        "  step.CycleStarted:\n"
        '    one: "Zyklus {cycle}: {heads}."\n'
        '    other: "Zyklus {cycle}, {count} Köpfe: {heads}."\n',
        "utf-8",
    )
    german = load_catalog(path)
    assert step_text(take_back.cycle(1)[0], german) == "Zyklus 1: default/job-0."
    assert step_text(take_back.cycle(4)[0], german).startswith("Zyklus 4, 2 Köpfe: ")
    text = why(take_back, "default/job-1", catalog=german).as_text()
    assert "Kueue sagt: couldn't assign flavors to pod set main: insufficient unused" in text
    assert "Where it waits" in text


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("step.Nothing: x", "there is no message 'step.Nothing'"),
        ('step.Admitted: "{secret}"', "has no value for {secret}"),
    ],
)
def test_mistakes_in_a_language_are_named(tmp_path: Path, message: str, problem: str) -> None:
    path = tmp_path / "xx.yaml"
    path.write_text(f"language: xx\nmessages:\n  {message}\n", "utf-8")
    with pytest.raises(InputError, match=problem):
        load_catalog(path)


def test_timeline(take_back: Trace) -> None:
    lines = timeline_text(take_back).splitlines()
    assert lines[0] == "  8  1s   -  default/job-0  submitted to cluster-queue, priority 100"
    assert (
        lines[6] == " 62  7s  c3  default/job-1  preempted by default/job-2 (InCohortReclamation)"
    )
    assert all(row.text for row in timeline(take_back, objects=True))
    assert len(list(timeline(take_back, objects=True))) > len(lines)


def test_timelines_of_all_sorts(traces: tuple[Trace, ...]) -> None:
    whats = set()
    for trace in traces:
        for row in timeline(trace, objects=True):
            assert row.subject
            assert row.text
            whats.add(row.what)
    assert whats >= {"created", "admitted", "preempted", "evicted", "pending", "woken", "finished"}


def test_a_trace_does_not_differ_from_itself(take_back: Trace) -> None:
    same = diff(take_back, take_back)
    assert not same
    assert repr(same) == "<Diff: the same>"
    assert "Both runs decide the same." in same.as_text()


def test_diff_names_the_first_decision_that_differs() -> None:
    runs = recorded("curated-preemption-policies")
    names = list(runs)
    before, after = runs[names[0]], runs["reclaim-1-take-back"]
    found = diff(before, after)
    assert found.divergence is not None
    assert found.divergence.number >= 1
    data = found.as_data()
    assert data["firstDecision"]["number"] == found.divergence.number
    assert {row["what"] for row in found.as_table()} >= {"preemptions", "waiting"}
    assert "The first decision that differs" in found.as_text()


def _decided(at: int, reason: str, start: int = 0) -> Trace:
    recorder = Recorder()
    recorder.time = start
    recorder.record(WorkloadCreated("team-a", 0), "default/a", "q")
    recorder.time, recorder.cycle = start + at, 7
    processed = EntryProcessed("", "NoFit", "too little quota", reason)
    recorder.record(processed, "default/a", "q")
    return Trace.of(recorder)


def test_diff_says_what_differs_where_the_sentences_do_not_show_it() -> None:
    second = 1_000_000_000
    text = diff(_decided(5 * second, "NoFit"), _decided(8 * second, "", 60 * second)).as_text()
    assert text.splitlines()[:4] == [
        "The first decision that differs is number 1.",
        "  before: at 5s, cycle 7, in q: default/a stays pending: too little quota",
        "  after: at 8s, cycle 7, in q: default/a stays pending: too little quota",
        "  Different is the time (5s before, 8s after); the reason to requeue it "
        "(NoFit before, none after).",
    ]
    found = diff(_decided(5, "NoFit"), _decided(5, "", 60 * second))
    assert found.as_data()["firstDecision"]["differences"] == {"requeueReason": ["NoFit", ""]}
    assert not diff(_decided(5, "NoFit"), _decided(5, "NoFit", 60 * second))


def test_every_fact_of_a_decision_has_a_name() -> None:
    ids = ids_of("trace")
    for kind in (EntryProcessed, NotNominated):
        for each in fields(kind):
            assert f"diff.fact.{camel_case(each.name)}" in ids


def test_runs_of_different_lengths_are_compared_over_the_same_time() -> None:
    trace = _decided(10_000_000_000, "NoFit")
    longer = Trace((*trace.steps, replace(trace[1], index=2, time=20_000_000_000, cycle=8)))
    assert not any(not queue.same for queue in diff(trace, longer).queues)


def test_durations_are_rounded_for_people_and_exact_as_data() -> None:
    def compared(one: int, other: int) -> Diff:
        queue = QueueDiff(
            "q", QueueStatistics("q", waiting=one), QueueStatistics("q", waiting=other)
        )
        return Diff(None, (), (queue,), MessageParts())

    found = compared(286_583_333_333, 5_000_000_000)
    assert "q: waiting 4m47s before, 5s after on average." in found.as_text()
    assert found.as_data()["queues"][0]["before"]["waiting"] == "4m46.583333333s"
    assert {"queue": "q", "what": "waiting", "before": "4m47s", "after": "5s"} in found.as_table()
    # Where rounding would hide the difference it is not rounded.
    found = compared(286_583_333_333, 286_600_000_000)
    assert "waiting 4m46.583333333s before, 4m46.6s after" in found.as_text()


def test_statistics(take_back: Trace) -> None:
    found = statistics(take_back)
    lender, borrower = found["cluster-queue"], found["cohort-queue"]
    assert (borrower.preemptions, lender.preempting, lender.preemptions) == (1, 1, 0)
    assert borrower.admissions == 1
    assert borrower.waiting == 2_000_000_000
    assert 0 < lender.utilisation["default", "cpu"] < 1


def _ended(**view: Any) -> Trace:
    """Return a trace of one workload that nothing was decided about, as it ends."""
    recorder = Recorder()
    for name, value in view.items():
        recorder.change(("workloads", "default/a", name), value)
    recorder.record(WorkloadCreated("team-a", 0), "default/a", "q")
    return Trace.of(recorder)


def _admission(queue: str = "q", count: int = 3, flavor: str = "spot", **more: Any) -> Any:
    pod_set = {"name": "main", "count": count, "flavors": {"cpu": flavor}, **more}
    return {"clusterQueue": queue, "podSetAssignments": [pod_set]}


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (
            {"admission": _admission(count=1)},
            "default/a ends Admitted; admitted by q: main (3 pods: cpu/spot) before, "
            "Admitted; admitted by q: main (1 pod: cpu/spot) after.",
        ),
        (
            {"admission": _admission("p")},
            "default/a ends Admitted; admitted by q: main (3 pods: cpu/spot) before, "
            "Admitted; admitted by p: main (3 pods: cpu/spot) after.",
        ),
        (
            {"admission": _admission(flavor="base")},
            "default/a ends Admitted (cpu/spot) before, Admitted (cpu/base) after.",
        ),
        (
            {"admission": _admission(topologyAssignment={"levels": ["rack"]})},
            "default/a ends Admitted; admitted by q: main (3 pods: cpu/spot) before, "
            "Admitted; admitted by q: main (3 pods: cpu/spot); "
            "topologyAssignment of main is {'levels': ['rack']} after.",
        ),
        (
            {"admission": _admission(resourceUsage={"cpu": "200m", "memory": "1Gi"})},
            "main uses 200m cpu and 1Gi memory after.",
        ),
        ({"active": False}, "deactivated; admitted by q: main (3 pods: cpu/spot) after."),
        ({"podsLeft": {"main": 2}}, "pods left: main 2 after."),
    ],
)
def test_diff_compares_all_that_an_admission_says(other: dict[str, Any], text: str) -> None:
    view = {"phase": "Admitted", "active": True, "admission": _admission()}
    found = diff(_ended(**view), _ended(**{**view, **other}))
    assert found
    assert text in found.as_text()
    assert "All workloads end in the same place" not in found.as_text()


def test_diff_names_workloads_of_which_only_the_status_differs() -> None:
    pending = {"status": "False", "reason": "Pending", "message": "couldn't assign flavors"}
    one = _ended(phase="Pending", conditions={"QuotaReserved": pending})
    other = _ended(phase="Pending", conditions={"QuotaReserved": {**pending, "message": "no"}})
    found = diff(one, other)
    assert found
    text = "default/a ends in the same place; what differs: conditions."
    assert text in found.as_text()
    assert found.as_data()["statuses"] == [{"workload": "default/a", "what": ["conditions"]}]


def _many_end(phase: str, count: int) -> Trace:
    recorder = Recorder()
    for number in range(count):
        recorder.change(("workloads", f"default/w-{number:02}", "phase"), phase)
        recorder.change(("workloads", f"default/w-{number:02}", "conditions"), {})
    recorder.record(WorkloadCreated("team-a", 0), "default/w-00", "q")
    return Trace.of(recorder)


@pytest.mark.parametrize(
    ("count", "lines"),
    [
        (3, [f"default/w-{n:02} ends Pending before, Admitted after." for n in range(3)]),
        (
            90,
            [
                "90 workloads end Pending before, Admitted after: default/w-00, default/w-01, "
                "default/w-02, default/w-03, default/w-04 and 85 more."
            ],
        ),
    ],
)
def test_diff_counts_workloads_that_have_the_same_ends(count: int, lines: list[str]) -> None:
    text = diff(_many_end("Pending", count), _many_end("Admitted", count)).as_text()
    assert [line for line in text.splitlines() if "w-00" in line or " ends " in line] == lines


def test_diff_counts_workloads_with_the_same_difference() -> None:
    def pending(message: str) -> Trace:
        recorder = Recorder()
        for number in range(90):
            condition = {"status": "False", "reason": "Pending", "message": message}
            key = f"default/w-{number:02}"
            recorder.change(("workloads", key, "phase"), "Pending")
            recorder.change(("workloads", key, "conditions"), {"QuotaReserved": condition})
        recorder.record(WorkloadCreated("team-a", 0), "default/w-00", "q")
        return Trace.of(recorder)

    text = diff(pending("one"), pending("other")).as_text()
    assert "90 workloads end in the same place; what differs: conditions. They are " in text
    assert "w-04 and 85 more." in text
    assert "w-05" not in text


def test_diff_names_objects_where_nothing_else_differs() -> None:
    def edited(quota: int) -> Trace:
        recorder = Recorder()
        recorder.change(("objects", "ClusterQueue/q"), {"quota": quota})
        recorder.record(WorkloadCreated("team-a", 0), "default/a", "q")
        return Trace.of(recorder)

    found = diff(edited(1), edited(2))
    assert found
    assert "Not the same at the end: ClusterQueue/q." in found.as_text()
    assert not diff(edited(1), edited(1))


@pytest.mark.parametrize("status", get_args(EntryStatus))
def test_an_entry_has_a_sentence_whatever_becomes_of_it(status: str) -> None:
    recorder = Recorder()
    recorder.record(EntryProcessed(status, "NoFit", "no room", ""), "default/a", "q")
    assert "default/a" in step_text(Trace.of(recorder)[0])
