"""Which of the suggestions that were found are worth making."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.whatif.changes import Edit
from kueuelab.whatif.report import Suggestion

__all__ = ["without_more_than_needed"]


def without_more_than_needed(suggestions: list[Suggestion]) -> list[Suggestion]:
    """Drop suggestions of which another one is a part, evicts no more and is no later."""
    parts = [(suggestion, frozenset(_parts(suggestion))) for suggestion in suggestions]
    return [
        each
        for each, own in parts
        if not any(
            part < own and len(other.evicts) <= len(each.evicts) and other.time <= each.time
            for other, part in parts
        )
    ]


def _parts(suggestion: Suggestion) -> Iterator[str]:
    for change in suggestion.changes:
        if isinstance(change, Edit):
            yield from (f"{change.object} {path} {value}" for path, value in change.values.items())
        else:
            yield repr(change)
