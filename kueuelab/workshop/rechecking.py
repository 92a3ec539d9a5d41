"""Checks a submitted answer again, in a process with limits for time and memory.

An answer is what another person wrote: it may be large, take long, or be code. It is loaded and
judged in a process of its own. An answer that is code does not run, unless the caller brings an
`Isolation`; then it runs in one more process, which judges nothing.
"""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Final, Self

from kueuelab.errors import lines_of
from kueuelab.files import write_text
from kueuelab.messages import Message
from kueuelab.workshop.confined import ConfinedDispatcher
from kueuelab.workshop.isolation import Isolation
from kueuelab.workshop.library import exercise, spec, specs
from kueuelab.workshop.limited_process import LimitedProcess, asked_and_answered, set_limits

__all__ = ["LONGEST_ANSWER", "Judgement", "Rechecker", "answer_questions"]

#: No answer to an exercise is nearly as long.
LONGEST_ANSWER: Final = 2**16

_LARGEST_FILE: Final = 2**22


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an answer is worth.

    Attributes
    ----------
    passed, of
        How many checks pass, and how many there are; 0 of 0 if the answer cannot be used.
    failed
        The checks that fail, as pairs of case and check.
    problem
        Why the answer cannot be used.
    """

    passed: int = 0
    of: int = 0
    failed: tuple[tuple[str, str], ...] = ()
    problem: str = ""

    @property
    def solved(self) -> bool:
        """Whether all checks pass."""
        return 0 < self.of == self.passed

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        failed = [list(each) for each in self.failed]
        return {"passed": self.passed, "of": self.of, "failed": failed, "problem": self.problem}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Self:
        """Return what `as_data` gave."""
        failed = tuple((str(case), str(check)) for case, check in data["failed"])
        return cls(int(data["passed"]), int(data["of"]), failed, str(data["problem"]))


class Rechecker:
    """Judges answers in a process with limits; a context manager.

    Parameters
    ----------
    cpu_seconds
        How much processor time one answer may take.
    seconds
        How long one answer may take.
    isolation
        What isolates answers that are code; without, they are not checked again.

    Examples
    --------
    >>> with Rechecker() as rechecker:
    ...     judgement = rechecker.judge("within-a-team", "")
    >>> judgement.passed, judgement.of
    (5, 7)
    """

    def __init__(
        self, cpu_seconds: int = 30, seconds: float = 300, isolation: Isolation | None = None
    ) -> None:
        self._cpu_seconds, self._seconds = cpu_seconds, seconds
        self._isolation = isolation
        self._process: LimitedProcess | None = None

    def __enter__(self) -> Self:
        """Prepare; the process starts with the first answer."""
        self._folder = TemporaryDirectory()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process."""
        self._end()
        self._folder.cleanup()

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None

    @property
    def unchecked(self) -> frozenset[str]:
        """The exercises whose answers are not checked again: code, without an isolation.

        Examples
        --------
        >>> sorted(Rechecker().unchecked)
        ['external-dispatcher']
        """
        if self._isolation is not None:
            return frozenset()
        return frozenset(each.name for each in specs() if each.answer == "dispatcher")

    def judge(self, name: str, answer: str) -> Judgement:
        """Judge an answer; one that fails or exceeds a limit passes no check."""
        if name in self.unchecked:
            return Judgement(problem=Message("workshop.recheck.code"))
        if len(answer) > LONGEST_ANSWER:
            return Judgement(problem=Message("workshop.recheck.long", size=LONGEST_ANSWER // 1024))
        if self._process is None:
            program = "" if self._isolation is None else self._isolation.program
            arguments = (str(self._cpu_seconds), str(self._seconds), program)
            self._process = LimitedProcess(__name__, arguments, self._folder.name)
        question = json.dumps({"exercise": name, "answer": answer})
        line = self._process.ask(question, self._seconds)
        if not line:
            # The next answer gets another process.
            self._end()
            return Judgement(problem=Message("workshop.report.limits"))
        return Judgement.from_data(json.loads(line))


def judged(
    name: str, answer: str, cpu_seconds: int, seconds: float, isolation: Isolation | None
) -> Judgement:
    """Judge an answer in this process; code runs in another one, isolated, or not at all."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        opened = exercise(name, folder, progress=folder / "progress.json")
        if spec(name).answer == "dispatcher":
            if isolation is None:
                return Judgement(problem=Message("workshop.recheck.code"))
            confined = ConfinedDispatcher(
                answer, cpu_seconds, seconds, own_session=False, isolation=isolation
            )
            opened.answer(stack.enter_context(confined))
        else:
            write_text(opened.file, answer)
        feedback = opened.check()
    if feedback.problems:
        return Judgement(problem="\n".join(lines_of(feedback.problems))[:1000])
    return Judgement(
        sum(each.passed for each in feedback.verdicts),
        len(feedback.verdicts),
        tuple((each.case, each.check) for each in feedback.failed),
    )


def answer_questions(cpu_seconds: int, seconds: float, isolation: Isolation | None = None) -> None:
    """Answer questions from standard input with judgements."""
    questions, answers = asked_and_answered()
    for line in questions:
        set_limits(cpu_seconds, _LARGEST_FILE, forever=False)
        try:
            asked = json.loads(line)
            name, answer = asked["exercise"], asked["answer"]
            judgement = judged(name, answer, cpu_seconds, seconds, isolation)
        except (Exception, MemoryError) as error:  # any failure is that of the answer
            judgement = Judgement(problem=f"{type(error).__name__}: {error}"[:1000])
        print(json.dumps(judgement.as_data()), file=answers, flush=True)


if __name__ == "__main__":
    _bubblewrap = sys.argv[3]
    answer_questions(
        int(sys.argv[1]), float(sys.argv[2]), Isolation(_bubblewrap) if _bubblewrap else None
    )
