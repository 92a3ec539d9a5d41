"""The MultiKueue board and the life of one job, as data, as text and as markup."""

from __future__ import annotations

import json
import runpy
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from time import process_time
from xml.etree import ElementTree

import pytest

import kueuelab.multikueue as mk
from kueuelab.errors import UnknownObjectError
from kueuelab.manifests.scenario import SetActive
from kueuelab.scenarios import names
from kueuelab.widgets.fleet import Fleet
from kueuelab.widgets.multikueue_sequence import SequenceDiagram
from kueuelab.widgets.multikueue_view import MultiKueueBoard, multikueue_board
from kueuelab.widgets.viewmodel.comparison import compared

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "multikueue_board.py"


@cache
def run_of(name: str) -> mk.WorldRun:
    return mk.load(name).run()


def clicked(view: MultiKueueBoard, message: dict[str, str]) -> None:
    """Do what the browser does when something is clicked."""
    view.pane.fleet._handle_custom_msg(message, [])


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
    shown = next(lane for lane in view.pane.fleet.picture["lanes"] if lane["name"] == "w1")
    assert shown["kind"] == "lost"
    assert shown["statuses"][0]["text"].startswith("✖ MultiKueueCluster: not active, Client")


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
    table = view.pane.fleet.picture["jobs"]
    assert table["columns"][2:4] == ["nomination 1", "nomination 2"]
    assert "nomination 3" not in table["columns"]
    (row,) = table["rows"]
    assert row["cells"][row["clock_at"]].startswith("round 2 at 5m0.1s")
    assert row["clock_share"] == pytest.approx(0.333, abs=0.001)


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
    view.inject("reconnect", "w1")
    view.at(10)
    assert "connect: connection refused" in view.as_text()
    # What isn't escaped goes to the browser as data, and is put in as text there.
    assert "<w1>" in view.pane.fleet.picture["lanes"][1]["statuses"][0]["text"]
    assert "innerHTML" not in Fleet._esm
    assert "<w1>" not in view.widget.children[2].value


def test_a_job_that_is_selected_is_followed() -> None:
    view = multikueue_board(run_of("quota-far-above"))
    view.controls.about.value = "manager:default/third"
    view.controls.next_about.click()
    assert view.run.trace[view.board.index].workload == "manager:default/third"
    view.controls.stride.value = "the selected job"
    seen = set()
    for _ in range(40):
        view.next()
        seen.add(view.run.trace[view.board.index].workload)
    assert seen == {"manager:default/third", "w1:default/third", "w2:default/third"}


def test_a_copy_and_its_job_are_selected_as_one() -> None:
    view = multikueue_board(run_of("lost-worker"))
    view.until("chosen", "train")
    clicked(view, {"type": "select", "key": "w1:default/train"})
    assert view.board.workload == "manager:default/train"
    assert view.controls.about.value == "manager:default/train"
    assert view.pane.fleet.picture["selected"] == "manager:default/train"
    clicked(view, {"type": "select", "key": "w2:default/filler"})
    assert view.board.workload == "w2:default/filler"
    assert "it is the worker's own job" in view.as_text()


@pytest.mark.parametrize("stride", ["events", "rounds", "cycles", "one second", "one minute"])
def test_every_stride_goes_to_both_ends(stride: str) -> None:
    view = multikueue_board(run_of("rounds-step-by-step"))
    view.controls.stride.value = stride
    view.controls.first.click()
    places = [view.board.index]
    while not view.board.cursor.at_end:
        view.next()
        places.append(view.board.index)
    assert places == sorted(places)
    # While a clock goes on it may stay at a step.
    assert stride.startswith("one ") or len(places) == len(set(places))
    while not view.board.cursor.at_start:
        view.previous()
    if stride == "rounds":
        kinds = [view.run.trace[place].kind for place in places[1:-1]]
        assert kinds == ["ClustersNominated"] * 3


def test_the_clock_of_a_round_goes_on_while_nothing_happens() -> None:
    view = multikueue_board(run_of("rounds-step-by-step"))
    view.until("nominated", "train")
    view.controls.stride.value = "one minute"
    shown = []
    for _ in range(6):
        view.next()
        (job,) = view.picture.jobs
        shown.append((job.clock.partition(";")[0], view.picture.clock))
    assert shown[0] == ("1m0s of 5m0s", "The clock shows 1m0.1s.")
    assert shown[3] == ("4m0s of 5m0s", "The clock shows 4m0.1s.")
    assert shown[5] == ("1m0s of 5m0s", "The clock shows 6m0.1s.")
    view.previous()
    assert view.picture.clock == "The clock shows 5m0.1s."
    view.controls.stride.value = "every step"
    view.next()
    assert view.picture.clock == ""
    # A selection is no reason to look at the clock again.
    view.at(400)
    view.select("train")
    assert "The clock shows 6m40s." in view.as_text()


def test_why_crosses_clusters_at_every_step() -> None:
    view = multikueue_board(run_of("quota-far-above"))
    view.at(10)
    view.select("third")
    told = view.picture.why
    assert told is not None
    lines = dict(told.lines)
    assert lines["manager"].startswith("quota is reserved; nominated: w1, w2; waiting for")
    assert "waiting in dispatch, where first hold quota" in lines["w1"]
    assert "in flavor generic, 2 more needed" in lines["w2"]
    assert "Why third is where it is:" in view.as_text()


@pytest.mark.parametrize("name", names("multikueue"))
def test_why_at_the_end_is_what_the_run_says(name: str) -> None:
    run = run_of(name)
    for key in run.world.manager.site.workloads:
        view = multikueue_board(run)
        view.controls.last.click()
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
    view.controls.last.click()
    found = [note.text for note in view.picture.notes if note.kind == "hazard"]
    assert len(found) == len(run.hazards)
    for text, hazard in zip(found, run.hazards, strict=True):
        assert hazard.what in text
        assert f"What to do: {hazard.remedy}" in text


@pytest.mark.parametrize(
    ("fault", "at", "hazard"),
    [
        ("disconnect", 5, "older-copy-wins"),
        ("take out of config", 5, "forgotten-copy"),
        ("delete cluster", 5, "deleted-cluster"),
        ("delete cluster", 1.2, "older-copy-wins"),
    ],
)
def test_hazards_of_a_fault_are_those_of_the_run(fault: str, at: float, hazard: str) -> None:
    run = run_of("lost-worker")
    timeline = tuple(a for a in run.scenario.spec.timeline if a.at < 3_000_000_000)
    scenario = replace(run.scenario, spec=replace(run.scenario.spec, timeline=timeline, expect=()))
    view = multikueue_board(scenario.run())
    view.at(at)
    view.inject(fault, "w1")
    view.controls.last.click()
    found = [note.text for note in view.picture.notes if note.kind == "hazard"]
    assert len(found) == len(view.run.hazards) > 0
    for text, expected in zip(found, view.run.hazards, strict=True):
        assert f"Hazard ({hazard})" in text
        assert expected.what in text


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


def test_a_fault_is_a_fork_and_both_runs_stay() -> None:
    view = multikueue_board(run_of("lost-worker"))
    view.until("chosen", "train")
    view.select("train")
    here = view.board.index
    clicked(view, {"type": "inject", "id": "disconnect", "cluster": "w1"})
    before, after = view.runs
    assert before is run_of("lost-worker")
    assert before.trace.steps[:here] == after.trace.steps[:here]
    assert after.trace[view.board.index].kind == "WorkerConnectionChanged"
    assert view.board.workload == "manager:default/train"
    assert view.until("evicted", "train")
    assert view.run.trace[view.board.index].time - view.run.start == pytest.approx(9.3e9, rel=0.02)
    assert view.until("chosen", "train")
    assert view.run.trace[view.board.index].facts.worker == "w2"
    told = view.comparison
    assert told is not None
    job = next(job for job in told.jobs if job.workload == "default/train")
    assert job.differs
    assert [(each.cluster, each.how) for each in job.before] == [
        ("w1", "finished"),
        ("w2", "removed"),
    ]
    assert [(each.cluster, each.how) for each in job.after] == [
        ("w1", "finished"),
        ("w2", "finished"),
    ]
    assert not next(job for job in told.jobs if job.workload == "default/filler").differs
    text = view.as_text()
    assert "Run shown: 2. disconnect w1 at 1.3s" in text
    assert "w1 is out of reach" in told.parting_text
    shown, compared_with = view.widget.children[0].children
    shown.value = 0
    assert view.run is before
    assert compared_with.value == 1
    view.show(2)
    assert view.run is after


@pytest.mark.parametrize(
    ("fault", "cluster", "expected"),
    [
        ("evict copy", "w1", "w1 from 1.1s to 1.3s (evicted, Deactivated)"),
        ("deactivate copy", "w1", "w1 from 1.1s to 1.3s (evicted, Deactivated)"),
        ("delete copy", "w1", "w1 from 1.1s to 1.3s (removed)"),
        ("drain dispatch", "w1", "w1 from 1.1s to 1.3s (evicted, ClusterQueueStopped)"),
        ("take out of config", "w1", "w2 from 8.3s to 34.7s (finished)"),
        ("delete job", "manager", "w1 from 1.1s to 1.3s (removed)"),
        ("delete cluster", "w1", "w1 from 1.1s to 26.5s (finished)"),
    ],
)
def test_what_can_befall_a_job(fault: str, cluster: str, expected: str) -> None:
    view = multikueue_board(run_of("lost-worker"))
    view.until("chosen", "train")
    view.inject(fault, cluster, "train")
    assert view.comparison is not None
    job = next(job for job in view.comparison.jobs if job.workload == "default/train")
    assert expected in [stint.as_text() for stint in job.after]


def test_every_fault_on_offer_runs() -> None:
    for name, at in (("lost-worker", 10), ("regions-first-capacity", 5)):
        run = run_of(name)
        clusters = list(run.world.sites)
        for cluster in clusters:
            view = multikueue_board(run)
            view.at(at)
            view.select("train")
            offers = [offer.id for offer in view.pane.offers(cluster, "default/train")]
            assert len(offers) > 3
            for fault in offers:
                view.show(1)
                view.at(at)
                view.inject(fault, cluster)
                assert view.comparison is not None
                # The scenario's later actions may have lost what they are about; the fault not.
                later = run.scenario.spec.timeline
                assert all(action in later for action, _ in view.run.left_out), (fault, cluster)


def test_what_cannot_happen_is_refused_with_what_can() -> None:
    view = multikueue_board(run_of("lost-worker"))
    with pytest.raises(UnknownObjectError, match="disconnect"):
        view.inject("disconect", "w1")
    with pytest.raises(UnknownObjectError, match="w1"):
        view.inject("disconnect", "w9")
    assert len(view.runs) == 1


def test_the_dispatch_is_set_up_anew() -> None:
    view = multikueue_board(run_of("rounds-step-by-step"))
    changes = view.changes
    assert changes.order.value == "w1, w2, w3"
    changes.order.value = "w3, w1"
    assert "Left out of the MultiKueueConfig: w2" in changes.as_text()
    changes.rerun.click()
    view.controls.last.click()
    (job,) = view.picture.jobs
    assert [each.clusters for each in job.rounds] == [("w3",)]
    assert view.titles[1] == "2. order w3, w1"
    changes.dispatcher.value = "AllAtOnce"
    changes.rerun.click()
    view.controls.last.click()
    (job,) = view.picture.jobs
    assert [each.clusters for each in job.rounds] == [("w3", "w1")]
    view.show(1)
    changes.step_size.value = 2
    changes.rerun.click()
    view.controls.last.click()
    (job,) = view.picture.jobs
    assert [each.clusters for each in job.rounds] == [("w1", "w2"), ("w3",)]
    # Everybody else's run is as it was.
    assert run_of("rounds-step-by-step").scenario.spec == mk.load("rounds-step-by-step").spec


@pytest.mark.parametrize(
    ("order", "message"),
    [("w1, w9", "no worker named 'w9'"), ("w1, w1", "named twice"), (" , ", "needs a worker")],
)
def test_an_order_that_makes_no_sense_is_not_run(order: str, message: str) -> None:
    view = multikueue_board(run_of("rounds-step-by-step"))
    view.changes.order.value = order
    assert message in view.changes.as_text()
    assert view.changes.rerun.disabled
    view.changes.order.value = "w2, w1, w3"
    assert not view.changes.rerun.disabled


def test_the_order_changes_on_the_way() -> None:
    view = multikueue_board(run_of("rounds-step-by-step"))
    view.at(100)
    view.changes.where.value = "this moment"
    assert view.changes.dispatcher.disabled
    assert view.changes.step_size.disabled
    view.changes.order.value = "w1, w3, w2"
    view.changes.rerun.click()
    view.controls.last.click()
    (job,) = view.picture.jobs
    assert [each.clusters for each in job.rounds] == [("w1",), ("w3",)]


def test_a_dispatcher_of_ones_own_is_kept_and_can_be_chosen() -> None:
    def backwards(view: mk.DispatchView) -> mk.Nomination:
        return mk.Nomination(tuple(reversed(view.clusters))[:1])

    run = replace(mk.load("rounds-step-by-step"), dispatcher=backwards).run()
    view = multikueue_board(run)
    view.until("nominated", "train")
    view.inject("disconnect", "w1")
    assert view.run.scenario.dispatcher is backwards
    view.changes.dispatcher.value = "AllAtOnce"
    view.changes.rerun.click()
    assert view.run.scenario.dispatcher is None
    view.changes.dispatcher.value = "own: backwards"
    view.changes.rerun.click()
    assert view.run.scenario.dispatcher is backwards
    view.controls.last.click()
    (job,) = view.picture.jobs
    assert [each.clusters for each in job.rounds] == [("w3",)]
    other = multikueue_board(run_of("rounds-step-by-step"), dispatchers={"mine": backwards})
    assert "own: mine" in other.changes.dispatcher.options


def test_an_object_of_a_worker_is_edited() -> None:
    view = multikueue_board(run_of("rounds-step-by-step"))
    view.drawer.selected_index = 1
    editor = view.editor
    editor.cluster.value = "w1"
    assert editor.object.value == "ClusterQueue/dispatch"
    assert editor.go.disabled
    original = editor.text.value
    editor.text.value = original.replace("nominalQuota", "nominalQouta")
    assert "Did you mean 'nominalQuota'?" in editor.as_text()
    assert editor.go.disabled
    assert "nominalQuota: '1'" in original
    editor.text.value = original.replace("nominalQuota: '1'", "nominalQuota: '3'")
    assert "changes spec.resourceGroups" in editor.as_text()
    editor.go.click()
    assert view.titles[1] == "2. ClusterQueue dispatch of w1 changed"
    assert view.comparison is not None
    assert view.comparison.jobs[0].after[0].as_text() == "w1 from 100ms to 22.5s (finished)"
    # From a moment on: what was decided before stays.
    view.show(1)
    view.at(400)
    editor.where.value = "this moment"
    editor.cluster.value = "w2"
    editor.text.value = editor.text.value.replace("nominalQuota: '1'", "nominalQuota: '3'")
    editor.run()
    assert view.comparison.jobs[0].after[0].as_text().startswith("w2 from 6m4")


def test_other_lots_are_drawn() -> None:
    view = multikueue_board(run_of("quota-far-below"))
    view.changes.seed.value = 3
    view.changes.rerun.click()
    assert [race.winner for race in view.run.races] == ["w2", "w1"]
    assert [race.winner for race in view.runs[0].races] == ["w1", "w2"]
    assert view.titles[1] == "2. seed 3"


def test_a_step_takes_no_time_with_eight_workers() -> None:
    fleet = runpy.run_path(str(BENCHMARK))["fleet"]
    view = multikueue_board(fleet(8, 40).run())
    assert len(view.picture.lanes) == 9
    view.at(20)
    view.select("job-010")
    times = []
    for _ in range(300):
        began = process_time()
        view.next()
        times.append(process_time() - began)
    assert max(times) < 0.25
    # Of many chips, mark and name have to do; each says all to those who ask.
    manager = view.pane.fleet.picture["lanes"][0]["chips"]
    assert len(manager) > 8
    assert all(chip["label"].startswith(chip["text"] + ": ") for chip in manager)
    # What goes to the browser in one message.
    assert len(json.dumps(view.pane.fleet.picture)) < 100_000


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


def test_a_job_that_stays_on_the_manager_waits_for_no_worker() -> None:
    run = mk.load("limit-not-local-first").run(until=6)
    said = "manager: admitted here; its queue doesn't dispatch to workers"
    assert run.why("at-home").lines == (said,)
    view = multikueue_board(run)
    view.controls.last.click()
    view.select("at-home")
    told = view.picture.why
    assert told is not None
    assert told.lines == (("manager", said.removeprefix("manager: ")),)


def test_a_config_may_name_what_is_no_worker() -> None:
    view = multikueue_board(run_of("limit-own-worker"))
    assert view.changes.order.value == "self, w1"
    assert not view.changes.rerun.disabled
    view.rerun("w1", "self")
    assert view.comparison is not None
    assert view.comparison.jobs[0].after[0].as_text() == "w1 from 100ms to 22.5s (finished)"


def test_a_fault_happens_at_the_time_that_the_clock_shows() -> None:
    view = multikueue_board(run_of("lost-worker"))
    view.at(5)
    view.inject("evict copy", "w1", "train")
    assert view.titles[1] == "2. evict the copy of train on w1 at 5s"
    assert view.run.trace[view.board.index].time - view.run.start == 5_001_000_000


def test_an_eviction_that_the_manager_never_notices_is_told_as_it_is() -> None:
    # Stopped and resumed by hand faster than the manager gathers changes of workers.
    run = run_of("lost-worker")
    timeline = [action for action in run.scenario.spec.timeline if action.at < 3_000_000_000]
    actions = [
        SetActive("default/train", active, at=at, cluster="w1")
        for active, at in ((False, 5_000_000_000), (True, 6_000_000_000))
    ]
    spec = replace(run.scenario.spec, timeline=(*timeline, *actions), expect=())
    after = replace(run.scenario, spec=spec).run()
    view = multikueue_board(after)
    view.controls.last.click()
    assert "from w1: it started at another time" in view.as_text()
    job = compared(run, after).jobs[1]
    assert [stint.as_text() for stint in job.after] == [
        "w1 from 1.1s to 5s (evicted, Deactivated)",
        "w1 from 6.1s to 31.3s (finished)",
    ]


def test_the_life_of_the_selected_job_is_in_the_drawer() -> None:
    view = multikueue_board(run_of("lost-worker"))
    life = view.drawer.children[2]
    view.drawer.selected_index = 2
    assert "Select a job" in life.value
    view.until("chosen", "train")
    view.select("train")
    assert ">clusterName is w2<" in life.value
    view.inject("restart Kueue")
    assert ">clusterName is w1<" in life.value
    view.inject("delete job", "manager")
    assert ">clusterName is w2<" not in life.value
    view.show(1)
    assert ">clusterName is w2<" in life.value


def test_no_file_takes_the_place_of_a_function() -> None:
    import kueuelab as kl
    import kueuelab.widgets

    for file in Path(kueuelab.widgets.__file__).parent.glob("*.py"):
        if file.stem != "__init__":
            import_module(f"kueuelab.widgets.{file.stem}")
    assert kl.widgets.multikueue_board is multikueue_board
    assert kl.widgets.MultiKueueBoard is MultiKueueBoard
