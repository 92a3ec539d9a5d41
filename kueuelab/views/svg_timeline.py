"""The timeline as a still picture: SVG that needs no script, drawn as the lab view draws it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kueuelab.messages import Catalog, english
from kueuelab.model.times import SECOND, format_duration
from kueuelab.trace.names import short_name
from kueuelab.views.svg_drawing import (
    SMALL,
    WIDTH,
    fitted,
    legend,
    path,
    picture,
    rect,
    text,
    text_width,
)
from kueuelab.views.timeline import Phase, Timeline

__all__ = ["svg_of_timeline"]

_LEAST_NAMES: Final = 60
_MOST_NAMES: Final = 0.38
_ROW: Final = 24
#: The least width of a phase: none is invisible.
_LEAST: Final = 3.0
#: The phases with the tokens of their colours, and the lines that tell them apart without.
_PHASES: Final[Mapping[str, tuple[str, str]]] = {
    "Pending": ("pending", "M0 6L6 0"),
    "QuotaReserved": ("quota-reserved", ""),
    "Admitted": ("admitted", ""),
    "Evicted": ("evicted", "M0 6L6 0M0 0L6 6"),
    "Finished": ("finished", "M3 2v1"),
}
#: Seconds between ticks.
_NICE: Final = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800)
_HOUR: Final = 3600
_A_TICK: Final = 90


def svg_of_timeline(found: Timeline, catalog: Catalog | None = None) -> str:
    """Return the phases of workloads as SVG, with every text escaped.

    Examples
    --------
    >>> svg_of_timeline(Timeline((), (), 0, (), 0.0))[:40]
    '<svg xmlns="http://www.w3.org/2000/svg" '
    """
    words = catalog or english()
    title = words.text("frontend.timeline.title")
    widest = max((text_width(short_name(each)) for each in found.workloads), default=0)
    left = max(_LEAST_NAMES, min(widest + 20, WIDTH * _MOST_NAMES))
    bottom = 4.0 + _ROW * len(found.workloads)
    parts = [*_patterns(), *_drawn(found, left, bottom)]
    keys, tall = legend(_keys(found), left, bottom + 26, WIDTH - left)
    return picture(WIDTH, bottom + 28 + tall, title, [*parts, *keys])


def _drawn(found: Timeline, left: float, bottom: float) -> Iterator[str]:
    rows = {key: row for row, key in enumerate(found.workloads)}
    a_second = (WIDTH - left - 14) / max(found.end, 1e-9)
    for time in _ticks(found.end, WIDTH - left):
        x = left + time * a_second
        yield path(f"M{x:.1f} 4V{bottom + 4}", "k-line")
        shown = format_duration(round(time * SECOND))
        half = text_width(shown, SMALL + 1) / 2
        at = min(max(x - half, 0), WIDTH - 2 * half - 2)
        yield text(at, bottom + 16, shown, "f-soft", font_size=SMALL + 1)
    for key, row in rows.items():
        name = fitted(short_name(key), left - 16)
        yield text(left - 8, 4 + _ROW * row + 16, name, title=key, text_anchor="end")
    for phase in found.phases:
        yield _phase(phase, left, rows[phase.workload], a_second)


def _phase(phase: Phase, left: float, row: int, a_second: float) -> str:
    x = left + phase.start * a_second
    width = max(_LEAST, (phase.end - phase.start) * a_second)
    y, height = 4 + _ROW * row + 3, _ROW - 6
    token, lines = _PHASES.get(phase.phase, ("edge", ""))
    drawn = rect(x, y, width, height, f"f-{token}", phase.phase)
    return drawn + (rect(x, y, width, height, "", fill=f"url(#p-{token})") if lines else "")


def _ticks(end: float, width: float) -> Iterator[float]:
    """Yield the times of the ticks: round ones, at most one for each 90 pixels."""
    least = end / max(1, int(width / _A_TICK))
    every = next((each for each in _NICE if each >= least), _HOUR * -(-least // _HOUR))
    for number in range(int(end / every) + 1 if every else 1):
        yield number * every


def _patterns() -> Iterator[str]:
    for token, lines in _PHASES.values():
        if lines:
            yield (
                f'<pattern id="p-{token}" width="6" height="6" patternUnits="userSpaceOnUse">'
                f'<path d="{lines}" stroke="#333" stroke-opacity="0.55"/></pattern>'
            )


def _keys(found: Timeline) -> Iterator[tuple[str, str]]:
    """Yield the phases that occur."""
    there = {each.phase for each in found.phases}
    for phase, (token, lines) in _PHASES.items():
        if phase in there:
            sign = rect(0, 0, 16, 10, f"f-{token}")
            yield sign + (rect(0, 0, 16, 10, "", fill=f"url(#p-{token})") if lines else ""), phase
