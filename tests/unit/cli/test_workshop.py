"""``kueuelab workshop``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kueuelab.cli import app
from kueuelab.workshop import class_report, preflight, rehearsal
from kueuelab.workshop.class_report import LearnerReport, Rechecked
from kueuelab.workshop.preflight import MachineCheck
from kueuelab.workshop.rehearsal import Rehearsed

runner = CliRunner()
READY = (MachineCheck("port", "port 1 is free"), MachineCheck("memory", "2.0 GiB are available"))
TAKEN = MachineCheck("port", "port 1 is taken", "Give another port")


def found(monkeypatch: pytest.MonkeyPatch, *checks: MachineCheck) -> list[tuple[object, ...]]:
    asked: list[tuple[object, ...]] = []

    def checks_of(port: int, seconds: float, *, browser: bool) -> Iterator[MachineCheck]:
        asked.append((port, seconds, browser))
        yield from checks

    monkeypatch.setattr(preflight, "preflight", checks_of)
    return asked


def test_a_machine_that_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = found(monkeypatch, *READY)
    result = runner.invoke(app, ["workshop", "preflight", "--port", "1", "--no-browser"])
    assert result.exit_code == 0, result.output
    assert result.stdout == "✓ ready: port 1 is free, 2.0 GiB are available\n"
    assert asked == [(1, 20, False)]


def test_a_machine_that_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, TAKEN, READY[1])
    result = runner.invoke(app, ["workshop", "preflight"])
    assert result.exit_code == 1
    assert result.stdout == "✗ port 1 is taken. Give another port\n"
    result = runner.invoke(app, ["workshop", "preflight", "--json"])
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert not data["ready"]
    assert [each["passed"] for each in data["checks"]] == [False, True]
    assert data["checks"][0]["hint"] == "Give another port"


@pytest.mark.slow
def test_this_machine() -> None:
    arguments = ["--port", "0", "--no-browser", "--seconds", "3600", "--json"]
    result = runner.invoke(app, ["workshop", "preflight", *arguments])
    checks = {each["check"]: each for each in json.loads(result.stdout)["checks"]}
    assert list(checks) == ["versions", "port", "memory", "first-view", "exercises"]
    # How much memory is free is a matter of the machine.
    assert all(each["passed"] for name, each in checks.items() if name != "memory"), checks


def test_a_rehearsal(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def results_of(chosen: Iterable[str]) -> Iterator[Rehearsed]:
        asked.append(list(chosen))
        yield Rehearsed("01-a", 2.04)
        yield Rehearsed("b", 30, "NameError: x")

    monkeypatch.setattr(rehearsal, "rehearse", results_of)
    result = runner.invoke(app, ["workshop", "rehearse", "01", "b"])
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "   2.0 s  01-a",
        "  30.0 s  b failed: NameError: x",
        "2 parts in 32 s, 1 failed",
    ]
    assert asked == [["01", "b"]]
    result = runner.invoke(app, ["workshop", "rehearse", "--json"])
    assert result.exit_code == 1
    assert json.loads(result.stdout) == {
        "seconds": 32.0,
        "failed": 1,
        "parts": [
            {"name": "01-a", "seconds": 2.0, "error": ""},
            {"name": "b", "seconds": 30, "error": "NameError: x"},
        ],
    }


def test_a_rehearsal_of_nothing_known() -> None:
    result = runner.invoke(app, ["workshop", "rehearse", "nothing"])
    assert result.exit_code == 2
    assert "there is no part of the course named 'nothing'" in result.stderr


def test_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = Rechecked("take-back", "unconfirmed", 3, 7, checks=2, hints=1)
    ada, bad = LearnerReport("ada", (result,)), LearnerReport("bad", problem="bad.json: broken")
    learners = [ada]
    monkeypatch.setattr(class_report, "class_report", lambda folder, wall: iter(learners))
    shown = runner.invoke(app, ["workshop", "report", str(tmp_path)])
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.splitlines() == [
        "ada: 0 exercises are solved",
        "  take-back: not confirmed, 3 of 7 checks pass (tries: 2, hints: 1)",
    ]
    learners.append(bad)
    shown = runner.invoke(app, ["workshop", "report", str(tmp_path), "--json"])
    assert shown.exit_code == 2
    first, second = json.loads(shown.stdout)
    assert first["results"][0]["state"] == "unconfirmed"
    assert second["problem"] == "bad.json: broken"
