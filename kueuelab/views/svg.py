"""A frame as a still picture: SVG that needs no script, with a title and a description.

The rows are those that the front end draws (``frontend/modules/layout.js``): a node with one bar
has one row, with several a row for its name and one for each bar.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from kueuelab.messages import Catalog, english
from kueuelab.trace.names import short_name
from kueuelab.views.frame.labels import bar_lines, chip_label, chips_by_place
from kueuelab.views.frame.text import picture_text
from kueuelab.views.merge_patch import Json

__all__ = ["svg_of"]

_WIDTH: Final = 900
#: Names and numbers take as much of the width as they need, up to this.
_MOST_NAMES: Final = 260
_MOST_NUMBERS: Final = 340
_LEAST: Final = 90
_INDENT: Final = 14
_HEIGHT: Final = 28
_LETTER: Final = 6.6
#: The same of the second line of numbers.
_SMALL_LETTER: Final = 5.8
#: More rows than this are counted.
_MOST_ROWS: Final = 80
#: A pending workload is at least as wide as this.
_PENDING: Final = 34
#: It has a ground of its own, light or dark as the browser is.
_GROUND: Final = "#ffffff"
_TEXT: Final = "#1a1a1a"
_USED: Final = "#8fbfe0"
_BORROWED: Final = "#e69f00"
_GREY: Final = "#8a8a8a"
_RED: Final = "#d55e00"
_BLUE: Final = "#0072b2"
_GREEN: Final = "#009e73"
#: Between the bars and the numbers: arrows have room there.
_GAP: Final = 26
_DARK: Final = "@media(prefers-color-scheme:dark){svg{fill:#e8e8e8}rect.g{fill:#15181c}}"
#: What a bar is drawn to: its nominal quota, or what is used beyond it.
_FRAME: Final = ("nominal", "used")
#: How what is reserved, and not there yet, is drawn.
_STRIP: Final[Mapping[str, str]] = {
    "fill": "none",
    "stroke": _BLUE,
    "stroke_width": "1.5",
    "stroke_dasharray": "4 2",
}
#: Outlines of chips by role.
_OUTLINES: Final[Mapping[str, str]] = {
    "head": _BLUE,
    "preemptor": _BLUE,
    "candidate": _BORROWED,
    "excluded": _GREY,
    "skipped": _GREY,
    "removed": _RED,
    "restored": _GREEN,
    "target": _RED,
}


@dataclass(frozen=True, slots=True)
class _Row:
    """A row: a node, its name if it is the first of the node, and a bar if it has one."""

    node: str
    name: str
    bar: str


def svg_of(
    frame: Json, scales: Mapping[str, int], title: str = "", catalog: Catalog | None = None
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
    rows = list(_rows(frame))
    shown = rows[:_MOST_ROWS]
    chips = chips_by_place(frame)
    length = _Lengths(scales, *_columns(frame, shown, words))
    parts = [
        part
        for number, row in enumerate(shown)
        for part in _row(frame, row, 4 + number * _HEIGHT, chips, length, words)
    ]
    parts += _arrows(frame, shown, length)
    height = 8 + _HEIGHT * len(shown)
    if len(rows) > len(shown):
        more = words.text("views.svg.more-rows", count=len(rows) - len(shown))
        parts.append(_text(8, height + 14, more))
        height += 24
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
        f' width="{_WIDTH}" height="{height}" role="img" style="max-width:100%;height:auto"'
        f' font-family="system-ui, sans-serif" font-size="12" fill="{_TEXT}">'
        f"<title>{escape(title)}</title><desc>{escape(picture_text(frame, words))}</desc>"
        f"<style>{_DARK}</style>"
        f'<rect class="g" width="{_WIDTH}" height="{height}" fill="{_GROUND}"/>'
        f"{''.join(parts)}</svg>"
    )


def _columns(frame: Json, rows: list[_Row], words: Catalog) -> tuple[float, float]:
    """Return how wide the names are, and the numbers."""
    names = numbers = 0
    for row in rows:
        node = frame["tree"][row.node]
        names = max(names, int(len(row.name) * _LETTER) + node["depth"] * _INDENT)
        if row.bar:
            lines = map(words.render, bar_lines(frame["bars"][row.bar], node))
            numbers = max(numbers, *(int(len(line) * _LETTER) for line in lines))
    return (
        max(_LEAST, min(_MOST_NAMES, names + 16)),
        max(_LEAST, min(_MOST_NUMBERS, numbers + _GAP + 4)),
    )


class _Lengths:
    """Lengths of amounts: one scale for each resource."""

    def __init__(self, scales: Mapping[str, int], names: float, numbers: float) -> None:
        self._scales = scales
        #: Where the bars begin, and how wide the largest is.
        self.left = names
        self.numbers = numbers
        self.room = _WIDTH - names - numbers

    def __call__(self, resource: str, amount: int) -> float:
        return round(min(amount / max(1, self._scales.get(resource, 1)), 1) * self.room, 1)

    def asked(self, chip: Json) -> float:
        """Return the width of a pending workload."""
        asks = chip.get("asks", {})
        return max([_PENDING, *(self(name, amount) for name, amount in asks.items())])


def _rows(frame: Json) -> Iterator[_Row]:
    bars: dict[str, list[str]] = {}
    for key, bar in sorted(frame.get("bars", {}).items(), key=lambda each: each[1]["order"]):
        bars.setdefault(bar["node"], []).append(key)
    for key, node in sorted(frame.get("tree", {}).items(), key=lambda each: each[1]["order"]):
        own = bars.get(key, [])
        name = f"{node['kind']} {node['name']}" if node["kind"] != "LocalQueue" else node["name"]
        if len(own) == 1:
            yield _Row(key, name, own[0])
            continue
        yield _Row(key, name, "")
        yield from (_Row(key, "", bar) for bar in own)


def _row(
    frame: Json,
    row: _Row,
    top: int,
    chips: Mapping[str, list[Json]],
    length: _Lengths,
    words: Catalog,
) -> Iterator[str]:
    node = frame["tree"][row.node]
    x = 6 + node["depth"] * _INDENT
    if row.name:
        letters = int((length.left - x - 4) / _LETTER)
        yield _text(x, top + 18, _short(row.name, letters), row.name)
    bar = frame["bars"].get(row.bar) if row.bar else None
    if bar is None:
        if node["kind"] == "LocalQueue":
            yield from _chips(frame, chips.get(row.node, []), top, length, words)
        return
    used, nominal = (length(bar["resource"], bar[each]) for each in ("used", "nominal"))
    yield _rect(length.left, top + 4, used, 20, fill=_USED, fill_opacity="0.55")
    if "borrowed" in bar:
        yield _rect(length.left + nominal, top + 20, used - nominal, 4, fill=_BORROWED)
    yield _rect(length.left, top + 4, nominal, 20, fill="none", stroke=_GREY, stroke_width="1.5")
    yield from _chips(frame, chips.get(row.bar, []), top, length, words, bar["resource"])
    first, rest = map(words.render, bar_lines(bar, node))
    x = _WIDTH - length.numbers + _GAP
    yield _squeezed(x, top + (13 if rest else 18), first, length.numbers - _GAP - 4)
    if rest:
        yield _squeezed(x, top + 25, rest, length.numbers - _GAP - 4, 'font-size="10.5"')


def _chips(
    frame: Json,
    chips: list[Json],
    top: int,
    length: _Lengths,
    words: Catalog,
    resource: str = "",
) -> Iterator[str]:
    at = 0.0
    for chip in chips:
        width = length(resource, chip["amount"]) if resource else length.asked(chip)
        label = words.render(chip_label(chip, frame["bars"]))
        if chip.get("waits") and resource:
            end = length(resource, max(frame["bars"][chip["bar"]][each] for each in _FRAME))
            if at + width > end + 1:
                # Others hold that quota still: it is a strip at the lower edge, within the frame.
                x = length.left + max(0.0, end - width)
                yield _rect(x, top + 19, width, 5, label, **_STRIP)
                continue
        if at + width > length.room + 1:
            yield _text(length.left + at + 4, top + 18, "…")
            return
        hollow = chip.get("hollow") or not resource
        outline = _OUTLINES.get(chip.get("role", ""), _GREY)
        yield _rect(
            length.left + at + 0.5,
            top + 6,
            max(1.5, width - 1),
            16,
            label,
            rx="3",
            fill="none" if hollow else _USED,
            stroke=outline,
            stroke_width="2" if chip.get("role") else "1",
            stroke_dasharray="4 2" if chip.get("hollow") else "none",
        )
        dark = "" if hollow else f'fill="{_TEXT}"'
        letters = int((width - 8) / _LETTER)
        if letters > 1:
            yield _text(
                length.left + at + 5, top + 18, _chip_text(chip, label, letters), style=dark
            )
        at += width


def _arrows(frame: Json, rows: list[_Row], length: _Lengths) -> Iterator[str]:
    """Yield borrowing: from the bar that lends to the bar that borrows."""
    middles = {row.bar: 18 + number * _HEIGHT for number, row in enumerate(rows) if row.bar}
    for arrow in frame.get("arrows", {}).values():
        if arrow["from"] not in middles or arrow["to"] not in middles:
            continue
        lender, borrower = frame["bars"][arrow["from"]], frame["bars"][arrow["to"]]
        start = length.left + length(lender["resource"], lender["nominal"]) + 2
        end = length.left + length(borrower["resource"], borrower["used"]) + 8
        out = max(start, end) + 14
        y, z = middles[arrow["from"]], middles[arrow["to"]]
        yield (
            f'<path d="M{start} {y}H{out}V{z}H{end}" fill="none" stroke="{_BORROWED}"'
            f' stroke-width="1.5"/><path d="M{end - 6} {z}l6 -3.5v7z" fill="{_BORROWED}"/>'
        )


def _rect(x: float, y: float, width: float, height: float, title: str = "", **style: str) -> str:
    values = {"x": x, "y": y, "width": max(0.0, round(width, 1)), "height": height, **style}
    written = "".join(
        f" {name.replace('_', '-')}={quoteattr(str(value))}" for name, value in values.items()
    )
    return f"<rect{written}><title>{escape(title)}</title></rect>" if title else f"<rect{written}/>"


def _text(x: float, y: float, text: str, title: str = "", style: str = "") -> str:
    about = f"<title>{escape(title)}</title>" if title and title != text else ""
    more = f" {style}" if style else ""
    return f'<text x="{round(x, 1)}" y="{y}"{more}>{about}{escape(text)}</text>'


def _chip_text(chip: Json, label: str, letters: int) -> str:
    """Return as much of a chip's label as has room: the name is cut last."""
    if len(label) <= letters or not chip["workload"]:
        return _fitted(label, letters)
    return _short(short_name(chip.get("group") or chip["workload"]), letters)


def _squeezed(x: float, y: float, text: str, room: float, style: str = "") -> str:
    """Return a text that is not cut: its letters are narrower where the room is."""
    letter = _SMALL_LETTER if style else _LETTER
    if len(text) * letter > room:
        style = f'{style} textLength="{round(room)}" lengthAdjust="spacingAndGlyphs"'.strip()
    return _text(x, y, text, style=style)


def _short(name: str, letters: int) -> str:
    """Return a name, without its namespace if there is no room for that.

    >>> _short("research/team-a-jobs", 12), _short("team-a", 12)
    ('team-a-jobs', 'team-a')
    """
    whole = len(name) <= letters
    return name if whole else _fitted(name.rpartition("/")[2], letters)


def _fitted(text: str, letters: int) -> str:
    """Return as much of a text as has room.

    >>> _fitted("cluster-queue", 8), _fitted("all", 8)
    ('cluster…', 'all')
    """
    return text if len(text) <= letters else f"{text[: max(0, letters - 1)]}…"
