"""Every view can be stepped through every run, is labelled, and is there as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ipywidgets
import pytest

import kueuelab.widgets
from kueuelab import scenarios
from kueuelab.trace import Breakpoint, Cursor, Trace
from kueuelab.widgets import (
    CohortGraph,
    Controls,
    DecisionPanel,
    Lab,
    Prediction,
    QueuesPanel,
    Stepper,
    Timeline,
    lab,
)
from kueuelab.widgets.board import Board
from kueuelab.widgets.why_panel import WhyPanel

STATIC = Path(kueuelab.widgets.__file__).parent / "static"


def click(trace: Any, index: int) -> None:
    """Click a point of a figure, as the browser reports it."""
    from plotly.callbacks import Points

    points = Points(point_inds=[index], trace_name="", trace_index=0, xs=[0], ys=[0])
    for callback in trace._click_callbacks:
        callback(trace, points, None)


def widgets_in(widget: Any) -> Iterator[Any]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from widgets_in(child)


# --- all of them -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["reclaim-3-late-after-finish", "fair-2-whose-job"])
def test_a_whole_run_can_be_stepped_through_and_back(name: str) -> None:
    trace = scenarios.load(name).run().trace
    view = lab(trace)
    view.board.go(0)
    forward = [view.as_text()]
    while not view.controls.next.disabled:
        view.controls.next.click()
        forward.append(view.as_text())
    assert len(forward) == len(trace)
    assert view.controls.last.disabled
    back = [view.as_text()]
    while not view.controls.previous.disabled:
        view.controls.previous.click()
        back.append(view.as_text())
    assert forward == back[::-1]


def test_every_run_can_be_shown_at_any_step(trace: Trace) -> None:
    view = lab(trace)
    for index in range(0, len(trace), max(1, len(trace) // 25)):
        view.board.go(index)
        assert f"Step {index + 1} of {len(trace)}" in view.as_text()


@pytest.mark.parametrize(
    "kind", [CohortGraph, Controls, DecisionPanel, Lab, QueuesPanel, Stepper, Timeline]
)
def test_a_view_shows_itself_as_a_widget_and_as_text(kind: Any, late: Trace) -> None:
    view = kind(late)
    bundle = view._repr_mimebundle_()
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"]
    assert bundle["text/plain"] == view.as_text() != ""
    assert re.fullmatch(rf"<{kind.__name__} at step 10 of \d+>", repr(view))


def test_a_run_is_as_good_as_its_trace(late: Trace) -> None:
    class Run:
        trace = late

    assert Stepper(Run()).as_text() == Stepper(late).as_text()


def test_there_is_nothing_to_see_in_an_empty_run() -> None:
    with pytest.raises(ValueError, match="no steps"):
        Stepper(Trace(()))


def test_every_control_is_labelled(late: Trace) -> None:
    view = lab(late)
    controls = [
        each
        for each in widgets_in(view.widget)
        if isinstance(each, ipywidgets.Button | ipywidgets.Dropdown)
    ]
    assert len(controls) >= 10
    for control in controls:
        assert control.description
        assert control.tooltip
    scrubber = view.controls.scrubber
    assert "arrow keys" in scrubber.name
    assert scrubber.text.startswith("Step 10 of 136")


def test_nothing_is_asked_of_the_outside() -> None:
    for file in STATIC.iterdir():
        assert not re.search(r"https?://|@import|url\(", file.read_text("utf-8")), file.name


# --- selecting -------------------------------------------------------------------------


def test_what_is_clicked_is_selected_everywhere(late: Trace) -> None:
    view = lab(late)
    view.board.move(lambda cursor: cursor.until(Breakpoint.kind("CandidatesOrdered")))
    chips = view.graph.figure.data[3]
    keys = list(chips.customdata)
    click(chips, keys.index(("Workload", "default/job-1")))
    assert view.board.selected == ("Workload", "default/job-1")
    assert view.controls.about.value == "default/job-1"
    assert view.decision._table.selected == "default/job-1"
    view.pages.selected_index = 1
    assert view.why._view.title.startswith("default/job-1 at")
    assert view.queues.widget.selected == {"kind": "Workload", "name": "default/job-1"}
    assert view.timeline.widget.selected == view.queues.widget.selected
    written = view.graph.figure.data[7].text
    assert any(text.startswith("◆ ") and "job-1" in text for text in written)
    click(chips, keys.index(("Workload", "default/job-1")))
    assert view.board.selected is None
    assert view.controls.about.value == "anything"


def test_a_node_and_a_bar_can_be_selected(late: Trace) -> None:
    graph = CohortGraph(late)
    click(graph.figure.data[1], 3)
    assert graph.board.selected == ("ClusterQueue", "cohort-queue")
    click(graph.figure.data[2], 1)
    assert graph.board.selected == ("ClusterQueue", "cluster-queue")


def test_a_click_on_several_workloads_selects_their_queue(busy: Trace) -> None:
    graph = CohortGraph(busy)
    graph.board.go(len(busy) // 2)
    chips = graph.figure.data[3]
    place = next(at for at, text in enumerate(chips.hovertext) if text.startswith("×"))
    kind, name = chips.customdata[place]
    assert kind in ("ClusterQueue", "LocalQueue")
    click(chips, place)
    assert graph.board.selected == (kind, name)


def test_a_candidate_can_be_chosen_in_the_table(late: Trace) -> None:
    panel = DecisionPanel(late)
    panel.board.go(late.of_kind("CandidatesOrdered")[0])
    panel._table._handle_custom_msg({"type": "select", "key": "default/job-0"}, [])
    assert panel.board.workload == "default/job-0"


def test_the_timeline_of_the_browser_leads_the_other_views(late: Trace) -> None:
    view = Timeline(late)
    shown = view.widget
    (row, _, _, _, step) = next(
        each for each in shown.document["timeline"]["phases"] if each[1] == "Evicted"
    )
    assert shown.document["timeline"]["workloads"][row] == "default/job-1"
    shown.step = step
    assert late[view.board.index].kind == "Evicted"
    (chart,) = shown.document["charts"]
    assert chart["columns"] == ["time", "pending", "admitted", "cpu in use"]
    assert chart["rows"][-1] == ["1m9s", "1", "1", "71 %"]


# --- controls --------------------------------------------------------------------------


def test_keys_do_what_buttons_do(late: Trace) -> None:
    controls = Controls(late)

    def press(kind: str) -> int:
        controls.scrubber._handle_custom_msg({"type": kind}, [])
        return controls.board.index

    assert press("last") == len(late) - 1
    assert press("first") == 0
    assert press("forward") == 1
    assert press("back") == 0
    press("toggle")
    assert controls.scrubber.playing
    assert controls.play.description == "❚❚ Pause"
    assert press("tick") == 1
    press("toggle")
    assert not controls.scrubber.playing


def test_the_slider_goes_anywhere(late: Trace) -> None:
    controls = Controls(late)
    controls.scrubber.value = 77
    assert controls.board.index == 77
    controls.previous.click()
    assert controls.scrubber.value == 76


def test_playing_stops_at_the_end_and_where_asked(late: Trace) -> None:
    controls = Controls(late, stop_at=Breakpoint.event("preempted"))
    controls.play.click()
    for _ in range(len(late)):
        if not controls.scrubber.playing:
            break
        controls._tick()
    assert late[controls.board.index].kind == "Evicted"
    controls.play.click()
    controls.stop_at = None
    for _ in range(len(late)):
        controls._tick()
    assert controls.board.cursor.at_end
    assert not controls.scrubber.playing
    assert controls.play.disabled


def test_running_on_stops_at_what_is_asked_for(late: Trace) -> None:
    controls = Controls(late)
    controls.event.value = "pending"
    controls.next_about.click()
    assert late[controls.board.index].workload == "default/job-2"
    controls.about.value = "default/job-1"
    controls.next_about.click()
    assert late[controls.board.index].workload == "default/job-1"
    assert "stops at <Breakpoint workload 'default/job-1' & event 'pending'>" in controls.as_text()
    controls.about.value = "anything"
    controls.previous_about.click()
    assert late[controls.board.index].workload == "default/job-2"


def test_a_workload_that_is_not_offered_can_be_selected_all_the_same(late: Trace) -> None:
    controls = Controls(late)
    controls.about.options = ("anything",)
    controls.board.select("Workload", "default/job-2")
    assert controls.about.value == "default/job-2"


def test_strides_are_steps_entries_and_cycles(late: Trace) -> None:
    controls = Controls(late)
    controls.stride.value = "cycles"
    controls.next.click()
    controls.next.click()
    assert late[controls.board.index].kind == "CycleStarted"
    assert late[controls.board.index].cycle == 2
    controls.stride.value = "entries"
    controls.next.click()
    assert late[controls.board.index].kind == "NominationStarted"
    controls.previous.click()
    assert late[controls.board.index].cycle == 1


def test_the_speed_is_one_of_three(late: Trace) -> None:
    controls = Controls(late)
    before = controls.scrubber.interval
    controls.speed.value = "fast"
    assert controls.scrubber.interval < before


def test_conditions_are_joined_with_and_or_with_or(late: Trace) -> None:
    controls = Controls(late)
    stops = controls.stops
    controls.more.value = True
    assert stops.widget in controls.widget.children
    controls.event.value, stops.queue.value = "pending", "cohort-queue"
    controls.next_about.click()
    step = late[controls.board.index]
    assert (step.kind, step.cluster_queue) == ("Pending", "cohort-queue")
    assert "event 'pending' and queue 'cohort-queue'" in stops._said.value.replace("&#x27;", "'")

    controls.first.click()
    stops.match.value = "any of these"
    controls.next_about.click()
    assert late[controls.board.index].cluster_queue == "cohort-queue"
    assert late[controls.board.index].kind != "Pending"


def test_a_message_is_matched_as_it_is_typed(late: Trace) -> None:
    controls = Controls(late)
    stops = controls.stops
    stops.message.value = "insufficient ("
    assert stops.add.disabled
    assert "is not a regular expression" in stops._said.value
    assert stops.breakpoint() is None
    stops.message.value = "insufficient.*300m"
    controls.event.value = "pending"
    controls.next_about.click()
    facts: Any = late[controls.board.index].facts
    assert "300m more needed" in facts.message


def test_breakpoints_are_kept_and_taken_away(late: Trace) -> None:
    controls = Controls(late)
    stops = controls.stops
    assert stops.add.disabled
    controls.event.value = "preempted"
    stops.add.click()
    assert controls.event.value == "anything"
    controls.event.value = "finished"
    stops.add.click()
    kinds = []
    while controls.board.move(controls._run_on):
        kinds.append(late[controls.board.index].kind)
    assert {"Evicted", "Finished"} == set(kinds)
    first, _ = stops._list.children
    first.click()
    controls.first.click()
    controls.play.click()
    while controls.scrubber.playing:
        controls._tick()
    assert late[controls.board.index].kind == "Finished"


def test_following_a_workload_does_not_stop_the_playing(late: Trace) -> None:
    controls = Controls(late)
    controls.about.value = "default/job-1"
    controls.play.click()
    while controls.scrubber.playing:
        controls._tick()
    assert controls.board.cursor.at_end
    controls.first.click()
    controls.event.value = "admitted"
    controls.play.click()
    while controls.scrubber.playing:
        controls._tick()
    step = late[controls.board.index]
    assert (step.kind, step.workload) == ("Admitted", "default/job-1")


# --- the picture -----------------------------------------------------------------------


def test_a_change_of_the_picture_is_told_in_one_message(
    late: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = CohortGraph(late)
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(graph.figure, "_send", lambda message, **_: sent.append(message["state"]))
    graph.board.go(late.of_kind("Admitted")[1])
    change, after = sent
    assert set(change) == {"_py2js_update", "_last_trace_edit_id", "_last_layout_edit_id"}
    assert change["_py2js_update"]["trace_edit_id"] == change["_last_trace_edit_id"]
    assert after == {"_py2js_update": None}


def test_the_picture_makes_room_for_names(late: Trace) -> None:
    graph = CohortGraph(late)
    wide = graph.figure.layout.xaxis.range[0]
    graph.window.width = 400
    assert graph.figure.layout.xaxis.range[0] < wide


def test_captions_end_where_the_picture_ends(late: Trace) -> None:
    graph = CohortGraph(late)
    graph.board.go(late.of_kind("Admitted")[1])
    graph.window.width = 900
    captions = graph.figure.data[7]
    assert "default/cpu, 500m of 200m used, borrows 300m" in captions.text
    graph.window.width = 380
    assert any(text.endswith("…") for text in captions.text)
    assert max(len(text) for text in captions.text) < 44


def test_a_table_is_next_to_the_picture(late: Trace) -> None:
    graph = CohortGraph(late)
    assert graph._table.rows == []
    graph._collapsible.open()
    names = ["same", "· cluster-queue", "· · default/cluster-queue"]
    assert [row["cells"][0] for row in graph._table.rows[:3]] == names
    graph.board.move(Cursor.next_preemption)
    row = graph._table.rows[3]
    assert row["cells"] == [
        "· cohort-queue",
        *("default/cpu", "200m", "500m", "300m", "", ""),
        "job-1 500m p10 (target, Evicted)",
    ]
    graph._table._handle_custom_msg({"type": "select", "key": row["key"]}, [])
    assert graph.board.selected == ("ClusterQueue", "cohort-queue")


def test_of_a_high_picture_only_what_can_be_seen_is_drawn(busy: Trace) -> None:
    graph = CohortGraph(busy)
    graph.board.go(len(busy) // 2)
    tree, seen = graph.picture.tree, {bar.line for bar in graph.picture.bars}
    assert 10 < len(seen) < tree.lines / 2
    names = graph.figure.data[1].text
    assert len(seen) / 2 <= len(names) < len(tree.nodes)
    click(graph.figure.data[1], len(names) - 1)
    assert graph.board.selected is not None
    assert names[-1].strip() == graph.board.selected[1].removeprefix("default/")
    graph.window.top = 1200
    later = {bar.line for bar in graph.picture.bars}
    assert max(later) > max(seen)
    # The queue that a step is about is brought into view.
    for index in busy.of_kind("EntryProcessed")[100:160]:
        graph.board.go(index)
        queue = busy[index].cluster_queue
        assert any(bar.node[1] == queue for bar in graph.picture.bars)
        _, last, _ = graph.window.reveal or (0, 0, 0)
        assert last <= graph.figure.layout.height
    assert graph.window.reveal


def test_the_whole_tree_is_there_as_text(busy: Trace) -> None:
    graph = CohortGraph(busy)
    text = graph.as_text()
    assert all(f"ClusterQueue queue-{number}\n" in text for number in range(30))
    graph._collapsible.open()
    assert len(graph._table.rows) == graph.picture.tree.lines


def test_the_story_leads_to_its_steps(late: Trace) -> None:
    panel = WhyPanel(late)
    panel.board.go(len(late) - 1)
    panel.board.select("Workload", "default/job-1")
    assert panel.explanation is not None
    (section,) = [each for each in panel._view.sections if each["title"] == "Evictions"]
    step = next(line["step"] for line in section["lines"] if line["step"] is not None)
    panel._view._handle_custom_msg({"type": "go", "step": step}, [])
    assert panel.board.index == step
    # From there it is told again, up to there.
    assert panel.explanation.at == step


def test_of_what_is_selected_the_panel_says_what_there_is(late: Trace) -> None:
    panel = DecisionPanel(late)
    panel.board.go(late.of_kind("CandidatesOrdered")[0])
    for kind, name, text in (
        ("Workload", "default/job-1", "Admitted in cohort-queue, priority 10, requests 500m cpu"),
        ("Workload", "default/job-1", "candidate: priority 10 is lower than 100"),
        ("ClusterQueue", "cluster-queue", "BestEffortFIFO, withinClusterQueue Never"),
        ("LocalQueue", "default/cohort-queue", "0 workloads are pending in it, below cohort-queue"),
    ):
        panel.board.selected = None
        panel.board.select(kind, name)
        assert text in panel._sentence.value
    panel.board.selected = None
    panel.refresh()
    assert "◆" not in panel._sentence.value


def test_a_workload_of_a_queue_that_was_skipped_has_its_rule(curated: dict[str, Trace]) -> None:
    found = 0
    for trace in curated.values():
        for index in trace.of_kind("TargetsChosen"):
            panel = DecisionPanel(Board(trace, index))
            skipped = {row.queue for row in panel.decision.candidates if not row.workload}
            for key in trace.workloads:
                reading = panel.board.run_index.by_queue(index).reading(key)
                if reading and reading.phase == "Admitted" and reading.cluster_queue in skipped:
                    panel.board.select("Workload", key)
                    assert "excluded: " in panel._sentence.value
                    found += 1
    assert found > 5


def test_a_hidden_page_catches_up_when_it_is_shown(late: Trace) -> None:
    view = lab(late)
    view.board.go(len(late) - 1)
    assert "500m more needed" not in view.queues.as_text()
    assert "300m more needed" in view.queues.as_text()
    view.pages.selected_index = 2
    shown = view.decision._sentence.value
    view.board.go(20)
    assert view.decision._sentence.value == shown
    view.pages.selected_index = 0
    assert view.decision._sentence.value != shown


def test_listeners_hear_of_moves_and_selections(late: Trace) -> None:
    board = Board(late)
    heard: list[bool] = []
    board.subscribe(heard.append)
    board.go(5)
    board.go(5)
    board.select("Workload", "default/job-0")
    assert heard == [True, False]


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
