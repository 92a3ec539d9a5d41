"""What came of checking an answer: what happened, on which day and at which step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from kueuelab.errors import Problem
from kueuelab.trace.catalog import Catalog
from kueuelab.trace.step_text import step_text
from kueuelab.workshop.checks import Played
from kueuelab.workshop.finding import Finding

if TYPE_CHECKING:
    from kueuelab.widgets import Stepper

__all__ = ["Feedback", "Verdict"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One check, and what was found where it doesn't hold.

    Attributes
    ----------
    check
        Its id.
    case
        The day; ``""`` for a rule about the answer itself.
    wanted
        What should come true, in words.
    finding
        What happened instead; ``None`` where it holds.
    played
        What happened on that day.
    """

    check: str
    case: str
    wanted: str
    finding: Finding | None = None
    played: Played | None = None

    @property
    def passed(self) -> bool:
        """Whether it holds."""
        return self.finding is None


class Feedback:
    """What came of checking an answer.

    Attributes
    ----------
    exercise
        Its name.
    verdicts
        All checks, rules first, then day by day.
    problems
        Why the answer can't be used; no checks then.
    """

    def __init__(
        self,
        exercise: str,
        texts: Catalog,
        verdicts: tuple[Verdict, ...] = (),
        problems: tuple[Problem, ...] = (),
        bar: str = "",
    ) -> None:
        self.exercise = exercise
        self.verdicts = verdicts
        self.problems = problems
        self._texts = texts
        self._bar = bar

    @property
    def passed(self) -> bool:
        """Whether the exercise is solved."""
        return not self.problems and all(verdict.passed for verdict in self.verdicts)

    @property
    def failed(self) -> tuple[Verdict, ...]:
        """The checks that do not hold."""
        return tuple(verdict for verdict in self.verdicts if not verdict.passed)

    def __repr__(self) -> str:
        held = len(self.verdicts) - len(self.failed)
        return f"<Feedback on {self.exercise}: {held} of {len(self.verdicts)} checks hold>"

    def __str__(self) -> str:
        return self.as_text()

    # --- as text and data ------------------------------------------------------------------

    def as_text(self) -> str:
        """Return it as plain text."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        say = self._texts.text
        if self.problems:
            yield say("feedback.unusable")
            yield from (f"  {problem}" for problem in self.problems)
            return
        yield self.summary
        case = ""
        for verdict in self.verdicts:
            if verdict.case != case:
                case = verdict.case
                yield say(f"case.{case}")
            yield f"  {say('mark.passed' if verdict.passed else 'mark.failed')} {verdict.wanted}"
            yield from (f"      {line}" for line in self.told(verdict))
        if not self.passed:
            yield say("feedback.hint")
        if self._bar:
            yield self._bar

    @property
    def summary(self) -> str:
        """How it went, in a sentence."""
        count = len(self.verdicts)
        message = "feedback.solved" if self.passed else "feedback.open"
        return self._texts.text(message, count=count, passed=count - len(self.failed))

    def told(self, verdict: Verdict) -> list[str]:
        """Return what happened instead of what a check wants, and at which step."""
        finding = verdict.finding
        if finding is None:
            return []
        lines = [self._texts.text(finding.message, **finding.values)]
        if finding.step is not None and verdict.played is not None:
            step = verdict.played.trace[finding.step]
            # People count steps from 1, as the stepper does.
            text = step_text(step, self._texts)
            lines.append(self._texts.text("feedback.step", step=step.index + 1, text=text))
        return lines

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "exercise": self.exercise,
            "passed": self.passed,
            "problems": [str(problem) for problem in self.problems],
            "checks": [
                {
                    "check": verdict.check,
                    "case": verdict.case,
                    "wanted": verdict.wanted,
                    "passed": verdict.passed,
                    "happened": self.told(verdict),
                    "step": None if verdict.finding is None else verdict.finding.step,
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

        shown = [
            (verdict.played, verdict.finding.step)
            for verdict in self.failed
            if verdict.played is not None
            and verdict.finding is not None
            and verdict.finding.step is not None
        ]
        if not 0 <= number < len(shown):
            return None
        played, step = shown[number]
        stepper = Stepper(played.trace)
        stepper.to(step)
        return stepper

    def _html(self) -> str:
        say = self._texts.text
        if self.problems:
            items = "".join(f"<li>{escape(str(problem))}</li>" for problem in self.problems)
            return f"<p>{escape(say('feedback.unusable'))}</p><ul>{items}</ul>"
        parts = [f"<p><b>{escape(self.summary)}</b></p>"]
        cases = dict.fromkeys(verdict.case for verdict in self.verdicts)
        for case in cases:
            if case:
                parts.append(f"<p>{escape(say(f'case.{case}'))}</p>")
            of_case = [self._item(verdict) for verdict in self.verdicts if verdict.case == case]
            parts.append(f'<ul style="list-style:none">{"".join(of_case)}</ul>')
        parts.append(f"<p>{escape(self._bar)}</p>")
        return "".join(parts)

    def _item(self, verdict: Verdict) -> str:
        mark = self._texts.text("mark.passed" if verdict.passed else "mark.failed")
        told = "".join(f"<br><small>{escape(line)}</small>" for line in self.told(verdict))
        return f"<li>{mark} {escape(verdict.wanted)}{told}</li>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        import ipywidgets

        report = ipywidgets.HTML(self._html())
        report.add_class("kl-feedback")
        stepper = self.stepper()
        children = [report] if stepper is None else [report, stepper.widget]
        shown = ipywidgets.VBox(children)._repr_mimebundle_()
        bundle = dict(shown[0] if isinstance(shown, tuple) else shown)
        bundle["text/plain"] = self.as_text()
        return bundle
