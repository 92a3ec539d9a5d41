"""The map of all exercises: what comes before what, how far the learner is, and what is next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from kueuelab.messages import Catalog, language_of
from kueuelab.workshop.library import by_topic, specs
from kueuelab.workshop.map_picture import Box, picture
from kueuelab.workshop.progress import Progress, Record
from kueuelab.workshop.spec import ExerciseSpec

__all__ = ["ExerciseMap", "MapState", "Place", "exercise_map", "next_after", "suggestion_of"]

MapState: TypeAlias = Literal["solved", "revealed", "tried", "next", "new", "later"]

#: States of an exercise that others may follow.
_DONE: Final = ("solved", "revealed")


@dataclass(frozen=True, slots=True)
class Place:
    """An exercise on the map.

    Attributes
    ----------
    spec
        The exercise.
    state
        ``solved``, ``revealed``, ``tried``; ``next`` is the one that is suggested; of the others,
        ``new`` can be begun, and ``later`` requires what is not solved yet.
    depth
        How many exercises come before it, one after the other.
    missing
        What it requires and is not solved.
    """

    spec: ExerciseSpec
    state: MapState
    depth: int
    missing: tuple[str, ...] = ()


def next_after(
    course: Sequence[ExerciseSpec], records: Mapping[str, Record], solved: str = ""
) -> ExerciseSpec | None:
    """Return the exercise to do next, ``None`` if all are solved.

    It is the first in the order of the course that requires what was just solved and can be
    begun; if there is none, the first of all that can be begun.

    Parameters
    ----------
    course
        All exercises, in the order of the course.
    records
        How far each is.
    solved
        The one that was just solved, if any.
    """
    done = {name for name, record in records.items() if record.solved}
    ready = [spec for spec in course if spec.name not in done and done.issuperset(spec.requires)]
    following = [spec for spec in ready if solved in spec.requires]
    return next(iter([*following, *ready]), None)


class ExerciseMap:
    """All exercises with what they require, and the progress of a learner.

    Parameters
    ----------
    course
        All exercises, in the order of the course.
    records
        How far each is.
    words
        The language.
    folder
        Where the folders of the exercises are, for a notebook in which each box is a link.
    """

    def __init__(
        self,
        course: Sequence[ExerciseSpec],
        records: Mapping[str, Record],
        words: Catalog,
        folder: str = "",
    ) -> None:
        self._words, self._folder = words, folder
        #: The exercise to do next, ``None`` if all are solved.
        self.next = next_after(course, records)
        self.places = _places(course, records, self.next)

    def __repr__(self) -> str:
        return f"<ExerciseMap: {self._solved} of {len(self.places)} solved>"

    @property
    def _solved(self) -> int:
        return sum(place.state in _DONE for place in self.places)

    @property
    def title(self) -> str:
        """What the map shows, in a sentence."""
        return self._words.text("workshop.map.title", solved=self._solved, count=len(self.places))

    @property
    def suggestion(self) -> str:
        """Which exercise to do next, and how to begin, as a sentence."""
        return suggestion_of(self.next, self._words)

    def as_text(self) -> str:
        """Return the map as plain text: the exercises by topic, with marks and what is missing."""
        say = self._words.text
        width = max(len(place.spec.name) for place in self.places)
        lines, topic = [self.title], ""
        places = {place.spec.name: place for place in self.places}
        for spec in by_topic(place.spec for place in self.places):
            place = places[spec.name]
            if spec.topic != topic:
                topic = spec.topic
                lines.append(say(f"workshop.topic.{topic}"))
            line = say(
                "workshop.map.line",
                mark=say(f"workshop.map.mark.{place.state}"),
                name=spec.name.ljust(width),
                difficulty=say(f"workshop.difficulty.{spec.difficulty}").ljust(6),
                minutes=f"{spec.minutes:3}",
                state=self._state(place),
            )
            lines.append(f"  {line}".rstrip())
        return "\n".join([*lines, say("workshop.map.legend"), self.suggestion])

    def _state(self, place: Place) -> str:
        return self._words.text(f"workshop.map.state.{place.state}", names=", ".join(place.missing))

    def as_data(self) -> dict[str, Any]:
        """Return the map as plain JSON values."""
        return {
            "next": self.next and self.next.name,
            "exercises": [
                {
                    "name": place.spec.name,
                    "topic": place.spec.topic,
                    "difficulty": place.spec.difficulty,
                    "minutes": place.spec.minutes,
                    "requires": list(place.spec.requires),
                    "state": place.state,
                }
                for place in self.places
            ],
        }

    def as_svg(self, link: Callable[[str], str] | None = None) -> str:
        """Return the map as a picture, for light and for dark pages.

        Parameters
        ----------
        link
            The address that an exercise leads to, by its name; without it, nothing is a link.
        """
        say = self._words.text
        boxes = [
            Box(
                name=place.spec.name,
                title=place.spec.title,
                caption=say(
                    "workshop.map.caption",
                    difficulty=say(f"workshop.difficulty.{place.spec.difficulty}"),
                    minutes=place.spec.minutes,
                ),
                mark=say(f"workshop.map.mark.{place.state}"),
                state=place.state,
                lane=say(f"workshop.topic.{place.spec.topic}"),
                column=place.depth,
                after=place.spec.requires,
                text=say(
                    "workshop.map.node",
                    title=place.spec.title,
                    facts=_facts(place.spec, self._words),
                    state=self._state(place),
                ),
                link=link(place.spec.name) if link else "",
            )
            for place in self.places
        ]
        return picture(boxes, self.title, self.as_text(), say("workshop.map.legend"))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self._linked_picture(), "text/plain": self.as_text()}

    def _linked_picture(self) -> str:
        if not self._folder:
            return self.as_svg()
        return self.as_svg(lambda name: f"{self._folder}/{name}/{name}.ipynb")


def exercise_map(
    language: str | Catalog = "en", *, progress: str | Path | None = None, folder: str = ""
) -> ExerciseMap:
    """Return the map of all exercises, with the progress of the learner.

    Parameters
    ----------
    language
        A code, or a catalogue of sentences.
    progress
        The file with the progress, if not the usual one.
    folder
        Where the folders of the exercises are, seen from a notebook: each box then leads to its
        exercise.

    Examples
    --------
    >>> import tempfile
    >>> from kueuelab import workshop
    >>> shown = workshop.exercise_map(progress=Path(tempfile.mkdtemp()) / "progress.json")
    >>> shown.next.name
    'share-a-cohort'
    >>> shown.as_svg()[:4]
    '<svg'
    """
    words = language_of(language)
    return ExerciseMap(specs(language), Progress(progress).records(), words, folder)


def suggestion_of(spec: ExerciseSpec | None, words: Catalog) -> str:
    """Return the sentence that suggests an exercise, or says that all are solved."""
    if spec is None:
        return words.text("workshop.map.all")
    facts = _facts(spec, words)
    return words.text("workshop.map.next", title=spec.title, facts=facts, name=spec.name)


def _facts(spec: ExerciseSpec, words: Catalog) -> str:
    difficulty = words.text(f"workshop.difficulty.{spec.difficulty}")
    return words.text("workshop.exercise.facts", difficulty=difficulty, minutes=spec.minutes)


def _places(
    course: Sequence[ExerciseSpec], records: Mapping[str, Record], following: ExerciseSpec | None
) -> tuple[Place, ...]:
    known = {spec.name: spec for spec in course}
    depths: dict[str, int] = {}

    def depth(name: str) -> int:
        if name not in depths:
            depths[name] = 1 + max(map(depth, known[name].requires), default=-1)
        return depths[name]

    found = []
    for spec in course:
        record = records.get(spec.name, Record())
        missing = tuple(name for name in spec.requires if not records.get(name, Record()).solved)
        state: Any = record.state
        if spec is following:
            state = "next"
        elif state == "new" and missing:
            state = "later"
        found.append(Place(spec, state, depth(spec.name), missing))
    return tuple(found)
