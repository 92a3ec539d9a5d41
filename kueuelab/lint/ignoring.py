"""Comments that turn rules off: ``# kueuelab: ignore KL101``, for a line or an object."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

__all__ = ["Comments", "Ignored"]

_COMMENT: Final = re.compile(r"(?:^|\s)#\s*kueuelab:\s*ignore\b[:\s]*([^#]*)", re.IGNORECASE)
_ALONE: Final = re.compile(r"\s*(?:#.*)?$|---(?:\s.*)?$")
_SEPARATOR: Final = re.compile(r"[\s,]+")


@dataclass(frozen=True, slots=True)
class Ignored:
    """What a comment turns off; without names, every rule.

    Attributes
    ----------
    line
        Where it is, counted from 1.
    rules
        Ids and names of rules, as they are written.
    """

    line: int
    rules: tuple[str, ...]

    def covers(self, id: str, name: str) -> bool:
        """Tell whether a rule is turned off."""
        return not self.rules or id in self.rules or name in self.rules


class Comments:
    r"""The comments of one file that turn rules off.

    Examples
    --------
    >>> comments = Comments("spec: {}\n# kueuelab: ignore KL101, other\nkind: Cohort\n")
    >>> [each.rules for each in comments.of_line(3)], comments.of_line(1)
    ([('KL101', 'other')], [])
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _lines(self) -> list[str]:
        return self._text.split("\n")

    @cached_property
    def by_line(self) -> Mapping[int, Ignored]:
        """Each comment, by its line."""
        if "kueuelab:" not in self._text:
            return {}
        found = {}
        for number, line in enumerate(self._lines, 1):
            match = _COMMENT.search(line)
            if match is not None:
                rules = tuple(part for part in _SEPARATOR.split(match[1].strip()) if part)
                found[number] = Ignored(number, rules)
        return found

    def of_line(self, line: int) -> list[Ignored]:
        """Return the comments at the end of a line, or alone on the lines directly above it."""
        if not self.by_line:
            return []
        found = [self.by_line[line]] if line in self.by_line else []
        above = line - 1
        while above >= 1 and _ALONE.match(self._lines[above - 1]):
            if above in self.by_line:
                found.append(self.by_line[above])
            above -= 1
        return found
