"""Neighbours that are too narrow to be told apart are drawn together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from kueuelab.trace.names import short_name
from kueuelab.views.chips import Chip
from kueuelab.views.preemption_view import Role

__all__ = ["joined"]

#: Those who lead the step are drawn alone, as narrow as they are.
_LEADING: Final = frozenset({Role.HEAD, Role.PREEMPTOR, Role.TARGET})
#: How many names, and how many reasons, are said about those that are drawn together.
_NAMES: Final = 6
_REASONS: Final = 3


def joined(chips: Iterable[Chip], least: float, selected: str = "") -> list[Chip]:
    """Return chips; in place of narrow neighbours that look the same one that tells of them.

    Parameters
    ----------
    chips
        In the order of their places.
    least
        Which part of the width of the picture is wide enough for one alone.
    selected
        The workload that is marked, and so has a look of its own.

    Examples
    --------
    >>> def chip(name, start, length):
    ...     return Chip(name, 0, start, length, name, Role.NONE, 0.5, False, False, "holds 1")
    >>> row = [chip("a", 0.0, 0.01), chip("b", 0.01, 0.01), chip("c", 0.02, 0.5)]
    >>> [(each.label, each.about) for each in joined(row, 0.02)]
    [('×2', 'a, b; holds 1'), ('c', 'holds 1')]
    """

    def look(chip: Chip) -> object:
        alone = chip.length >= least or chip.role in _LEADING or not chip.workload
        if alone or chip.workload == selected:
            return chip
        return chip.line, chip.role, chip.shade, chip.waiting, chip.hollow

    found: list[Chip] = []
    for _, group in groupby(chips, look):
        alike = list(group)
        found += alike if len(alike) == 1 else [_together(alike)]
    return found


def _together(chips: Sequence[Chip]) -> Chip:
    names = [short_name(chip.workload) for chip in chips]
    reasons = list(dict.fromkeys(chip.about for chip in chips))
    return replace(
        chips[0],
        workload="",
        length=sum(chip.length for chip in chips),
        label=f"×{len(chips)}",
        about="; ".join([", ".join(_some(names, _NAMES)), *_some(reasons, _REASONS)]),
    )


def _some(texts: Sequence[str], most: int) -> Iterator[str]:
    yield from texts[:most]
    if len(texts) > most:
        yield f"{len(texts) - most} more"
