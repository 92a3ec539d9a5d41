"""What a learner wrote is never overwritten: by no cell, `start`, `reset` or `init`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import kueuelab as kl
from kueuelab import workshop
from kueuelab.errors import InputError
from kueuelab.workshop import Exercise
from kueuelab.workshop.solution import solution_of
from kueuelab.workshop.starter import init_folder, start_exercise

SPECS = [pytest.param(spec, id=spec.name) for spec in workshop.specs()]
RIGHT = {"cluster-queue/research": {"spec.preemption.withinClusterQueue": "LowerPriority"}}
WRONG = {"cluster-queue/research": {"spec.preemption.withinClusterQueue": "Never"}}
OTHER = {
    "cluster-queue/research": {"spec.preemption.withinClusterQueue": "LowerOrNewerEqualPriority"}
}


def opened(name: str, folder: Path) -> Exercise:
    return workshop.exercise(name, folder, progress=folder / "progress.json")


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    return opened("within-a-team", tmp_path)


def unsolved_cell(spec: Any) -> str:
    """Return the code of the cell in which the learner answers, as it is delivered."""
    for cell in json.loads(spec.notebook.read_text("utf-8"))["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            return "".join(cell["source"])
    raise LookupError(spec.name)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        file.name: file.read_bytes()
        for file in folder.iterdir()
        if file.is_file() and file.name not in ("progress.json", ".kueuelab.json")
    }


@pytest.mark.parametrize("spec", SPECS)
def test_an_unsolved_cell_leaves_the_solved_answer_as_it_is(spec: Any, tmp_path: Path) -> None:
    start_exercise(spec.name, tmp_path)
    names: dict[str, Any] = {"exercise": opened(spec.name, tmp_path)}
    exec("import kueuelab as kl\nfrom kueuelab.multikueue import DispatchView, Nomination", names)
    if spec.answer == "manifests":
        exec(solution_of(spec.source), names)
        answer = tmp_path / "answer.yaml"
        answer.write_text("# my own words\n" + answer.read_text("utf-8"), "utf-8")
    else:
        (tmp_path / "answer.py").write_text("# mine\n", "utf-8")
    before = contents(tmp_path)
    names["exercise"] = opened(spec.name, tmp_path)
    exec(unsolved_cell(spec), names)
    assert contents(tmp_path) == before
    if spec.answer == "manifests":
        assert names["exercise"].check().passed


def test_an_unsolved_cell_says_what_it_leaves(exercise: Exercise) -> None:
    assert "changes nothing yet" in exercise.answer({"cluster-queue/research": {}}).text
    assert not exercise.file.exists()
    exercise.answer(RIGHT)
    told = exercise.answer({"cluster-queue/research": {}}).text
    assert f"{exercise.file} has another answer and is not changed" in told
    assert exercise.check().passed
    # An answer that sets what the start has is one all the same.
    own = "# mine\n" + exercise.file.read_text("utf-8")
    exercise.file.write_text(own, "utf-8")
    exercise.answer(WRONG)
    assert (exercise.folder / "answer.before.yaml").read_text("utf-8") == own
    assert exercise.file.read_text("utf-8") == exercise.manifests


@pytest.mark.parametrize("text", ["# not YAML: [", "\ufeff# mine\n", "kind: Nothing\n"])
def test_an_unsolved_cell_leaves_what_cannot_be_read(exercise: Exercise, text: str) -> None:
    exercise.file.write_text(text, "utf-8")
    exercise.answer({"cluster-queue/research": {}})
    assert exercise.file.read_text("utf-8") == text


def test_a_solved_cell_keeps_what_it_replaces_beside_it(exercise: Exercise) -> None:
    exercise.file.write_text("# mine\n", "utf-8")
    told = exercise.answer(RIGHT).text
    kept = exercise.folder / "answer.before.yaml"
    assert kept.read_text("utf-8") == "# mine\n"
    assert str(kept) in told
    # What a cell wrote is in the notebook.
    exercise.answer(OTHER)
    assert len(contents(exercise.folder)) == 2
    # The same in other words stays as it was written.
    own = "# mine, too\n" + exercise.file.read_text("utf-8")
    exercise.file.write_text(own, "utf-8")
    exercise.answer(OTHER)
    assert exercise.file.read_text("utf-8") == own
    exercise.answer(RIGHT)
    assert (exercise.folder / "answer.before-2.yaml").read_text("utf-8") == own


def test_reset_tells_all_that_it_kept(tmp_path: Path) -> None:
    exercise = opened("external-dispatcher", tmp_path)
    for name in ("answer.yaml", "answer.py"):
        (tmp_path / name).write_text(f"# {name}\n", "utf-8")
    told = exercise.reset().text
    for name in ("answer.before-reset.yaml", "answer.before-reset.py"):
        assert str(tmp_path / name) in told
        assert (tmp_path / name).read_text("utf-8").startswith("# answer.")


def test_start_and_init_leave_every_changed_file(tmp_path: Path) -> None:
    init_folder(tmp_path)
    note = tmp_path / ".kueuelab.json"
    mine = sorted(file for file in tmp_path.rglob("*") if file.is_file() and file != note)
    assert len(mine) > 30
    for file in mine:
        file.write_text(f"mine: {file.name}", "utf-8")
    assert {each.outcome for each in init_folder(tmp_path)} == {"kept"}
    for name in workshop.names():
        start_exercise(name, tmp_path / "exercises" / name)
        opened(name, tmp_path / "exercises" / name).reset()
    for file in mine:
        kept = [file, *file.parent.glob(f"{file.stem}.before-reset*")]
        assert f"mine: {file.name}" in [each.read_text("utf-8") for each in kept]


@pytest.mark.parametrize("text", ["[1]", "{", "3", "[" * 100_000, "\x00"])
def test_a_damaged_note_of_what_was_delivered_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / ".kueuelab.json").write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"\.kueuelab\.json: this cannot be read"):
        start_exercise("take-back", tmp_path)


def test_an_unsolved_notebook_ends_in_its_feedback(
    exercise: Exercise, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # IPython would look into an environment that is activated, and warn.
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    last = json.loads(exercise.spec.notebook.read_text("utf-8"))["cells"][-1]
    shell = InteractiveShell()
    shell.user_ns |= {"exercise": exercise, "kl": kl}
    result = shell.run_cell("".join(last["source"]))
    assert isinstance(result.error_in_exec, AssertionError)  # what nbgrader counts
    shown = capsys.readouterr()
    assert "Traceback" not in shown.out + shown.err
    assert "Not solved yet: 5 of 7 checks pass." in shown.out
    assert shown.out.strip() == exercise.check().as_text()
    # So does what can't be used at all.
    shell.run_cell("exercise.answer({'cluster-queue/reserch': {}})")
    shown = capsys.readouterr()
    assert shown.out.strip().endswith("Did you mean 'research'?")
    assert len(shown.out.strip().splitlines()) == 1
    exercise.answer(RIGHT)
    assert shell.run_cell("".join(last["source"])).success
