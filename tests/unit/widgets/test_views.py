"""Every view can be stepped through every run, is there as text, and as a part of a page."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import ipywidgets
import pytest
from fragments import document_in

from kueuelab import scenarios
from kueuelab.trace import Breakpoint, Trace
from kueuelab.widgets import (
    CohortGraph,
    DecisionPanel,
    Lab,
    Prediction,
    QueuesPanel,
    Stepper,
    Timeline,
    Topology,
    WhyPanel,
    lab,
)
from kueuelab.widgets.board import Board

VIEWS = [CohortGraph, DecisionPanel, Lab, QueuesPanel, Stepper, Timeline, Topology, WhyPanel]


def widgets_in(widget: Any) -> Iterator[Any]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from widgets_in(child)


# --- all of them -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["reclaim-3-late-after-finish", "fair-2-whose-job"])
def test_a_whole_run_can_be_stepped_through_and_back(name: str) -> None:
    trace = scenarios.load(name).run().trace
    view = Stepper(trace)
    view.to(0)
    forward = [view.as_text()]
    for _ in range(len(trace) - 1):
        view.next()
        forward.append(view.as_text())
    assert view.board.cursor.at_end
    back = [view.as_text()]
    for _ in range(len(trace) - 1):
        view.previous()
        back.append(view.as_text())
    assert forward == back[::-1]


def test_every_run_can_be_shown_at_any_step(trace: Trace) -> None:
    view = lab(trace)
    for index in range(0, len(trace), max(1, len(trace) // 25)):
        view.to(index)
        assert f"Step {index + 1} of {len(trace)}" in view.as_text()


@pytest.mark.parametrize("kind", VIEWS)
def test_a_view_is_a_part_of_a_page_with_a_picture_and_text(kind: Any, late: Trace) -> None:
    view = kind(late)
    bundle = view._repr_mimebundle_()
    assert bundle["text/plain"] == view.as_text() != ""
    assert ElementTree.fromstring(bundle["image/svg+xml"]).tag.endswith("svg")
    assert b64encode(bundle["image/svg+xml"].encode()).decode() in bundle["text/html"]
    run = document_in(bundle["text/html"])
    assert f'data-board="{view.board.id}"' in bundle["text/html"]
    assert view.board.id == view.board.link.board
    assert run["view"] == view.part
    assert run["start"] == view.board.index
    step = 97 if view.part == "lab" else 10
    assert re.fullmatch(rf"<{kind.__name__} at step {step} of \d+>", repr(view))


def test_the_still_picture_is_of_a_decision_until_it_is_moved(late: Trace) -> None:
    view = CohortGraph(late)
    decided = late.of_kind("TargetsChosen")
    chosen = next(index for index in decided if getattr(late[index].facts, "targets", ()))
    assert view._repr_mimebundle_()["image/svg+xml"] == view.board.picture(chosen)
    view.to(30)
    assert view._repr_mimebundle_()["image/svg+xml"] == view.board.picture(30)


def test_the_still_picture_of_a_topology_is_of_its_domains() -> None:
    view = Topology(scenarios.load("topology-6-other-pods").run())
    bundle = view._repr_mimebundle_()
    drawn = " ".join(ElementTree.fromstring(bundle["image/svg+xml"]).itertext())
    assert "host r1-h1" in drawn
    assert b64encode(bundle["image/svg+xml"].encode()).decode() in bundle["text/html"]


def test_eleven_views_in_a_notebook_take_less_than_a_megabyte(late: Trace) -> None:
    bundles = [
        kind(late)._repr_mimebundle_() for kind in (*VIEWS, CohortGraph, DecisionPanel, Stepper)
    ]
    assert sum(len(json.dumps(bundle)) for bundle in bundles) < 1_000_000


def test_of_a_long_run_a_notebook_keeps_a_part(busy: Trace) -> None:
    view = CohortGraph(busy)
    view.to(len(busy) // 2)
    run = document_in(view._repr_mimebundle_()["text/html"])
    assert list(run["chunks"]) == [str(len(busy) // 2 // run["chunk"])]
    assert run["steps"] == len(busy)


def test_a_view_is_a_widget_for_layouts(late: Trace) -> None:
    view = lab(late)
    (shown,) = view.widget.children
    shown.step = 40
    assert view.board.index == 40
    assert shown.document["view"] == "lab"


def test_a_lab_of_a_run_has_an_editor_and_one_of_a_record_has_none(late: Trace) -> None:
    run = scenarios.load("reclaim-1-take-back").run()
    assert lab(late).what_if is None
    view = lab(run)
    assert view.what_if is not None
    assert len(view.widget.children) == 2


def test_a_run_is_as_good_as_its_trace(late: Trace) -> None:
    class Run:
        trace = late

    assert Stepper(Run()).as_text() == Stepper(late).as_text()


def test_there_is_nothing_to_see_in_an_empty_run() -> None:
    with pytest.raises(ValueError, match="no steps"):
        Stepper(Trace(()))


def test_where_to_stop_is_known_without_a_kernel(late: Trace) -> None:
    stop = Breakpoint.event("preempted") & Breakpoint.workload("default/job-1")
    run = document_in(Stepper(late, stop)._repr_mimebundle_()["text/html"])
    assert run["stops"] == ["event 'preempted' and workload 'default/job-1'"]
    found = run["index"]["events"][run["stops"][0]]
    assert [late[index].kind for index in found] == ["Evicted"]


def test_a_picture_is_saved(late: Trace, tmp_path: Path) -> None:
    view = CohortGraph(late)
    view.save_svg(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_text("utf-8") == view.board.picture(9) + "\n"


# --- selecting and moving --------------------------------------------------------------


def test_views_of_one_board_are_at_one_step(late: Trace) -> None:
    stepper = Stepper(late)
    graph = CohortGraph(stepper.board)
    stepper.to(50)
    assert graph.board.index == 50
    assert graph.document.start == 50


def test_the_whole_tree_is_there_as_text(busy: Trace) -> None:
    text = CohortGraph(busy).as_text()
    assert all(f"ClusterQueue queue-{number}\n" in text for number in range(30))


def test_an_explanation_is_about_what_is_selected(late: Trace) -> None:
    panel = WhyPanel(late)
    panel.to(len(late) - 1)
    panel.board.select("Workload", "default/job-1")
    assert panel.explanation is not None
    assert panel.as_text().startswith("default/job-1 at")
    section = panel.explanation.section("evictions")
    assert section is not None
    step = next(line.step for line in section.lines if line.step is not None)
    panel.to(step)
    # From there it is told again, up to there.
    assert panel.explanation.at == step


def test_listeners_hear_of_moves_and_selections(late: Trace) -> None:
    board = Board(late)
    heard: list[bool] = []
    board.subscribe(heard.append)
    board.go(5)
    board.go(5)
    board.select("Workload", "default/job-0")
    board.choose({"kind": "Workload", "name": "default/job-0"})
    board.choose({})
    assert heard == [True, False, False]


# --- predicting ------------------------------------------------------------------------


def test_the_answer_comes_after_the_choice() -> None:
    asked = Prediction("Who goes?", ["job-0", "job-1"], "job-1", "It has a lower priority.")
    button = next(w for w in widgets_in(asked.widget) if isinstance(w, ipywidgets.Button))
    assert button.disabled
    assert "lower" not in asked.as_text()
    asked.choose("job-1")
    assert asked.as_text().endswith("Right. It has a lower priority.")
    assert not button.disabled


def test_the_answer_must_be_one_of_the_options() -> None:
    with pytest.raises(ValueError, match="not among"):
        Prediction("Who goes?", ["job-0"], "job-1", "")
