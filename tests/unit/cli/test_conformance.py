"""``kueuelab conformance`` on recorded cases, good, wrong and damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kueuelab.cli import app
from kueuelab.conformance import read_cases
from kueuelab.conformance.replay import replay_case

CURATED = Path(__file__).parents[2] / "conformance" / "curated-preemption-policies.jsonl.gz"
runner = CliRunner()


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Two cases: one as the simulator plays it, one with another time in its last step."""
    path = tmp_path / "cases.jsonl"
    lines = []
    for number, case in enumerate(list(read_cases(CURATED))[:2]):
        expect = list(replay_case(case))
        if number == 1:
            expect[-1] = {**expect[-1], "time": "2030-01-01T00:00:00Z"}
        record: dict[str, Any] = {
            "name": f"case-{number}",
            "objects": case.objects,
            "configuration": case.configuration,
            "steps": case.steps,
            "expect": expect,
        }
        lines.append(json.dumps(record))
    path.write_text("\n".join(lines))
    return path


def test_all_passed(recorded: Path) -> None:
    result = runner.invoke(app, ["conformance", str(recorded), "--limit", "1", "--jobs", "1"])
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-2:] == ["0 not modelled", "1 passed, 0 failed"]


def test_failure_exits_with_1(recorded: Path) -> None:
    result = runner.invoke(app, ["conformance", str(recorded)])
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith("FAILED case-1 (")
    assert lines[-1] == "1 passed, 1 failed"


def test_folder_stands_for_its_files(recorded: Path) -> None:
    (recorded.parent / "notes.txt").write_text("no cases")
    result = runner.invoke(app, ["conformance", str(recorded.parent), "--fail-fast", "--jobs", "1"])
    assert result.stdout.splitlines()[-1] == "1 passed, 1 failed"


def test_json(recorded: Path) -> None:
    result = runner.invoke(app, ["conformance", str(recorded), "--json", "--jobs", "1"])
    report = json.loads(result.stdout)
    assert (report["passed"], report["failed"], report["notModelled"]) == (1, 1, 0)
    assert report["files"][0]["failed"][0]["differences"][0]["path"] == "time"


def test_diff_of_one_case(recorded: Path) -> None:
    arguments = ["conformance", str(recorded), "--case", "case-1", "--diff", "--jobs", "1"]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 1
    assert "case case-1 (" in result.stdout
    assert "  DIFFERS time" in result.stdout
    assert "case case-0" not in result.stdout


def test_diff_without_names_shows_what_fails(recorded: Path) -> None:
    result = runner.invoke(app, ["conformance", str(recorded), "--diff", "--jobs", "1"])
    assert result.stdout.startswith("case case-1 (")


def test_unknown_case_is_bad_input_with_a_suggestion(recorded: Path) -> None:
    result = runner.invoke(app, ["conformance", str(recorded), "--case", "case-11", "--jobs", "1"])
    assert result.exit_code == 2
    assert "there is no case named 'case-11'. Did you mean 'case-1'?" in result.stderr


def test_damaged_line_is_bad_input_and_the_rest_is_checked(recorded: Path) -> None:
    with recorded.open("a") as file:
        file.write("\n{")
    result = runner.invoke(app, ["conformance", str(recorded), "--jobs", "1"])
    assert result.exit_code == 2
    assert f"{recorded}:3: this is not JSON" in result.stderr
    assert result.stdout.splitlines()[-1] == "1 passed, 1 failed"


def test_report_in_another_language(recorded: Path) -> None:
    result = runner.invoke(
        app, ["--language", "en-XA", "conformance", str(recorded), "--diff", "--jobs", "1"]
    )
    assert result.exit_code == 1
    plain = ("FAILED", "DIFFERS", "expected", "got ", "passed", "starts at", "not modelled")
    assert [words for words in plain if words in result.stdout] == []


def test_damaged_case_in_another_language(recorded: Path) -> None:
    recorded.write_text('{"name": "a", "steps": 3}\n')
    command = ["--language", "en-XA", "conformance", str(recorded), "--jobs", "1"]
    result = runner.invoke(app, command)
    assert result.exit_code == 2
    assert "must be" not in result.stderr
    assert "case a:" not in result.stderr
