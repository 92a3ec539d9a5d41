"""Scenarios with changes: where they come among what happens, and what there is then."""

from __future__ import annotations

from dataclasses import replace

from small_labs import flavor, job, lab, queue

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.manifests.scenario import Delete, Submit
from kueuelab.model import ClusterQueue, Workload
from kueuelab.model.times import SECOND, parse_time
from kueuelab.whatif.lab import LabRun
from kueuelab.whatif.references import Reference
from kueuelab.whatif.replay import at_the_start, objects_at

QUOTA = "spec.resourceGroups[0].flavors[default].resources[cpu].nominalQuota"
QUEUE = Reference("ClusterQueue", "", "q")
RUN: LabRun = lab(
    [flavor(), queue("q", {"default": 3})], [job("a", "q", 2), job("b", "q", 2)]
).run()


def nominal(run: LabRun, time: int | None) -> str:
    found = objects_at(run.scenario.spec, run.scenario.branches, time)[QUEUE]
    assert isinstance(found, ClusterQueue)
    return str(found.resource_groups[0].flavors[0].resources[0].nominal)


def test_objects_are_as_they_were_written_last() -> None:
    run = RUN.fork(at="2s").edit("cq/q", {QUOTA: "5"}).run()
    assert isinstance(run, LabRun)
    assert nominal(RUN, None) == nominal(run, run.start) != nominal(run, None)
    assert nominal(run, run.start + 2 * 10**9) == nominal(run, None)


def test_objects_are_those_of_a_time_since_the_start_that_the_scenario_names() -> None:
    spec = replace(RUN.scenario.spec, start=parse_time("2031-05-01T00:00:00Z"))
    assert spec.start is not None
    for seconds, there in ((0, []), (1, ["a"]), (2, ["a", "b"])):
        index = objects_at(spec, (), spec.start + seconds * SECOND)
        assert [each.metadata.name for each in index if isinstance(each, Workload)] == there


def test_of_a_whole_run_there_is_what_comes_after_a_deletion_too() -> None:
    (late,) = RUN.fork().submit(job("late", "q", 1)).changes
    assert isinstance(late, Submit)
    timeline = (*RUN.scenario.spec.timeline, Delete("default/a", at=3), replace(late, at=4))
    index = objects_at(replace(RUN.scenario.spec, timeline=timeline), (), None)
    names = [each.metadata.name for each in index if isinstance(each, Workload)]
    assert sorted(names) == ["a", "b", "late"]


def test_a_change_at_the_very_end_is_made() -> None:
    run = RUN.fork(at="2s").edit("cq/q", {QUOTA: "5"}).run(until=2)
    assert run.cluster.workload("default/b").is_admitted


def test_a_step_is_left_after_a_time_was() -> None:
    wider = RUN.fork(at="5s").edit("cq/q", {QUOTA: "4"}).run()
    at = wider.trace.of_kind("Admitted")[-1]
    run = wider.fork(at=at).finish("b").submit(job("c", "q", 2)).run(until=9)
    (finished,) = run.trace.of_kind("Finished")
    assert at < finished
    assert run.trace[finished].time == run.start + 5 * SECOND
    assert run.cluster.workload("default/c").is_admitted


def test_changes_interrupt_what_would_be_a_loop() -> None:
    """Priorities are exchanged twice in one instant: the state before comes back by that alone."""
    spec = {"preemption": {"withinClusterQueue": "LowerPriority"}}
    objects = [flavor(), queue("q", {"default": 2}, **spec)]
    run = lab(objects, [job("low", "q", 2), job("high", "q", 2, 5)]).run()
    for priority in (9, 0):
        at = run.trace.of_kind("Admitted")[-1]
        run = run.fork(at=at).edit("workload/low", {"spec.priority": priority}).run()
    assert run.loop is None
    assert run.cluster.workload("default/high").is_admitted


def test_a_report_is_about_the_moment_at_which_a_fork_makes_its_changes() -> None:
    """After the last step at 2 s there is none at which nothing is under way until 9 s."""
    document = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": "small"},
        "spec": {
            "manifests": [flavor(), *queue("q", {"default": 2}), *queue("other", {"default": 1})],
            "timeline": [
                {"at": "1s", "submit": job("early", "q", 1)},
                {"at": "1s", "submit": job("late", "other", 3)},
                {"at": "2s", "setActive": {"workload": "early", "active": False}},
                {"at": "9s", "submit": job("next", "q", 1)},
            ],
        },
    }
    run = kl.load(document).run()
    at = run.trace.of_kind("QuotaReleased")[-1]
    assert run.trace[at + 1].time == run.start + 9 * SECOND
    found = next(iter(run.what_would_admit("late", at)))
    assert found.time == 9 * SECOND
    forked = run.fork(at=at).change(*found.changes).run()
    admitted = [
        forked.trace[each].time - run.start
        for each in forked.trace.of_kind("Admitted")
        if forked.trace[each].workload == "default/late"
    ]
    assert admitted == [9 * SECOND]


def test_what_is_submitted_at_the_start_comes_after_what_is_submitted_then() -> None:
    first, second = RUN.scenario.spec.timeline
    (change,) = RUN.fork().submit(job("new", "q", 1)).changes
    for times, place in (((0, 0), 2), ((0, 1), 1), ((1, 2), 0)):
        timeline = tuple(
            replace(action, at=at) for action, at in zip((first, second), times, strict=True)
        )
        found = at_the_start(replace(RUN.scenario.spec, timeline=timeline), change)
        assert found.timeline.index(change) == place
        assert isinstance(found.timeline[place], Submit)


def test_a_loop_is_found_behind_a_change_that_does_not_end_it() -> None:
    run = scenarios.load("loop-4-pods-never-ready").run()
    assert run.loop is not None
    later = run.fork(at="5m").set_active("stuck", True).run()
    assert later.loop is not None
    assert later.loop.period == run.loop.period
