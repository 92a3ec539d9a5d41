"""When pending jobs start, what that rests on, and which other workloads are delayed."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest
import yaml
from submitted import job

from kueuelab.errors import InputError
from kueuelab.forecast import Answer, try_job
from kueuelab.model.times import SECOND, format_time, parse_time

NOW = parse_time("2026-06-01T12:00:00Z")
MINUTE = 60 * SECOND


def queues(cpu: int = 1) -> list[dict[str, Any]]:
    """Return a ClusterQueue with so many cores."""
    version = "kueue.x-k8s.io/v1beta2"
    quota = {"name": "default", "resources": [{"name": "cpu", "nominalQuota": cpu}]}
    group = {"coveredResources": ["cpu"], "flavors": [quota]}
    spec = {
        "namespaceSelector": {},
        "preemption": {"withinClusterQueue": "LowerPriority"},
        "resourceGroups": [group],
    }
    local = {"name": "jobs", "namespace": "default"}
    high = {"apiVersion": version, "kind": "WorkloadPriorityClass", "metadata": {"name": "high"}}
    return [
        {"apiVersion": version, "kind": "ResourceFlavor", "metadata": {"name": "default"}},
        {"apiVersion": version, "kind": "ClusterQueue", "metadata": {"name": "a"}, "spec": spec},
        {
            "apiVersion": version,
            "kind": "LocalQueue",
            "metadata": local,
            "spec": {"clusterQueue": "a"},
        },
        {**high, "value": 100},
    ]


def workload(
    name: str, *, admitted: int | None = None, ended: int | None = None, **more: Any
) -> dict[str, Any]:
    """Return a Workload with one core: admitted, and ended, so many minutes ago."""
    conditions, status = [], {}
    if admitted is not None:
        conditions = [_true("QuotaReserved", admitted), _true("Admitted", admitted)]
        status["admission"] = {
            "clusterQueue": "a",
            "podSetAssignments": [
                {
                    "name": "main",
                    "count": 1,
                    "flavors": {"cpu": "default"},
                    "resourceUsage": {"cpu": "1"},
                }
            ],
        }
    if ended is not None:
        conditions.append({**_true("Finished", ended), "reason": "Succeeded"})
    container = {"name": "main", "image": "a", "resources": {"requests": {"cpu": "1"}}}
    template = {"spec": {"containers": [container], "restartPolicy": "Never"}}
    created = format_time(NOW - 200 * MINUTE)
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": name,
            "creationTimestamp": created,
            "annotations": more.pop("annotations", {}),
        },
        "spec": {
            "queueName": "jobs",
            "active": True,
            "podSets": [{"name": "main", "count": 1, "template": template}],
            **more,
        },
        "status": {**status, "conditions": conditions},
    }


def _true(type_: str, ago: int) -> dict[str, str]:
    time = format_time(NOW - ago * MINUTE)
    return {
        "type": type_,
        "status": "True",
        "reason": type_,
        "message": "",
        "lastTransitionTime": time,
    }


def answer(*workloads: dict[str, Any], cpu: int = 1, **options: Any) -> Answer:
    """Return what would come of a job in a cluster with these workloads."""
    newest = {"apiVersion": "v1", "kind": "Namespace"}
    newest["metadata"] = {"name": "default", "creationTimestamp": format_time(NOW)}  # type: ignore[assignment]
    dump = yaml.safe_dump_all([*queues(cpu), *workloads, newest])
    priority = options.pop("priority", "")
    return try_job(job("jobs", "1", priority=priority), dump, **options)


def forecast(*workloads: dict[str, Any], **options: Any) -> Any:
    """Return when that job starts."""
    found = answer(*workloads, **options).jobs[0].forecast
    assert found is not None
    return found


def test_without_any_run_time_it_is_unknown() -> None:
    found = answer(workload("r", admitted=10))
    assert "When: unknown: nothing says how long the 1 workload" in found.as_text()
    assert found.jobs[0].forecast is not None
    assert found.jobs[0].forecast.within(0.5) == inf


def test_a_given_run_time_counts_from_the_admission() -> None:
    found = forecast(workload("r", admitted=10), runs="30m")
    assert (len(found.starts), round(found.within(0.5) / MINUTE)) == (1, 20)
    assert found.basis.running == {"given": 1}
    assert found.never_before == ("default/r",)


def test_an_annotation_counts_more_than_what_is_given() -> None:
    found = forecast(
        workload("r", admitted=10, annotations={"kueuelab/runs": "15m"}), runs="30m..2h"
    )
    assert round(found.within(0.5) / MINUTE) == 5
    assert found.basis.running == {"annotation": 1}


def test_a_deadline_is_when_it_ends_at_the_latest() -> None:
    found = forecast(workload("r", admitted=10, maximumExecutionTimeSeconds=1800))
    assert round(found.within(0.9) / MINUTE) == 20
    assert found.basis.running == {"deadline": 1}


def test_a_job_that_runs_for_too_long_is_overdue() -> None:
    found = forecast(workload("r", admitted=60), runs="30m")
    assert found.basis.running == {"overdue": 1}
    assert 20 < found.within(0.5) / MINUTE < 240


def test_finished_workloads_make_a_statistic() -> None:
    past = [workload(f"old-{n}", admitted=100 + n, ended=80) for n in range(20)]
    found = forecast(workload("r", admitted=10), *past)
    assert (found.basis.running, found.basis.finished) == ({"statistics": 1}, 20)
    # They ran for 20 to 39 minutes, and this one for 10 already.
    assert 8 < found.within(0.05) / MINUTE <= found.within(0.95) / MINUTE < 40


def test_a_few_finished_workloads_make_none() -> None:
    past = [workload(f"old-{n}", admitted=100, ended=80) for n in range(4)]
    assert forecast(workload("r", admitted=10), *past).basis.running == {"unknown": 1}


def test_either_of_two_may_end_first() -> None:
    found = forecast(
        workload("r", admitted=10), workload("s", admitted=20), cpu=2, runs="30m..90m", seeds=20
    )
    assert found.never_before == ()
    assert len(found.starts) == 20


def test_the_same_question_has_the_same_answer() -> None:
    asked = [workload("r", admitted=10)]
    assert forecast(*asked, runs="1h..9h") == forecast(*asked, runs="1h..9h")


def test_workloads_behind_it_start_later_and_the_preempted_one_again() -> None:
    found = answer(workload("r", admitted=10), workload("p"), runs="30m", priority="high")
    assert [each.workload for each in found.displaced] == ["default/r"]
    delays = {each.workload: each for each in found.delays}
    assert round(delays["default/p"].before / MINUTE) == 20
    assert delays["default/p"].after / MINUTE > 29
    assert delays["default/r"].was_running


def test_within_a_limit() -> None:
    found = answer(workload("r", admitted=10), runs="30m")
    assert found.starts_within(25 * MINUTE)
    assert not found.starts_within(15 * MINUTE)


@pytest.mark.parametrize("runs", ["", "2", "2h..1h", "-1h", "0s", "a..b", "1h..2h..3h"])
def test_run_times_that_are_none(runs: str) -> None:
    with pytest.raises(InputError, match="is no run time"):
        answer(workload("r", admitted=10), runs=runs)


def test_a_smaller_job_would_be_admitted_at_once() -> None:
    found = answer(workload("r", admitted=10), priority="high").jobs[0]
    assert (found.now.outcome, found.instead) == ("admitted", None)
    pending = answer(workload("r", admitted=10, priority=100), priority="high").jobs[0]
    assert pending.instead is not None
    assert {each.kind for each in pending.instead.suggestions} == {"priority"}


def test_only_what_happens_at_once() -> None:
    found = answer(workload("r", admitted=10), when=False, changes=False).jobs[0]
    assert (found.forecast, found.instead) == (None, None)
