"""Every exercise: what passes, what fails, and why."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from kueuelab import workshop
from kueuelab.errors import InputError
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


def failed_by(exercise: Exercise, answer: Mapping[str, Any]) -> set[str]:
    try:
        exercise.answer(answer)
    except InputError:
        return {"refused"}  # as the API server would
    feedback = exercise.check()
    if feedback.problems:
        return {"problems"}
    return {f"{verdict.case}/{verdict.check}" for verdict in feedback.failed}


def each(kind: str) -> list[Any]:
    return [
        pytest.param(name, answer, id=f"{name}-{number}")
        for name in MANIFESTS
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
    assert answer != solution(exercise)
    exercise.answer(answer)
    feedback = exercise.check()
    assert feedback.passed, feedback.as_text()


@pytest.mark.parametrize(("name", "answer"), each("wrong"))
def test_a_wrong_answer_fails_for_its_reason(
    name: str, answer: Mapping[str, Any], opened: Opener
) -> None:
    exercise = opened(name)
    assert failed_by(exercise, answer["answer"]) == set(answer["fails"])
    feedback = exercise.check().as_text()
    for sentence in answer.get("says", ()):
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


@pytest.mark.parametrize("name", MANIFESTS)
def test_there_are_other_answers_on_file(name: str) -> None:
    """One more right answer, and three that look right, most with the feedback that they get."""
    found = answers(name)
    assert found["right"]
    assert len(found["wrong"]) >= 3
    assert sum("says" in wrong for wrong in found["wrong"]) >= 3
