"""A frame as text and as a still picture; answers to what a view asks."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from example_runs import scenario_trace

from kueuelab.trace import Trace
from kueuelab.views import Document
from kueuelab.views.frame.answers import answer
from kueuelab.views.frame.text import decision_text, picture_text, queues_text
from kueuelab.views.merge_patch import apply_patch
from kueuelab.views.svg import svg_of

SVG = "{http://www.w3.org/2000/svg}"


def test_the_text_names_every_part(late: Trace) -> None:
    removed = late.of_kind("WorkloadRemoved")[-1]
    assert picture_text(Document(late).frame(removed)).splitlines() == [
        "Cohort department",
        "  [....................] default/cpu, 0 of 700m used",
        "  ClusterQueue team-a",
        "    [....................] default/cpu, 0 of 500m used",
        "    LocalQueue default/team-a-jobs: waiting: job-2 500m p100 (preemptor)",
        "  ClusterQueue team-b",
        "    [....................] default/cpu, 0 of 200m used",
        "      used by: job-1 500m p10 (removed in simulation)",
        "    LocalQueue default/team-b-jobs: no pending workloads",
    ]


def test_a_decision_and_the_queues_read_as_text(within: Trace) -> None:
    index = within.of_kind("CandidatesOrdered")[1]
    frame = Document(within).frame(index)
    first = decision_text(frame, len(within), len(within.cycles)).splitlines()[0]
    assert first == f"Step {index + 1} of 112, cycle 3 of 5, at 7s"
    assert "1  default/job-1" in decision_text(frame, len(within), 5)
    assert "being considered in a cycle" in queues_text(frame)


def test_the_picture_is_svg_with_a_title_and_the_text_as_its_description(trace: Trace) -> None:
    document = Document(trace)
    frame = document.frame(len(trace) - 1)
    picture = ElementTree.fromstring(svg_of(frame, document.scales, "<&>"))
    assert picture.findtext(f"{SVG}title") == "<&>"
    assert picture.findtext(f"{SVG}desc") == picture_text(frame)
    widths = [float(each.get("width", 0)) for each in picture.iter(f"{SVG}rect")]
    assert all(0 <= width <= 900 for width in widths)


def test_a_chunk_that_is_asked_for_leads_on() -> None:
    document = Document(scenario_trace("loop-5-pods-that-take-their-time"))
    chunk = answer(document, {"ask": "chunk", "number": 1})
    frame = chunk["key"]
    for patch in chunk["patches"]:
        frame = apply_patch(frame, patch)
    assert frame == document.frame(len(document.trace) - 1)
    assert answer(document, {"ask": "chunk", "number": 2}) == {}


@pytest.mark.parametrize(
    "question",
    [
        {"ask": "move", "from": 0, "event": "no such event"},
        {"ask": "move", "from": 0, "message": "("},
        {"ask": "move", "from": 0, "by": "leap"},
    ],
)
def test_a_move_that_cannot_be_made_leads_nowhere(
    within: Trace, question: dict[str, object]
) -> None:
    assert answer(Document(within), question) == {"step": -1}


def test_moves_by_decision_are_those_of_the_index(within: Trace) -> None:
    document = Document(within)
    index = document.as_data()["index"]["moves"]["decision"]
    at, found = -1, []
    while (at := answer(document, {"ask": "move", "from": at, "by": "decision"})["step"]) >= 0:
        found.append(at)
    assert found == [sum(index[: place + 1]) for place in range(len(index))]
    back = {"ask": "move", "from": found[3], "by": "decision", "direction": -1}
    assert answer(document, back) == {"step": found[2]}


def test_why_is_the_explanation_up_to_the_step(within: Trace) -> None:
    document = Document(within)
    question = {"ask": "why", "workload": "default/job-1", "step": len(within) - 1}
    found = answer(document, question)
    assert "default/job-1" in found["title"]
    assert any("step" in line for part in found["sections"] for line in part["lines"])
    assert answer(document, {**question, "workload": "default/none"}) == {}
