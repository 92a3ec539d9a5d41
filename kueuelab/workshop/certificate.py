"""A certificate of what a learner solved: one page; each answer is checked again first."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from html import escape
from itertools import groupby
from pathlib import Path
from string import Template
from typing import Final

from kueuelab import KUEUE_VERSION, __version__
from kueuelab.errors import KueueLabError
from kueuelab.messages import Catalog, Message
from kueuelab.workshop.class_report import learner_report
from kueuelab.workshop.isolation import Isolation
from kueuelab.workshop.library import by_topic, specs
from kueuelab.workshop.progress import Progress
from kueuelab.workshop.rechecking import Rechecker
from kueuelab.workshop.spec import ExerciseSpec

__all__ = ["Certificate", "certificate"]

_PAGE: Final = Path(__file__).with_name("certificate.html")

#: A longer name does not leave room for all exercises on one page.
_LONGEST_NAME: Final = 80


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a learner solved, as checked here.

    Attributes
    ----------
    name
        The learner's.
    solved
        The exercises whose kept answer passes, in the order of the course.
    days
        When each of them was solved, as the learner's machine noted it; without those that have
        no date.
    unconfirmed
        The exercises that the progress file calls solved and whose answer does not pass.
    unchecked
        The exercises that the progress file calls solved and whose answer is not checked again.
    course
        How many exercises there are.
    """

    name: str
    solved: tuple[str, ...]
    unconfirmed: tuple[str, ...]
    course: int
    days: Mapping[str, date] = field(default_factory=dict)
    unchecked: tuple[str, ...] = ()

    def as_html(self, words: Catalog) -> str:
        """Return the page; the same certificate gives the same bytes."""
        say = words.text
        page = Template(_PAGE.read_text("utf-8"))
        versions = {"kueue": KUEUE_VERSION, "kueuelab": __version__}
        return page.substitute(
            language=escape(words.language),
            title=escape(say("workshop.certificate.title")),
            name=escape(self.name),
            solved=escape(
                say("workshop.certificate.solved", count=len(self.solved), of=self.course)
            ),
            period=self._period(words),
            topics=self._topics(words),
            instructor=escape(say("workshop.certificate.instructor")),
            place=escape(say("workshop.certificate.place")),
            checked=escape(say("workshop.certificate.checked", **versions)),
        )

    def _period(self, words: Catalog) -> str:
        """Return the first and the last day, as a paragraph; nothing without a date."""
        found = tuple(self.days.values())
        if not found:
            return ""
        values = {"first": min(found).isoformat(), "last": max(found).isoformat()}
        one_day = values["first"] == values["last"]
        message = f"workshop.certificate.{'day' if one_day else 'days'}"
        return f"<p>{escape(words.text(message, **values))}</p>"

    def _item(self, spec: ExerciseSpec, words: Catalog) -> str:
        day = self.days.get(spec.name)
        more = "" if day is None else f" <time>{day.isoformat()}</time>"
        if spec.name in self.unchecked:
            more += f" <small>({escape(words.text('workshop.certificate.unchecked'))})</small>"
        return f"<li>{escape(spec.title)}{more}</li>"

    def _topics(self, words: Catalog) -> str:
        shown = {*self.solved, *self.unchecked}
        chosen = by_topic(spec for spec in specs(words) if spec.name in shown)
        parts = []
        for topic, group in groupby(chosen, key=lambda spec: spec.topic):
            items = "".join(self._item(spec, words) for spec in group)
            heading = escape(words.text(f"workshop.topic.{topic}"))
            parts.append(f"<section><h2>{heading}</h2><ul>{items}</ul></section>")
        return "\n".join(parts)


def certificate(name: str, progress: Path, isolation: Isolation | None = None) -> Certificate:
    """Check again what a progress file has; return what counts.

    Parameters
    ----------
    name
        The learner's name.
    progress
        The progress file.
    isolation
        What isolates answers that are code; without, they are not checked again.

    Raises
    ------
    KueueLabError
        If the name cannot be printed, or the file cannot be read.
    """
    name = _printable(name)
    course = [spec.name for spec in specs()]
    records = Progress(progress).records()
    with Rechecker(isolation=isolation) as rechecker:
        results = learner_report(name, progress, rechecker).results
    solved = tuple(each.exercise for each in results if each.state in ("solved", "revealed"))
    unknown = [each for each in records if records[each].solved and each not in course]
    unconfirmed = [each.exercise for each in results if each.state == "unconfirmed"]
    unchecked = tuple(each.exercise for each in results if each.state == "unchecked")
    listed = (*solved, *unchecked)
    days = {each: day for each in listed if (day := _day(records[each].solved_on)) is not None}
    return Certificate(name, solved, (*unconfirmed, *unknown), len(course), days, unchecked)


def _day(text: str) -> date | None:
    """Return the day that a progress file names; what is no day counts as none."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _printable(name: str) -> str:
    found = " ".join(name.split())
    if not found or any(unicodedata.category(each) in ("Cc", "Cs") for each in found):
        raise KueueLabError(Message("workshop.certificate.name"))
    if len(found) > _LONGEST_NAME:
        raise KueueLabError(Message("workshop.certificate.name.long", most=_LONGEST_NAME))
    return found
