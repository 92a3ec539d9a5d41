"""``kueuelab exercise`` and ``kueuelab init``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kueuelab import workshop
from kueuelab.cli import app

runner = CliRunner()
NAME = "within-a-team"


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUEUELAB_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.chdir(tmp_path)


def called(*arguments: str, code: int = 0) -> str:
    result = runner.invoke(app, ["exercise", *arguments])
    assert result.exit_code == code, result.output
    return result.stdout


def data(*arguments: str, code: int = 0) -> Any:
    return json.loads(called(*arguments, "--json", code=code))


def test_an_exercise_from_start_to_end(tmp_path: Path) -> None:
    assert "Which job makes room within a team?" in called("start", NAME)
    assert "Not solved yet" in called("check", NAME, code=1)
    assert called("hint", NAME).startswith("Hint 1 of 3:")
    answer = tmp_path / NAME / "answer.yaml"
    text = answer.read_text("utf-8")
    answer.write_text(text.replace(": Never", ": LowerPriority"), "utf-8")
    assert "you changed it, it was not overwritten" in called("start", NAME)
    assert called("check", NAME).startswith("Solved")
    assert f"1 of {len(workshop.names())} solved" in called("progress")
    assert "is kept in" in called("reset", NAME)
    assert "0 of" in called("progress")


def test_an_answer_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "answer.yaml").write_text("kind: Nothing\n", "utf-8")
    assert "answer.yaml:1" in called("check", NAME, code=2)


def test_everything_as_json(tmp_path: Path) -> None:
    rows = data("list")
    assert [row["name"] for row in rows] == list(workshop.names())
    assert {row["state"] for row in rows} == {"new"}
    assert {each["outcome"] for each in data("start", NAME)["files"]} == {"written"}
    feedback = data("check", NAME, code=1)
    assert not feedback["passed"]
    wrong = [check for check in feedback["checks"] if not check["passed"]]
    assert all(check["happened"] and check["step"] is not None for check in wrong)
    assert data("hint", NAME)["hints"] == 1
    assert data("hint", NAME, "--reveal")["text"] == "There are more hints; read them first."
    assert data("progress")["exercises"][NAME]["checks"] == 1
    assert data("reset", NAME)["exercise"] == NAME


def test_the_list_is_ordered_by_topic() -> None:
    text = called("list")
    topics = [
        "Quotas and cohorts",
        "Preemption",
        "Queues and order",
        "Fair sharing",
        "Admission checks and pods",
        "MultiKueue",
        "Capacity",
        "Topologies",
    ]
    rows = text.partition("\n\n")[0]
    assert [line for line in rows.splitlines() if not line.startswith(" ")] == topics


def test_an_unknown_exercise() -> None:
    result = runner.invoke(app, ["exercise", "check", "nothing"])
    assert result.exit_code == 2
    assert "there is no exercise named 'nothing'" in result.stderr


def test_init_again_leaves_work_alone(tmp_path: Path) -> None:
    first = runner.invoke(app, ["init", "course"])
    assert first.exit_code == 0, first.output
    assert (tmp_path / "course" / "notebooks" / "01-first-preemption.ipynb").exists()
    mine = tmp_path / "course" / "exercises" / NAME / "answer.yaml"
    mine.write_text("# mine\n", "utf-8")
    again = runner.invoke(app, ["init", "course"])
    assert (
        f"{Path('course/exercises') / NAME / 'answer.yaml'}: you changed it, it was not overwritten"
        in again.stdout
    )
    assert mine.read_text("utf-8") == "# mine\n"
    rows = json.loads(runner.invoke(app, ["init", "course", "--json"]).stdout)["files"]
    assert {row["outcome"] for row in rows} == {"unchanged", "kept"}


def test_a_failed_check_says_how_to_open_the_stepper_there() -> None:
    called("start", NAME)
    lines = called("check", NAME, code=1).splitlines()
    number = next(i for i, line in enumerate(lines) if line.strip().startswith("See: "))
    step = lines[number - 1].strip().partition(":")[0]
    command = lines[number].partition("See: kueuelab exercise ")[2].split()
    shown = called(*command, "--keys", "q")
    assert shown.startswith(step.replace("step", "Step"))
    opens = [check["open"] for check in data("check", NAME, code=1)["checks"] if check["open"]]
    assert f"kueuelab exercise {' '.join(command)}" in opens
    # An answer in another folder is found there, too.
    opened = data("check", NAME, "--folder", NAME, code=1)["checks"]
    assert any(f"--folder {NAME}" in (check["open"] or "") for check in opened)


def test_a_day_can_be_stepped_through() -> None:
    assert "cycle" in called("step", NAME, "--keys", "n")
    assert called("step", NAME, "--case", "friday", "--at", "1", "--keys", "q").startswith(
        "Step 1 "
    )
    for wrong, sentence in (
        (("--case", "fridy"), "Did you mean 'friday'?"),
        (("--at", "9999"), "there is no step 9999"),
    ):
        result = runner.invoke(app, ["exercise", "step", NAME, *wrong])
        assert result.exit_code == 2
        assert sentence in result.stderr


def test_the_map_is_shown_and_written(tmp_path: Path) -> None:
    assert called("map").startswith("Map of the exercises: 0 of ")
    assert called("list").splitlines()[-1] == called("map").splitlines()[-1]
    assert called("list").splitlines()[-1].startswith("Next: ")
    assert json.loads(called("map", "--json"))["next"] == "share-a-cohort"
    [following] = [row["name"] for row in json.loads(called("list", "--json")) if row["next"]]
    assert following == "share-a-cohort"
    picture = tmp_path / "map.svg"
    assert called("map", "-o", str(picture)) == f"The map is in {picture}.\n"
    assert picture.read_text("utf-8").startswith("<svg ")
