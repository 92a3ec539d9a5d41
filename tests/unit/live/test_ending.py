"""When a run on clusters is over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kueuelab import scenarios
from kueuelab.live.ending import is_finished, pending_timers, rounds_of
from kueuelab.live.expected_course import announcement, expected_course, suitable_speed
from kueuelab.live.play_options import PlayProgress
from kueuelab.model import (
    Condition,
    ObjectMeta,
    RequeueState,
    WaitForPodsReady,
    Workload,
    WorkloadStatus,
)
from kueuelab.model.times import SECOND

HOUR = 3600 * SECOND
WAIT = WaitForPodsReady(timeout=8 * SECOND, recovery_timeout=3 * SECOND)


def workload(*true: str, ready: str = "", **status: object) -> Workload:
    conditions = [Condition(each, "True", each, "", 100 * SECOND) for each in true]
    if ready:
        conditions.append(Condition("PodsReady", "False", ready, "", 102 * SECOND))
    found = WorkloadStatus(conditions=tuple(conditions), **status)  # type: ignore[arg-type]
    return Workload(ObjectMeta("a", namespace="n"), (), status=found)


@pytest.mark.parametrize(
    ("found", "what", "due"),
    [
        (workload("Admitted"), "PodsReady timeout", 108),
        (workload("Admitted", ready="WaitForStart"), "PodsReady timeout", 108),
        (workload("Admitted", ready="WaitForRecovery"), "PodsReady timeout", 105),
        (
            replace(workload("Admitted", "PodsReady"), maximum_execution_time_seconds=20),
            "maximum execution time",
            120,
        ),
        (
            workload("Evicted", requeue_state=RequeueState(1, 130 * SECOND)),
            "back-off",
            130,
        ),
    ],
)
def test_a_timer_is_pending_until_what_it_brings_about_is_seen(
    found: Workload, what: str, due: int
) -> None:
    text = [f"the {what} of n/a"]
    for now, expected in ((101, text), (due + 4, text), (due + 6, [])):
        assert list(pending_timers([found], WAIT, now * SECOND, HOUR)) == expected
    # What comes after the end of the run is not waited for.
    assert list(pending_timers([found], WAIT, 101 * SECOND, (due - 1) * SECOND)) == []


def test_what_runs_ready_or_has_finished_has_no_timer() -> None:
    found = [workload("Admitted", "PodsReady"), workload("Admitted", "Finished"), workload()]
    assert list(pending_timers(found, WAIT, 101 * SECOND, HOUR)) == []
    assert [is_finished(each) for each in found] == [False, True, False]
    assert not is_finished(None)


def test_who_finishes_is_said_of_each_cluster() -> None:
    """A job that is submitted to a worker ends there; the manager knows nothing of it."""
    found = expected_course(scenarios.load("copy-restarted").spec).finishing
    assert "default/filler" in found["w2"]
    assert found.keys() == {"", "w1", "w2"}


# --- how long it takes ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "judged", "end", "speed"),
    [
        ("within-1-all-in-one-queue", 11, 7, 1),  # short enough
        ("racks-1-levels", 5, 601, 1),  # what is expected is over soon
        ("queues-2-first-come-first-served", 191, 250, 4),  # one minute
        ("reclaim-cohort-2-late", 1382, 1381, 5),  # actions 3 s apart, and it has to fit
        ("topology-7-node-fails", 312, 1200, 6),
        ("fair-1-three-teams", 170, 1024, 1),  # actions one second apart
        ("ready-1-pods-that-never-come", 3000, 2221, 1),  # waitForPodsReady gets no faster
    ],
)
def test_the_speed_suits(name: str, judged: int, end: int, speed: float) -> None:
    spec = scenarios.load(name).spec
    course = expected_course(spec)
    assert (course.judged // SECOND, course.end // SECOND) == (judged, end)
    assert suitable_speed(spec, course, 600, to_the_end=False) == speed
    assert course.seconds(speed, to_the_end=False) == judged / speed


def test_what_is_left_out_is_said_before_it_begins() -> None:
    course = expected_course(scenarios.load("racks-1-levels").spec)
    assert list(announcement(course, 1, to_the_end=False, rounds=3)) == [
        "it takes about 5 s",
        "it ends once all is judged that is expected by 5 s of the scenario;"
        " --to-the-end goes on until 601 s",
    ]
    assert list(announcement(course, 10, to_the_end=True, rounds=3)) == [
        "it takes about 60 s: in one second pass 10 of the scenario"
    ]
    loop = expected_course(scenarios.load("loop-1-the-victim-returns").spec)
    assert "followed for 3 rounds" in list(announcement(loop, 1, to_the_end=False, rounds=3))[1]


def test_without_expectations_the_last_decision_ends_it() -> None:
    spec = replace(scenarios.load("racks-1-levels").spec, expect=(), timeline=())
    assert expected_course(spec).judged == 0
    spec = replace(scenarios.load("fair-1-three-teams").spec, expect=())
    assert expected_course(spec).judged == 724 * SECOND


def test_rounds_of_a_loop_are_counted_by_its_slowest_workload() -> None:
    assert rounds_of(["a", "b"], []) == 0
    assert rounds_of(["a", "b"], ["a", "b"]) == 0
    assert rounds_of(["a", "b"], ["a", "b"] * 4 + ["a"]) == 3
    assert rounds_of([], ["a"]) == 0


def test_progress_says_what_is_waited_for() -> None:
    from kueuelab.cli.play_progress import progress_line

    assert progress_line("s", PlayProgress(3.2, 31)) == "s: 3 s of about 31 s"
    assert progress_line("s", PlayProgress(40, 31)) == "s: 40 s of about 40 s"
    assert progress_line("s", PlayProgress(40, 31, ("the end of a",))) == (
        "s: 40 s, waits for the end of a"
    )
