"""Questions of the notebooks: predict first, and see at the end what was expected."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import yaml

from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Message, english
from kueuelab.trace import html
from kueuelab.trace.text_table import text_table
from kueuelab.workshop.progress import Progress

if TYPE_CHECKING:
    from kueuelab.widgets import Prediction

__all__ = ["Question", "Recalled", "predict", "questions", "recall"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with answers to choose from.

    Attributes
    ----------
    question
        What to think about.
    options
        The answers to choose from.
    answer
        The right one.
    because
        Why it is right.
    """

    question: str
    options: tuple[str, ...]
    answer: str
    because: str


@cache
def questions() -> dict[str, Question]:
    """Return all questions of the notebooks, by notebook and number.

    Examples
    --------
    >>> questions()["01.1"].question
    'What happens to job-2?'
    """
    text = resources.files("kueuelab.teaching").joinpath("predictions.yaml").read_text("utf-8")
    return {
        name: Question(each["question"], tuple(each["options"]), each["answer"], each["because"])
        for name, each in yaml.safe_load(text).items()
    }


def predict(name: str) -> Prediction:
    """Return the form with a question of a notebook; the choice is kept with the progress.

    Parameters
    ----------
    name
        The notebook and the number of the question in it, such as ``01.1``.

    Raises
    ------
    UnknownObjectError
        If there is no such question.

    Examples
    --------
    >>> print(predict("01.1").as_text())
    What happens to job-2?
      ( ) It stays pending
      ( ) It preempts job-0
      ( ) It preempts job-1
    """
    from kueuelab.widgets import Prediction

    found = questions().get(name)
    if found is None:
        raise UnknownObjectError(Message("teaching.unknown-question"), name, questions())
    progress = Progress()
    return Prediction(
        found.question,
        found.options,
        found.answer,
        found.because,
        keep=lambda choice: progress.predicted(name, choice),
        chosen=progress.predictions().get(name),
    )


@dataclass(frozen=True, slots=True, repr=False)
class Recalled:
    """What a learner expected, beside what happened."""

    rows: tuple[tuple[str, str, str], ...]

    def as_text(self) -> str:
        """Return it as a table."""
        words = english()
        if not self.rows:
            return words.text("teaching.predictions.none")
        return text_table(_head(), self.rows)

    def __repr__(self) -> str:
        return self.as_text()

    def _repr_html_(self) -> str:
        return html.table(_head(), self.rows) if self.rows else html.paragraphs(self.as_text())


def recall(notebook: str) -> Recalled:
    """Return the learner's predictions in a notebook, beside what happened.

    Parameters
    ----------
    notebook
        Its number, such as ``01``.

    Examples
    --------
    >>> import os, tempfile
    >>> os.environ["KUEUELAB_PROGRESS"] = tempfile.mkdtemp() + "/progress.json"
    >>> predict("01.1").choose("It preempts job-0")
    >>> recall("01")
    question                you expected       it was
    What happens to job-2?  It preempts job-0  It preempts job-1
    """
    kept: dict[str, Any] = dict(Progress().predictions())
    rows = [
        (each.question, kept[name], each.answer)
        for name, each in questions().items()
        if name.startswith(f"{notebook}.") and name in kept
    ]
    return Recalled(tuple(rows))


def _head() -> tuple[str, str, str]:
    words = english()
    return (
        words.text("teaching.predictions.question"),
        words.text("teaching.predictions.expected"),
        words.text("teaching.predictions.was"),
    )
