"""Predictions are kept with the learner's progress, and come back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kueuelab import teaching
from kueuelab.errors import UnknownObjectError
from kueuelab.messages import english
from kueuelab.teaching.predictions import questions
from kueuelab.widgets.form_note import note
from kueuelab.workshop import Progress


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "progress.json"
    monkeypatch.setenv("KUEUELAB_PROGRESS", str(found))
    return found


def test_a_choice_is_kept_and_comes_back(file: Path) -> None:
    teaching.predict("01.1").choose("It stays pending")
    ((question, expected, was),) = teaching.recall("01").rows
    assert question == questions()["01.1"].question
    assert (expected, was) == ("It stays pending", "It preempts job-1")
    assert teaching.recall("02").rows == ()
    assert list(file.parent.iterdir()) == [file]


def test_the_first_answer_stays(file: Path) -> None:
    teaching.predict("01.1").choose("It stays pending")
    again = teaching.predict("01.1")
    assert "(x) It stays pending" in again.as_text()
    again.choose("It preempts job-1")
    assert Progress(file).predictions() == {"01.1": "It stays pending"}


def test_looking_at_a_question_writes_nothing(file: Path) -> None:
    teaching.predict("01.1")
    assert not file.exists()


def test_exercises_and_predictions_keep_each_other(file: Path) -> None:
    progress = Progress(file)
    progress.checked("take-back", 1, 3, "answer")
    progress.predicted("01.1", "It stays pending")
    progress.checked("take-back", 3, 3, "better")
    progress.checked("other", 0, 3)
    progress.forget("other")
    assert progress.predictions() == {"01.1": "It stays pending"}
    assert progress.of("take-back").solved


def test_progress_of_the_version_before_is_read(file: Path) -> None:
    Progress(file).checked("take-back", 3, 3, "answer")
    old = json.loads(file.read_text("utf-8"))
    del old["predictions"]
    file.write_text(json.dumps({**old, "version": 3}), "utf-8")
    Progress(file).predicted("01.1", "It stays pending")
    assert Progress(file).of("take-back").solved
    assert Progress(file).predictions() == {"01.1": "It stays pending"}


def test_an_unknown_question_is_named(file: Path) -> None:
    with pytest.raises(UnknownObjectError, match=r"99\.1"):
        teaching.predict("99.1")


def test_without_a_kernel_the_answer_is_behind_a_click() -> None:
    text = note("Which job?", "( ) a", english(), "a. It is first.")
    assert "<details>" in text
    assert text.index("Which job?") < text.index("<details>") < text.index("a. It is first.")


def test_progress_of_the_course(file: Path) -> None:
    teaching.predict("01.1").choose("It stays pending")
    found = teaching.progress()
    assert (found.answered, found.solved) == (1, 0)
    assert found.suggested
    assert found.questions == len(questions())
