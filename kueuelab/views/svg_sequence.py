"""The lifecycle of a job as a still picture: SVG that needs no script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final
from xml.sax.saxutils import escape

from kueuelab.messages import Catalog, english
from kueuelab.trace.names import short_name
from kueuelab.views.sequence import Sequence, SequenceMessage
from kueuelab.views.svg_drawing import circle, look_of, path, picture, text, text_width

__all__ = ["svg_of_sequence"]

_ROW: Final = 26
_LEFT: Final = 70
_TOP: Final = 40
_LEAST_LANE: Final = 160
_EDGE: Final = 20


def svg_of_sequence(sequence: Sequence, catalog: Catalog | None = None) -> str:
    """Return the diagram as SVG, with every text escaped; lanes are as wide as the sentences.

    Examples
    --------
    >>> svg_of_sequence(Sequence("default/a", ("manager",), ()))[:40]
    '<svg xmlns="http://www.w3.org/2000/svg" '
    """
    words = catalog or english()
    count = len(sequence.clusters)
    order = {name: place for place, name in enumerate(sequence.clusters)}
    lane, beyond = float(_LEAST_LANE), float(_LEAST_LANE)
    for message in sequence.messages:
        wide = text_width(words.render(message.text)) + 24
        start, end = order[message.source], order[message.target]
        if start == end == count - 1:
            beyond = max(beyond, wide)
        else:
            lane = max(lane, wide / max(1, abs(end - start)))
    places = {name: _LEFT + _EDGE + lane * place for name, place in order.items()}
    width = _LEFT + _EDGE + lane * (count - 1) + beyond
    height = _TOP + _ROW * (len(sequence.messages) + 1)
    title = words.text("views.life.title", workload=short_name(sequence.workload))
    return picture(width, height, title, _drawn(sequence, places, height, words))


def _drawn(
    sequence: Sequence, places: Mapping[str, float], height: float, words: Catalog
) -> Iterator[str]:
    for name, x in places.items():
        yield text(x, 16, name, font_weight="650", text_anchor="middle")
        yield path(f"M{x} 24V{height}", "k-edge", stroke_dasharray="4 3")
    for row, message in enumerate(sequence.messages):
        drawn = _message(message, places, _TOP + _ROW * row + _ROW / 2, words)
        about = escape(words.render(message.as_text()))
        yield f"<g><title>{about}</title>{''.join(drawn)}</g>"


def _message(
    message: SequenceMessage, places: Mapping[str, float], y: float, words: Catalog
) -> Iterator[str]:
    told = words.render(message.text)
    look = look_of("text", "ground")
    start, end = places[message.source], places[message.target]
    yield text(_LEFT - 12, y + 4, message.at, "f-soft", text_anchor="end")
    # Lifelines stay behind the text.
    if start == end:
        yield circle(start, y, 4, "f-chosen")
        yield text(start + 10, y + 4, told, look, paint_order="stroke", stroke_width=4)
        return
    towards = 1 if end > start else -1
    yield path(f"M{start:.1f} {y}H{end:.1f}", "k-accent", stroke_width=2)
    yield path(f"M{end:.1f} {y}l{-9 * towards} -5v10z", "f-accent")
    middle = (start + end) / 2
    yield text(
        middle,
        y - 7,
        told,
        look,
        text_anchor="middle",
        paint_order="stroke",
        stroke_width=4,
    )
