"""The MultiKueue board and the life of one job, as data, as text and as markup."""

from __future__ import annotations

import json
import runpy
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import kueuelab.multikueue as mk
from kueuelab.errors import UnknownObjectError
from kueuelab.frontend import script
from kueuelab.scenarios import names
from kueuelab.widgets.multikueue_sequence import SequenceDiagram
from kueuelab.widgets.multikueue_view import MultiKueueBoard, multikueue_board

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "multikueue_board.py"


@cache
def run_of(name: str) -> mk.ClusterSetRun:
    return mk.load(name).run()


def frame(view: MultiKueueBoard) -> Any:
    """Return what the browser shows."""
    return view.pane.frames.frame(view.board.index)


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
                assert f"{lane.cluster} ({lane.connection}" in text


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
    shown = frame(view)["lanes"]["w1"]
    assert shown["kind"] == "lost"
    (status,) = shown["statuses"].values()
    assert status["text"].startswith("✖ MultiKueueCluster: not active, Client")


def test_an_older_copy_is_a_hazard_on_the_board() -> None:
    view = multikueue_board(run_of("lost-worker"))
    view.at(20)
    assert "⚠ train: copy runs here, too: the manager's Workload has w2" in view.as_text()
    view.to(len(view.run.trace) - 1)
    assert "Hazard (older-copy-wins)" in view.as_text()


def test_rounds_are_columns_with_a_clock() -> None:
    view = multikueue_board(run_of("rounds-step-by-step"))
    view.at(400)
    (job,) = view.picture.jobs
    assert [(each.number, each.clusters) for each in job.rounds] == [(1, ("w1",)), (2, ("w2",))]
    assert job.clock == "1m39.9s of 5m0s; the round ends at 10m0.1s"
    (row,) = frame(view)["jobs"].values()
    assert list(row["rounds"].values()) == ["round 1 at 100ms: w1", "round 2 at 5m0.1s: w2"]
    assert row["clock"] == {"from": 300_057, "length": 300_000}


def test_another_attempt_counts_its_rounds_anew() -> None:
    view = multikueue_board(run_of("lost-worker"))
    view.to(len(view.run.trace) - 1)
    (job,) = view.picture.jobs
    assert [(each.attempt, each.number) for each in job.rounds] == [(1, 1), (2, 1)]


def test_races_are_named_with_who_else_could_have_won() -> None:
    view = multikueue_board(run_of("quota-far-below"))
    assert "Race" not in view.as_text()
    view.to(len(view.run.trace) - 1)
    assert (
        "Race: first: w1 was picked at random for Admitted; it could have been w2."
        in view.as_text()
    )


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
    view.inject("reconnect", "w1")
    view.at(10)
    assert "connect: connection refused" in view.as_text()
    # It goes to the browser as data, and is put in as text there.
    (status,) = frame(view)["lanes"]["w1"]["statuses"].values()
    assert "<w1>" in status["text"]
    assert "innerHTML" not in script()


def test_a_copy_and_its_job_are_selected_as_one() -> None:
    view = multikueue_board(run_of("lost-worker"))
    view.until("chosen", "train")
    view.pane.widget.selected = {"kind": "Workload", "name": "default/train", "cluster": "w1"}
    assert (view.board.cluster, view.board.workload) == ("manager", "default/train")
    chips = frame(view)["lanes"]["w1"]["chips"]
    assert chips["default/train"]["cluster"] == "manager"
    view.pane.widget.selected = {"kind": "Workload", "name": "default/filler", "cluster": "w2"}
    assert (view.board.cluster, view.board.workload) == ("w2", "default/filler")
    assert "it is the worker's own job" in view.as_text()


def test_the_clock_of_a_round_goes_on_while_nothing_happens() -> None:
    view = multikueue_board(run_of("rounds-step-by-step"))
    view.until("nominated", "train")
    shown = []
    for minute in (1, 4, 6):
        view.at(60 * minute + 0.096)
        (job,) = view.picture.jobs
        shown.append((job.clock.partition(";")[0], view.picture.clock))
    assert shown == [
        ("1m0s of 5m0s", "The clock shows 1m0.1s."),
        ("4m0s of 5m0s", "The clock shows 4m0.1s."),
        ("1m0s of 5m0s", "The clock shows 6m0.1s."),
    ]
    view.next()
    assert view.picture.clock == ""
    # A selection is no reason to look at the clock again.
    view.at(400)
    view.select("train")
    assert "The clock shows 6m40s." in view.as_text()


def test_the_clock_of_the_browser_and_that_of_python_are_one() -> None:
    view = multikueue_board(run_of("rounds-step-by-step"))
    view.until("nominated", "train")
    view.at(100)
    shown = view.pane.widget
    assert (shown.step, shown.elapsed) == (view.board.index, 99_897)
    # What comes from the browser comes as one message: the step and the clock.
    shown.set_state({"step": shown.step + 4, "elapsed": 2_000})
    assert (view.board.index, view.board.elapsed) == (shown.step, 2_000)
    view.at(100)
    assert shown.elapsed == view.board.elapsed != 2_000
    shown.set_state({"step": shown.step + 1, "elapsed": 0})
    assert view.picture.clock == ""


def test_why_crosses_clusters_at_every_step() -> None:
    view = multikueue_board(run_of("quota-far-above"))
    view.at(10)
    view.select("third")
    told = view.picture.why
    assert told is not None
    lines = dict(told.lines)
    assert lines["manager"].startswith("quota is reserved; nominated: w1, w2; waiting for")
    assert "waiting in dispatch, where first have quota" in lines["w1"]
    assert "in flavor generic, 2 more needed" in lines["w2"]
    assert "Why third is where it is:" in view.as_text()


@pytest.mark.parametrize("name", names("multikueue"))
def test_why_at_the_end_is_what_the_run_says(name: str) -> None:
    run = run_of(name)
    for key in run.cluster_set.manager.member.workloads:
        view = multikueue_board(run)
        view.to(len(view.run.trace) - 1)
        view.select(key)
        told = view.picture.why
        assert told is not None
        answer = run.why(key)
        assert [f"{cluster}:" for cluster, _ in told.lines] == [
            line.split(" (")[0].split(":")[0] + ":"
            for line in answer.lines
            if not line.startswith(("race:", "hazard:"))
        ]


@pytest.mark.parametrize("name", names("multikueue"))
def test_hazards_at_the_end_are_those_of_the_run(name: str) -> None:
    run = run_of(name)
    view = multikueue_board(run)
    view.to(len(view.run.trace) - 1)
    found = [note.text for note in view.picture.notes if note.kind == "hazard"]
    assert len(found) == len(run.hazards)
    for text, hazard in zip(found, run.hazards, strict=True):
        assert hazard.what in text
        assert f"What to do: {hazard.remedy}" in text


def test_conditions_of_check_and_cluster_are_in_the_lanes() -> None:
    view = multikueue_board(run_of("lost-worker"))
    manager = view.picture.lanes[0]
    assert [each.as_text() for each in manager.statuses] == ["✔ AdmissionCheck multikueue: Active"]
    view.inject("break kubeconfig", "w1")
    view.at(view.pane.time / 1e9 + 3)
    view.inject("break kubeconfig", "w2")
    view.at(view.pane.time / 1e9 + 3)
    manager, first, _ = view.picture.lanes
    assert not first.connected
    assert "ClientConnectionFailed" in first.statuses[0].words
    assert manager.statuses[0].words.startswith("not active, NoUsableClusters")
    assert [lane.role for lane in view.picture.lanes] == [
        "",
        "no. 1 of the config",
        "no. 2 of the config",
    ]


def test_little_goes_to_the_browser_with_eight_workers() -> None:
    fleet = runpy.run_path(str(BENCHMARK))["fleet"]
    view = multikueue_board(fleet(8, 40).run())
    assert len(view.picture.lanes) == 9
    view.at(320)
    view.select("job-010")
    document = view.pane.frames.as_data()
    # A chunk is sent at a time; the others are asked for.
    assert len(document["chunks"]) == 1
    assert len(json.dumps(document["chunks"])) < 150_000
    assert len(json.dumps(frame(view))) < 40_000


def test_the_life_of_a_job_is_reported_in_order() -> None:
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
    assert "w1 → manager: job status rejected (" in text
    assert text.count("job status rejected") < 4


def test_every_job_has_a_diagram_that_is_well_formed() -> None:
    for name in names("multikueue"):
        run = run_of(name)
        for workload in run.cluster_set.manager.member.workloads:
            diagram = SequenceDiagram(run, workload)
            root = ElementTree.fromstring(diagram.as_svg())
            drawn = root.findall("{http://www.w3.org/2000/svg}g")
            assert len(drawn) == len(diagram.sequence.messages)


def test_there_is_no_diagram_of_a_job_that_is_unknown() -> None:
    with pytest.raises(UnknownObjectError, match="trani"):
        SequenceDiagram(run_of("lost-worker"), "trani")


def test_a_job_that_stays_on_the_manager_waits_for_no_worker() -> None:
    run = mk.load("limit-not-local-first").run(until=6)
    said = "manager: admitted here; its queue does not dispatch to workers"
    assert run.why("at-home").lines == (said,)
    view = multikueue_board(run)
    view.to(len(view.run.trace) - 1)
    view.select("at-home")
    told = view.picture.why
    assert told is not None
    assert told.lines == (("manager", said.removeprefix("manager: ")),)


def test_the_lifecycles_of_the_jobs_are_in_the_document() -> None:
    view = multikueue_board(run_of("lost-worker"))

    def said() -> list[str]:
        found = view.pane.widget.document["sequences"]["default/train"]
        return [message["text"] for message in found["messages"]]

    assert "clusterName is w2" in said()
    view.until("chosen", "train")
    view.inject("delete job", "manager", "train")
    assert "clusterName is w2" not in said()


def test_a_cell_holds_a_still_picture_the_text_and_what_steps_without_a_kernel() -> None:
    view = multikueue_board(run_of("lost-worker"))
    view.until("chosen", "train")
    bundle = view._repr_mimebundle_()
    assert sorted(bundle) == ["image/svg+xml", "text/html", "text/plain"]
    assert bundle["text/plain"] == view.as_text()
    root = ElementTree.fromstring(bundle["image/svg+xml"])
    text = " ".join(root.itertext())
    assert "★ train: chosen: the job runs here" in text
    # The widget, where it is there, stands for this part of the page.
    assert f'data-board="{view.board.id}"' in bundle["text/html"]
    assert view.pane.widget.covers
    assert view.pane.widget.board == view.board.id


def test_a_diagram_in_a_cell_is_a_part_of_the_page() -> None:
    diagram = SequenceDiagram(run_of("lost-worker"), "train")
    bundle = diagram._repr_mimebundle_()
    assert bundle["image/svg+xml"] == diagram.as_svg()
    assert diagram.board.index == diagram.sequence.messages[0].step


def test_no_file_takes_the_place_of_a_function() -> None:
    import kueuelab as kl
    import kueuelab.widgets

    for file in Path(kueuelab.widgets.__file__).parent.glob("*.py"):
        if file.stem != "__init__":
            import_module(f"kueuelab.widgets.{file.stem}")
    assert kl.widgets.multikueue_board is multikueue_board
    assert kl.widgets.MultiKueueBoard is MultiKueueBoard
