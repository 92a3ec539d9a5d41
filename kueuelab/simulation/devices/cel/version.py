"""Semantic versions, as attributes of devices have them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import total_ordering
from typing import Any, Final

__all__ = ["Version"]

_VERSION: Final = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?"
)


@total_ordering
@dataclass(frozen=True, slots=True)
class Version:
    """A semantic version; a pre-release comes before its release.

    Examples
    --------
    >>> Version.parse("1.10.0") > Version.parse("1.9.0"), Version.parse("1.0") is None
    (True, True)
    """

    major: int
    minor: int
    patch: int
    pre_release: str = ""

    @classmethod
    def parse(cls, text: str) -> Version | None:
        """Return a version, ``None`` where the text is none."""
        match = _VERSION.fullmatch(text)
        if match is None:
            return None
        return cls(int(match[1]), int(match[2]), int(match[3]), match[4] or "")

    def __lt__(self, other: Version) -> bool:
        return self._key() < other._key()

    def _key(self) -> tuple[Any, ...]:
        parts = tuple(
            (0, int(part), "") if part.isdigit() else (1, 0, part)
            for part in self.pre_release.split(".")
            if part
        )
        return self.major, self.minor, self.patch, not self.pre_release, parts
