"""The verdict on each rule and check of an exercise: played here, or on a real cluster."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.workshop.checks import Played
from kueuelab.workshop.feedback import Verdict
from kueuelab.workshop.finding import Finding
from kueuelab.workshop.live_check import (
    CannotBePlayedError,
    CasePlayer,
    play_on_cluster,
    unplayable,
    verdict_on,
)
from kueuelab.workshop.play import Submission, play
from kueuelab.workshop.scripts import DispatcherError
from kueuelab.workshop.spec import Case, ExerciseSpec

__all__ = ["verdicts_on"]


def verdicts_on(
    spec: ExerciseSpec, submission: Submission, player: CasePlayer | None = None
) -> Iterator[Verdict]:
    """Yield the verdicts on what was handed in: of the rules, then of each case.

    Parameters
    ----------
    spec
        The exercise.
    submission
        What was handed in.
    player
        A real cluster to play the cases on; the simulator by default.
    """
    say = spec.texts.text
    for rule in spec.rules:
        finding = rule.broken_by(submission.answer.changes)
        yield Verdict(rule.id, "", say(f"check.{rule.id}"), finding)
    if player is not None:
        _report_cases_not_judged(spec, submission, player)
    for case in spec.cases:
        if player is None:
            yield from _of_case(spec, case, submission)
        else:
            yield from _of_case_on_cluster(spec, case, submission, player)


def _of_case(spec: ExerciseSpec, case: Case, submission: Submission) -> Iterator[Verdict]:
    say = spec.texts.text
    played: Played | None = None
    stopped: Finding | None = None
    try:
        played = play(spec, case, submission)
    except DispatcherError as error:
        stopped = Finding("workshop.found.dispatcherFailed", {"error": str(error)})
    for check in case.checks:
        finding = stopped if played is None else check.failed(played)
        yield Verdict(check.id, case.id, say(f"check.{check.id}"), finding, played)


def _report_cases_not_judged(
    spec: ExerciseSpec, submission: Submission, player: CasePlayer
) -> None:
    """Report them first: playing the other cases takes minutes."""
    say = spec.texts.text
    for case in spec.cases:
        finding = unplayable(spec, case, submission, player)
        if finding is not None:
            player.tell(f"{say(f'case.{case.id}')} {say(finding.message, **finding.values)}")


def _of_case_on_cluster(
    spec: ExerciseSpec, case: Case, submission: Submission, player: CasePlayer
) -> Iterator[Verdict]:
    say = spec.texts.text
    played: Played | None = None
    skipped: Finding | None = None
    try:
        played = play_on_cluster(spec, case, submission, player)
    except CannotBePlayedError as error:
        skipped = error.finding
    for check in case.checks:
        finding, why = (None, skipped) if played is None else verdict_on(check, played)
        yield Verdict(check.id, case.id, say(f"check.{check.id}"), finding, played, why)
