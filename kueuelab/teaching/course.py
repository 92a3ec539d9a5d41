"""Where a learner is in the course: which questions are answered, which exercises are solved."""

from __future__ import annotations

from dataclasses import dataclass

from kueuelab.messages import english
from kueuelab.teaching.predictions import questions
from kueuelab.trace import html
from kueuelab.workshop.course_map import next_after
from kueuelab.workshop.library import specs
from kueuelab.workshop.progress import Progress

__all__ = ["CourseProgress", "progress"]


@dataclass(frozen=True, slots=True, repr=False)
class CourseProgress:
    """How far a learner is in notebooks and exercises.

    Attributes
    ----------
    answered, questions
        How many questions of the notebooks are answered, and how many there are.
    solved, exercises
        How many exercises are solved, and how many there are.
    suggested
        The exercise to do next; ``""`` if all are solved.
    """

    answered: int
    questions: int
    solved: int
    exercises: int
    suggested: str

    def lines(self) -> list[str]:
        """Return it as sentences."""
        words = english()
        found = [
            words.text("teaching.progress.answered", answered=self.answered, count=self.questions),
            words.text("teaching.progress.solved", solved=self.solved, count=self.exercises),
        ]
        if self.suggested:
            found.append(words.text("teaching.progress.next", name=self.suggested))
        return found

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return html.paragraphs(repr(self))


def progress(kept: Progress | None = None) -> CourseProgress:
    """Return how far the learner is.

    Parameters
    ----------
    kept
        The learner's progress; that of this account, if left out.

    Examples
    --------
    >>> import tempfile
    >>> kept = Progress(tempfile.mkdtemp() + "/progress.json")
    >>> progress(kept).answered, progress(kept).solved
    (0, 0)
    """
    kept = kept or Progress()
    records, names = kept.records(), [spec.name for spec in specs()]
    solved = [name for name in names if name in records and records[name].solved]
    following = next_after(specs(), records)
    answered = [name for name in kept.predictions() if name in questions()]
    return CourseProgress(
        answered=len(answered),
        questions=len(questions()),
        solved=len(solved),
        exercises=len(names),
        suggested=following.name if following else "",
    )
