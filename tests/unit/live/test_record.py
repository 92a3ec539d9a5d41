"""Recorded runs as cases: they pass, and with another decision in them they don't."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from stand_in import recordings, shared
from typer.testing import CliRunner

from kueuelab.cli import app
from kueuelab.conformance import check_file
from kueuelab.live.conformance_cases import cases_of, write_cases
from kueuelab.live.recordings import played_from

SCENARIOS = {
    "reclaim-within-cohort": 18,
    "borrow-within-cohort": 17,
    "priority-preemption": 18,
}
runner = CliRunner()


def recorded(name: str) -> list[dict[str, Any]]:
    return cases_of(played_from(shared(f"scenarios/{name}"), keep=True))


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("ending", ["json", "jsonl", "jsonl.gz"])
def test_a_recorded_run_is_judged_and_passes(name: str, ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"case.{ending}"
    folder = str(shared(f"scenarios/{name}"))
    result = runner.invoke(app, ["live", "record", folder, "-o", str(file)])
    assert result.exit_code == 0, result.output
    judged = runner.invoke(app, ["conformance", str(file), "--jobs", "1"])
    assert judged.exit_code == 0, judged.output
    assert judged.stdout.splitlines()[-1] == f"{SCENARIOS[name]} passed, 0 failed"


def test_the_whole_run_is_one_case_with_expectations_of_its_own() -> None:
    whole, *single = recorded("reclaim-within-cohort")
    operations = [step["op"] for step in whole["steps"]]
    assert operations.count("create") == operations.count("finish") == 6
    assert operations.count("complete-evictions") == 2
    assert sum("state" in each for each in whole["expect"]) == 8
    last = whole["expect"][-1]["state"]["workloads"]
    assert {c["type"] for each in last.values() for c in each["conditions"]} >= {"Finished"}
    assert len({case["name"] for case in (whole, *single)}) == 18


def failing(cases: list[dict[str, Any]], folder: Path) -> list[str]:
    file = folder / "changed.json"
    write_cases(cases, file)
    return [result.case for result in check_file(file).with_verdict("failed")]


def test_another_flavor_message_victim_or_course_fails(tmp_path: Path) -> None:
    """What a cluster decided is expected, not what the lab says."""
    cases = recorded("reclaim-within-cohort")
    assert failing(cases, tmp_path) == []
    places = {case["name"].rpartition("-")[2]: place for place, case in enumerate(cases)}
    admitted, preempts, waits = (places[verb] for verb in ("admitted", "preempts", "waits"))

    def changed(place: int, change: Any) -> list[str]:
        others = copy.deepcopy(cases)
        change(others[place]["expect"][0]["cycles"][0]["entries"][0])
        return failing(others, tmp_path)

    flavors = {"cpu": {"name": "other"}}
    assert changed(admitted, lambda e: e["podSets"][0].update(flavors=flavors)) == [
        cases[admitted]["name"]
    ]
    assert changed(preempts, lambda e: e["targets"].pop()) == [cases[preempts]["name"]]
    other = {"workload": "biology/job-x", "reason": "InClusterQueue"}
    assert changed(preempts, lambda e: e["targets"].append(other)) == [cases[preempts]["name"]]
    assert changed(waits, lambda e: e.update(message="no")) == [cases[waits]["name"]]
    text = json.dumps(cases[0]["expect"]).replace('"admission": null', '"admission": {}')
    assert failing([{**cases[0], "expect": json.loads(text)}], tmp_path) == [cases[0]["name"]]


def test_recording_takes_what_decisions_were_made_from() -> None:
    played = played_from(shared("scenarios/reclaim-within-cohort"))
    assert {decision.decided_from for decision in played.mirror.decisions} == {None}
    assert played.mirror.history == []


@pytest.mark.parametrize("folder", recordings(), ids=lambda folder: folder.name)
def test_every_recording_passes_its_own_conformance(folder: Path, tmp_path: Path) -> None:
    cases = cases_of(played_from(folder, keep=True))
    assert failing(cases, tmp_path) == []
    assert len({case["name"] for case in cases}) == len(cases)
    for case in cases:
        for expected in case["expect"]:
            for entry in (e for c in expected.get("cycles", ()) for e in c.get("entries", ())):
                targets = [target["workload"] for target in entry.get("targets", ())]
                assert len(set(targets)) == len(targets), case["name"]


def test_a_workload_that_is_rejected_before_nomination_is_no_entry() -> None:
    case = cases_of(played_from(shared("recorded/m14-inactive"), keep=True))[1]
    [cycle] = case["expect"][0]["cycles"]
    assert "entries" not in cycle
    message = "workload namespace doesn't match ClusterQueue selector"
    assert [entry["message"] for entry in cycle["inadmissible"]] == [message]


def test_kueues_own_deactivation_is_not_retold_as_a_users() -> None:
    whole = cases_of(played_from(shared("recorded/m10-ends"), keep=True))[0]
    asked = {step["workload"] for step in whole["steps"] if step["op"] == "set-active"}
    assert asked == {"mine/job-e2-93dd1"}  # which the scenario does
    states = [each["state"]["workloads"] for each in whole["expect"] if "state" in each]
    reasons = {c["reason"] for w in states[-1].values() for c in w["conditions"]}
    assert "DeactivatedDueToMaximumExecutionTimeExceeded" in reasons


def test_what_is_decided_between_two_writes_begins_a_new_part() -> None:
    """Kueue admits what was waiting before it has queued again what HoldAndDrain evicted."""
    cases = cases_of(played_from(shared("recorded/m05-stop"), keep=True))
    first, second, *single = (case["name"] for case in cases)
    assert (first, second) == ("m05-stop", "m05-stop-part-2")
    assert not any("-part-" in name for name in single)
    there = {w["metadata"]["name"]: w for w in cases[1]["objects"] if w["kind"] == "Workload"}
    assert there["job-h3-61e0f"]["status"]["admission"]["clusterQueue"] == "m05-a"
    assert any("state" in each for each in cases[1]["expect"])
