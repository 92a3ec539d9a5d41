"""The map of exercises as SVG: a lane for each topic, a column for each step that is required."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Final
from xml.sax.saxutils import escape, quoteattr

__all__ = ["Box", "picture"]

_LANE: Final = 134
_WIDTH: Final = 190
_HEIGHT: Final = 52
_GUTTER: Final = 58
_GAP: Final = 12
_PADDING: Final = 8
_TOP: Final = 6
#: Where the first line turns in a gutter, and how far the next one is from it.
_TURN: Final = 12
_TRACK: Final = 7
_ROUND: Final = 5
#: Letters of a title in a line, and of the name of a topic.
_LETTERS: Final = 21
_LANE_LETTERS: Final = 14

_STYLES: Final = Path(__file__).with_name("map.css")


@dataclass(frozen=True, slots=True)
class Box:
    """An exercise in the picture.

    Attributes
    ----------
    name, title, caption, mark
        What names it, and what is written in it.
    state
        How it is drawn: a class of the styles.
    lane, column
        Where it is.
    after
        The names of the boxes from which a line leads to it.
    text
        All about it, as a sentence: its tooltip.
    link
        Where it leads, ``""`` if nowhere.
    """

    name: str
    title: str
    caption: str
    mark: str
    state: str
    lane: str
    column: int
    after: tuple[str, ...]
    text: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class _Layout:
    """The place of each box, and the top and the height of each lane."""

    at: dict[str, tuple[int, int]]
    lanes: dict[str, tuple[int, int]]
    width: int
    height: int


def picture(boxes: Sequence[Box], title: str, description: str, legend: str) -> str:
    """Return boxes and the lines between them as SVG.

    Parameters
    ----------
    boxes
        The boxes, lane by lane.
    title, description
        What the picture shows: in a sentence, and in full.
    legend
        What the marks are.
    """
    layout = _layout(boxes)
    parts = [
        *_lanes(layout),
        *_edges(layout, boxes),
        *(_box(box, *layout.at[box.name]) for box in boxes),
        f'<text class="soft" x="12" y="{layout.height - 10}">{escape(legend)}</text>',
    ]
    # A picture with links is a group, since what is inside of an image cannot be reached.
    role = "group" if any(box.link for box in boxes) else "img"
    style = _STYLES.read_text("utf-8")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="kl-map" role="{role}"'
        f' viewBox="0 0 {layout.width} {layout.height}" width="{layout.width}"'
        f' height="{layout.height}" style="max-width:100%;height:auto">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
        f"<style>{style}</style>"
        f'<rect class="ground" width="{layout.width}" height="{layout.height}"/>'
        f"{''.join(parts)}</svg>"
    )


def _layout(boxes: Sequence[Box]) -> _Layout:
    """Place each box in its column, at the first row of its lane that is free there.

    A box whose predecessor is in the same lane begins to look at the row of that one.
    """
    rows: dict[str, int] = {}
    lanes: dict[str, dict[tuple[int, int], str]] = {}
    for box in sorted(boxes, key=lambda each: each.column):
        taken = lanes.setdefault(box.lane, {})
        row = max([rows[name] for name in box.after if name in taken.values()], default=0)
        while (box.column, row) in taken:
            row += 1
        taken[box.column, row] = box.name
        rows[box.name] = row
    at: dict[str, tuple[int, int]] = {}
    places: dict[str, tuple[int, int]] = {}
    y = _TOP
    for lane in dict.fromkeys(box.lane for box in boxes):
        count = 1 + max(row for _, row in lanes[lane])
        height = count * (_HEIGHT + _GAP) - _GAP + 2 * _PADDING
        places[lane] = (y, height)
        for (column, row), name in lanes[lane].items():
            x = _LANE + column * (_WIDTH + _GUTTER)
            at[name] = (x, y + _PADDING + row * (_HEIGHT + _GAP))
        y += height + _TOP
    columns = 1 + max(box.column for box in boxes)
    return _Layout(at, places, _LANE + columns * (_WIDTH + _GUTTER) - _GUTTER + _PADDING, y + 28)


def _lanes(layout: _Layout) -> Iterator[str]:
    for name, (y, height) in layout.lanes.items():
        size = f'width="{layout.width - 8}" height="{height}"'
        yield f'<rect class="lane" x="4" y="{y}" {size} rx="6"/>'
        for number, line in enumerate(wrap(name, _LANE_LETTERS)):
            yield f'<text class="name" x="12" y="{y + 22 + 16 * number}">{escape(line)}</text>'


def _edges(layout: _Layout, boxes: Sequence[Box]) -> Iterator[str]:
    """Yield the line from each box to those that require it; each box has a track of its own."""
    leads: dict[str, list[Box]] = {}
    for box in boxes:
        for name in box.after:
            leads.setdefault(name, []).append(box)
    tracks: dict[int, int] = {}
    for box in boxes:
        if box.name not in leads:
            continue
        track = tracks[box.column] = tracks.get(box.column, -1) + 1
        turn = layout.at[box.name][0] + _WIDTH + _TURN + track * _TRACK
        done = " done" if box.state in ("solved", "revealed") else ""
        for other in leads[box.name]:
            yield f'<path class="edge{done}" d="{_path(layout, box, other, turn)}"/>'


def _path(layout: _Layout, one: Box, other: Box, turn: int) -> str:
    """Return a line that leaves to the right, turns in the gutter, and arrives from the left."""
    x0, y0 = layout.at[one.name]
    x1, y1 = layout.at[other.name]
    x0, y0, y1 = x0 + _WIDTH, y0 + _HEIGHT // 2, y1 + _HEIGHT // 2
    path = f"M{x0} {y0}"
    if other.column - one.column > 1:
        # Above the boxes of the columns between.
        above = y1 - (_HEIGHT + _GAP) // 2
        return f"{path}{_turn(turn, y0, above)}{_turn(x1 - _TURN, above, y1)}H{x1}"
    return f"{path}{_turn(turn, y0, y1)}H{x1}"


def _turn(x: int, y0: int, y1: int) -> str:
    """Return a horizontal line to a track, and the way along the track to another height."""
    if y0 == y1:
        return ""
    way = _ROUND if y1 > y0 else -_ROUND
    return f"H{x - _ROUND}Q{x} {y0} {x} {y0 + way}V{y1 - way}Q{x} {y1} {x + _ROUND} {y1}"


def _box(box: Box, x: int, y: int) -> str:
    lines = wrap(box.title, _LETTERS)[:2]
    first = y + (17 if len(lines) == 2 else 22)
    texts = "".join(
        f'<text class="name" x="{x + 28}" y="{first + 14 * number}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    drawn = (
        f"<title>{escape(box.text)}</title>"
        f'<rect class="box" x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>'
        f'<text class="mark" x="{x + 8}" y="{first + 1}">{escape(box.mark)}</text>'
        f'{texts}<text class="soft" x="{x + 28}" y="{y + _HEIGHT - 7}">{escape(box.caption)}</text>'
    )
    if box.link:
        drawn = f"<a href={quoteattr(box.link)}>{drawn}</a>"
    return f"<g class={quoteattr(box.state)}>{drawn}</g>"
