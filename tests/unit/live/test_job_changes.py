"""What a run asks of the API server where a scenario changes a job."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from kueuelab import scenarios
from kueuelab.errors import InputError
from kueuelab.live.errors import LiveError
from kueuelab.live.job_changes import change_job
from kueuelab.live.requests import requests_of
from kueuelab.manifests import load_scenario
from kueuelab.manifests.scenario import ChangeJob

Json = dict[str, Any]


class Jobs:
    """An API server that has one Job, and keeps what is written."""

    def __init__(self, job: Json, *, conflicts: int = 0) -> None:
        self.job, self.written, self._conflicts = job, list[Json](), conflicts

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Json:
        if not path.endswith(f"/jobs/{self.job['metadata']['name']}"):
            raise LiveError("not found", "missing")
        return copy.deepcopy(self.job)

    def replace(self, obj: Json, part: str = "") -> Json:
        assert part == ""
        if self._conflicts:
            self._conflicts -= 1
            raise LiveError("it was changed", "conflict")
        self.job = obj
        self.written.append(obj)
        return obj


def submitted() -> Json:
    spec = load_scenario(scenarios.text("reclaim-1-take-back"))
    return next(body for each in requests_of(spec) for body in each.bodies)


CHANGES = [
    (ChangeJob("default/job-0", pods=3), "parallelism", 3),
    (ChangeJob("default/job-0", suspend=True), "suspend", True),
    (ChangeJob("default/job-0", queue="b"), "kueue.x-k8s.io/queue-name", "b"),
    (ChangeJob("default/job-0", priority_class="rare"), "kueue.x-k8s.io/priority-class", "rare"),
]


@pytest.mark.parametrize(("change", "field", "value"), CHANGES)
def test_one_field_is_written_and_no_other(change: ChangeJob, field: str, value: object) -> None:
    job = submitted()
    job["spec"]["suspend"] = False
    api = Jobs(copy.deepcopy(job), conflicts=1)
    assert change_job(api, job, change)  # type: ignore[arg-type]
    part = api.job["spec"] if field in ("parallelism", "suspend") else api.job["metadata"]["labels"]
    assert part[field] == value
    part[field] = None
    before = job["spec"] if part is api.job["spec"] else job["metadata"]["labels"]
    before[field] = None
    assert api.job == job
    assert len(api.written) == 1


def test_a_job_that_is_so_already_is_not_written() -> None:
    job = submitted()
    job["spec"]["suspend"] = True
    api = Jobs(job)
    assert not change_job(api, job, ChangeJob("default/job-0", suspend=True))  # type: ignore[arg-type]
    gone = {**job, "metadata": {"name": "other"}}
    assert not change_job(api, gone, ChangeJob("default/job-0", pods=9))  # type: ignore[arg-type]
    assert api.written == []


def test_the_requests_of_a_run_have_each_change() -> None:
    spec = load_scenario(scenarios.text("reclaim-1-take-back"))
    changed = replace(spec, timeline=(*spec.timeline, CHANGES[0][0]))
    assert CHANGES[0][0] in [each.action for each in requests_of(changed)]
    wrong = replace(spec, timeline=(*spec.timeline, ChangeJob("default/none", pods=1)))
    with pytest.raises(InputError, match="none"):
        requests_of(wrong)


def test_what_multikueue_dispatches_keeps_its_pods_and_its_queue() -> None:
    spec = load_scenario(scenarios.text("quota-far-below"))
    key = next(each for request in requests_of(spec) for each in request.runs)
    for change in (ChangeJob(key, pods=2), ChangeJob(key, queue="b")):
        with pytest.raises(InputError, match="not its pods or its queue"):
            requests_of(replace(spec, timeline=(*spec.timeline, change)))
    allowed = replace(spec, timeline=(*spec.timeline, ChangeJob(key, suspend=True)))
    assert any(isinstance(each.action, ChangeJob) for each in requests_of(allowed))
