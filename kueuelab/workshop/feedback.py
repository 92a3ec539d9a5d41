"""The result of checking an answer: what happened, in which case and at which step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from kueuelab.errors import KueueLabError, Problem, lines_of
from kueuelab.messages import Catalog
from kueuelab.trace.step_text import step_text
from kueuelab.workshop.checks import Played
from kueuelab.workshop.finding import Finding

if TYPE_CHECKING:
    from kueuelab.widgets import Stepper

__all__ = ["Feedback", "NotSolvedError", "Opening", "Verdict"]


class NotSolvedError(KueueLabError, AssertionError):
    """An exercise is not solved yet; the message is its feedback."""

    def __init__(self, feedback: str) -> None:
        super().__init__(feedback)
        self._feedback = feedback

    def __str__(self) -> str:
        return self._feedback


@dataclass(frozen=True, slots=True)
class Verdict:
    """One check, and what was found where it doesn't hold.

    Attributes
    ----------
    check
        Its id.
    case
        The case; ``""`` for a rule about the answer itself.
    wanted
        What should come true, in words.
    finding
        What happened instead; ``None`` where it holds.
    played
        What happened in that case.
    skipped
        Why it can't be judged, ``None`` if it can.
    """

    check: str
    case: str
    wanted: str
    finding: Finding | None = None
    played: Played | None = None
    skipped: Finding | None = None

    @property
    def passed(self) -> bool:
        """Whether it passes."""
        return self.finding is None and self.skipped is None

    @property
    def failed(self) -> bool:
        """Whether it fails; a check that can't be judged does neither."""
        return self.finding is not None

    @property
    def step(self) -> int | None:
        """The step that shows what happened instead, ``None`` if none does."""
        if self.finding is None or self.played is None:
            return None
        return self.finding.step

    @property
    def mark(self) -> str:
        """The id of the sign for its result."""
        return (
            "workshop.mark.passed"
            if self.passed
            else "workshop.mark.failed"
            if self.failed
            else "workshop.mark.skipped"
        )


#: Says how to open the stepper at what a check found.
Opening: TypeAlias = Callable[[Verdict], str]


class Feedback:
    """What came of checking an answer.

    Attributes
    ----------
    exercise
        Its name.
    verdicts
        All checks, rules first, then case by case.
    problems
        Why the answer can't be used; no checks then.
    where
        The cluster on which it was checked, ``""`` for the simulator.
    answer
        The text of the answer that was checked.
    following, suggestion
        The exercise to do next, and a sentence about it; ``""`` as long as this one is not solved.
    """

    def __init__(
        self,
        exercise: str,
        texts: Catalog,
        verdicts: tuple[Verdict, ...] = (),
        problems: tuple[Problem, ...] = (),
        bar: str = "",
        where: str = "",
        note: str = "",
        answer: str = "",
    ) -> None:
        self.exercise = exercise
        self.verdicts = verdicts
        self.problems = problems
        self.where = where
        self.answer = answer
        self._texts = texts
        self._bar = bar
        self._note = note
        self.following = self.suggestion = ""

    @property
    def passed(self) -> bool:
        """Whether all checks that could be judged pass, and there is at least one."""
        passed = any(verdict.passed and verdict.case for verdict in self.verdicts)
        return passed and not self.problems and not self.failed

    @property
    def failed(self) -> tuple[Verdict, ...]:
        """The checks that fail."""
        return tuple(verdict for verdict in self.verdicts if verdict.failed)

    def require_passed(self) -> None:
        """Do nothing if everything holds; for the cell that nbgrader grades.

        Raises
        ------
        NotSolvedError
            If something doesn't hold. A notebook shows the feedback, and no traceback.
        """
        if not self.passed:
            raise NotSolvedError(self.as_text())

    @property
    def skipped(self) -> tuple[Verdict, ...]:
        """The checks that can't be judged where they were tried."""
        return tuple(verdict for verdict in self.verdicts if verdict.skipped is not None)

    def __repr__(self) -> str:
        held = sum(verdict.passed for verdict in self.verdicts)
        return f"<Feedback on {self.exercise}: {held} of {len(self.verdicts)} checks pass>"

    def __str__(self) -> str:
        return self.as_text()

    # --- as text and data ------------------------------------------------------------------

    def as_text(self, opening: Opening | None = None) -> str:
        """Return it as plain text.

        Parameters
        ----------
        opening
            Says how to open the stepper where a check found something.
        """
        return "\n".join(self._lines(opening))

    def _lines(self, opening: Opening | None) -> Iterator[str]:
        say = self._texts.text
        if self.problems:
            yield say("workshop.feedback.unusable")
            yield from (f"  {line}" for line in lines_of(self.problems))
            return
        yield self.summary
        if self._note:
            yield self._note
        case = ""
        for verdict in self.verdicts:
            if verdict.case != case:
                case = verdict.case
                yield say(f"case.{case}")
            yield f"  {say(verdict.mark)} {verdict.wanted}"
            yield from (f"      {line}" for line in self.explanation_of(verdict))
            if opening is not None and verdict.step is not None:
                yield f"      {say('workshop.feedback.stepper', command=opening(verdict))}"
        if self.failed:
            yield say("workshop.feedback.hint", name=self.exercise)
        if self._bar:
            yield self._bar
        if self.suggestion:
            yield self.suggestion

    @property
    def summary(self) -> str:
        """The result in a sentence."""
        say, skipped = self._texts.text, len(self.skipped)
        values = {
            "count": len(self.verdicts) - skipped,
            "passed": sum(verdict.passed for verdict in self.verdicts),
            "where": self.where,
        }
        message = "solved" if self.passed else "open"
        if not self.where:
            return say(f"workshop.feedback.{message}", **values)
        if not any(verdict.case for verdict in self.verdicts if verdict.skipped is None):
            message = "nothing"
        said = say(f"workshop.feedback.{message}There", **values)
        if not skipped:
            return said
        more = say("workshop.feedback.skipped", count=skipped)
        return say("workshop.feedback.two-sentences", first=said, second=more)

    def explanation_of(self, verdict: Verdict) -> list[str]:
        """Return why a check failed or was skipped, and at which step."""
        finding = verdict.finding or verdict.skipped
        if finding is None:
            return []
        lines = [self._texts.text(finding.message, **finding.values)]
        if verdict.step is not None and verdict.played is not None:
            step = verdict.played.trace[verdict.step]
            # People count steps from 1, as the stepper does.
            text = step_text(step, self._texts)
            lines.append(self._texts.text("workshop.feedback.step", step=step.index + 1, text=text))
        return lines

    def as_data(self, opening: Opening | None = None) -> dict[str, Any]:
        """Return it as plain JSON values; steps count from 0.

        Parameters
        ----------
        opening
            Says how to open the stepper where a check found something.
        """
        return {
            "exercise": self.exercise,
            "on": self.where or None,
            "passed": self.passed,
            "note": self._note,
            "next": self.following or None,
            "problems": [str(problem) for problem in self.problems],
            "checks": [
                {
                    "check": verdict.check,
                    "case": verdict.case,
                    "wanted": verdict.wanted,
                    "passed": verdict.passed,
                    "judged": verdict.skipped is None,
                    "happened": self.explanation_of(verdict),
                    "step": verdict.step,
                    "open": opening(verdict) if opening and verdict.step is not None else None,
                }
                for verdict in self.verdicts
            ],
        }

    # --- in a notebook -----------------------------------------------------------------------

    def stepper(self, number: int = 0) -> Stepper | None:
        """Return the stepper at what went wrong: the first thing, or another one.

        ``None`` if nothing went wrong that a step could show.
        """
        from kueuelab.widgets import Stepper

        shown = [verdict for verdict in self.failed if verdict.step is not None]
        if not 0 <= number < len(shown):
            return None
        played, step = shown[number].played, shown[number].step
        assert played is not None
        assert step is not None
        stepper = Stepper(played.trace)
        stepper.to(step)
        return stepper

    def _html(self) -> str:
        say = self._texts.text
        if self.problems:
            items = "".join(f"<li>{escape(line)}</li>" for line in lines_of(self.problems))
            return f"<p>{escape(say('workshop.feedback.unusable'))}</p><ul>{items}</ul>"
        parts = [f"<p><b>{escape(self.summary)}</b></p>"]
        if self._note:
            parts.append(f"<p>{escape(self._note)}</p>")
        cases = dict.fromkeys(verdict.case for verdict in self.verdicts)
        for case in cases:
            if case:
                parts.append(f"<p>{escape(say(f'case.{case}'))}</p>")
            of_case = [self._item(verdict) for verdict in self.verdicts if verdict.case == case]
            parts.append(f'<ul style="list-style:none">{"".join(of_case)}</ul>')
        parts += [f"<p>{escape(each)}</p>" for each in (self._bar, self.suggestion) if each]
        return "".join(parts)

    def _item(self, verdict: Verdict) -> str:
        mark = self._texts.text(verdict.mark)
        lines = "".join(
            f"<br><small>{escape(line)}</small>" for line in self.explanation_of(verdict)
        )
        return f"<li>{mark} {escape(verdict.wanted)}{lines}</li>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        stepper = self.stepper()
        view = "" if stepper is None else stepper._repr_mimebundle_()["text/html"]
        html = f'<div class="kl-feedback">{self._html()}</div>{view}'
        return {"text/html": html, "text/plain": self.as_text()}
