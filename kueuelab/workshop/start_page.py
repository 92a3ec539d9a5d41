"""The page that everything begins at: the notebook *Start*."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from kueuelab.messages import Catalog, english
from kueuelab.model import RELEASE
from kueuelab.workshop.library import names
from kueuelab.workshop.notebooks import START, shipped_notebooks

__all__ = ["DOORS", "Door", "DoorName", "StartPage"]

DoorName: TypeAlias = Literal["tour", "exercises", "cluster", "workshop"]
#: What there is to do, in this order.
DOORS: Final[Sequence[DoorName]] = ("tour", "exercises", "cluster", "workshop")


@dataclass(frozen=True, slots=True)
class Door:
    """Something to do.

    Attributes
    ----------
    name
        What it is known by.
    title
        What it is called.
    about
        What it is.
    begin
        What to begin with, as Markdown: notebooks and commands.
    """

    name: DoorName
    title: str
    about: str
    begin: str


@dataclass(frozen=True, slots=True)
class StartPage:
    """What there is on the page in a language.

    Examples
    --------
    >>> page = StartPage()
    >>> [door.title for door in page.doors]
    ['Tour', 'Exercises', 'My cluster', 'Workshop']
    >>> page.as_markdown().splitlines()[0]
    '# Start'
    """

    words: Catalog = field(default_factory=english)

    @property
    def about(self) -> str:
        """What kueuelab is, in three sentences."""
        return self.words.text("workshop.start.about", version=RELEASE.version)

    @property
    def doors(self) -> tuple[Door, ...]:
        """What there is to do."""
        say = self.words.text
        count = len([each for each in shipped_notebooks() if each.stem != START])
        first = names()[0]
        return tuple(
            Door(
                name,
                say(f"workshop.start.{name}"),
                say(f"workshop.start.{name}.about", count=count),
                say(f"workshop.start.{name}.begin", exercise=first),
            )
            for name in DOORS
        )

    @property
    def picture_text(self) -> str:
        """What the picture shows."""
        return self.words.text("workshop.start.picture")

    def as_markdown(self) -> str:
        """Return the beginning of the notebook."""
        say = self.words.text
        head = " | ".join(
            say(f"workshop.start.column.{name}") for name in ("door", "what", "begin")
        )
        rows = [f"| **{each.title}** | {each.about} | {each.begin} |" for each in self.doors]
        parts = [
            f"# {say('workshop.start.title')}",
            self.about,
            f"![{self.picture_text}](pictures/{START}.svg)",
            f"## {say('workshop.start.doors')}",
            "\n".join([f"| {head} |", "|---|---|---|", *rows]),
            f"## {say('workshop.start.progress')}",
            say("workshop.start.progress.about"),
        ]
        return "\n\n".join(parts)
