"""A small sweep: what it begins with, its runs, its front, and the command for a machine."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
import yaml

from kueuelab.errors import InputError
from kueuelab.session.handler import Handler
from kueuelab.sweeps.workloads.model import WorkloadModel


@pytest.fixture
def handler() -> Handler:
    handler = Handler()
    handler.answer({"do": "open", "source": "two-teams"})
    return handler


def design(handler: Handler, **values: Any) -> dict[str, Any]:
    first = handler.answer({"do": "capacity"})["quotas"][0]
    return {**first["design"], "jobs": 12, **values}


def cell(handler: Handler, sweep: dict[str, Any], number: int) -> Any:
    return handler.answer({"do": "capacityCell", "sweep": sweep, "cell": number})


def test_each_nominal_quota_can_be_swept(handler: Handler) -> None:
    found = handler.answer({"do": "capacity"})
    assert found["quotas"][0]["label"] == "cq-a: cpu (generic)"
    assert found["quotas"][0]["design"]["amounts"] == ["4", "6", "8", "12", "16"]
    assert len(found["quotas"]) == 6


def test_a_run_has_measures_of_the_jobs_that_are_made(handler: Handler) -> None:
    sweep = design(handler, amounts=["4", "64"], rates=[60.0])
    small, large = cell(handler, sweep, 0), cell(handler, sweep, 1)
    values = [{each["id"]: each["value"] for each in found["measures"]} for found in (small, large)]
    assert values[0]["waiting.p95"] >= values[1]["waiting.p95"]
    assert values[0]["utilisation"] > values[1]["utilisation"]
    assert (small["error"], small["about"]) == ("", "Nominal quota 4, 60 jobs an hour")
    # The branch has three pending workloads that never end: they are not in the runs.
    assert cell(handler, sweep, 0) == {**small, "front": cell(handler, sweep, 0)["front"]}


def test_the_front_has_no_quota_that_a_smaller_one_equals(handler: Handler) -> None:
    sweep = design(handler, amounts=["4", "500", "600"], rates=[60.0])
    for number in range(3):
        found = cell(handler, sweep, number)
    # 600 does not shorten the waiting time that 500 has made 0.
    assert found["front"]["waiting.p95"] == [0, 1]


def test_a_large_sweep_is_for_a_machine(handler: Handler) -> None:
    sweep = design(handler, amounts=[str(each) for each in range(1, 66)], rates=[60.0])
    plan = handler.answer({"do": "capacityPlan", "sweep": sweep})
    assert not plan["small"]
    assert "too large" in plan["sentence"]
    command = shlex.split(plan["command"])
    assert command[:3] == ["kueuelab", "sweep", "two-teams.yaml"]
    assert f"{sweep['quota']}={','.join(sweep['amounts'])}" in command
    assert WorkloadModel(**yaml.safe_load(plan["model"])).jobs == 12
    with pytest.raises(InputError):
        cell(handler, sweep, 64)


@pytest.mark.parametrize(
    "values",
    [
        {"amounts": []},
        {"amounts": ["many"]},
        {"rates": [0.0]},
        {"jobs": 0},
        {"runs": "long"},
    ],
)
def test_a_value_that_is_none_is_an_error(handler: Handler, values: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        handler.answer({"do": "capacityPlan", "sweep": design(handler, **values)})
