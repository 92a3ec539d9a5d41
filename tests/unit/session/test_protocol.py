"""The protocol: commands and answers as data, the same bytes each time, errors with a place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kueuelab.errors import InputError, KueueLabError
from kueuelab.messages import messages_in
from kueuelab.session.commands import COMMANDS, Open, Run, command_of
from kueuelab.session.handler import Handler
from kueuelab.session.schema import declarations_text, schema_text

ROOT = Path(__file__).parents[3]
WORKLOAD = "team-b/job-b-cpu-2-71f14"
#: {"open": {"source": "two-teams"}}
LINK = "eNqrVsovSM1TsqpWKs4vLUpOVbJSKinP1y1JTcwtVqqtBQCt4QsV"
#: More quota for cq-b.
QUOTA = {
    "object": "ClusterQueue/cq-b",
    "field": "spec.resourceGroups[0].flavors[generic].resources[cpu].nominalQuota",
    "value": "10",
}
#: A sweep of two runs.
SWEEP = {
    "quota": f"{QUOTA['object']}:{QUOTA['field']}",
    "amounts": ["4", "8"],
    "rates": [60.0],
    "jobs": 10,
    "runs": "10m",
    "request": "1",
}
#: A Job of team-b that is pending.
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: team-b, labels: {kueue.x-k8s.io/queue-name: main}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: train, resources: {requests: {cpu: 4}}}]
"""
#: What a page keeps of an exercise of which all hints were taken.
ALL_HINTS = json.dumps(
    {
        "format": "kueuelab-progress",
        "version": 5,
        "exercises": {"within-a-team": {"hints": 3}},
        "predictions": {},
    }
)
#: A story: a pending workload, a lever that is tried, and what it changes.
STORY: tuple[dict[str, Any], ...] = (
    {"do": "hello"},
    {"do": "open", "source": "two-teams"},
    {"do": "decide"},
    {"do": "load"},
    {"do": "overview"},
    {"do": "overview", "resource": "cpu"},
    {"do": "lint"},
    {"do": "pending"},
    {"do": "workloads", "search": "team-b", "sort": "age", "descending": True},
    {"do": "workloads", "priority": "10", "flavor": "generic", "owner": "Job", "group": "queue"},
    {"do": "workloadFilters"},
    {"do": "kubectl", "workloads": ["team-a/one", "team-b/two"]},
    {"do": "workload", "workload": WORKLOAD},
    {"do": "why", "workload": WORKLOAD, "step": 50},
    {"do": "levers", "workload": WORKLOAD},
    {"do": "cost", "workload": WORKLOAD, "lever": 1},
    {"do": "try", "workload": WORKLOAD, "lever": 0},
    {"do": "compare", "before": "two-teams", "after": "two-teams: quota"},
    {"do": "patch", "before": "two-teams", "after": "two-teams: quota"},
    {"do": "upgrade", "before": "v0.18.6", "after": "v0.19.2"},
    {"do": "undo"},
    {"do": "redo"},
    {"do": "objects", "object": "ClusterQueue/cq-b", "branch": "two-teams"},
    {
        "do": "edit",
        "object": "cluster-queue/cq-b",
        "values": {"spec.stopPolicy": "Hold"},
        "branch": "two-teams",
    },
    {"do": "run", "until": 0},
    {"do": "frames"},
    {"do": "frames", "question": {"ask": "find", "text": "cpu-2"}},
    {"do": "workload", "workload": "team-a/job-a-gpu-1-5bad9"},
    {"do": "open", "source": "lost-worker"},
    {"do": "clusters"},
    {"do": "placement", "workload": "default/train"},
    {"do": "faults", "step": 80, "cluster": "w1"},
    {"do": "fault", "fault": "disconnect", "step": 80, "cluster": "w1"},
    {"do": "build"},
    {"do": "buildBegin", "shape": "teams-that-share", "name": "mine"},
    {"do": "buildAdd", "kind": "Cohort"},
    {"do": "buildAdd", "kind": "ClusterQueue", "parent": "Cohort/cohort-1"},
    {"do": "buildRename", "object": "ClusterQueue/team-1", "name": "team-c"},
    {"do": "buildMove", "object": "ClusterQueue/team-c", "parent": "Cohort/company"},
    {"do": "buildField", "object": "ClusterQueue/team-c", "field": "spec.stopPolicy"},
    {
        "do": "buildQuota",
        "object": "ClusterQueue/team-c",
        "flavor": "default",
        "resource": "memory",
    },
    {"do": "buildForm", "object": "ClusterQueue/team-c"},
    {"do": "buildRemove", "object": "ClusterQueue/team-c"},
    {"do": "buildJob", "queue": "team-b-jobs", "requests": "cpu: 12", "runs": "1m"},
    {"do": "buildJob", "queue": "team-a-jobs"},
    {"do": "buildJob", "queue": "team-a-jobs", "name": "gone"},
    {"do": "buildJobs", "jobs": 2, "queue": "team-a-jobs", "pods": "1, 2", "runs": "1m"},
    {"do": "undo"},
    {"do": "buildDeleteJob", "job": "gone"},
    {"do": "buildPool"},
    {"do": "buildDeletePool", "number": 0},
    {"do": "buildComplete", "text": "kind: Scen", "line": 0, "column": 10},
    {"do": "buildRun"},
    {"do": "buildExport", "kind": "manifests"},
    {"do": "buildText", "text": "kind: ["},
    {"do": "settings", "language": "en", "release": "v0.18.6"},
    {"do": "link", "branch": "two-teams"},
    {"do": "openLink", "link": LINK},
    {"do": "quotas", "workload": WORKLOAD, "branch": "two-teams"},
    {"do": "tryQuotas", "workload": WORKLOAD, "settings": [QUOTA], "branch": "two-teams"},
    {"do": "keepQuotas", "workload": WORKLOAD, "settings": [QUOTA], "branch": "two-teams"},
    {"do": "capacity", "branch": "two-teams"},
    {"do": "capacityPlan", "sweep": SWEEP, "branch": "two-teams"},
    {"do": "capacityCell", "sweep": SWEEP, "cell": 0, "branch": "two-teams"},
    {"do": "jobForm", "branch": "two-teams"},
    {"do": "tryJob", "text": JOB, "branch": "two-teams", "runs": "1m..1h"},
    {"do": "keepJob", "text": JOB, "branch": "two-teams"},
    {"do": "open", "source": "topology-10-fragmentation"},
    {"do": "topology", "step": 107},
    {"do": "preview", "name": "reclaim-1-take-back"},
    {"do": "drafts"},
    {"do": "exercises"},
    {"do": "exercise", "name": "within-a-team"},
    {"do": "exerciseCheck", "name": "within-a-team", "text": ""},
    {"do": "exerciseFrames", "name": "within-a-team", "case": "monday"},
    {"do": "exerciseHint", "name": "within-a-team"},
    {"do": "exerciseReveal", "name": "within-a-team", "progress": ALL_HINTS},
    {"do": "exerciseReset", "name": "within-a-team"},
)


def told(commands: tuple[dict[str, Any], ...] = STORY, handler: Handler | None = None) -> list[str]:
    handler = handler or Handler()
    return [handler.reply(json.dumps({"id": at, **each})) for at, each in enumerate(commands)]


@pytest.fixture(scope="module")
def replies() -> list[Any]:
    return [json.loads(each) for each in told()]


def answer(replies: list[Any], do: str, number: int = 0) -> Any:
    found = [reply for each, reply in zip(STORY, replies, strict=True) if each["do"] == do]
    return found[number]["answer"]


def test_the_schema_and_the_declarations_are_those_of_the_dataclasses() -> None:
    assert (ROOT / "docs" / "session.schema.json").read_text("utf-8") == schema_text()
    file = ROOT / "kueuelab" / "app" / "front" / "protocol.d.ts"
    assert file.read_text("utf-8") == declarations_text()


def test_every_message_of_a_story_is_as_the_schema_says(replies: list[Any]) -> None:
    schema = json.loads(schema_text())
    validator = Draft202012Validator(schema)
    for command in STORY:
        validator.validate(command)
    for command, reply in zip(STORY, replies, strict=True):
        assert "error" not in reply, (command, reply)
        validator.validate(reply)


def test_every_command_is_part_of_the_story() -> None:
    # Files are written on a machine only.
    assert {each["do"] for each in STORY} == set(COMMANDS) - {
        *("buildSave", "draftResume", "draftDiscard")
    }


def test_the_same_commands_give_the_same_bytes_in_every_process() -> None:
    code = (
        "import sys, json; from kueuelab.session.handler import Handler; handler = Handler()\n"
        "for line in sys.stdin: print(handler.reply(line))"
    )
    lines = "\n".join(json.dumps({"id": at, **each}) for at, each in enumerate(STORY))
    found = [
        subprocess.run(
            [sys.executable, "-c", code],
            input=lines,
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        ).stdout
        for seed in ("0", "77")
    ]
    assert found[0] == found[1] == "".join(f"{each}\n" for each in told())


def test_the_story_of_a_pending_job(replies: list[Any]) -> None:
    overview = answer(replies, "overview")
    assert [(each["count"], each["kind"]) for each in overview["causes"]] == [
        (2, "quota"),
        (1, "quota"),
    ]
    details = answer(replies, "workload")
    assert details["sentence"].startswith(
        "It does not fit: 4 cpu requested, 2 available in generic"
    )
    first = details["arithmetic"][0]
    assert (first["requested"]["text"], first["available"]["text"]) == ("4", "2")
    assert first["missing"]["text"] == "2"
    assert not first["fits"]
    lent = [(each["kind"], each["name"], each["amount"]["text"]) for each in first["shares"]]
    assert lent == [("lent", "cq-a", "2")]
    assert first["whose"] == "Whose cpu/generic that is: 2 lent by cq-a."
    assert "insufficient unused quota for cpu" in details["message"]
    assert {each["verdict"] for each in details["candidates"]} == {"excluded"}
    levers = answer(replies, "levers")["levers"]
    assert levers[0]["text"] == "raise the nominal quota of ClusterQueue cq-b by 2 cpu/generic"
    assert answer(replies, "try")["branch"] == "two-teams: quota"
    compared = answer(replies, "compare")
    assert [(each["workload"], each["tone"]) for each in compared["workloads"]] == [
        (WORKLOAD, "ok")
    ]
    assert answer(replies, "patch")["text"].startswith("apiVersion: kueue.x-k8s.io")


def test_quota_adds_up_to_what_is_used(replies: list[Any]) -> None:
    gpus = {each["name"]: each for each in answer(replies, "overview")["quota"]}
    queue = gpus["cq-a"]
    amounts = [queue[name]["value"] for name in ("nominal", "own", "borrowed", "lent")]
    assert amounts == [8, 8, 4, 0]
    assert gpus["cq-b"]["lent"]["value"] == 4
    assert gpus["org"]["pending"] == 3


def test_undo_and_redo_go_through_what_was_open(replies: list[Any]) -> None:
    undone, redone = answer(replies, "undo"), answer(replies, "redo")
    assert [each["name"] for each in undone["branches"]] == ["two-teams"]
    assert undone["redo"]
    assert [each["name"] for each in redone["branches"]] == ["two-teams", "two-teams: quota"]


def test_a_table_is_searched_sorted_and_sent_in_pages() -> None:
    handler = Handler()
    handler.answer({"do": "open", "source": "two-teams"})

    def names(**asked: Any) -> list[str]:
        page = handler.answer({"do": "workloads", **asked})
        return [row["name"] for row in page["rows"]]

    whole = names()
    assert len(whole) == 7
    assert names(start=2, count=2) == whole[2:4]
    assert sorted(names(search="b-cpu pending TEAM-B")) == [
        "job-b-cpu-1-05bb5",
        "job-b-cpu-2-71f14",
    ]
    assert names(sort="name") == sorted(whole, key=lambda name: ("b-" in name, name))
    assert names(sort="name", descending=True) == names(sort="name")[::-1]
    assert names(phase="Admitted") == [name for name in whole if name not in names(phase="Pending")]
    assert names(cause="quota cq-b generic/cpu") == ["job-b-cpu-1-05bb5", "job-b-cpu-2-71f14"]
    with pytest.raises(KueueLabError, match="column"):
        names(sort="colour")


@pytest.mark.parametrize(
    ("text", "field", "message"),
    [
        ("{", "", "It is not JSON"),
        ("[" * 100_000, "", "It is not JSON"),
        ("[]", "", "It is not an object"),
        ('{"do":"open","sauce":""}', "sauce", "There is no such field"),
        ('{"do":"workload"}', "workload", "The field is missing"),
        ('{"do":"try","workload":"a","lever":true}', "lever", "It is not a whole number"),
        ('{"do":"run","until":"1s"}', "until", "It is not a number"),
        ('{"do":"edit","object":"a/b","values":[]}', "values", "It is not an object"),
        ('{"do":"overview"}', "", "Nothing is open"),
        ('{"do":"undo"}', "", "There is no change to undo"),
    ],
)
def test_what_is_wrong_with_a_command_is_data(text: str, field: str, message: str) -> None:
    found = json.loads(Handler().reply(text))["error"]
    assert (found["problems"][0]["field"], found["message"]) == (field, message)


def test_a_mistake_in_a_file_has_its_line_and_changes_nothing() -> None:
    handler = Handler()
    handler.answer({"do": "open", "source": "two-teams"})
    before = handler.history
    text = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {nam: a}\n"
    reply = json.loads(handler.reply(json.dumps({"do": "open", "name": "q.yaml", "text": text})))
    place = reply["error"]["problems"][0]["place"]
    assert (place["file"], place["line"]) == ("q.yaml", 3)
    assert handler.history is before


def test_only_what_the_engine_allows_is_read(tmp_path: Path) -> None:
    file = tmp_path / "queues.yaml"
    file.write_text("{apiVersion: v1, kind: Namespace, metadata: {name: a}}", "utf-8")
    with pytest.raises(InputError):
        Handler().answer({"do": "open", "source": str(file)})
    asked: list[str] = []
    handler = Handler(require_openable=asked.append)
    assert handler.answer({"do": "open", "source": str(file)})["branch"] == "queues"
    assert asked == [str(file)]


def test_answers_are_in_the_language_of_the_reader() -> None:
    handler = Handler(messages_in("en-XA"))
    handler.answer({"do": "open", "source": "two-teams"})
    assert handler.answer({"do": "pending"})["sentence"].startswith("[!!")


def test_what_is_known_of_runs_that_are_closed_is_forgotten() -> None:
    handler = Handler()
    told(STORY[1:17], handler)
    assert len(handler._facts) == 2
    told(({"do": "undo"},), handler)
    assert len(handler._facts) == 1


def test_commands_have_defaults() -> None:
    assert command_of({"do": "open", "source": "two-teams"}) == Open("two-teams")
    assert command_of({"do": "run", "until": 3}) == Run(until=3)
    assert command_of({"do": "run", "until": None}) == Run()
