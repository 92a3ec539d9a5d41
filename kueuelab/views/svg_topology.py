"""The domains of topologies as a still picture: SVG that needs no script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape

from kueuelab.messages import Catalog, Message, english
from kueuelab.views.frame.domain_sums import DomainSum, domain_sums, level_name, levels_of
from kueuelab.views.frame.domains_text import domain_text, topology_text
from kueuelab.views.merge_patch import Json

__all__ = ["svg_of_topology"]

_WIDTH: Final = 900
_NAMES: Final = 190
_BAR: Final = 260
_ROW: Final = 24
_INDENT: Final = 14
_LETTER: Final = 6.4
#: More rows than this are counted.
_MOST_ROWS: Final = 60
#: It has a ground of its own: where it is shown may be light or dark.
_GROUND: Final = "#ffffff"
_TEXT: Final = "#1a1a1a"
_GREY: Final = "#8a8a8a"
_USED: Final = "#8fbfe0"
_CLOSED: Final = "#d5d5d5"


def svg_of_topology(frame: Json, title: str = "", catalog: Catalog | None = None) -> str:
    """Return the domains of a frame as SVG: a bar of what is used, and what is free in words.

    Examples
    --------
    >>> picture = svg_of_topology({}, "A run without topologies")
    >>> picture[:4], "No flavor has a topology at this step." in picture
    ('<svg', True)
    """
    words = catalog or english()
    parts: list[str] = []
    top, left_out = 4, 0
    topologies: Json = frame.get("topologies", {})
    for flavor in sorted(topologies, key=lambda name: topologies[name]["order"]):
        named = Message(
            "views.domains.title", flavor=flavor, topology=topologies[flavor]["topology"]
        )
        parts.append(_text(8, top + 16, words.render(named), "bold"))
        top += _ROW
        levels = levels_of(frame, flavor)
        resource = _resource(frame, flavor)
        for path, domain in sorted(domain_sums(frame, flavor).items()):
            if top > _MOST_ROWS * _ROW:
                left_out += 1
                continue
            name = f"{level_name(levels[len(path) - 1])} {path[-1]}"
            is_host = len(path) == len(levels)
            parts += _row(len(path), name, domain, resource, top)
            told = words.render(domain_text(domain, is_host=is_host))
            parts.append(
                _text(_NAMES + _BAR + 14, top + 16, *_fitted(told, _WIDTH - _NAMES - _BAR))
            )
            top += _ROW
    if left_out:
        parts.append(_text(8, top + 16, words.text("views.svg.more-rows", count=left_out)))
        top += _ROW
    described = topology_text(frame, words)
    if not parts:
        parts.append(_text(8, top + 16, described))
        top += _ROW
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top + 4}"'
        f' width="{_WIDTH}" height="{top + 4}" role="img" style="max-width:100%;height:auto"'
        f' font-family="system-ui, sans-serif" font-size="12" fill="{_TEXT}">'
        f"<title>{escape(title)}</title><desc>{escape(described)}</desc>"
        f'<rect width="{_WIDTH}" height="{top + 4}" fill="{_GROUND}"/>{"".join(parts)}</svg>'
    )


def _resource(frame: Json, flavor: str) -> str:
    """Return the resource of the bars: one that pods ask for, or else the first that hosts have."""
    asking = [*frame.get("seeking", {}).values(), *frame.get("places", {}).values()]
    asked = [name for each in asking if each["flavor"] == flavor for name in each["each"]]
    hosts = frame.get("hosts", {}).items()
    there = [name for key, host in hosts if key.startswith(f"{flavor}|") for name in host["room"]]
    # Devices are what runs out first.
    found = sorted({name for name in asked or there if name in there and name != "pods"})
    return next((name for name in found if "/" in name), next(iter(found), "pods"))


def _row(depth: int, name: str, domain: DomainSum, resource: str, top: int) -> Iterator[str]:
    x = 8 + depth * _INDENT
    yield _text(x, top + 16, *_fitted(name, _NAMES - x))
    room = domain.room.get(resource, 0)
    part = (room - domain.free.get(resource, 0)) / room if room else 0
    colour = _CLOSED if domain.problem else _USED
    yield (
        f'<rect x="{_NAMES}" y="{top + 4}" width="{part * _BAR:.1f}" height="16" fill="{colour}"/>'
        f'<rect x="{_NAMES}" y="{top + 4}" width="{_BAR}" height="16" fill="none"'
        f' stroke="{_GREY}"><title>{escape(resource)}</title></rect>'
    )


def _fitted(text: str, width: float) -> tuple[str, str, str]:
    """Return as much of a text as has room, its weight, and the whole text."""
    letters = max(1, int(width / _LETTER) - 2)
    return (text if len(text) <= letters else f"{text[: letters - 1]}…", "normal", text)


def _text(x: float, y: float, text: str, weight: str = "normal", whole: str = "") -> str:
    about = f"<title>{escape(whole)}</title>" if whole and whole != text else ""
    return f'<text x="{x}" y="{y}" font-weight="{weight}">{about}{escape(text)}</text>'
