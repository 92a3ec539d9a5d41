"""A report on a class believes answers, not what files say of them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from isolated import isolation
from typer.testing import CliRunner

from kueuelab import workshop
from kueuelab.cli import app
from kueuelab.errors import KueueLabError
from kueuelab.multikueue import DispatchView, Nomination
from kueuelab.workshop.class_report import LearnerReport, class_report
from kueuelab.workshop.classroom.attempt import Attempt
from kueuelab.workshop.classroom.store import ClassStore
from kueuelab.workshop.confined import ConfinedDispatcher
from kueuelab.workshop.isolation import Isolation
from kueuelab.workshop.rechecking import Judgement
from kueuelab.workshop.scripts import DispatcherError
from kueuelab.workshop.submitted import script_of

NAME = "within-a-team"
CODE = "external-dispatcher"
HEAD = "from kueuelab.multikueue import Nomination\n"
SOLUTION = f"""{HEAD}
PRICES = {{"campus": 1, "partner": 2, "cloud-west": 3, "cloud-east": 4}}
PATIENCE = 60 * 1_000_000_000

def dispatch(view):
    print("what is printed is no answer")
    if view.waited is not None and view.waited < PATIENCE:
        return Nomination(None, PATIENCE - view.waited)
    left = [name for name in view.connected if name not in view.nominated]
    if not left:
        return Nomination(None)
    return Nomination((*view.nominated, min(left, key=PRICES.get)), PATIENCE)
"""
PATIENCE = 60


def solve(folder: Path, progress: Path) -> None:
    exercise = workshop.exercise(NAME, folder, progress=progress)
    exercise.answer(exercise.manifests.replace(": Never", ": LowerPriority"))
    assert exercise.check().passed


def edit(file: Path, exercise: str, **values: Any) -> None:
    data = (
        json.loads(file.read_text("utf-8"))
        if file.exists()
        else json.loads('{"format": "kueuelab-progress", "version": 3, "exercises": {}}')
    )
    data["exercises"].setdefault(exercise, {}).update(values)
    file.write_text(json.dumps(data), "utf-8")


def only(folder: Path) -> LearnerReport:
    (found,) = class_report(folder)
    return found


def test_an_answer_is_checked_again(tmp_path: Path) -> None:
    collected = tmp_path / "collected"
    solve(tmp_path / "work", collected / "ada.json")
    workshop.exercise(NAME, tmp_path / "b", progress=collected / "ben" / "progress.json").check()
    ada, ben = class_report(collected)
    assert (ada.learner, ada.solved, ada.results[0].state) == ("ada", 1, "solved")
    assert (ben.learner, ben.solved, ben.results[0].state) == ("ben", 0, "tried")


def test_an_edited_file_gains_nothing(tmp_path: Path) -> None:
    file = tmp_path / "collected" / "eve.json"
    workshop.exercise(NAME, tmp_path / "work", progress=file).check()
    edit(file, NAME, solved=True, passed=7, of=7)
    edit(file, "take-back", solved=True, passed=9, of=9, checks=1)
    found = only(file.parent)
    assert found.solved == 0
    assert [each.state for each in found.results] == ["unconfirmed", "unconfirmed"]


def test_a_later_wrong_try_does_not_replace_a_right_answer(tmp_path: Path) -> None:
    file = tmp_path / "collected" / "ada.json"
    solve(tmp_path / "work", file)
    exercise = workshop.exercise(NAME, tmp_path / "other", progress=file)
    exercise.answer(exercise.manifests)
    assert not exercise.check().passed
    assert only(file.parent).solved == 1


def test_a_damaged_file_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    collected = tmp_path / "collected"
    solve(tmp_path / "work", collected / "ada.json")
    (collected / "bad.json").write_text("{", "utf-8")
    ada, bad = class_report(collected)
    assert ada.solved == 1
    assert "bad.json" in bad.problem


def test_a_folder_without_files(tmp_path: Path) -> None:
    with pytest.raises(KueueLabError, match="no progress files and no store"):
        list(class_report(tmp_path))


def sent(learner: str, name: str, answer: str, passed: int, number: int) -> Attempt:
    return Attempt(f"{number:032x}", learner * 32, name, NAME, passed, 7, answer)


def test_the_store_of_a_served_class_is_read(tmp_path: Path) -> None:
    """Judged or not: an answer that passes counts, also if a later one does not."""
    start = workshop.exercise(NAME).manifests
    right = start.replace(": Never", ": LowerPriority")
    store = ClassStore(tmp_path)
    attempts = [
        sent("a", "Ada", right, 7, 1),
        sent("a", "Ada", start, 5, 2),
        sent("b", "Ben", start, 7, 3),
        sent("c", "Ada", start, 5, 4),
    ]
    store.add(attempts)
    store.judge(attempts[0], Judgement(7, 7))
    store.close()
    found = {each.learner: each.results[0] for each in class_report(tmp_path)}
    assert {name: each.state for name, each in found.items()} == {
        "Ada": "solved",
        "Ada (2)": "tried",
        "Ben": "unconfirmed",
    }
    assert (found["Ada"].checks, found["Ada"].passed, found["Ada"].hints) == (2, 7, None)
    result = CliRunner().invoke(app, ["workshop", "report", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "Ada: 1 exercise is solved" in result.output
    assert f"{NAME}: not confirmed, 5 of 7 checks pass (tries: 1)" in result.output


def of_code(folder: Path, answer: str, wall: Isolation | None = None) -> LearnerReport:
    edit(folder / "ada.json", CODE, solved=True, answer=answer)
    (found,) = class_report(folder, wall)
    return found


def test_a_dispatcher_is_checked_again(tmp_path: Path) -> None:
    found = of_code(tmp_path, SOLUTION, isolation())
    assert found.results[0].state == "solved", found


def test_a_dispatcher_is_not_checked_again_unless_it_is_isolated(tmp_path: Path) -> None:
    found = of_code(tmp_path, SOLUTION)
    assert (found.results[0].state, found.solved, found.unchecked) == ("unchecked", 0, 1)
    result = CliRunner().invoke(app, ["workshop", "report", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "ada: 0 exercises are solved" in result.output
    assert f"{CODE}: sent as solved, not checked again (tries: 0)" in result.output
    assert "--recheck-code" in result.output


def test_the_report_checks_code_again_if_asked(tmp_path: Path) -> None:
    isolation()
    of_code(tmp_path, SOLUTION)
    result = CliRunner().invoke(app, ["workshop", "report", str(tmp_path), "--recheck-code"])
    assert result.exit_code == 0, result.output
    assert "ada: 1 exercise is solved" in result.output


@pytest.mark.parametrize("command", ["report", "serve", "certificate"])
def test_without_an_isolation_code_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    of_code(tmp_path, SOLUTION)
    arguments = {
        "report": [str(tmp_path)],
        "serve": [str(tmp_path), "--port", "0"],
        "certificate": [str(tmp_path / "ada.json"), "--name", "Ada"],
    }[command]
    result = CliRunner().invoke(app, ["workshop", command, *arguments, "--recheck-code"])
    assert result.exit_code != 0
    assert "bubblewrap" in str(result.exception) + result.output


def test_code_cannot_change_the_verdict(tmp_path: Path) -> None:
    """It reaches for what judges, in the process that it runs in: another one judges."""
    mark = tmp_path / "mark"
    cheat = f"""{HEAD}
import os, sys
from kueuelab.workshop import checks, exercise
from kueuelab.workshop.feedback import Verdict
Verdict.passed = property(lambda self: True)
exercise.Exercise.check = None
try:
    open({str(mark)!r}, "w").write("written")
except OSError:
    pass

def dispatch(view):
    return Nomination(view.clusters)
"""
    assert of_code(tmp_path, cheat, isolation()).results[0].state == "unconfirmed"
    assert not mark.exists()


def view() -> DispatchView:
    from kueuelab.manifests import load

    (workload,) = load(
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: a}, "
        "spec: {queueName: q, podSets: [{name: main, count: 1, template: {spec: {containers: "
        "[{name: c, resources: {requests: {cpu: 1}}}]}}}]}}"
    ).workloads
    return DispatchView(workload, ("w1",), ("w1",), (), None, 0, 0)


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "import os; os._exit(0)",
        "return bytearray(2**33)",
        "raise SystemExit",
        "return ['w1']",
    ],
)
@pytest.mark.skipif(os.name != "posix", reason="limits of processes are those of POSIX")
def test_code_that_exceeds_a_limit_or_fails(body: str) -> None:
    script = f"{HEAD}def dispatch(view):\n    {body}\n"
    with ConfinedDispatcher(script, cpu_seconds=1) as dispatch, pytest.raises(DispatcherError):
        dispatch(view())


def test_code_that_does_not_answer_is_ended() -> None:
    script = "import time\ntime.sleep(36000)\n"
    with ConfinedDispatcher(script, seconds=0.01) as dispatch, pytest.raises(DispatcherError):
        dispatch(view())


def nominate(each: DispatchView) -> Nomination:
    return Nomination(each.clusters, PATIENCE)


def dispatch_of_notebook(each: DispatchView) -> Nomination:
    return nominate(each)


def test_a_function_of_a_notebook_is_kept_with_what_it_uses() -> None:
    script = script_of(dispatch_of_notebook)
    with ConfinedDispatcher(script) as dispatch:
        assert dispatch(view()) == Nomination(("w1",), 60)
    assert script_of(lambda each: Nomination(None)) == ""
