"""Every exercise: what passes, what fails, and why."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from kueuelab import workshop
from kueuelab.errors import InputError
from kueuelab.files import write_text
from kueuelab.workshop import Exercise
from kueuelab.workshop.solution import solution_of

ANSWERS = Path(__file__).parent / "answers"
MANIFESTS = [spec.name for spec in workshop.specs() if spec.answer == "manifests"]

Opener = Callable[[str], Exercise]


def answers(name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml.safe_load((ANSWERS / f"{name}.yaml").read_text("utf-8"))
    return found


def solution(exercise: Exercise) -> Mapping[str, Mapping[str, Any]]:
    """Return what the solution hands in."""
    handed: list[Any] = []

    class Listener:
        def answer(self, given: Any) -> None:
            handed.append(given)

    exec(solution_of(exercise.spec.source), {"exercise": Listener()})
    return handed[-1]  # type: ignore[no-any-return]


def hand_in(exercise: Exercise, answer: Mapping[str, Any] | str) -> None:
    """Hand in manifests, or a script that begins as the learner's does."""
    if exercise.spec.answer == "manifests":
        exercise.answer(answer)
    else:
        exercise.folder.mkdir(exist_ok=True)
        begin = exercise.spec.first_script.partition("def dispatch")[0]
        write_text(exercise.folder / "answer.py", f"{begin}{answer}")


def failed_by(exercise: Exercise, answer: Mapping[str, Any] | str) -> set[str]:
    try:
        hand_in(exercise, answer)
    except InputError:
        return {"refused"}  # as the API server would
    feedback = exercise.check()
    if feedback.problems:
        return {"problems"}
    return {f"{verdict.case}/{verdict.check}" for verdict in feedback.failed}


def each(kind: str) -> list[Any]:
    return [
        pytest.param(name, answer, id=f"{name}-{number}")
        for name in workshop.names()
        for number, answer in enumerate(answers(name)[kind])
    ]


@pytest.mark.parametrize("name", workshop.names())
def test_the_start_fails(name: str, opened: Opener) -> None:
    feedback = opened(name).check()
    assert not feedback.passed
    assert not feedback.problems
    # It fails on a case that the learner sees, so that there is something to look at.
    shown = opened(name).spec.cases[0].id
    assert shown in {verdict.case for verdict in feedback.failed}


@pytest.mark.parametrize("name", MANIFESTS)
def test_the_solution_passes(name: str, opened: Opener) -> None:
    exercise = opened(name)
    exercise.answer(solution(exercise))
    begun = time.process_time()
    feedback = exercise.check()
    seconds = time.process_time() - begun
    assert feedback.passed, feedback.as_text()
    assert exercise.record.state == "solved"
    # Processor time, so that a busy machine counts for nothing; each takes less than one second.
    assert seconds < 10


@pytest.mark.parametrize("name", MANIFESTS)
def test_every_setting_of_the_solution_is_needed(name: str, opened: Opener) -> None:
    exercise = opened(name)
    whole = solution(exercise)
    fields = [(object_, path) for object_, values in whole.items() for path in values]
    assert fields
    for left_out in fields:
        rest = {
            object_: {path: value for path, value in values.items() if (object_, path) != left_out}
            for object_, values in whole.items()
        }
        assert failed_by(exercise, rest), left_out


@pytest.mark.parametrize(("name", "answer"), each("right"))
def test_a_different_right_answer_passes(name: str, answer: Any, opened: Opener) -> None:
    exercise = opened(name)
    if exercise.spec.answer == "manifests":
        assert answer != solution(exercise)
    hand_in(exercise, answer)
    feedback = exercise.check()
    assert feedback.passed, feedback.as_text()


@pytest.mark.parametrize(("name", "answer"), each("wrong"))
def test_a_wrong_answer_fails_for_its_reason(
    name: str, answer: Mapping[str, Any], opened: Opener
) -> None:
    exercise = opened(name)
    assert failed_by(exercise, answer["answer"]) == set(answer["fails"])
    feedback = exercise.check().as_text()
    for sentence in answer["says"]:
        assert sentence in feedback


@pytest.mark.parametrize("name", MANIFESTS)
def test_what_happened_is_reported_with_its_step(name: str, opened: Opener) -> None:
    feedback = opened(name).check()
    for verdict in feedback.failed:
        assert feedback.explanation_of(verdict), verdict.check
        if verdict.case:
            assert verdict.finding is not None
            assert verdict.finding.step is not None, verdict.check
    text = feedback.as_text()
    for values in solution(opened(name)).values():
        for value in values.values():
            if isinstance(value, str):
                assert value not in text.replace("MayStopSearch", "").split()


def test_there_are_28_exercises() -> None:
    assert len(workshop.names()) == 28
    assert {file.stem for file in ANSWERS.glob("*.yaml")} == set(workshop.names())


@pytest.mark.parametrize("name", workshop.names())
def test_there_are_other_answers_on_file(name: str) -> None:
    """One more right answer; three that look right, each with its reason and its feedback."""
    found = answers(name)
    assert found["right"]
    assert len(found["wrong"]) >= 3
    for wrong in found["wrong"]:
        assert re.match(r"[A-Z0-9a-z].*\.$", wrong["why"])
        assert wrong["fails"]
        assert wrong["says"]
    assert len({repr(wrong["answer"]) for wrong in found["wrong"]}) == len(found["wrong"])
    assert len({wrong["why"] for wrong in found["wrong"]}) == len(found["wrong"])
