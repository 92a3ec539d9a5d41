"""What people ask about the scenarios of the package, and the answer that they find."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

import kueuelab as kl
from kueuelab.trace import Breakpoint, Cursor, Recorder, Trace
from kueuelab.trace.explain import why
from kueuelab.trace.export import trace_from_json, trace_to_json
from kueuelab.trace.step_text import step_text
from kueuelab.trace.steps import Evicted, QuotaReleased, SharesCompared, WorkloadCreated
from kueuelab.trace.timeline import timeline
from kueuelab.whatif.lab import LabRun

from .conftest import recorded


@pytest.fixture(scope="module")
def fair() -> LabRun:
    return kl.scenarios.load("hierarchy-2-fair-departments").run()


@pytest.fixture(scope="module")
def ready() -> LabRun:
    return kl.scenarios.load("ready-1-pods-that-never-come").run()


def one_by_one() -> LabRun:
    """Return the run in which each job waits for the pods of the one before."""
    document: dict[str, Any] = yaml.safe_load(kl.scenarios.text("ready-1-pods-that-never-come"))
    document["spec"]["configuration"]["waitForPodsReady"]["blockAdmission"] = True
    return kl.load(document).run()


def at(run: LabRun, seconds: float) -> int:
    """Return the last step that was taken by a time."""
    until = run.start + round(seconds * 10**9)
    return max(step.index for step in run.trace if step.time <= until)


def test_shares_are_those_of_the_cohorts_that_were_compared(fair: LabRun) -> None:
    explanation = fair.why("ads-13")
    text = explanation.as_text()
    assert (
        "the share of cohort products (562.5) is above what cohort research would be left" in text
    )
    assert "compared in cohort company" in text
    # Side by side in one cohort it is the queues.
    assert "the share of ads (312.5) is above what search would be left with" in text
    assert "the share of ads (562.5)" not in text
    section = explanation.section("candidates")
    assert section is not None
    line = next(line for line in section.lines if line.about == "default/vision-3")
    assert line.numbers["preemptorNode"] == "Cohort/products"
    assert line.numbers["targetNode"] == "Cohort/research"
    assert line.numbers["cohort"] == "company"


def test_an_older_trace_names_the_queues(fair: LabRun) -> None:
    value = json.loads(trace_to_json(fair.trace))
    for step in value["steps"]:
        if step["kind"] == "SharesCompared":
            for name in ("cohort", "preemptorNode", "targetNode"):
                del step["facts"][name]
        step["facts"].pop("lost", None)
        if step["kind"] == "QuotaReleased":
            del step["facts"]["held"]
    old = trace_from_json(json.dumps(value))
    compared = [step for step in old if isinstance(step.facts, SharesCompared)]
    assert compared
    for step in compared:
        assert f"the share of {step.cluster_queue} (" in step_text(step)
    assert (
        "Preempting can't help: the share of ads ("
        in kl.trace.explain.why(old, "default/ads-13").as_text()
    )


def test_who_is_set_aside_with_its_like_gets_the_reason(fair: LabRun) -> None:
    status = fair.why("ads-14").section("status")
    assert status is not None
    assert status.lines[1].text.startswith("default/ads-13 asks for the same and did not fit")
    assert status.lines[2].text == (
        "It does not fit: 1 cpu requested, 0 available in default "
        "(vision uses 8, ads uses 4 and search uses 4)."
    )


def test_who_went_first_took_something() -> None:
    run = kl.scenarios.load("order-1-after-the-big-one").run()
    order = run.why("early").section("order")
    assert order is not None
    (line,) = order.lines
    assert line.text == "default/vip came before it, and took nothing."
    skipped = run.until(workload="vip", message="no longer fits")
    order = run.why("vip", at=skipped.index).section("order")
    assert order is not None
    assert [line.about for line in order.lines] == ["default/urgent", "default/lesson"]


def test_the_loser_of_a_tournament_hears_where_it_lost(fair: LabRun) -> None:
    found = set()
    for step in fair.trace:
        if step.kind == "EntryProcessed":
            order = fair.why(step.workload, step.index).section("order")
            for line in order.lines if order is not None else ():
                assert line.about != step.workload
                found.add(line.rule)
                if line.rule == "smaller-share":
                    assert "has a smaller share of cohort" in line.text
    assert "smaller-share" in found


def test_blocked_admission_is_one_explanation_from_first_to_last_line() -> None:
    run = one_by_one()
    explanation = run.why("small", at(run, 30))
    status, following, result = (explanation.section(id_) for id_ in ("status", "next", "outcome"))
    assert status is not None
    assert following is not None
    assert result is not None
    assert status.lines[1].text == (
        "There is room for it, but blockAdmission of waitForPodsReady holds it up until all pods "
        "of default/stuck are ready."
    )
    assert following.lines[0].text.startswith("That all pods of default/stuck are ready")
    assert "gets its quota." not in " ".join(line.text for line in result.lines)
    assert "Its turn in the next scheduling cycle" not in explanation.as_text()
    stuck = run.why("stuck", at(run, 30)).as_text()
    assert "Its pods are not all ready." in stuck
    assert "Nothing. It runs." not in stuck


def test_quota_is_given_back_once(ready: LabRun) -> None:
    released = [
        step
        for step in ready.trace.about("default/stuck", "subject")
        if isinstance(step.facts, QuotaReleased)
    ]
    last = [step.facts for step in released if step.time == released[-1].time]
    assert last == [QuotaReleased("Deactivated"), QuotaReleased("Deactivated", held=False)]
    rows = [row for row in timeline(ready.trace) if row.time == released[-1].time]
    assert sum("gave its quota back" in row.text for row in rows) == 1


def test_a_loop_is_not_advised_to_wait_for_its_turn() -> None:
    run = kl.scenarios.load("loop-1-the-victim-returns").run()
    following = run.why("guest").section("next")
    assert following is not None
    assert following.lines[0].rule == "loop"


def test_many_evictions_are_counted_and_the_last_ones_listed() -> None:
    recorder = Recorder()
    recorder.record(WorkloadCreated("team", 0), "default/stuck", "q")
    for _ in range(40):
        recorder.record(Evicted("PodsReadyTimeout", "too late"), "default/stuck", "q")
    section = why(Trace.of(recorder), "default/stuck").section("evictions")
    assert section is not None
    assert section.lines[0].text == "It was evicted 40 times."
    assert section.lines[1].text.endswith(": 35 × PodsReadyTimeout.")
    assert len(section.lines) == 7


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        ({"workload": "job-1", "event": "preempted"}, "Evicted"),
        ({"queue": "team-b", "event": "admitted"}, "Admitted"),
        ({"event": "skipped"}, "EntryProcessed"),
        ({"event": "requeued", "workload": "job-2"}, "Requeued"),
        ({"message": "Pending the preemption of 1"}, "EntryProcessed"),
    ],
)
def test_a_run_goes_on_until_a_breakpoint(condition: dict[str, str], kind: str) -> None:
    run = kl.scenarios.load("reclaim-1-take-back").run()
    cursor = run.until(**condition)  # type: ignore[arg-type]
    assert cursor.step.kind == kind
    either = Breakpoint.event("preempted") | Breakpoint.event("skipped")
    both = either & Breakpoint.workload("default/job-1")
    places = [step.index for step in run.trace if both(step)]
    found = []
    cursor = Cursor(run.trace)
    while cursor.until(both):
        found.append(cursor.index)
    assert found == places
    assert run.until(both, after=places[0]).index == places[1]
    assert run.until(event="deleted").at_end


def test_a_strict_head_that_can_never_fit_is_not_advised_to_wait_for_its_turn() -> None:
    following = why(recorded("curated")["strict-fifo-blocks"], "default/big").section("next")
    assert following is not None
    (line,) = following.lines
    assert line.text == (
        "That its request gets smaller or the quota larger: q can never use more than "
        "4 cpu/default."
    )


@pytest.mark.parametrize(
    ("workload", "said"),
    [
        (
            "vision/huge",
            "That its request gets smaller, or the quota of one of these flavors larger; one is "
            "enough: research can never use more than 4 cpu/standard or 8 cpu/spot.",
        ),
    ],
)
def test_flavors_of_which_one_is_enough_are_not_listed_as_if_all_were_needed(
    workload: str, said: str
) -> None:
    following = kl.scenarios.load("queues-1-flavors-and-namespaces").run().why(workload)
    section = following.section("next")
    assert section is not None
    assert [line.text for line in section.lines] == [said]


def test_targets_are_not_gone_before_they_are() -> None:
    run = kl.scenarios.load("reclaim-1-take-back").run()
    decided = run.until(workload="job-2", event="preempting").index
    evicted = run.until(workload="job-1", event="preempted").index
    for index in (decided, evicted):
        status, following = (run.why("job-2", index).section(id_) for id_ in ("status", "next"))
        assert status is not None
        assert following is not None
        assert status.lines[1].text.startswith("It preempts default/job-1, and waits")
        assert following.lines[0].rule == "PendingPreemption"
    released = run.until(event="woken", workload="job-1", after=evicted).index
    assert "It preempts default/job-1" not in run.why("job-2", released).as_text()
