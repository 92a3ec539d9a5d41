"""The help of an exercise: hints, and in the end a solution."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Final

__all__ = ["HINTS", "PlainText"]

#: How many hints every exercise has, of growing help.
HINTS: Final = 3


@dataclass(frozen=True, slots=True, repr=False)
class PlainText:
    """A text for the learner, printed and displayed as it is."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<div style='white-space:pre-wrap'>{escape(self.text)}</div>"
