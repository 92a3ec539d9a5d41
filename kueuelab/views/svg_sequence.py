"""The lifecycle of a job as a still picture: SVG that needs no script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from kueuelab.messages import Catalog, english
from kueuelab.trace.names import short_name
from kueuelab.views.sequence import Sequence, SequenceMessage

__all__ = ["svg_of_sequence"]

_LANE: Final = 250
_ROW: Final = 26
_LEFT: Final = 70
_TOP: Final = 40
#: How many characters there is room for between two lifelines.
_ROOM: Final = 38
_GREY: Final = "#8a8a8a"
_BLUE: Final = "#0072b2"
_PURPLE: Final = "#aa4499"


def svg_of_sequence(sequence: Sequence, catalog: Catalog | None = None) -> str:
    """Return the diagram as SVG, with every text escaped.

    Examples
    --------
    >>> svg_of_sequence(Sequence("default/a", ("manager",), ()))[:40]
    '<svg xmlns="http://www.w3.org/2000/svg" '
    """
    width = _LEFT + _LANE * len(sequence.clusters)
    height = _TOP + _ROW * (len(sequence.messages) + 1)
    words = catalog or english()
    name = words.text("views.life.title", workload=short_name(sequence.workload))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={quoteattr(name)} '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'style="color:var(--jp-ui-font-color1,#333);font:12px sans-serif">'
        f"<title>{escape(name)}</title>{''.join(_drawn(sequence, height, words))}</svg>"
    )


def _drawn(sequence: Sequence, height: int, words: Catalog) -> Iterator[str]:
    places = {name: _LEFT + 20 + _LANE * i for i, name in enumerate(sequence.clusters)}
    for name, x in places.items():
        yield _text(x, 16, name, weight="bold", anchor="middle")
        yield (
            f'<line x1="{x}" y1="24" x2="{x}" y2="{height}" stroke="{_GREY}" '
            'stroke-dasharray="4 3"/>'
        )
    for row, message in enumerate(sequence.messages):
        yield from _message(message, places, _TOP + _ROW * row + _ROW // 2, words)


def _message(
    message: SequenceMessage, places: dict[str, int], y: int, words: Catalog
) -> Iterator[str]:
    text = words.render(message.text)
    start, end = places[message.source], places[message.target]
    yield f"<g><title>{escape(words.render(message.as_text()))}</title>"
    yield _text(_LEFT - 12, y + 4, message.at, anchor="end")
    if start == end:
        yield f'<circle cx="{start}" cy="{y}" r="4" fill="{_PURPLE}"/>'
        yield _text(start + 10, y + 4, _short(text, _ROOM))
    else:
        towards = 1 if end > start else -1
        room = _ROOM * abs(end - start) // _LANE
        yield f'<line x1="{start}" y1="{y}" x2="{end}" y2="{y}" stroke="{_BLUE}" stroke-width="2"/>'
        tip = end - 9 * towards
        yield f'<polygon points="{end},{y} {tip},{y - 5} {tip},{y + 5}" fill="{_BLUE}"/>'
        yield _text((start + end) // 2, y - 7, _short(text, room), anchor="middle")
    yield "</g>"


def _text(x: int, y: int, text: str, *, anchor: str = "start", weight: str = "normal") -> str:
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-weight="{weight}" '
        # Lifelines stay behind the text.
        'style="paint-order:stroke;stroke:var(--jp-layout-color1,#fff);stroke-width:4px" '
        f'fill="currentColor">{escape(text)}</text>'
    )


def _short(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"
