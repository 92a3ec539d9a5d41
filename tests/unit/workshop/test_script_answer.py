"""An answer that is Python is checked in a process of its own, and nothing written is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from kueuelab import workshop
from kueuelab.errors import InputError
from kueuelab.workshop.exercise import Exercise
from kueuelab.workshop.progress import Progress
from kueuelab.workshop.script_answer import ScriptAnswer

NAME = "external-dispatcher"
WRONG = """\
from kueuelab.multikueue import Nomination


def dispatch(view):
    return Nomination(view.clusters)
"""
#: What would be seen if it ran in the process of the test.
SPY = "import os\nos.environ['KUEUELAB_SPY'] = 'here'\n"


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    return workshop.exercise(NAME, tmp_path / NAME, progress=tmp_path / "progress.json")


def test_it_begins_with_the_script_of_the_exercise(exercise: Exercise) -> None:
    answer = ScriptAnswer(exercise)
    assert answer.text == exercise.spec.first_script
    assert not answer.file.exists()


def test_it_runs_elsewhere_and_progress_keeps_its_text(
    exercise: Exercise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KUEUELAB_SPY", raising=False)
    import os

    feedback = ScriptAnswer(exercise).check(SPY + WRONG)
    assert not feedback.passed
    assert any(each.passed for each in feedback.verdicts), "it was played"
    assert "KUEUELAB_SPY" not in os.environ
    assert Progress(tmp_path / "progress.json").of(NAME).answer == SPY + WRONG
    assert (exercise.folder / "answer.py").read_text("utf-8") == SPY + WRONG


def test_what_is_not_python_is_named_at_its_line_and_kept(exercise: Exercise) -> None:
    answer = ScriptAnswer(exercise)
    with pytest.raises(InputError, match="not Python") as caught:
        answer.check("def dispatch(view):\n    return (\n")
    (problem,) = caught.value.problems
    assert problem.location is not None
    assert problem.location.line == 2
    assert answer.file.read_text("utf-8").startswith("def dispatch")


def test_a_script_that_was_written_by_other_means_is_kept_beside_it(exercise: Exercise) -> None:
    answer = ScriptAnswer(exercise)
    answer.file.parent.mkdir()
    answer.file.write_text("# mine\n", "utf-8")
    with pytest.raises(InputError):
        answer.check("(")
    assert answer.kept is not None
    assert answer.kept.read_text("utf-8") == "# mine\n"
    # What was written here is replaced.
    with pytest.raises(InputError):
        answer.check("((")
    assert answer.kept is None
