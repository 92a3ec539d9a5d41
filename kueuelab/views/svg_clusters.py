"""The lanes of a MultiKueue board as a still picture: SVG that needs no script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kueuelab.trace.names import short_name
from kueuelab.views.merge_patch import Json
from kueuelab.views.svg_drawing import (
    WIDTH,
    look_of,
    picture,
    rect,
    squeezed,
    text,
    text_width,
    wrapped,
)

__all__ = ["svg_of_clusters"]

_NAMES: Final = 150
_QUEUES: Final = 270
#: Where the chips begin.
_CHIPS: Final = _NAMES + _QUEUES
_LINE: Final = 18
_CHIP: Final = 22
_GAP: Final = 6
#: The colours of chips by kind, as the board has them; the mark in them says the same.
_COLOURS: Final = {
    "reserved": "candidate",
    "admitted": "accent",
    "won": "restored",
    "finished": "restored",
    "evicted": "target",
    "twice": "target",
}
#: Copies that are not there, or not yet.
_DASHED: Final = ("waits", "removed")


def svg_of_clusters(frame: Json, title: str = "") -> str:
    """Return the lanes of a frame as SVG, with every text escaped.

    Examples
    --------
    >>> lane = {"order": 0, "role": "", "chips": {}, "queues": {}, "statuses": {}}
    >>> "<title>two</title>" in svg_of_clusters({"lanes": {"w1": lane}, "sentence": ""}, "two")
    True
    """
    parts: list[str] = []
    top = 4.0
    lanes = sorted(frame.get("lanes", {}).items(), key=lambda item: item[1]["order"])
    for number, (name, lane) in enumerate(lanes):
        drawn, height = _lane(name, lane, top)
        # The first one is the manager.
        side = rect(2, top, 4, height, "f-accent" if number else "f-chosen")
        parts += [rect(2, top, WIDTH - 4, height, "f-area"), side, *drawn]
        top += height + 4
    return picture(WIDTH, top, title, parts, description=frame["sentence"])


def _lane(name: str, lane: Json, top: float) -> tuple[list[str], float]:
    """Return a lane and its height."""
    parts = [text(14, top + 17, name, font_weight="650")]
    said = wrapped(lane["role"], _NAMES - 20)
    parts += [
        text(14, top + 17 + _LINE * (row + 1), line, "f-soft") for row, line in enumerate(said)
    ]
    lines = [
        line for queue in lane["queues"].values() for line in wrapped(queue["text"], _QUEUES - 12)
    ]
    parts += [text(_NAMES + 8, top + 17 + _LINE * row, line) for row, line in enumerate(lines)]
    x, y = float(_CHIPS), top + 4
    for key, chip in lane["chips"].items():
        told = f"{chip['mark']} {short_name(key)}: {chip['text']}"
        wide = min(text_width(told) + 18, WIDTH - _CHIPS - 6)
        if x + wide > WIDTH - 4 and x > _CHIPS:
            x, y = float(_CHIPS), y + _CHIP + 4
        parts += _chip(x, y, wide, told, chip["kind"])
        x += wide + _GAP
    height = max(_LINE * (len(said) + 1), _LINE * len(lines), y - top + _CHIP) + 6
    return parts, height


def _chip(x: float, y: float, wide: float, told: str, kind: str) -> Iterator[str]:
    dashes = {"stroke_dasharray": "4 3"} if kind in _DASHED else {}
    look = look_of("ground", _COLOURS.get(kind, "edge"))
    yield rect(x, y, wide, _CHIP, look, told, rx=_CHIP / 2, stroke_width=2, **dashes)
    yield squeezed(x + 9, y + 15, told, wide - 16)
