"""A frame as a still picture: SVG that needs no script, drawn as the lab view draws it.

The rows are those that the front end draws (``frontend/modules/layout.js``): a node with one bar
has one row, with several a row for its name and one for each bar.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kueuelab.messages import Catalog, english
from kueuelab.model import UNLIMITED
from kueuelab.trace.names import short_name
from kueuelab.views import svg_chips
from kueuelab.views.frame.labels import amounts_line, chips_by_place, lane_notes
from kueuelab.views.frame.text import picture_text
from kueuelab.views.merge_patch import Json
from kueuelab.views.svg_drawing import (
    BAR_RADIUS,
    SMALL,
    STRIP,
    WIDTH,
    circle,
    fitted,
    legend,
    path,
    picture,
    rect,
    squeezed,
    strip,
    text,
    text_width,
)

__all__ = ["drawn_frame", "svg_of"]

#: The column of names has at least so much of the width, and at most that part of it.
_LEAST_NAMES: Final = 96
_MOST_NAMES: Final = 0.38
_LEAST_NUMBERS: Final = 84
_MOST_NUMBERS: Final = 0.36
#: In narrower pictures names and numbers are above their bars, so that none is cut.
_STACKED: Final = 430
_HEAD: Final = 20
_EDGE: Final = 8
_INDENT: Final = 14
#: The largest amount of a resource ends there, in parts of the width: arrows have room behind it.
_FULL: Final = 0.94
#: The heights of rows, by what is in them.
_BAR: Final = 34
_NAME: Final = 26
_QUEUE: Final = 31
#: More rows than this are counted.
_MOST_ROWS: Final = 80


@dataclass(frozen=True, slots=True)
class _Row:
    """A row: a node, its name if it is the first of the node, and a bar if it has one."""

    node: str
    bar: str
    is_named: bool
    top: float
    height: int
    #: How much is above the bar, for the name; 0 beside it.
    head: int = 0

    @property
    def middle(self) -> float:
        """Where the bar and the chips are."""
        return self.top + self.head + self.height / 2

    @property
    def name_middle(self) -> float:
        """Where the name and the numbers are."""
        return self.top + self.head / 2 if self.head else self.middle


def svg_of(
    frame: Json,
    scales: Mapping[str, int],
    title: str = "",
    catalog: Catalog | None = None,
    *,
    priorities: Sequence[int] = (),
    width: int = WIDTH,
) -> str:
    """Return a frame as SVG.

    Parameters
    ----------
    frame
        The frame.
    scales
        The amount that fills the width, by resource: ``scales`` of the document.
    title
        The name of the picture.
    catalog
        The language; English, if omitted.
    priorities
        The priorities of the run, ascending: a higher one is drawn stronger.
    width
        How wide it is; texts keep their size.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> from kueuelab.views import Document
    >>> document = Document(scenarios.load("reclaim-1-take-back").run())
    >>> picture = svg_of(document.frame(document.start), document.scales, "Taking back")
    >>> picture[:4], "<title>Taking back</title>" in picture
    ('<svg', True)
    """
    words = catalog or english()
    parts, height = drawn_frame(frame, scales, words, priorities, width)
    return picture(width, height, title, parts, description=picture_text(frame, words))


def drawn_frame(
    frame: Json,
    scales: Mapping[str, int],
    words: Catalog,
    priorities: Sequence[int] = (),
    width: int = WIDTH,
) -> tuple[list[str], float]:
    """Return what a picture of a frame is made of, and how high it is."""
    rows = list(_rows(frame, is_stacked=width < _STACKED))
    shown = rows[:_MOST_ROWS]
    sizes = _Sizes(frame, shown, scales, words, width)
    chips = svg_chips.Chips(sizes, priorities, words)
    places = chips_by_place(frame)
    parts: list[str] = []
    for row in shown:
        parts += _bar(frame, row, sizes)
        own = places.get(row.bar or row.node, [])
        parts += chips.row(own, frame, row.bar, row.top + row.head, row.height)
    parts += _arrows(frame, shown, sizes)
    for row in shown:
        parts += _name(frame, row, sizes, words)
        parts += _numbers(frame, row, sizes, words)
    height = shown[-1].top + shown[-1].head + shown[-1].height + 6 if shown else 8.0
    if len(rows) > len(shown):
        more = words.text("views.svg.more-rows", count=len(rows) - len(shown))
        parts.append(text(8, height + 12, more, "f-soft"))
        height += 24
    keys, tall = legend(_keys(frame, words, priorities), 8, height + 4, width - 16)
    return [*parts, *keys], height + tall + (8 if tall else 0)


def _rows(frame: Json, *, is_stacked: bool) -> Iterator[_Row]:
    bars: dict[str, list[str]] = {}
    for key, bar in sorted(frame.get("bars", {}).items(), key=lambda each: each[1]["order"]):
        bars.setdefault(bar["node"], []).append(key)
    top = 4.0
    for key, node in sorted(frame.get("tree", {}).items(), key=lambda each: each[1]["order"]):
        own = bars.get(key, [])
        lanes = own if len(own) == 1 else ["", *own]
        for number, bar in enumerate(lanes):
            height = _QUEUE if node["kind"] == "LocalQueue" else _BAR if bar else _NAME
            head = _HEAD if is_stacked and (bar or node["kind"] == "LocalQueue") else 0
            yield _Row(key, bar, number == 0, top, height, head)
            top += head + height


class _Sizes:
    """Where names, bars and numbers are; one scale of lengths for each resource."""

    def __init__(
        self,
        frame: Json,
        rows: Sequence[_Row],
        scales: Mapping[str, int],
        words: Catalog,
        width: int,
    ) -> None:
        self.width = width
        self.is_stacked = width < _STACKED
        self.has_flavors = len({bar["flavor"] for bar in frame.get("bars", {}).values()}) > 1
        names = max(
            (_indent(frame, row) + text_width(_shown(frame, row)) for row in rows), default=0
        )
        self.left = max(_LEAST_NAMES, min(names + 12, width * _MOST_NAMES))
        most = width * _MOST_NUMBERS
        barred = [row for row in rows if row.bar]
        # One form for all rows: what amounts are of is left out of all of them, or of none.
        self.is_short = not self.is_stacked and any(
            text_width(words.render(amounts_line(frame["bars"][row.bar])[0])) > most
            for row in barred
        )
        numbers = 0.0
        for row in barred:
            first, second = self.numbers_of(frame, row, words, most)
            numbers = max(numbers, text_width(first), text_width(second, SMALL))
        self.numbers = max(_LEAST_NUMBERS, min(most, numbers)) + 12
        if self.is_stacked:
            self.left = self.numbers = _EDGE
        self.room = width - self.left - self.numbers - 4
        self._scales = scales

    def __call__(self, resource: str, amount: int) -> float:
        """Return the length of an amount."""
        part = min(amount / max(1, self._scales.get(resource, 1)), 1.04 / _FULL)
        return round(part * _FULL * self.room, 1)

    def numbers_of(self, frame: Json, row: _Row, words: Catalog, room: float) -> tuple[str, str]:
        """Return the numbers of a row on two lines: what they are of is left out first."""
        bar = frame["bars"][row.bar]
        used, short = amounts_line(bar)
        whole = words.render(used)
        notes = [*map(words.render, lane_notes(bar))]
        if row.head:
            lines = (", ".join([each, *notes]) for each in (whole, short))
            return next((each for each in lines if text_width(each) <= room), short), ""
        texts = [f"{whole}, {bar['flavor']}"] if self.has_flavors and row.is_named else []
        texts = [short] if self.is_short else [*texts, whole, short]
        first = next((each for each in texts if text_width(each) <= room), short)
        return first, ", ".join(notes)


def _indent(frame: Json, row: _Row) -> float:
    return float(6 + frame["tree"][row.node]["depth"] * _INDENT + (17 if row.is_named else 25))


def _shown(frame: Json, row: _Row) -> str:
    node = frame["tree"][row.node]
    if not row.is_named:
        bar = frame["bars"][row.bar]
        return f"{bar['flavor']} · {bar['resource']}"
    name = short_name(node["name"]) if node["kind"] == "LocalQueue" else node["name"]
    return f"{node['cluster']}: {name}" if node.get("cluster") else name


def _name(frame: Json, row: _Row, sizes: _Sizes, words: Catalog) -> Iterator[str]:
    kind = frame["tree"][row.node]["kind"]
    x, y = _indent(frame, row), row.name_middle
    if row.is_named:
        at = x - 8
        if kind == "Cohort":
            yield path(f"M{at - 4.5} {y}l4.5 -4.5 4.5 4.5 -4.5 4.5z", "f-soft")
        elif kind == "ClusterQueue":
            yield rect(at - 4, y - 4, 8, 8, "f-soft")
        else:
            yield circle(at, y, 3.5, "k-soft")
    shown = _shown(frame, row)
    if row.is_named and frame.get("queues", {}).get(row.node, {}).get("inactive"):
        shown = f"{shown} ({words.text('frontend.queue.inactive')})"
    look = "f-soft" if kind == "LocalQueue" or not row.is_named else "f-text"
    style = {"font_weight": "650"} if kind == "Cohort" and row.is_named else {}
    end = sizes.left
    if row.head:
        short = amounts_line(frame["bars"][row.bar])[1] if row.bar else ""
        end = sizes.width - text_width(short) - 2 * _EDGE
    yield text(x, y + 4, fitted(shown, end - x - 6), look, shown, **style)


def _bar(frame: Json, row: _Row, sizes: _Sizes) -> Iterator[str]:
    """Yield what is used of the nominal quota, borrowed, lent and reserved, and the limits."""
    if not row.bar:
        return
    bar = frame["bars"][row.bar]
    is_cohort = frame["tree"][row.node]["kind"] == "Cohort"
    resource, left = bar["resource"], sizes.left
    used, end = sizes(resource, bar["used"]), sizes(resource, bar["nominal"])
    y, height = row.top + row.head + 4, row.height - 8
    yield rect(left, y, used, height, "f-s1" if is_cohort else "f-s0")
    if bar.get("borrowed") and used > end:
        yield rect(left + end, y + height - 5, used - end, 5, "", fill="url(#borrowed)")
    if bar.get("lends"):
        given = sizes(resource, bar["lends"])
        yield rect(left + end - given, y, given, height, "", fill="url(#lent)")
    if is_cohort and bar.get("reserved"):
        wide = sizes(resource, bar["reserved"])
        start = max(0.0, min(used, max(end, used) - wide))
        yield strip(left + start, y + height - STRIP, wide)
    yield rect(left, y, end, height, "k-edge", stroke_width=1.5, rx=BAR_RADIUS)
    ticks = [bar["nominal"] + bar["borrowingLimit"]] if "borrowingLimit" in bar else []
    if bar.get("lendingLimit", bar["nominal"]) < bar["nominal"]:
        ticks.append(bar["nominal"] - bar["lendingLimit"])
    for amount in ticks:
        if amount < UNLIMITED:
            x = left + sizes(resource, amount)
            yield path(
                f"M{x} {y - 2}v{height + 4}m-3 0h6m-6 {-height - 4}h6", "k-limit", stroke_width=1.5
            )


def _numbers(frame: Json, row: _Row, sizes: _Sizes, words: Catalog) -> Iterator[str]:
    if not row.bar:
        return
    y = row.name_middle
    if row.head:
        named = _indent(frame, row) + text_width(_shown(frame, row))
        room = sizes.width - named - 2 * _EDGE
        first, _ = sizes.numbers_of(frame, row, words, room)
        # Arrows stay behind the numbers.
        look, end = "f-text k-ground", sizes.width - _EDGE
        yield text(end, y + 4, first, look, text_anchor="end", paint_order="stroke", stroke_width=3)
        return
    room = sizes.numbers - 12
    first, second = sizes.numbers_of(frame, row, words, room)
    x = sizes.width - sizes.numbers + 6
    yield squeezed(x, y - 2 if second else y + 4, first, room, "f-text")
    if second:
        yield squeezed(x, y + 10, second, room, "f-soft", SMALL)


def _arrows(frame: Json, rows: list[_Row], sizes: _Sizes) -> Iterator[str]:
    """Yield borrowing: from the bar that lends to the bar that borrows."""
    middles = {row.bar: row.middle for row in rows if row.bar}
    number = 0
    for arrow in frame.get("arrows", {}).values():
        if arrow["from"] not in middles or arrow["to"] not in middles:
            continue
        lender, borrower = frame["bars"][arrow["from"]], frame["bars"][arrow["to"]]
        most = max(lender["nominal"], lender["used"])
        start = sizes.left + sizes(lender["resource"], most) + 2
        end = sizes.left + sizes(borrower["resource"], borrower["used"]) + 3
        far = max(start, end)
        out = min(far + 16 + number % 4 * 7, max(sizes.left + sizes.room - 4, far + 9))
        y, z = middles[arrow["from"]], middles[arrow["to"]]
        down = 6 if z > y else -6
        there = f"M{start:.1f} {y}H{out - 6:.1f}q6 0 6 {down}V{z - down}"
        back = f"q0 {down} -6 {down}H{end + 6:.1f}"
        yield path(there + back, "k-borrowed", stroke_width=2)
        yield path(f"M{end:.1f} {z}l7 -4v8z", "f-borrowed")
        number += 1


def _keys(frame: Json, words: Catalog, priorities: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Yield the signs that the picture has, and what each of them means."""
    bars = frame.get("bars", {}).values()
    chips = frame.get("chips", {}).values()
    shapes = {
        "nominal": (bool(bars), rect(0.5, 0.5, 15, 9, "k-edge", stroke_width=1.5, rx=BAR_RADIUS)),
        "priority": (
            len(priorities) > 1 and bool(chips),
            "".join(rect(4 * step, 0, 4, 10, f"f-s{step + 1}") for step in range(4)),
        ),
        "borrowed": (
            any("borrowed" in bar for bar in bars),
            rect(0, 2, 16, 6, "", fill="url(#borrowed)"),
        ),
        "lent": (any("lends" in bar for bar in bars), rect(0, 0, 16, 10, "", fill="url(#lent)")),
        "limit": (
            any("borrowingLimit" in bar or "lendingLimit" in bar for bar in bars),
            rect(7, -1, 2, 12, "f-limit"),
        ),
    }
    for name, (is_there, shape) in shapes.items():
        if is_there:
            yield shape, words.text(f"frontend.legend.{name}")
    roles = {chip.get("role") for chip in chips}
    for role, mark in svg_chips.MARKS.items():
        if role in roles:
            yield text(3, 9, mark, "f-text"), words.text(f"frontend.role.{role}")
