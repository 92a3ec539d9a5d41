"""Ties that real clusters decide by chance; here they are decided at random, with a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from kueuelab.messages import Message, listed

__all__ = ["Race", "Races"]


@dataclass(frozen=True, slots=True)
class Race:
    """A tie between workers: the picked one and the others.

    Examples
    --------
    >>> print(Race(0, "team/a", "Admitted", "w1", ("w2",)))
    team/a: w1 and w2 tie for Admitted; w1 was picked at random
    """

    time: int
    workload: str
    about: str
    winner: str
    others: tuple[str, ...]

    def __str__(self) -> str:
        return str(self.as_text())

    def as_text(self) -> str:
        """Return which workers tied, and which of them was picked."""
        return Message(
            "multikueue.race",
            workload=self.workload,
            workers=listed(sorted((self.winner, *self.others))),
            about=self.about,
            winner=self.winner,
        )


class Races:
    """Decides ties. The same seed decides the same; a tie is decided each time it occurs.

    Parameters
    ----------
    seed
        Another seed makes other decisions.
    script
        The positions to pick for the first ties, instead of random ones.

    Examples
    --------
    >>> races = Races(seed=1)
    >>> races.draw(0, "team/a", "Admitted", ("w1", "w2")) in ("w1", "w2")
    True
    >>> len(races.drawn)
    1
    """

    __slots__ = ("_script", "drawn", "seed")

    def __init__(self, seed: int = 0, script: Sequence[int] = ()) -> None:
        self.seed = seed
        self.drawn: list[Race] = []
        self._script = tuple(script)

    def draw(self, time: int, workload: str, about: str, names: Sequence[str]) -> str:
        """Pick one of the names that tie; ``time`` is the time that they share."""
        turn = len(self.drawn)
        if turn < len(self._script):
            index = self._script[turn] % len(names)
        else:
            text = f"{self.seed}|{workload}|{about}|{turn}"
            index = sha256(text.encode()).digest()[0] % len(names)
        winner = names[index]
        others = tuple(name for name in names if name != winner)
        self.drawn.append(Race(time, workload, about, winner, others))
        return winner
