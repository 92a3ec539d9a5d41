"""The MultiKueue board and the life of one job, as data, as text and as markup."""

from __future__ import annotations

from functools import cache
from time import perf_counter
from xml.etree import ElementTree

import pytest

import kueuelab.multikueue as mk
from kueuelab.errors import UnknownObjectError
from kueuelab.scenarios import names
from kueuelab.widgets.multikueue_sequence import SequenceDiagram
from kueuelab.widgets.multikueue_view import MultiKueueBoard, multikueue_board


@cache
def run_of(name: str) -> mk.WorldRun:
    return mk.load(name).run()


def chips(view: MultiKueueBoard) -> dict[str, dict[str, str]]:
    """Return the marks of all chips, by cluster and workload."""
    return {
        lane.cluster: {chip.workload: chip.mark for chip in lane.chips}
        for lane in view.picture.lanes
    }


def test_the_time_never_goes_back() -> None:
    for name in names("multikueue"):
        times = [step.time for step in run_of(name).trace]
        assert times == sorted(times), name


def test_every_step_of_every_scenario_can_be_shown() -> None:
    for name in names("multikueue"):
        view = multikueue_board(run_of(name))
        for index in range(0, len(view.run.trace), 7):
            view.to(index)
            text = view.as_text()
            for lane in view.picture.lanes:
                assert f"{lane.cluster} ({lane.connection})" in text


def test_copies_appear_win_and_are_removed() -> None:
    view = multikueue_board(run_of("lost-worker"))
    assert view.until("copied", "train")
    assert chips(view)["w1"] == {"default/train": "○"}
    assert view.until("copied", "train")
    assert chips(view)["w2"] == {"default/train": "○", "default/filler": "●"}
    assert chips(view)["w1"] == {"default/train": "●"}
    assert view.until("chosen", "train")
    assert chips(view)["w1"] == {"default/train": "★"}
    assert chips(view)["w2"] == {"default/train": "✕", "default/filler": "●"}


def test_a_lost_worker_is_dashed_and_says_why() -> None:
    view = multikueue_board(run_of("lost-worker"))
    view.at(10)
    lane = next(lane for lane in view.picture.lanes if lane.cluster == "w1")
    assert not lane.connected
    assert "connection refused" in lane.connection
    assert "4px dashed" in view.widget.children[2].value


def test_an_older_copy_is_a_hazard_on_the_board() -> None:
    view = multikueue_board(run_of("lost-worker"))
    view.at(20)
    assert "⚠ train: copy runs here, too: the manager says w2" in view.as_text()
    view.controls.last.click()
    assert "Hazard (older-copy-wins)" in view.as_text()


def test_rounds_are_columns_with_a_clock() -> None:
    view = multikueue_board(run_of("rounds-step-by-step"))
    view.at(400)
    (job,) = view.picture.jobs
    assert [(each.number, each.clusters) for each in job.rounds] == [(1, ("w1",)), (2, ("w2",))]
    assert job.clock == "1m39.9s of 5m0s; the round ends at 10m0.1s"
    table = view.widget.children[4].value
    assert "nomination 2" in table
    assert "nomination 3" not in table


def test_another_attempt_counts_its_rounds_anew() -> None:
    view = multikueue_board(run_of("lost-worker"))
    view.controls.last.click()
    (job,) = view.picture.jobs
    assert [(each.attempt, each.number) for each in job.rounds] == [(1, 1), (2, 1)]


def test_races_are_named_with_who_else_could_have_won() -> None:
    view = multikueue_board(run_of("quota-far-below"))
    assert "Race" not in view.as_text()
    view.controls.last.click()
    assert "Race: first: w1 was drawn for Admitted; it could have been w2." in view.as_text()


def test_stepping_back_shows_the_same() -> None:
    view = multikueue_board(run_of("lost-worker"))
    seen = []
    for index in range(30, 190):
        view.to(index)
        seen.append(view.as_text())
    for index in reversed(range(30, 190)):
        view.to(index)
        assert view.as_text() == seen[index - 30]


def test_messages_are_shown_as_text() -> None:
    view = multikueue_board(run_of("lost-worker"))
    view.at(10)
    markup = "".join(child.value for child in view.widget.children[1:])
    assert "https://&lt;w1&gt;/api" in markup
    assert "<w1>" not in markup


def test_a_job_that_is_selected_is_followed() -> None:
    view = multikueue_board(run_of("quota-far-above"))
    view.controls.about.value = "manager:default/third"
    view.controls.next_about.click()
    assert view.run.trace[view.board.index].workload == "manager:default/third"


def test_a_step_takes_no_time() -> None:
    view = multikueue_board(run_of("quota-far-above"))
    began = perf_counter()
    for index in range(len(view.run.trace)):
        view.to(index)
    assert (perf_counter() - began) / len(view.run.trace) < 0.25


def test_the_life_of_a_job_is_told_in_order() -> None:
    diagram = SequenceDiagram(run_of("rounds-step-by-step"), "train")
    said = [(m.source, m.target, m.text) for m in diagram.sequence.messages]
    assert said[:4] == [
        ("manager", "manager", "submitted"),
        ("manager", "manager", "quota reserved"),
        ("manager", "manager", "nominates w1"),
        ("manager", "w1", "creates a copy"),
    ]
    chosen = said.index(("manager", "manager", "clusterName is w3"))
    assert said.index(("w3", "manager", "admitted")) < chosen
    assert said[-1] == ("manager", "w3", "removes its copy")


def test_what_is_said_again_and_again_is_counted() -> None:
    text = SequenceDiagram(run_of("lost-worker"), "default/train").as_text()
    assert "w1 → manager: job status refused (" in text
    assert text.count("job status refused") < 4


def test_every_job_has_a_diagram_that_is_well_formed() -> None:
    for name in names("multikueue"):
        run = run_of(name)
        for workload in run.world.manager.site.workloads:
            diagram = SequenceDiagram(run, workload)
            root = ElementTree.fromstring(diagram.as_svg())
            drawn = root.findall("{http://www.w3.org/2000/svg}g")
            assert len(drawn) == len(diagram.sequence.messages)


def test_there_is_no_diagram_of_a_job_that_is_unknown() -> None:
    with pytest.raises(UnknownObjectError, match="trani"):
        SequenceDiagram(run_of("lost-worker"), "trani")
