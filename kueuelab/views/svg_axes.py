"""Axes of a still chart: round numbers at ticks that meet in the corner, and a legend below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import ceil, floor
from typing import Final

from kueuelab.views.svg_drawing import SMALL, nice, path, text

__all__ = ["Axis", "entries", "grid"]

#: An axis has about so many intervals.
_INTERVALS: Final = 4
_LINE: Final = 18


class Axis:
    """Where numbers are drawn between two ends; its first and last tick are at the ends.

    Parameters
    ----------
    values
        The numbers.
    start, end
        Where it begins and ends.
    title
        What the numbers are.

    Examples
    --------
    >>> axis = Axis([3, 47], 0, 100)
    >>> axis.ticks, axis(30)
    ((0.0, 20.0, 40.0, 60.0), 50.0)
    """

    def __init__(self, values: Iterable[float], start: float, end: float, title: str = "") -> None:
        found = list(values) or [0.0]
        low, high = min(found), max(found)
        if low == high:
            low, high = min(low, 0), max(high, 0)
        every = nice((high - low) / _INTERVALS) if high > low else 1.0
        first = floor(low / every + 1e-9)
        last = max(ceil(high / every - 1e-9), first + 1)
        self.ticks = tuple(number * every for number in range(first, last + 1))
        self.title = title
        self.start, self.end = start, end

    def __call__(self, value: float) -> float:
        """Return where a number is drawn."""
        first, last = self.ticks[0], self.ticks[-1]
        return self.start + (value - first) / (last - first) * (self.end - self.start)


def grid(x: Axis, y: Axis, *, x_ticks: bool = True, y_ticks: bool = True) -> Iterator[str]:
    """Yield the lines at the ticks of both axes, their numbers, and what these are."""
    for tick in y.ticks if y_ticks else ():
        at = y(tick)
        yield path(f"M{x.start:.1f} {at:.1f}H{x.end:.1f}", "k-line")
        yield text(
            x.start - 6, at + 4, f"{tick:.6g}", "f-soft", text_anchor="end", font_size=SMALL + 1
        )
    for tick in x.ticks if x_ticks else ():
        at = x(tick)
        yield path(f"M{at:.1f} {y.start:.1f}V{y.end:.1f}", "k-line")
        yield text(
            at, y.start + 16, f"{tick:.6g}", "f-soft", text_anchor="middle", font_size=SMALL + 1
        )
    yield path(f"M{x.start:.1f} {y.end:.1f}V{y.start:.1f}H{x.end:.1f}", "k-edge")
    if y.title:
        yield text(8, y.end - 8, f"↑ {y.title}", "f-soft", font_size=SMALL + 1)
    if x.title:
        yield text(
            x.end, y.start + 32, f"→ {x.title}", "f-soft", text_anchor="end", font_size=SMALL + 1
        )


def entries(items: Sequence[tuple[str, str]], x: float, y: float) -> tuple[list[str], float]:
    """Return a legend with one line for each sign and name, and its height."""
    parts = []
    for number, (sign, name) in enumerate(items):
        top = y + _LINE * number
        parts.append(f'<g transform="translate({x:g} {top:g})">{sign}</g>')
        parts.append(text(x + 30, top + 9, name))
    return parts, float(_LINE * len(items))
