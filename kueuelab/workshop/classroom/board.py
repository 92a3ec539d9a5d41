"""What the board shows: each learner, each exercise, and where the class is stuck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from kueuelab.messages import Catalog
from kueuelab.workshop.classroom.store import StoredAttempt
from kueuelab.workshop.spec import ExerciseSpec

__all__ = [
    "Board",
    "ExerciseRow",
    "LearnerRow",
    "Obstacle",
    "State",
    "board_of",
    "distinct_names",
    "grouped",
]

#: ``judging``: not checked again yet; ``unusable``: the answer cannot be used; ``unconfirmed``: it
#: was sent as solved, and does not pass here; ``unchecked``: it was sent as solved, and is not
#: checked again here.
State: TypeAlias = Literal["judging", "solved", "open", "unusable", "unconfirmed", "unchecked"]


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A check that fails: what the learner takes for right, and is not.

    Attributes
    ----------
    exercise
        The title of the exercise.
    check
        What should come true, in a sentence.
    case
        The case in which it does not; empty for a rule about the answer.
    learners
        The learners whose last answer fails here.
    """

    exercise: str
    check: str
    case: str
    learners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LearnerRow:
    """One learner: at which exercise, after how many tries, with which result.

    Attributes
    ----------
    name
        The chosen name; a second learner of the same name has a number.
    exercise
        The title of the exercise that was checked last.
    tries
        How often it was checked.
    state
        What the last answer is worth, as it was checked again here.
    passed, of
        How many checks pass, and how many there are; as the learner sent it if it is not checked
        again here.
    obstacle
        The first check that fails, or why the answer cannot be used.
    solved
        How many exercises are solved.
    unchecked
        How many more were sent as solved, and are not checked again here.
    received
        When the last attempt came, in seconds since 1970.
    """

    name: str
    exercise: str
    tries: int
    state: State
    passed: int
    of: int
    obstacle: str
    solved: int
    unchecked: int
    received: float


@dataclass(frozen=True, slots=True)
class ExerciseRow:
    """One exercise: how many learners solved it, how many try it, with how many tries.

    ``unchecked`` learners sent it as solved, and their answers are not checked again here.
    """

    title: str
    solved: int
    unchecked: int
    trying: int
    tries: int


@dataclass(frozen=True, slots=True)
class Board:
    """All that the board shows.

    Attributes
    ----------
    learners, exercises, obstacles
        Its rows; obstacles that more learners have come first.
    tries
        How many attempts were stored.
    judging
        How many of them are still to be checked again.
    """

    learners: tuple[LearnerRow, ...]
    exercises: tuple[ExerciseRow, ...]
    obstacles: tuple[Obstacle, ...]
    tries: int
    judging: int


def board_of(
    attempts: Sequence[StoredAttempt],
    specs: Sequence[ExerciseSpec],
    unchecked: Collection[str] = (),
) -> Board:
    """Return the board of attempts, in the order in which they came.

    Parameters
    ----------
    attempts
        The attempts.
    specs
        The exercises.
    unchecked
        The exercises whose answers are not checked again here.
    """
    known = {spec.name: spec for spec in specs}
    learners = grouped(attempts, lambda each: each.attempt.learner)
    names = distinct_names(learners)
    states = {each.attempt.id: _state(each, unchecked) for each in attempts}
    rows = [_learner_row(names[one], known, own, states) for one, own in learners.items()]
    return Board(
        tuple(sorted(rows, key=lambda row: row.name.casefold())),
        tuple(_exercise_rows(attempts, known, states)),
        tuple(_obstacles(learners, names, known, states)),
        len(attempts),
        sum(state == "judging" for state in states.values()),
    )


def grouped(
    attempts: Iterable[StoredAttempt], key: Callable[[StoredAttempt], str]
) -> dict[str, list[StoredAttempt]]:
    """Return attempts by a key, in their order."""
    found: dict[str, list[StoredAttempt]] = {}
    for each in attempts:
        found.setdefault(key(each), []).append(each)
    return found


def distinct_names(learners: Mapping[str, list[StoredAttempt]]) -> dict[str, str]:
    """Return a name for each learner that no other has."""
    seen: Counter[str] = Counter()
    names = {}
    for learner, own in learners.items():
        name = own[-1].attempt.name
        seen[name] += 1
        names[learner] = name if seen[name] == 1 else f"{name} ({seen[name]})"
    return names


def _state(stored: StoredAttempt, unchecked: Collection[str]) -> State:
    judgement = stored.judgement
    if judgement is None:
        if stored.attempt.exercise not in unchecked:
            return "judging"
        return "unchecked" if stored.sent_as_solved else "open"
    if judgement.solved:
        return "solved"
    if stored.sent_as_solved:
        return "unconfirmed"
    return "unusable" if judgement.problem else "open"


def _learner_row(
    name: str,
    known: Mapping[str, ExerciseSpec],
    own: Sequence[StoredAttempt],
    states: Mapping[str, State],
) -> LearnerRow:
    last = own[-1]
    exercise = last.attempt.exercise
    state = states[last.attempt.id]
    counted = last.judgement or last.attempt
    solved = _exercises(own, states, "solved")
    return LearnerRow(
        name,
        _title(known, exercise),
        sum(each.attempt.exercise == exercise for each in own),
        state,
        0 if state == "judging" else counted.passed,
        0 if state == "judging" else counted.of,
        _obstacle(last, known),
        len(solved),
        len(_exercises(own, states, "unchecked") - solved),
        last.received,
    )


def _exercises(own: Sequence[StoredAttempt], states: Mapping[str, State], state: State) -> set[str]:
    """Return the exercises of which an attempt is in a state."""
    return {each.attempt.exercise for each in own if states[each.attempt.id] == state}


def _title(known: Mapping[str, ExerciseSpec], exercise: str) -> str:
    return known[exercise].title if exercise in known else exercise


def _obstacle(stored: StoredAttempt, known: Mapping[str, ExerciseSpec]) -> str:
    judgement, spec = stored.judgement, known.get(stored.attempt.exercise)
    if judgement is None or not (judgement.failed or judgement.problem):
        return ""
    if judgement.problem or spec is None:
        return judgement.problem.partition("\n")[0][:_LONGEST]
    return _check(spec.texts, judgement.failed[0][1])


_LONGEST: Final = 200


def _check(texts: Catalog, check: str) -> str:
    return texts.text(f"check.{check}")


def _exercise_rows(
    attempts: Sequence[StoredAttempt],
    known: Mapping[str, ExerciseSpec],
    states: Mapping[str, State],
) -> Iterable[ExerciseRow]:
    by_exercise = grouped(attempts, lambda each: each.attempt.exercise)
    for name in [*known, *(each for each in by_exercise if each not in known)]:
        own = by_exercise.get(name, [])
        if own:
            by_state = grouped(own, lambda each: states[each.attempt.id])
            solved = {each.attempt.learner for each in by_state.get("solved", ())}
            sent = {each.attempt.learner for each in by_state.get("unchecked", ())} - solved
            trying = {each.attempt.learner for each in own} - solved - sent
            title = _title(known, name)
            yield ExerciseRow(title, len(solved), len(sent), len(trying), len(own))


def _obstacles(
    learners: Mapping[str, Sequence[StoredAttempt]],
    names: Mapping[str, str],
    known: Mapping[str, ExerciseSpec],
    states: Mapping[str, State],
) -> Iterable[Obstacle]:
    """Return the checks that fail in the learners' last answers to what they did not solve."""
    stuck: dict[tuple[str, str, str], list[str]] = {}
    for learner, own in learners.items():
        solved = _exercises(own, states, "solved")
        last = {each.attempt.exercise: each for each in own}
        for exercise, stored in last.items():
            if exercise in solved or exercise not in known or stored.judgement is None:
                continue
            for case, check in stored.judgement.failed[:1]:
                stuck.setdefault((exercise, case, check), []).append(names[learner])
    for (exercise, case, check), group in sorted(stuck.items(), key=lambda each: -len(each[1])):
        spec = known[exercise]
        yield Obstacle(
            spec.title,
            _check(spec.texts, check),
            spec.texts.text(f"case.{case}") if case else "",
            tuple(sorted(group, key=str.casefold)),
        )
