"""Explanations: they name exactly the targets, and every rule."""

import json

import pytest

from kueuelab.errors import UnknownObjectError
from kueuelab.trace import Trace
from kueuelab.trace.explain import who_evicted, why, why_not
from kueuelab.trace.step_text import step_text
from kueuelab.trace.steps import EntryProcessed

from .conftest import recorded


def _decisions(trace: Trace) -> list[tuple[int, str, set[str]]]:
    return [
        (step.index, step.workload, {key for key, _ in step.facts.targets})
        for step in trace
        if isinstance(step.facts, EntryProcessed)
    ]


def test_the_explanation_names_exactly_the_targets(traces: tuple[Trace, ...]) -> None:
    for trace in traces:
        for index, workload, targets in _decisions(trace):
            section = why(trace, workload, index).section("candidates")
            lines = section.lines if section is not None else ()
            assert {line.about for line in lines if line.verdict == "target"} == targets


def test_every_candidate_carries_a_rule_and_a_sentence(traces: tuple[Trace, ...]) -> None:
    seen = set()
    for trace in traces:
        for index, workload, _ in _decisions(trace):
            section = why(trace, workload, index).section("candidates")
            for line in section.lines[1:] if section is not None else ():
                if line.verdict in ("found", "none"):
                    continue
                assert line.rule
                assert line.about in line.text
                assert not line.text.endswith(f": {line.rule}."), line
                seen.add(line.rule)
    assert seen >= {
        "policy-never",
        "not-lower-priority",
        "not-newer",
        "uses-none-contested",
        "not-borrowing",
        "only-without-borrowing",
        "queue-no-longer-borrowing",
        "filled-back",
        "not-needed",
        "not-enough",
        "shares.LessThanInitialShare",
        "shares.LessThanOrEqualToFinalShare",
    }


def test_every_step_has_a_sentence(traces: tuple[Trace, ...]) -> None:
    for trace in traces:
        for step in trace:
            text = step_text(step)
            assert text
            assert "{" not in text.replace(str(getattr(step.facts, "message", "")), "") or (
                step.kind == "FlavorRejected"
            )


def test_every_story_has_its_forms(traces: tuple[Trace, ...]) -> None:
    for trace in traces:
        for workload in trace.workloads:
            explanation = why(trace, workload)
            data = explanation.as_data()
            assert json.loads(json.dumps(data)) == data
            rows = explanation.as_table()
            assert len(rows) == len(explanation.lines)
            text = explanation.as_text()
            for line in explanation.lines:
                # Lines with the same pattern are one sentence, with all that they are about.
                assert line.text in text or line.pattern.partition("{about}")[2] in text


def test_why_of_a_pending_workload(take_back: Trace) -> None:
    explanation = why(take_back, "default/job-1")
    assert repr(explanation) == "<Explanation of default/job-1: Pending, 6 sections>"
    text = explanation.as_text()
    assert (
        "cpu in flavor default: 500m requested, cohort-queue uses 0 of 200m nominal, "
        "300m available: it lacks 200m, and would have to borrow" in text
    )
    assert "That 200m cpu/default becomes free" in text
    assert "cluster-queue took back quota of its own that cohort-queue had borrowed" in text


def test_why_at_an_earlier_step(take_back: Trace) -> None:
    admitted = why(take_back, "default/job-1", at=34)
    assert admitted.phase == "Admitted"
    assert admitted.section("evictions") is None


def test_why_others_went_first(take_back: Trace) -> None:
    skipped = next(index for index, workload, _ in _decisions(take_back) if index > 80)
    section = why(take_back, "default/job-1", skipped).section("order")
    assert section is not None
    assert section.lines[0].text == (
        "default/job-2 before default/job-1: default/job-2 borrows less (level 0 against 1)."
    )


def test_who_evicted(take_back: Trace) -> None:
    eviction = who_evicted(take_back, "default/job-1")
    assert eviction is not None
    assert repr(eviction) == "<Eviction of default/job-1 by default/job-2: InCohortReclamation>"
    assert eviction.preemptor_path == "/same/cluster-queue"
    assert eviction.preempted_path == "/same/cohort-queue"
    assert eviction.lowest_common_ancestor == "same"
    assert eviction.needed == (("default", "cpu", 200, 0, 200, 500),)
    assert "default/job-2 needed 200m cpu/default with 0 available" in eviction.as_text()
    assert who_evicted(take_back, "default/job-0") is None


def test_why_not(take_back: Trace) -> None:
    line = why_not(take_back, "default/job-2", "default/job-0").lines[0]
    assert (line.verdict, line.rule) == ("excluded", "policy-never")
    assert line.text.endswith("default/job-0: withinClusterQueue of cluster-queue is Never.")
    line = why_not(take_back, "default/job-2", "default/job-1").lines[0]
    assert (line.verdict, line.rule) == ("target", "policy-LowerPriority")
    line = why_not(take_back, "default/job-1", "default/job-0").lines[0]
    assert line.rule == "no-search-borrow"


def test_why_not_knows_every_pair(traces: tuple[Trace, ...]) -> None:
    for trace in traces[:60]:
        keys = trace.workloads
        for workload in keys[:6]:
            for victim in keys[:6]:
                if workload != victim:
                    line = why_not(trace, workload, victim).lines[0]
                    assert line.rule
                    assert victim in line.text or workload in line.text


def test_the_threshold_is_named() -> None:
    texts = [
        line.text
        for trace in recorded("curated").values()
        for index, workload, _ in _decisions(trace)
        for line in why(trace, workload, index).lines
    ]
    texts += [
        line.text
        for trace in recorded("gen-classical", 60).values()
        for index, workload, _ in _decisions(trace)
        for line in why(trace, workload, index).lines
    ]
    assert any("is above maxPriorityThreshold" in text for text in texts)
    assert any("is not borrowing cpu/" in text for text in texts)
    assert any("uses none of the contested resources (" in text for text in texts)


def test_unknown_workloads_are_refused(take_back: Trace) -> None:
    with pytest.raises(UnknownObjectError, match="default/job-9"):
        why(take_back, "default/job-9")
