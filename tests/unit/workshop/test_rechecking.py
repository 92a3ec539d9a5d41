"""Answers are judged in a process with limits; no answer ends more than that process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from isolated import isolation

from kueuelab import workshop
from kueuelab.workshop import rechecking
from kueuelab.workshop.class_report import class_report
from kueuelab.workshop.progress import Progress
from kueuelab.workshop.rechecking import LONGEST_ANSWER, Judgement, Rechecker

NAME = "within-a-team"
START = workshop.exercise(NAME).manifests
RIGHT = START.replace(": Never", ": LowerPriority")
WRONG = START.replace(": Never", ": LowerOrNewerEqualPriority")
#: Each line has nine times as many names as the one before.
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]\n"
    for old, new in zip("abcdefghi", "bcdefghij", strict=True)
)


@pytest.fixture(scope="module")
def rechecker() -> Iterator[Rechecker]:
    with Rechecker() as found:
        yield found


def test_a_right_answer_a_wrong_one_and_none(rechecker: Rechecker) -> None:
    right = rechecker.judge(NAME, RIGHT)
    assert right.solved
    assert (right.failed, right.problem) == ((), "")
    wrong = rechecker.judge(NAME, WRONG)
    assert not wrong.solved
    assert wrong.failed
    assert wrong.passed + len(wrong.failed) == wrong.of == right.of
    assert not rechecker.judge(NAME, "").solved


@pytest.mark.parametrize("answer", ["{", "kind: Pod", BOMB, "\0", "[" * 20_000, "!!python/none x"])
def test_what_cannot_be_used_is_no_answer(rechecker: Rechecker, answer: str) -> None:
    found = rechecker.judge(NAME, answer)
    assert found.problem
    assert not found.solved
    assert rechecker.judge(NAME, RIGHT).solved


def test_a_long_answer_is_not_read(rechecker: Rechecker) -> None:
    assert "KiB" in rechecker.judge(NAME, "#" * (LONGEST_ANSWER + 1)).problem


def test_an_answer_that_takes_too_long_is_ended() -> None:
    with Rechecker(seconds=0.01) as short:
        assert "limit" in short.judge(NAME, RIGHT).problem


@pytest.mark.skipif(os.name != "posix", reason="limits of processes are those of POSIX")
def test_processor_time_is_limited_for_each_answer() -> None:
    """The same process judges one answer after the other, and each has all of the time."""
    script = "def dispatch(view):\n    while True: pass\n"
    with Rechecker(cpu_seconds=5, seconds=3600, isolation=isolation()) as limited:
        # The code runs in one more process, and ends there: one judging process serves all.
        first = limited.judge(NAME, RIGHT)
        process = limited._process
        code = limited.judge("external-dispatcher", script)
        assert limited.judge(NAME, RIGHT) == first
        assert limited._process is process
    assert not code.solved


def test_a_judgement_is_plain_data() -> None:
    found = Judgement(1, 2, (("monday", "back"),), "")
    assert Judgement.from_data(found.as_data()) == found
    assert not found.solved


def test_a_report_judges_in_such_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What judges here is broken: answers are still judged, so it happens in another process."""

    def fail(*arguments: object) -> Judgement:
        raise AssertionError("an answer was judged in this process")

    Progress(tmp_path / "ada.json").checked(NAME, 7, 7, RIGHT)
    monkeypatch.setattr(rechecking, "judged", fail)
    monkeypatch.setattr(workshop.Exercise, "check", fail)
    (ada,) = class_report(tmp_path)
    assert ada.solved == 1
