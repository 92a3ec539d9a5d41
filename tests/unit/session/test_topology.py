"""Topologies: domains with what is free, where pods are, why some have no place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kueuelab import scenarios
from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.session.handler import Handler
from kueuelab.session.schema import schema_text


def opened(name: str) -> Handler:
    handler = Handler()
    handler.answer({"do": "open", "source": name})
    return handler


@pytest.mark.parametrize("name", scenarios.names("topology"))
def test_domains_add_up_at_every_step(name: str) -> None:
    handler = opened(name)
    (branch,) = handler.answer({"do": "hello"})["opened"]["branches"]
    assert branch["topologies"]
    for step in range(0, branch["steps"], 7):
        for each in handler.answer({"do": "topology", "step": step})["domains"]:
            closed = each["room"] - each["used"] - each["outside"] - each["free"]
            assert closed >= 0
            # Of what is closed by a taint or a failed node nothing is free.
            assert closed == 0 or each["hosts"] > 1 or each["problem"]


def test_why_a_placement_failed_is_said_with_its_numbers() -> None:
    handler = opened("topology-10-fragmentation")
    found = handler.answer({"do": "topology", "step": 107})
    assert found["sentence"].endswith("Without a place: 1.")
    assert found["resources"][0] == "nvidia.com/gpu"
    big = found["workloads"][0]
    assert (big["workload"], big["state"]) == ("default/big", "without")
    assert big["lines"][-1] == "Enough is free in all, but not in one rack."
    assert "allows to fit only" in big["message"]
    assert big["step"] <= 107
    later = handler.answer({"do": "topology"})
    placed = {each["workload"]: each for each in later["workloads"]}["default/big"]
    assert placed["state"] == "placed"
    assert placed["lines"] == ["Pods of big, pod set main: r1-h1 (4)."]


def test_the_tree_has_levels_pods_and_other_pods() -> None:
    found = opened("topology-6-other-pods").answer({"do": "topology", "resource": "cpu"})
    levels = [(each["level"], each["depth"]) for each in found["domains"]]
    assert levels == [("rack", 0), ("host", 1), ("host", 1)]
    host = found["domains"][1]
    assert host["pods"] == [{"workload": "default/job", "count": 1}]
    assert host["text"] == "0 of 4 free"
    failed = opened("topology-7-node-fails").answer({"do": "topology", "step": 32})
    assert "not ready" in [each["problem"] for each in failed["domains"]]


def test_what_is_not_there_is_said() -> None:
    with pytest.raises(InputError, match="no topology"):
        opened("two-teams").answer({"do": "topology"})
    handler = opened("topology-1-required")
    with pytest.raises(UnknownObjectError):
        handler.answer({"do": "topology", "step": 9999})
    # An address of another input: the first flavor and resource are shown.
    found = handler.answer({"do": "topology", "flavor": "none", "resource": "none"})
    assert (found["flavor"], found["resource"]) == ("default", "cpu")
    assert handler.answer({"do": "topology", "step": 0})["domains"] == []


def test_the_frames_are_those_of_the_topology_view() -> None:
    handler = opened("topology-1-required")
    data = handler.answer({"do": "frames", "view": "topology", "step": 40})["data"]
    assert (data["view"], data["start"], data["topologies"]) == ("topology", 40, True)


def test_the_answer_is_as_the_schema_says() -> None:
    validator = Draft202012Validator(json.loads(schema_text()))
    command: dict[str, Any] = {"do": "topology", "id": 1}
    validator.validate(command)
    reply = opened("topology-9-preempts-for-a-rack").reply(json.dumps(command))
    validator.validate(json.loads(reply))
