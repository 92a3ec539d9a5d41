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
from kueuelab.views.frame.labels import bar_label, chip_label, chips_by_place
from kueuelab.views.frame.text import picture_text
from kueuelab.views.merge_patch import Json

__all__ = ["svg_of"]

_WIDTH: Final = 900
_NAMES: Final = 210
_NUMBERS: Final = 270
_INDENT: Final = 14
_HEIGHT: Final = 28
_LETTER: Final = 6.6
#: More rows than this are counted.
_MOST_ROWS: Final = 80
#: A pending workload is at least as wide as this.
_PENDING: Final = 34
#: It has a ground of its own: where it is shown may be light or dark.
_GROUND: Final = "#ffffff"
_TEXT: Final = "#1a1a1a"
_USED: Final = "#8fbfe0"
_BORROWED: Final = "#e69f00"
_GREY: Final = "#8a8a8a"
_RED: Final = "#d55e00"
_BLUE: Final = "#0072b2"
_GREEN: Final = "#009e73"
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
    length = _Lengths(scales)
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
        f'<rect width="{_WIDTH}" height="{height}" fill="{_GROUND}"/>'
        f"{''.join(parts)}</svg>"
    )


class _Lengths:
    """Lengths of amounts: one scale for each resource."""

    def __init__(self, scales: Mapping[str, int]) -> None:
        self._scales = scales
        self.room = _WIDTH - _NAMES - _NUMBERS

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
        letters = int((_NAMES - x - 4) / _LETTER)
        yield _text(x, top + 18, _fitted(row.name, letters), row.name)
    bar = frame["bars"].get(row.bar) if row.bar else None
    if bar is None:
        if node["kind"] == "LocalQueue":
            yield from _chips(frame, chips.get(row.node, []), top, length, words)
        return
    used, nominal = (length(bar["resource"], bar[each]) for each in ("used", "nominal"))
    label = words.render(bar_label(bar, node))
    yield _rect(_NAMES, top + 4, used, 20, fill=_USED, fill_opacity="0.55")
    if "borrowed" in bar:
        yield _rect(_NAMES + nominal, top + 20, used - nominal, 4, fill=_BORROWED)
    yield _rect(_NAMES, top + 4, nominal, 20, fill="none", stroke=_GREY, stroke_width="1.5")
    yield from _chips(frame, chips.get(row.bar, []), top, length, words, bar["resource"])
    letters = int(_NUMBERS / _LETTER) - 3
    yield _text(_WIDTH - _NUMBERS + 18, top + 18, _fitted(label, letters), label)


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
        if at + width > length.room + 1:
            yield _text(_NAMES + at + 4, top + 18, "…")
            return
        label = words.render(chip_label(chip, frame["bars"]))
        hollow = chip.get("hollow") or not resource
        outline = _OUTLINES.get(chip.get("role", ""), _GREY)
        yield _rect(
            _NAMES + at + 0.5,
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
        letters = int((width - 8) / _LETTER)
        if letters > 1:
            yield _text(_NAMES + at + 5, top + 18, _fitted(label, letters))
        at += width


def _arrows(frame: Json, rows: list[_Row], length: _Lengths) -> Iterator[str]:
    """Yield borrowing: from the bar that lends to the bar that borrows."""
    middles = {row.bar: 18 + number * _HEIGHT for number, row in enumerate(rows) if row.bar}
    for arrow in frame.get("arrows", {}).values():
        if arrow["from"] not in middles or arrow["to"] not in middles:
            continue
        lender, borrower = frame["bars"][arrow["from"]], frame["bars"][arrow["to"]]
        start = _NAMES + length(lender["resource"], lender["nominal"]) + 2
        end = _NAMES + length(borrower["resource"], borrower["used"]) + 8
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


def _text(x: float, y: float, text: str, title: str = "") -> str:
    about = f"<title>{escape(title)}</title>" if title and title != text else ""
    return f'<text x="{round(x, 1)}" y="{y}">{about}{escape(text)}</text>'


def _fitted(text: str, letters: int) -> str:
    """Return as much of a text as has room.

    >>> _fitted("cluster-queue", 8), _fitted("all", 8)
    ('cluster…', 'all')
    """
    return text if len(text) <= letters else f"{text[: max(0, letters - 1)]}…"
