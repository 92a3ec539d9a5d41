"""A job that is tried: what the form stands for, what is answered, and the branch that is kept."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.session.handler import Handler

WORKLOAD = "team-b/job-b-cpu-2-71f14"


@pytest.fixture
def handler() -> Handler:
    handler = Handler()
    handler.answer({"do": "open", "source": "two-teams"})
    return handler


def form(handler: Handler, **values: Any) -> dict[str, Any]:
    found = handler.answer({"do": "jobForm"})["form"]
    return {**found, "queue": "team-b/main", **values}


def tried(handler: Handler, **command: Any) -> Any:
    return handler.answer({"do": "tryJob", **command})


def test_the_form_of_a_new_job_begins_with_what_there_is(handler: Handler) -> None:
    found = handler.answer({"do": "jobForm"})
    assert found["queues"] == ["team-a/main", "team-b/main"]
    assert found["resources"] == ["cpu", "memory", "nvidia.com/gpu"]
    assert found["form"]["requests"] == {"cpu": "1"}
    [job] = yaml.safe_load_all(found["text"])
    assert job["metadata"]["labels"] == {"kueue.x-k8s.io/queue-name": "main"}


def test_a_small_job_is_admitted_at_once(handler: Handler) -> None:
    found = tried(handler, form=form(handler, requests={"cpu": "1"}))
    assert found["verdict"] == "admitted"
    [job] = found["jobs"]
    assert (job["outcome"], job["tone"], job["when"]) == ("admitted", "ok", None)
    assert job["now"] == ["Admitted at once by ClusterQueue cq-b: main (1 pod: cpu/generic)."]
    assert found["others"] == []


def test_a_large_job_is_pending_with_forecast_and_alternatives(handler: Handler) -> None:
    found = tried(handler, form=form(handler, requests={"cpu": "4"}), runs="1m..1h")
    [job] = found["jobs"]
    assert job["now"][0].startswith("Pending at position 4 of 4 in ClusterQueue cq-b.")
    assert "half of the runs" in job["when"]["sentence"]
    assert [each["percent"] for each in job["when"]["starts"]] == [5, 10, 25, 50, 75, 90, 95]
    assert "4 from the run time that was given" in job["when"]["basis"][0]
    first = job["instead"][0]
    assert (first["atOnce"], first["evicts"]) == (True, [])
    counts = [len(each["evicts"]) for each in job["instead"]]
    assert counts == sorted(counts)


def test_what_happens_at_once_is_answered_alone(handler: Handler) -> None:
    found = tried(handler, form=form(handler, requests={"cpu": "4"}), now=True)
    assert not found["whole"]
    assert found["jobs"][0]["when"] is None


def test_nothing_is_said_to_start_when_no_run_time_is_known(handler: Handler) -> None:
    found = tried(handler, form=form(handler, requests={"cpu": "4"}))
    assert found["jobs"][0]["when"]["unknown"]
    assert "--runs" not in str(found)


def test_a_priority_without_a_class_gets_one(handler: Handler) -> None:
    found = tried(handler, form=form(handler, requests={"cpu": "4"}, priority=5000))
    documents = list(yaml.safe_load_all(found["text"]))
    assert [each["kind"] for each in documents] == ["WorkloadPriorityClass", "Job"]
    evicts = next(part for part in found["others"] if part["kind"] == "evicts")
    assert evicts["count"] == 1
    assert all("of run time on" in item["text"] for item in evicts["items"])


def test_a_priority_of_a_class_uses_it(handler: Handler) -> None:
    found = tried(handler, form=form(handler, priority=10))
    [job] = yaml.safe_load_all(found["text"])
    assert job["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] == "low"


def test_a_workload_is_tried_in_its_own_place_with_changes(handler: Handler) -> None:
    found = handler.answer({"do": "jobForm", "workload": WORKLOAD})
    assert found["form"]["requests"] == {"cpu": "4", "memory": "1Gi"}
    smaller = {**found["form"], "requests": {"cpu": "2", "memory": "1Gi"}}
    answer = tried(handler, form=smaller, workload=WORKLOAD)
    assert answer["verdict"] == "admitted"
    same = tried(handler, form=found["form"], workload=WORKLOAD)
    # It is the third of three: the one that it replaces is gone.
    assert "position 3 of 3" in same["jobs"][0]["now"][0]


def test_what_the_api_server_refuses_has_its_place(handler: Handler) -> None:
    text = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: train\n  namespace: team-b\n"
    text += "  labels: {kueue.x-k8s.io/queue-name: main}\nspec: {parallelism: -1}\n"
    found = tried(handler, text=text)
    assert found["verdict"] == "refused"
    assert found["problems"][0]["place"]["file"] == "job.yaml"
    assert found["problems"][0]["field"] == "spec.parallelism"
    with pytest.raises(InputError):
        handler.answer({"do": "keepJob", "text": text})


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ({"text": "{apiVersion: v1, kind: Namespace, metadata: {name: a}}"}, InputError),
        ({"text": "x", "at": "soon"}, InputError),
        ({"workload": "nobody"}, UnknownObjectError),
    ],
)
def test_what_cannot_be_tried_is_an_error(
    handler: Handler, command: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        tried(handler, **command)


def test_an_alternative_is_kept_as_a_branch(handler: Handler) -> None:
    job = form(handler, requests={"cpu": "4"}, name="train")
    found = tried(handler, form=job)["jobs"][0]["instead"][0]
    opened = handler.answer({"do": "keepJob", "form": job, "change": found["number"]})
    assert opened["branch"] == "two-teams: train"
    table = handler.answer({"do": "workloads", "search": "train"})
    assert [row["phase"] for row in table["rows"]] == ["Admitted"]
    handler.answer({"do": "undo"})
    with pytest.raises(InputError):
        handler.answer({"do": "keepJob", "form": job, "change": 99})


def test_a_job_is_tried_after_the_changes_of_a_branch(handler: Handler) -> None:
    job = form(handler, requests={"cpu": "2"}, name="first")
    branch = handler.answer({"do": "keepJob", "form": job})["branch"]
    again = form(handler, requests={"cpu": "2"}, name="second")
    assert tried(handler, form=again, branch=branch)["verdict"] == "pending"
    assert tried(handler, form=again, branch="two-teams")["verdict"] == "admitted"


def test_a_packaged_scenario_is_tried_at_a_time() -> None:
    handler = Handler()
    handler.answer({"do": "open", "source": "reclaim-1-take-back"})
    job = handler.answer({"do": "jobForm"})["form"]
    found = tried(handler, form=job, at="2s")
    assert found["moment"] == "Submitted 2s after the start"
