"""The search for what would admit a workload: who can be asked about, and where it ends early."""

from __future__ import annotations

import pytest
from small_labs import FAIR, flavor, job, lab, queue

from kueuelab.errors import UnknownObjectError
from kueuelab.whatif import evaluator
from kueuelab.whatif.search import what_would_admit

RUN = lab(
    [flavor(), queue("q", {"default": 3}), queue("other", {"default": 1})],
    [job("first", "q", 2), job("second", "q", 1), job("late", "q", 3)],
).run()


def test_a_workload_that_is_none_is_named_with_the_nearest_one() -> None:
    with pytest.raises(UnknownObjectError) as caught:
        what_would_admit(RUN, "default/lat")
    assert "there is no workload named 'default/lat'" in str(caught.value)
    assert "'default/late'" in str(caught.value)


def test_a_search_that_could_try_everything_is_complete() -> None:
    report = RUN.what_would_admit("late")
    assert report.complete
    assert report.tried > 0
    first = RUN.what_would_admit("first")
    assert (first.complete, first.tried, len(first)) == (True, 0, 0)


@pytest.mark.parametrize("most", range(1, 12))
def test_a_search_that_ends_early_says_so(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    whole = RUN.what_would_admit("late")
    monkeypatch.setattr(evaluator, "_MOST_TRIALS", most)
    report = RUN.what_would_admit("late")
    assert report.tried <= whole.tried
    assert report.complete is False


def test_the_queues_that_lose_a_workload_are_named() -> None:
    objects = [
        flavor(),
        queue("a", {"default": 2}, cohortName="all"),
        queue("b", {"default": 0}, cohortName="all"),
    ]
    run = lab(objects, [job("guest", "b", 2), job("late", "a", 2)]).run()
    (found,) = [each for each in run.what_would_admit("late") if each.kind == "preemption"]
    assert found.evicts == ("default/guest",)
    assert found.queues == ("a", "b")


def test_a_workload_that_is_not_there_yet_is_said_to_be_unknown() -> None:
    report = RUN.what_would_admit("late", at=2)
    assert [each.kind for each in report.obstacles] == ["unknown"]
    assert (len(report), report.tried) == (0, 0)


def test_what_would_admit_a_workload_is_found_while_others_preempt_each_other_for_ever() -> None:
    objects = [
        flavor(),
        queue("a", {"default": 2}, cohortName="all", preemption={"reclaimWithinCohort": "Any"}),
        queue(
            "b",
            {"default": 2},
            cohortName="all",
            preemption={"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
        ),
        queue("apart", {"default": 1}),
    ]
    jobs = [job("guest", "a", 3), job("urgent", "b", 4, 2), job("small", "b", 2, 1)]
    run = lab(objects, [job("late", "apart", 3), *jobs], FAIR).run()
    assert run.loop is not None
    assert run.loop.workloads == ("default/guest", "default/small")
    offered = {each.kind for each in run.what_would_admit("late")}
    assert offered == {"quota", "smallerRequest"}
