"""The timeline as a still picture: SVG that needs no script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from kueuelab.messages import Catalog, english
from kueuelab.model.times import SECOND, format_duration
from kueuelab.trace.names import short_name
from kueuelab.views.timeline import Timeline

__all__ = ["svg_of_timeline"]

_WIDTH: Final = 900
_NAMES: Final = 160
_ROW: Final = 20
_LEAST: Final = 3.0
_COLOURS: Final = {
    "Pending": "#c9c9c9",
    "QuotaReserved": "#56b4e9",
    "Admitted": "#0072b2",
    "Evicted": "#d55e00",
    "Finished": "#009e73",
}


def svg_of_timeline(found: Timeline, catalog: Catalog | None = None) -> str:
    """Return the phases of workloads as SVG, with every text escaped.

    Examples
    --------
    >>> svg_of_timeline(Timeline((), (), 0, (), 0.0))[:40]
    '<svg xmlns="http://www.w3.org/2000/svg" '
    """
    height = _ROW * (len(found.workloads) + 2)
    title = (catalog or english()).text("frontend.timeline.title")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={quoteattr(title)} '
        f'width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" '
        'style="color:var(--jp-ui-font-color1,#333);font:12px sans-serif">'
        f"<title>{escape(title)}</title>{''.join(_drawn(found))}</svg>"
    )


def _drawn(found: Timeline) -> Iterator[str]:
    rows = {key: row for row, key in enumerate(found.workloads)}
    for key, row in rows.items():
        yield _text(_NAMES - 8, _ROW * row + 15, short_name(key), "end")
    each_second = (_WIDTH - _NAMES - 4) / max(found.end, 1e-9)
    for phase in found.phases:
        x = _NAMES + phase.start * each_second
        wide = max(_LEAST, (phase.end - phase.start) * each_second)
        yield (
            f'<rect x="{x:.1f}" y="{_ROW * rows[phase.workload] + 3}" width="{wide:.1f}" '
            f'height="{_ROW - 6}" fill="{_COLOURS.get(phase.phase, "#8a8a8a")}">'
            f"<title>{escape(phase.phase)}</title></rect>"
        )
    bottom = _ROW * len(rows) + 15
    yield _text(_NAMES, bottom, "0s", "start")
    yield _text(_WIDTH - 4, bottom, format_duration(round(found.end * SECOND)), "end")
    x = float(_NAMES)
    for name, colour in _COLOURS.items():
        yield f'<rect x="{x:.0f}" y="{bottom + 6}" width="12" height="12" fill="{colour}"/>'
        yield _text(x + 16, bottom + 16, name, "start")
        x += 36 + 7 * len(name)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="currentColor">'
        f"{escape(text)}</text>"
    )
