"""Several clusters: opened, each by itself, faults that make branches, why a workload is there."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kueuelab import scenarios
from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.session.handler import Handler
from kueuelab.session.schema import schema_text

WORKLOAD = "default/train"


@pytest.fixture
def handler() -> Handler:
    found = Handler()
    found.answer({"do": "open", "source": "lost-worker"})
    return found


def test_the_gallery_has_scenarios_of_several_clusters() -> None:
    examples = Handler().answer({"do": "hello"})["examples"]
    found = [each["name"] for each in examples if each["group"] == "multikueue"]
    assert found == [*scenarios.names("multikueue")]


def test_a_run_of_several_clusters_opens_with_each_of_them(handler: Handler) -> None:
    (branch,) = handler.answer({"do": "hello"})["opened"]["branches"]
    assert [each["name"] for each in branch["clusters"]] == ["manager", "w1", "w2"]
    assert branch["about"] == "manager and 2 workers, 198 steps"
    assert sum(each["steps"] for each in branch["clusters"]) == branch["steps"]


@pytest.mark.parametrize("name", scenarios.names("multikueue"))
def test_every_cluster_answers_what_a_cluster_is_asked(name: str) -> None:
    handler = Handler()
    (branch,) = handler.answer({"do": "open", "source": name})["branches"]
    for each in ({"branch": name}, *branch["clusters"]):
        asked = {"branch": each["branch"]}
        for do in ("overview", "lint", "pending", "frames"):
            handler.answer({"do": do, **asked})
        for row in handler.answer({"do": "workloads", **asked})["rows"]:
            for do in ("workload", "why"):
                found = handler.answer({"do": do, "workload": row["workload"], **asked})
                assert found["workload"] == row["workload"]


def test_the_clusters_are_seen_together(handler: Handler) -> None:
    data = handler.answer({"do": "frames", "view": "multikueue", "step": 60})["data"]
    assert (data["view"], data["start"], data["steps"]) == ("multikueue", 60, 198)
    question = {"ask": "placement", "workload": WORKLOAD, "step": 60}
    found = handler.answer({"do": "frames", "view": "multikueue", "question": question})
    assert found["data"]["lines"]
    member = handler.answer({"do": "frames", "branch": "lost-worker/w1"})["data"]
    assert (member["view"], member["steps"]) == ("lab", 22)
    with pytest.raises(UnknownObjectError, match="view"):
        handler.answer({"do": "frames", "view": "another"})


def test_hazards_are_findings(handler: Handler) -> None:
    found = handler.answer({"do": "clusters"})
    assert [each["id"] for each in found["hazards"]] == ["older-copy-wins"]
    assert found["sentence"] == "1 job on the manager: 1 admitted, 0 waiting, 0 finished."
    (finding,) = handler.answer({"do": "overview"})["findings"]
    assert (finding["kind"], finding["object"]) == ("hazard", WORKLOAD)
    assert "Delete the older Workload" in finding["detail"]


def test_why_a_workload_is_where_it_is(handler: Handler) -> None:
    early = handler.answer({"do": "placement", "workload": WORKLOAD, "step": 60})
    assert [each["cluster"] for each in early["lines"]] == ["manager", "w1", "w2"]
    assert early["hazards"] == []
    late = handler.answer({"do": "placement", "workload": WORKLOAD, "branch": "lost-worker/w1"})
    assert late["lines"][0] == {"cluster": "manager", "text": "admitted; it runs on w2"}
    assert late["hazards"][0]["cluster"] == "w1"
    for wrong in ({"workload": "default/nobody"}, {"workload": WORKLOAD, "step": 9999}):
        with pytest.raises(UnknownObjectError):
            handler.answer({"do": "placement", **wrong})


def test_a_fault_makes_a_branch_that_is_compared_and_undone(handler: Handler) -> None:
    place = {"branch": "lost-worker", "cluster": "w2", "step": 80}
    offered = handler.answer({"do": "faults", **place})
    assert offered["time"] == "1.1s"
    assert offered["faults"][0]["label"] == "disconnect w2"
    opened = handler.answer({"do": "fault", "fault": "disconnect", **place})
    assert opened["branch"] == "lost-worker: disconnect w2"
    assert opened["note"] == "Run again with a fault: disconnect w2 at 1.1s"
    branch = opened["branches"][-1]
    assert (branch["parent"], branch["change"]) == ("lost-worker", "disconnect w2 at 1.1s")
    found = handler.answer({"do": "compare", "before": "lost-worker", "after": opened["branch"]})
    assert [each["workload"] for each in found["workloads"]] == [WORKLOAD]
    assert found["stepAfter"] >= 80
    # The findings of lint have the lines of what was opened.
    assert handler.answer({"do": "lint", "branch": opened["branch"]})["start"] == 0
    undone = handler.answer({"do": "undo"})
    assert [each["name"] for each in undone["branches"]] == ["lost-worker"]


def test_a_fault_of_a_copy_and_time_that_goes_by(handler: Handler) -> None:
    place = {"cluster": "w1", "workload": WORKLOAD, "step": 80}
    ids = [each["id"] for each in handler.answer({"do": "faults", **place})["faults"]]
    assert "delete copy" in ids
    later = handler.answer({"do": "faults", **place, "elapsed": 60_000})
    assert later["time"] == "1m1.1s"
    for wrong in ({"cluster": "w9"}, {"step": 9999}, {"fault": "nonsense"}):
        with pytest.raises(UnknownObjectError):
            handler.answer({"do": "fault", "fault": "disconnect", **place, **wrong})


def test_a_lever_of_a_worker_is_tried_as_a_branch() -> None:
    handler = Handler()
    handler.answer({"do": "open", "source": "limit-not-local-first"})
    found = handler.answer({"do": "levers", "workload": "default/remote"})
    assert found["levers"][0]["text"].startswith("In ")
    cost = handler.answer({"do": "cost", "workload": "default/remote", "lever": 0})
    assert cost["end"].endswith("Finished.")
    assert [each["kind"] for each in cost["parts"]] == ["grows"]
    before = handler.answer({"do": "hello"})["opened"]["branches"]
    tried = handler.answer({"do": "try", "workload": "default/remote", "lever": 0})
    assert len(tried["branches"]) == len(before) + 1
    assert handler.answer({"do": "overview", "branch": tried["branch"]})["pending"] == 0


def test_what_is_asked_of_one_cluster_only_says_so(handler: Handler) -> None:
    for do in ("run", "upgrade"):
        with pytest.raises(InputError, match="of one cluster"):
            handler.answer({"do": do})
    handler.answer({"do": "open", "source": "two-teams"})
    with pytest.raises(InputError, match="has one cluster"):
        handler.answer({"do": "clusters"})


def test_the_answers_are_as_the_schema_says(handler: Handler) -> None:
    import json

    validator = Draft202012Validator(json.loads(schema_text()))
    commands: list[dict[str, Any]] = [
        {"do": "clusters"},
        {"do": "placement", "workload": WORKLOAD},
        {"do": "faults", "step": 3, "cluster": "w1"},
        {"do": "fault", "fault": "disconnect", "step": 3, "cluster": "w1"},
    ]
    for number, command in enumerate(commands):
        validator.validate(command)
        validator.validate(json.loads(handler.reply(json.dumps({**command, "id": number}))))
