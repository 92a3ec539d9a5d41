"""The decisions that are skimmed are those of the record, each once."""

from __future__ import annotations

from collections import Counter

import pytest

from kueuelab import scenarios
from kueuelab.trace import Trace
from kueuelab.views import Document
from kueuelab.views.decisions import OUTCOMES, Decisions
from kueuelab.views.frame.answers import answer

SHOWN = (
    "reclaim-1-take-back",
    "queues-1-flavors-and-namespaces",
    "fair-2-whose-job",
    "racks-1-levels",
    "checks-1-flexible-start",
)


def _trace(name: str) -> Trace:
    return scenarios.load(name).run().trace


@pytest.mark.parametrize("name", SHOWN)
def test_each_head_of_a_cycle_has_one_decision(name: str) -> None:
    trace = _trace(name)
    decided = Counter(
        (trace[each.step].cycle, trace[each.step].workload)
        for each in Decisions(trace).every
        if each.outcome in ("preempting", "pending", "quotaReserved", "admitted")
        and trace[each.step].kind != "Admitted"
    )
    heads = Counter(
        (trace[index].cycle, trace[index].workload)
        for index in trace.of_kind("EntryProcessed", "NotNominated")
    )
    assert heads
    assert decided == heads


@pytest.mark.parametrize("name", SHOWN)
def test_what_happens_to_an_admitted_workload_is_there(name: str) -> None:
    trace = _trace(name)
    counts = Counter(each.outcome for each in Decisions(trace).every)
    assert counts["preempted"] + counts["evicted"] == len(trace.of_kind("Evicted"))
    assert counts["finished"] == len(trace.of_kind("Finished"))
    assert counts["admitted"] == len(trace.of_kind("Admitted"))
    assert set(counts) <= set(OUTCOMES)


def test_pages_join_to_all_decisions_and_say_for_which_steps_they_are() -> None:
    document = Document(scenarios.load("fair-2-whose-job").run())
    trace = document.trace
    whole = Decisions(trace).every
    question = {"ask": "decisions"}
    first = answer(document, {**question, "page": 0})
    pages = [
        answer(document, {**question, "page": number})
        for number in range(-(-first["found"] // first["of"]))
    ]
    rows = [row for page in pages for row in page["rows"]]
    assert [row[0] for row in rows] == [each.step for each in whole]
    assert first["counts"] == dict(Counter(each.outcome for each in whole)) | first["counts"]
    for step in range(len(trace)):
        found = answer(document, {**question, "step": step})
        upto = [row for row in found["rows"] if row[0] <= step]
        assert len(upto) + found["page"] * found["of"] == sum(e.step <= step for e in whole)
        assert step < found["to"]
        assert found["from"] <= step or not found["page"]


def test_some_outcomes_alone() -> None:
    document = Document(scenarios.load("reclaim-1-take-back").run())
    found = answer(document, {"ask": "decisions", "step": 102, "outcomes": ["preempted", "lost"]})
    assert found["found"] == 1
    ((step, cycle, outcome, job, sentence),) = found["rows"]
    assert (step, cycle, outcome, job) == (63, 3, "preempted", "job-1")
    assert sentence.startswith("default/job-1 is preempted by default/job-2")
    # Before the first of them.
    assert answer(document, {"ask": "decisions", "step": 2})["page"] == 0
