"""What all still pictures are made of: shapes, texts and hatches, in the style of the lab view.

Colours, type and corners are the tokens of the front end (``frontend/tokens.py``). A picture is
light or dark as the page that shows it. It has a ground of its own, so that it can be read
everywhere.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from kueuelab.frontend.tokens import colours, token

__all__ = [
    "BAR_RADIUS",
    "CHIP_RADIUS",
    "SMALL",
    "STRIP",
    "TEXT",
    "WIDTH",
    "circle",
    "fitted",
    "hatches",
    "legend",
    "look_of",
    "nice",
    "path",
    "picture",
    "rect",
    "squeezed",
    "strip",
    "text",
    "text_width",
    "wrapped",
]

#: The width of a picture, unless another one is asked for.
WIDTH: Final = 900
#: The sizes of texts.
TEXT: Final = 12
SMALL: Final = 10
#: Widths of characters in parts of the size of the text; those of DejaVu Sans, a wide type.
_NARROW: Final = dict.fromkeys(" ',.IJijl·", 0.32) | dict.fromkeys("-/:;\\f|!()[]rt", 0.4)
_WIDE: Final = dict.fromkeys("m%MW@…", 0.98) | dict.fromkeys("w✖∅○↩◐●✕★▶+<>=GOQ&", 0.84)
_WIDTHS: Final = _NARROW | _WIDE
_USUAL: Final = 0.63
#: Classes that stand for a colour: ``f-text`` fills, ``k-edge`` strokes.
_CLASS: Final = re.compile(r"\b([fk])-([\w-]+)")
_PROPERTY: Final = {"f": "fill", "k": "stroke"}
#: Patterns: their angle, and the colours of ground and lines.
_HATCHES: Final = {
    "borrowed": (45, "borrowed", "borrowed-dark"),
    "lent": (-45, "lent", "lent-dark"),
    "outside": (45, "area", "edge"),
    "lost": (-45, "area", "target"),
}
_NICE: Final = (1, 2, 5, 10)
_SWATCH: Final = 16
#: The height of what is reserved where others hold the quota still.
STRIP: Final = 7
BAR_RADIUS: Final = float(token("bar-radius").removesuffix("px"))
CHIP_RADIUS: Final = float(token("chip-radius").removesuffix("px"))
_LEGEND_LINE: Final = 18


def text_width(text: str, size: float = TEXT) -> float:
    """Return about how wide a text is.

    Examples
    --------
    >>> text_width("ill") < text_width("mmm")
    True
    """
    return size * sum(_WIDTHS.get(letter, _USUAL) for letter in text)


def fitted(text: str, room: float, size: float = TEXT) -> str:
    """Return as much of a name as has room: without its namespace, and only then cut.

    Examples
    --------
    >>> fitted("research/team-a-jobs", 90), fitted("team-a", 90), fitted("cluster-queue", 50)
    ('team-a-jobs', 'team-a', 'clust…')
    """
    if text_width(text, size) <= room:
        return text
    found = text.rpartition("/")[2]
    if text_width(found, size) <= room:
        return found
    while found and text_width(f"{found}…", size) > room:
        found = found[:-1]
    return f"{found}…" if found else ""


def wrapped(text: str, room: float, size: float = TEXT) -> list[str]:
    """Return a sentence in as many lines as it needs; it is never cut.

    Examples
    --------
    >>> wrapped("0 cpu of 4 free; 1 pod of default/job", 150)
    ['0 cpu of 4 free; 1', 'pod of default/job']
    """
    letters = max(8, int(room / (size * 0.6)))
    lines = textwrap.wrap(text, letters, break_on_hyphens=False) or [""]
    while letters > 8 and any(text_width(line, size) > room for line in lines):
        letters -= 1
        lines = textwrap.wrap(text, letters, break_on_hyphens=False)
    return lines


def nice(value: float) -> float:
    """Return the least round number that is not smaller.

    Examples
    --------
    >>> nice(0.03), nice(7), nice(120)
    (0.05, 10.0, 200.0)
    """
    power = 1.0
    while power < value:
        power *= 10
    while power > value:
        power /= 10
        if power < 1e-12:
            return 1.0
    return next(each * power for each in _NICE if each * power >= value * (1 - 1e-9))


def look_of(fill: str, stroke: str) -> str:
    """Return the look of a shape that is filled with one token and outlined with another.

    Examples
    --------
    >>> look_of("area", "text").split()
    ['f-area', 'k-text']
    """
    return f"f-{fill} k-{stroke}"


def rect(
    x: float, y: float, width: float, height: float, look: str, title: str = "", **style: object
) -> str:
    """Return a rectangle; ``look`` names its colours, see :func:`look_of`."""
    values = {"x": _short(x), "y": _short(y), "width": _short(max(0.0, width))}
    values |= {"height": _short(max(0.0, height)), "class": look}
    return _element("rect", values, style, title)


def circle(x: float, y: float, radius: float, look: str, title: str = "", **style: object) -> str:
    """Return a circle."""
    values = {"cx": _short(x), "cy": _short(y), "r": _short(radius), "class": look}
    return _element("circle", values, style, title)


def path(d: str, look: str, title: str = "", **style: object) -> str:
    """Return a path."""
    return _element("path", {"d": d, "class": look}, style, title)


def text(x: float, y: float, shown: str, look: str = "", title: str = "", **style: object) -> str:
    """Return a text; ``title`` is all of it, where only a part is shown."""
    values = {"x": _short(x), "y": _short(y), **({"class": look} if look else {})}
    about = f"<title>{escape(title)}</title>" if title and title != shown else ""
    return f"<text{_attributes({**values, **style})}>{about}{escape(shown)}</text>"


def squeezed(x: float, y: float, shown: str, room: float, look: str = "", size: int = TEXT) -> str:
    """Return a text that is not cut: its letters are narrower where the room is."""
    style: dict[str, object] = {} if size == TEXT else {"font_size": size}
    if text_width(shown, size) > room:
        style |= {"textLength": round(room), "lengthAdjust": "spacingAndGlyphs"}
    return text(x, y, shown, look, "", **style)


def strip(x: float, y: float, width: float, title: str = "") -> str:
    """Return what is reserved where others hold the quota still."""
    style: dict[str, object] = {"stroke_width": 1.5, "stroke_dasharray": "4 3", "rx": BAR_RADIUS}
    return rect(x, y, width, STRIP, look_of("area", "text"), title, **style)


def hatches() -> Iterator[tuple[str, str]]:
    """Yield the patterns that shapes are filled with, as ``fill="url(#lent)"``, by their name."""
    for name, (angle, ground, line) in _HATCHES.items():
        yield (
            name,
            f'<pattern id="{name}" width="5" height="5" patternUnits="userSpaceOnUse"'
            f' patternTransform="rotate({angle})">{rect(0, 0, 5, 5, f"f-{ground}")}'
            f"{rect(0, 0, 2, 5, f'f-{line}')}</pattern>",
        )


def legend(
    items: Iterable[tuple[str, str]], x: float, y: float, width: float
) -> tuple[list[str], float]:
    """Return what signs mean, and the height that it takes.

    Parameters
    ----------
    items
        Each sign, a shape in 16 by 10 units, and what it means.
    x, y
        Where it begins.
    width
        Lines are so long at most.
    """
    parts: list[str] = []
    left, top = x, y
    for sign, meaning in items:
        wide = _SWATCH + 6 + text_width(meaning, SMALL + 1)
        if left > x and left + wide > x + width:
            left, top = x, top + _LEGEND_LINE
        parts.append(f'<g transform="translate({_short(left)} {_short(top)})">{sign}</g>')
        parts.append(text(left + _SWATCH + 4, top + 9, meaning, "f-soft", font_size=SMALL + 1))
        left += wide + 12
    return parts, (top - y + _LEGEND_LINE if parts else 0.0)


def picture(
    width: float,
    height: float,
    title: str,
    parts: Iterable[str],
    *,
    description: str = "",
    style: str = "",
) -> str:
    """Return a whole picture as SVG that needs no script, with its title and description.

    Parameters
    ----------
    width, height
        Its size.
    title
        Its name.
    parts
        What is drawn, from back to front.
    description
        The same as text.
    style
        More rules, for what moves.
    """
    drawn = rect(0, 0, width, height, "f-ground", rx=6) + "".join(parts)
    drawn = "".join(made for name, made in hatches() if f"url(#{name})" in drawn) + drawn
    about = f"<desc>{escape(description)}</desc>" if description else ""
    size = f'width="{_short(width)}" height="{_short(height)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_short(width)} {_short(height)}"'
        f' {size} role="img" style="max-width:100%;height:auto"'
        f' font-size="{TEXT}" class="f-text">'
        f"<title>{escape(title)}</title>{about}"
        f"<style>svg{{font-family:{token('font')}}}{_rules(f'f-text {drawn}')}{style}</style>"
        f"{drawn}</svg>"
    )


def _rules(drawn: str) -> str:
    """Return the colours of the classes that occur, on a light ground and on a dark one."""
    known = colours()
    used = sorted({found for found in _CLASS.findall(drawn) if found[1] in known})
    light = "".join(f".{way}-{name}{{{_PROPERTY[way]}:{known[name].light}}}" for way, name in used)
    dark = "".join(f".{way}-{name}{{{_PROPERTY[way]}:{known[name].dark}}}" for way, name in used)
    return f"{light}@media(prefers-color-scheme:dark){{{dark}}}"


def _element(
    name: str, values: Mapping[str, object], style: Mapping[str, object], title: str
) -> str:
    # What has a stroke alone is not filled with black.
    if "f-" not in str(values["class"]) and "fill" not in style:
        style = {"fill": "none", **style}
    written = _attributes(
        {name: value for name, value in {**values, **style}.items() if value != ""}
    )
    return (
        f"<{name}{written}><title>{escape(title)}</title></{name}>"
        if title
        else f"<{name}{written}/>"
    )


def _attributes(values: Mapping[str, object]) -> str:
    return "".join(
        f" {name.replace('_', '-')}={quoteattr(str(value))}" for name, value in values.items()
    )


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
