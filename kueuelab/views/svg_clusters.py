"""The lanes of a MultiKueue board as a still picture: SVG that needs no script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from kueuelab.trace.names import short_name
from kueuelab.views.merge_patch import Json

__all__ = ["svg_of_clusters"]

_WIDTH: Final = 900
_NAMES: Final = 150
_QUEUES: Final = 270
_LINE: Final = 18
_LETTER: Final = 6.4
_GREY: Final = "#8a8a8a"
#: The colours of chips by kind; the mark in them says the same.
_COLOURS: Final = {
    "reserved": "#e69f00",
    "admitted": "#0072b2",
    "won": "#009e73",
    "finished": "#009e73",
    "evicted": "#d55e00",
    "twice": "#d55e00",
}


def svg_of_clusters(frame: Json, title: str = "") -> str:
    """Return the lanes of a frame as SVG, with every text escaped.

    Examples
    --------
    >>> lane = {"order": 0, "role": "", "chips": {}, "queues": {}, "statuses": {}}
    >>> "<title>two</title>" in svg_of_clusters({"lanes": {"w1": lane}, "sentence": ""}, "two")
    True
    """
    parts: list[str] = []
    top = 4
    lanes = sorted(frame.get("lanes", {}).items(), key=lambda item: item[1]["order"])
    for name, lane in lanes:
        drawn, height = _lane(name, lane, top)
        parts += drawn
        top += height + 4
    described = f"<title>{escape(title)}</title><desc>{escape(frame['sentence'])}</desc>"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={quoteattr(title)} '
        f'width="{_WIDTH}" height="{top}" viewBox="0 0 {_WIDTH} {top}" '
        'style="color:var(--jp-ui-font-color1,#333);font:12px sans-serif">'
        f"{described}{''.join(parts)}</svg>"
    )


def _lane(name: str, lane: Json, top: int) -> tuple[list[str], int]:
    """Return a lane and its height."""
    parts = [_text(12, top + 14, name, "bold"), _text(12, top + 14 + _LINE, lane["role"])]
    for row, queue in enumerate(lane["queues"].values()):
        parts.append(_text(12 + _NAMES, top + 14 + _LINE * row, queue["text"]))
    x, y = float(_NAMES + _QUEUES), top + 2
    for key, chip in lane["chips"].items():
        text = f"{chip['mark']} {short_name(key)}: {chip['text']}"
        wide = min(len(text) * _LETTER + 16, _WIDTH - _NAMES - _QUEUES - 4)
        if x + wide > _WIDTH and x > _NAMES + _QUEUES:
            x, y = float(_NAMES + _QUEUES), y + _LINE + 4
        parts += _chip(x, y, wide, text, _COLOURS.get(chip["kind"], _GREY))
        x += wide + 6
    height = max(2 * _LINE + 4, _LINE * len(lane["queues"]) + 4, y - top + _LINE + 4)
    side = f'<rect x="2" y="{top}" width="4" height="{height}" fill="#0072b2"/>'
    return [side, *parts], height


def _chip(x: float, y: int, wide: float, text: str, colour: str) -> Iterator[str]:
    room = int((wide - 12) / _LETTER)
    yield f"<g><title>{escape(text)}</title>"
    yield (
        f'<rect x="{x:.0f}" y="{y}" width="{wide:.0f}" height="{_LINE}" rx="9" fill="none" '
        f'stroke="{colour}" stroke-width="2"/>'
    )
    yield _text(x + 8, y + 13, text if len(text) <= room else text[: room - 1] + "…")
    yield "</g>"


def _text(x: float, y: float, text: str, weight: str = "normal") -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" font-weight="{weight}" fill="currentColor">'
        f"{escape(text)}</text>"
    )
