"""What if, on the MultiKueue board: faults, another dispatch, another object; runs compared."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

import kueuelab.multikueue as mk
from kueuelab.errors import UnknownObjectError
from kueuelab.manifests.scenario import SetActive
from kueuelab.views.comparison import compared
from kueuelab.widgets.multikueue_view import MultiKueueBoard, multikueue_board


@cache
def run_of(name: str) -> mk.ClusterSetRun:
    return mk.load(name).run()


def asked(view: MultiKueueBoard, question: dict[str, object]) -> dict[str, object]:
    """Ask what the browser asks; return the answer."""
    sent: list[dict[str, object]] = []
    view.pane.widget.send = sent.append
    view.pane.widget._handle_custom_msg({**question, "id": "1"}, [])
    return sent[-1]


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
    view.to(len(view.run.trace) - 1)
    found = [note.text for note in view.picture.notes if note.kind == "hazard"]
    assert len(found) == len(view.run.hazards) > 0
    for text, expected in zip(found, view.run.hazards, strict=True):
        assert f"Hazard ({hazard})" in text
        assert expected.what in text


def test_a_fault_is_a_fork_and_both_runs_stay() -> None:
    view = multikueue_board(run_of("lost-worker"))
    view.until("chosen", "train")
    view.select("train")
    here = view.board.index
    asked(view, {"ask": "inject", "fault": "disconnect", "cluster": "w1"})
    before, after = view.runs
    assert before is run_of("lost-worker")
    assert before.trace.steps[:here] == after.trace.steps[:here]
    assert after.trace[view.board.index].kind == "WorkerConnectionChanged"
    assert (view.board.cluster, view.board.workload) == ("manager", "default/train")
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
    assert "w1 is out of reach" in told.divergence_text
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
def test_faults_of_a_job(fault: str, cluster: str, expected: str) -> None:
    view = multikueue_board(run_of("lost-worker"))
    view.until("chosen", "train")
    view.inject(fault, cluster, "train")
    assert view.comparison is not None
    job = next(job for job in view.comparison.jobs if job.workload == "default/train")
    assert expected in [stint.as_text() for stint in job.after]


def test_every_fault_on_offer_runs() -> None:
    for name, at in (("lost-worker", 10), ("regions-first-capacity", 5)):
        run = run_of(name)
        clusters = list(run.cluster_set.members)
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


def test_a_button_of_a_fault_says_what_is_wrong() -> None:
    view = multikueue_board(run_of("lost-worker"))
    found = asked(view, {"ask": "inject", "fault": "resume dispatch", "cluster": "w1"})
    assert found["id"] == "1"
    assert "resume dispatch" in str(found["problem"])
    assert len(view.runs) == 1


def test_a_fault_happens_where_the_browser_is() -> None:
    view = multikueue_board(run_of("lost-worker"))
    asked(view, {"ask": "inject", "fault": "disconnect", "cluster": "w1", "step": 74, "elapsed": 0})
    before, after = view.runs
    assert before.trace.steps[:75] == after.trace.steps[:75]
    assert after.trace[view.board.index].kind == "WorkerConnectionChanged"
    assert view.board.index >= 75


def test_the_comparison_is_in_what_the_browser_shows() -> None:
    view = multikueue_board(run_of("lost-worker"))
    assert view.widget.children[1].children[0].document.get("comparison") is None
    view.until("chosen", "train")
    view.inject("disconnect", "w1")
    shown = view.widget.children[1].children[0].document["comparison"]
    assert "w1 is out of reach" in shown["lines"][0]
    assert shown["tables"][0]["rows"][0][-1] == "= same"
    assert view.comparison is not None
    assert [row[0] for row in shown["tables"][0]["rows"]] == ["filler", "train"]
    view.show(1)
    assert view.widget.children[1].children[0].document["steps"] == len(view.runs[0].trace)


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
    assert "Not in the MultiKueueConfig: w2" in changes.as_text()
    changes.rerun.click()
    view.to(len(view.run.trace) - 1)
    (job,) = view.picture.jobs
    assert [each.clusters for each in job.rounds] == [("w3",)]
    assert view.titles[1] == "2. order w3, w1"
    changes.dispatcher.value = "AllAtOnce"
    changes.rerun.click()
    view.to(len(view.run.trace) - 1)
    (job,) = view.picture.jobs
    assert [each.clusters for each in job.rounds] == [("w3", "w1")]
    view.show(1)
    changes.step_size.value = 2
    changes.rerun.click()
    view.to(len(view.run.trace) - 1)
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
    view.changes.where.value = "this time"
    assert view.changes.dispatcher.disabled
    assert view.changes.step_size.disabled
    view.changes.order.value = "w1, w3, w2"
    view.changes.rerun.click()
    view.to(len(view.run.trace) - 1)
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
    view.to(len(view.run.trace) - 1)
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
    editor.where.value = "this time"
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


def test_an_eviction_that_the_manager_never_notices_is_reported_as_it_is() -> None:
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
    view.to(len(view.run.trace) - 1)
    assert "from w1: it started at another time" in view.as_text()
    job = compared(run, after).jobs[1]
    assert [stint.as_text() for stint in job.after] == [
        "w1 from 1.1s to 5s (evicted, Deactivated)",
        "w1 from 6.1s to 31.3s (finished)",
    ]
