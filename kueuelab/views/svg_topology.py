"""The domains of topologies as a still picture: SVG that needs no script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kueuelab.messages import Catalog, Message, english
from kueuelab.views.frame.domain_sums import DomainSum, domain_sums, level_name, levels_of
from kueuelab.views.frame.domains_text import domain_text, topology_text
from kueuelab.views.merge_patch import Json
from kueuelab.views.svg_drawing import (
    BAR_RADIUS,
    WIDTH,
    fitted,
    legend,
    picture,
    rect,
    text,
    text_width,
    wrapped,
)

__all__ = ["svg_of_topology"]

_LEAST_NAMES: Final = 96
_MOST_NAMES: Final = 300
_BAR: Final = 260
_ROW: Final = 26
_LINE: Final = 15
_INDENT: Final = 14
#: More rows than this are counted.
_MOST_ROWS: Final = 60
#: How it is drawn what pods of workloads and other pods use, and what is free and cannot be used.
_USED: Final = "f-pod-0"
_OUTSIDE: Final = "outside"
_LOST: Final = "lost"


def svg_of_topology(frame: Json, title: str = "", catalog: Catalog | None = None) -> str:
    """Return the domains of a frame as SVG: bars of what is used, and what is free in words.

    Examples
    --------
    >>> picture = svg_of_topology({}, "A run without topologies")
    >>> picture[:4], "No flavor has a topology at this step." in picture
    ('<svg', True)
    """
    words = catalog or english()
    described = topology_text(frame, words)
    parts: list[str] = []
    top, rows, left_out = 4.0, 0, 0
    topologies: Json = frame.get("topologies", {})
    for flavor in sorted(topologies, key=lambda name: topologies[name]["order"]):
        named = Message(
            "views.domains.title", flavor=flavor, topology=topologies[flavor]["topology"]
        )
        parts.append(text(8, top + 17, words.render(named), font_weight="650"))
        top += _ROW
        levels = levels_of(frame, flavor)
        resource = _resource(frame, flavor)
        found = sorted(domain_sums(frame, flavor).items())
        shown = found[: max(0, _MOST_ROWS - rows)]
        rows += len(shown)
        left_out += len(found) - len(shown)
        names = {path: f"{level_name(levels[len(path) - 1])} {path[-1]}" for path, _ in shown}
        widest = max((_indent(path) + text_width(name) for path, name in names.items()), default=0)
        left = max(_LEAST_NAMES, min(_MOST_NAMES, widest + 12))
        for path, domain in shown:
            told = words.render(domain_text(domain, is_host=len(path) == len(levels)))
            lines = wrapped(told, WIDTH - left - _BAR - 22)
            height = _ROW + _LINE * (len(lines) - 1)
            parts += _row(_indent(path), names[path], domain, resource, left, top)
            parts += [
                text(left + _BAR + 14, top + 17 + _LINE * number, line)
                for number, line in enumerate(lines)
            ]
            top += height
    if left_out:
        more = words.text("views.svg.more-rows", count=left_out)
        parts.append(text(8, top + 16, more, "f-soft"))
        top += _ROW
    if not parts:
        parts.append(text(8, top + 17, described))
        top += _ROW
    keys, tall = legend(_keys("".join(parts), words), 8, top + 6, WIDTH - 16)
    return picture(WIDTH, top + 6 + tall, title, [*parts, *keys], description=described)


def _indent(path: tuple[str, ...]) -> float:
    return float(8 + len(path) * _INDENT)


def _resource(frame: Json, flavor: str) -> str:
    """Return the resource of the bars: one that pods ask for, or else the first that hosts have."""
    asking = [*frame.get("seeking", {}).values(), *frame.get("places", {}).values()]
    asked = [name for each in asking if each["flavor"] == flavor for name in each["each"]]
    hosts = frame.get("hosts", {}).items()
    there = [name for key, host in hosts if key.startswith(f"{flavor}|") for name in host["room"]]
    # Devices are what runs out first.
    found = sorted({name for name in asked or there if name in there and name != "pods"})
    return next((name for name in found if "/" in name), next(iter(found), "pods"))


def _row(
    indent: float, name: str, domain: DomainSum, resource: str, left: float, top: float
) -> Iterator[str]:
    """Yield the name of a domain, and its bar: used, used by other pods, lost, and free."""
    yield text(indent, top + 17, fitted(name, left - indent - 8), title=name)
    room = domain.room.get(resource, 0)
    free, outside = domain.free.get(resource, 0), domain.outside.get(resource, 0)
    length = _BAR / room if room else 0.0
    outside = min(outside, room - free)
    used = room - free - outside
    y, height = top + 4, _ROW - 8
    yield rect(left, y, used * length, height, _USED)
    if outside:
        at = left + used * length
        yield rect(at, y, outside * length, height, "", fill=f"url(#{_OUTSIDE})")
    if domain.problem and free > 0:
        at = left + (used + outside) * length
        yield rect(at, y, free * length, height, "", fill=f"url(#{_LOST})")
    yield rect(left, y, _BAR, height, "k-edge", resource, rx=BAR_RADIUS, stroke_width=1.5)


def _keys(drawn: str, words: Catalog) -> Iterator[tuple[str, str]]:
    """Yield the fillings that occur, and what each of them means."""
    if f'class="{_USED}"' in drawn:
        yield rect(0, 0, 16, 10, _USED), words.text("frontend.domains.legend.pods")
    for name in (_OUTSIDE, _LOST):
        if f"url(#{name})" in drawn:
            sign = rect(0, 0, 16, 10, "", fill=f"url(#{name})")
            yield sign, words.text(f"frontend.domains.legend.{name}")
