"""When a run on clusters is over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kueuelab import scenarios
from kueuelab.live.ending import finishing, is_finished, pending_timers
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
    found = finishing(scenarios.load("copy-restarted").spec)
    assert "default/filler" in found["w2"]
    assert found.keys() == {"", "w1", "w2"}
