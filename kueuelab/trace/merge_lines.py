"""Merging similar lines into one sentence."""

from __future__ import annotations

from collections.abc import Iterable

from kueuelab.trace.explanation import Line
from kueuelab.trace.wording import MessageParts

__all__ = ["merge_similar_lines"]


def merge_similar_lines(lines: Iterable[Line], words: MessageParts) -> tuple[str, ...]:
    """Return lines as sentences; similar lines become one that names all their subjects.

    Lines are merged across other groups of similar lines, not across a line without a group.

    Examples
    --------
    >>> lines = [Line(f"{name} is out.", name, pattern="{about} is out.") for name in "abc"]
    >>> merge_similar_lines([*lines, Line("That is all.")], MessageParts())
    ('a, b and c is out.', 'That is all.')
    """
    sentences: list[str] = []
    waiting: dict[str, list[str]] = {}

    def flush() -> None:
        for pattern, names in waiting.items():
            sentences.append(pattern.replace("{about}", words.several(list(dict.fromkeys(names)))))
        waiting.clear()

    for line in lines:
        if line.pattern:
            waiting.setdefault(line.pattern, []).append(line.about)
        else:
            flush()
            sentences.append(line.text)
    flush()
    return tuple(sentences)
