"""What a run asks of the API server where a scenario scales an elastic job."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from kueuelab import scenarios
from kueuelab.errors import InputError
from kueuelab.live.errors import LiveError
from kueuelab.live.requests import requests_of
from kueuelab.live.scaling import scale_job
from kueuelab.manifests import load_scenario
from kueuelab.manifests.scenario import Scale

Json = dict[str, Any]


class Jobs:
    """An API server that has one Job, and keeps what it is asked."""

    def __init__(self, job: Json, *, conflicts: int = 0) -> None:
        self.job, self.asked, self._conflicts = job, list[str](), conflicts

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Json:
        self.asked.append(f"GET {path}")
        if not path.endswith(f"/{self.job['metadata']['name']}"):
            raise LiveError("not found", "missing")
        return copy.deepcopy(self.job)

    def replace(self, obj: Json, part: str = "") -> Json:
        self.asked.append(f"PUT {obj['kind']} parallelism={obj['spec']['parallelism']}{part}")
        if self._conflicts:
            self._conflicts -= 1
            raise LiveError("it was changed", "conflict")
        self.job = obj
        return obj


def elastic_job() -> Json:
    spec = load_scenario(scenarios.text("elastic-scale-up"))
    return next(body for each in requests_of(spec) for body in each.bodies)


def test_an_elastic_job_is_submitted_so_that_it_can_grow() -> None:
    job = elastic_job()
    assert job["metadata"]["annotations"] == {"kueue.x-k8s.io/elastic-job": "true"}
    assert job["spec"]["parallelism"] == 4
    # With 4 completions, Kubernetes would never run more pods.
    assert "completions" not in job["spec"]


def test_a_job_is_scaled_by_its_parallelism() -> None:
    api = Jobs(elastic_job(), conflicts=1)
    assert scale_job(api, api.job, 8)  # type: ignore[arg-type]
    path = "/apis/batch/v1/namespaces/default/jobs/train"
    assert api.asked == [f"GET {path}", "PUT Job parallelism=8"] * 2
    assert api.job["spec"]["parallelism"] == 8
    assert not scale_job(api, api.job, {"main": 8})  # type: ignore[arg-type]
    assert api.asked[4:] == [f"GET {path}"]


def test_a_job_that_is_gone_is_not_scaled() -> None:
    api = Jobs(elastic_job())
    gone = {**api.job, "metadata": {"name": "other", "namespace": "default"}}
    assert not scale_job(api, gone, 8)  # type: ignore[arg-type]


def test_the_requests_of_a_run_have_each_scaling() -> None:
    spec = load_scenario(scenarios.text("elastic-scale-up"))
    scaled = [each.action for each in requests_of(spec) if isinstance(each.action, Scale)]
    assert [each.pods for each in scaled] == [8, 12, 6]


def test_a_run_says_what_it_cannot_scale() -> None:
    spec = load_scenario(scenarios.text("elastic-scale-up"))
    wrong = replace(spec, timeline=(*spec.timeline, Scale("default/train", {"driver": 2})))
    with pytest.raises(InputError, match="only the pod set main of a Job can be scaled there"):
        requests_of(wrong)
    several = load_scenario(scenarios.text("short-outage"))
    wrong = replace(several, timeline=(*several.timeline, Scale("default/train", 2)))
    with pytest.raises(InputError, match="a job that MultiKueue dispatches can't be scaled"):
        requests_of(wrong)
