"""Telling lines that are alike as one sentence."""

from __future__ import annotations

from collections.abc import Iterable

from kueuelab.trace.story import Line
from kueuelab.trace.wording import Wording

__all__ = ["together"]


def together(lines: Iterable[Line], words: Wording) -> tuple[str, ...]:
    """Return lines as sentences, where those that are alike name all that they are about.

    They come together across others that are alike among themselves, not across a line
    that stands for itself.

    Examples
    --------
    >>> lines = [Line(f"{name} is out.", name, alike="{about} is out.") for name in "abc"]
    >>> together([*lines, Line("That is all.")], Wording())
    ('a, b and c is out.', 'That is all.')
    """
    told: list[str] = []
    waiting: dict[str, list[str]] = {}

    def tell() -> None:
        for alike, names in waiting.items():
            told.append(alike.replace("{about}", words.several(list(dict.fromkeys(names)))))
        waiting.clear()

    for line in lines:
        if line.alike:
            waiting.setdefault(line.alike, []).append(line.about)
        else:
            tell()
            told.append(line.text)
    tell()
    return tuple(told)
