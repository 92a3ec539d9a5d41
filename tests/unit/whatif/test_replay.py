"""Scenarios with changes: where they come among what happens, and what there is then."""

from __future__ import annotations

from dataclasses import replace

from small_labs import flavor, job, lab, queue

from kueuelab import scenarios
from kueuelab.manifests.scenario import Submit
from kueuelab.model import ClusterQueue
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
