"""Figures that are made once and updated in place, in one or two messages a step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import plotly.graph_objects as go

__all__ = ["Changes", "Redrawing", "new_figure", "redraw"]

#: Trace to property to value.
Changes: TypeAlias = Mapping[int, Mapping[str, Any]]

_TRANSPARENT: Final = "rgba(0,0,0,0)"


def new_figure(traces: Sequence[Any], **layout: Any) -> Any:
    """Return a figure that takes its ground and text colours from the notebook's theme."""
    figure = go.FigureWidget(data=list(traces))
    figure.update_layout(
        barmode="overlay",
        paper_bgcolor=_TRANSPARENT,
        plot_bgcolor=_TRANSPARENT,
        dragmode=False,
        hovermode="closest",
        font={"color": "#777777"},
        **layout,
    )
    figure._config = {**figure._config, "displayModeBar": False, "responsive": True}
    figure.add_class("kl-figure")
    return figure


class Redrawing:
    """Updates a figure in place, and sends only the traces that look different now.

    In one message every trace gets a value for every property in it: one that is left out
    for a trace would be taken away from it in the browser. Traces of one type go together,
    since others lack some of the properties.
    """

    __slots__ = ("_figure", "_shown")

    def __init__(self, figure: Any) -> None:
        self._figure = figure
        self._shown: dict[int, Mapping[str, Any]] = {}

    def show(self, changes: Changes, layout: Mapping[str, Any] | None = None) -> None:
        """Show traces, and a layout, together."""
        different = {
            index: change for index, change in changes.items() if self._shown.get(index) != change
        }
        self._shown.update(different)
        redraw(self._figure, different, layout)


def redraw(figure: Any, changes: Changes, layout: Mapping[str, Any] | None = None) -> None:
    """Change traces, and the layout, together (see :class:`Redrawing`)."""
    rest = dict(layout or {})
    for indexes in _by_type(figure, changes):
        names = dict.fromkeys(name for index in indexes for name in changes[index])
        update = {
            name: [
                changes[index][name] if name in changes[index] else figure.data[index][name]
                for index in indexes
            ]
            for name in names
        }
        figure.plotly_update(restyle_data=update, relayout_data=rest, trace_indexes=indexes)
        rest = {}
    if rest:
        figure.plotly_relayout(rest)


def _by_type(figure: Any, indexes: Iterable[int]) -> list[list[int]]:
    groups: dict[str, list[int]] = {}
    for index in indexes:
        groups.setdefault(figure.data[index].type, []).append(index)
    return list(groups.values())
