"""Figures that are made once and updated in place, in one or two messages a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final, TypeAlias

import plotly.graph_objects as go
from plotly.basedatatypes import Undefined

__all__ = ["Changes", "Redrawing", "as_text", "new_figure", "redraw"]

#: Trace to property to value.
Changes: TypeAlias = Mapping[int, Mapping[str, Any]]

_TRANSPARENT: Final = "rgba(0,0,0,0)"


def as_text(text: str) -> str:
    """Return text as a figure shows it letter by letter: nothing of it is markup or TeX.

    Plotly knows few entities by name; quotes are none of them, and do no harm.

    Examples
    --------
    >>> as_text('<a href="x">$5 & more$</a>')
    '&lt;a href="x"&gt;&#36;5 &amp; more&#36;&lt;/a&gt;'
    """
    return escape(text, quote=False).replace("$", "&#36;")


def new_figure(traces: Sequence[Any], **layout: Any) -> Any:
    """Return a figure that takes its ground and text colours from the notebook's theme."""
    figure = go.FigureWidget(data=list(traces))
    figure.update_layout(
        # Everything is said here: with a template, each update would go through it again.
        template="none",
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
    """Updates a figure in place, and sends only the properties that look different now."""

    __slots__ = ("_figure", "_shown")

    def __init__(self, figure: Any) -> None:
        self._figure = figure
        self._shown: dict[int, dict[str, Any]] = {}

    def show(self, changes: Changes, layout: Mapping[str, Any] | None = None) -> None:
        """Show traces, and a layout, together."""
        different: dict[int, dict[str, Any]] = {}
        for index, change in changes.items():
            shown = self._shown.setdefault(index, {})
            new = {
                name: value
                for name, value in change.items()
                if name not in shown or shown[name] != value
            }
            if new:
                shown.update(new)
                different[index] = new
        redraw(self._figure, different, layout)


def redraw(figure: Any, changes: Changes, layout: Mapping[str, Any] | None = None) -> None:
    """Change traces, and the layout, in one message: the browser draws once.

    In it every trace has a value for every property: one that is left out for a trace would
    be taken away from it in the browser. Nothing stands for what a trace can't have.
    """
    if not changes:
        if layout:
            figure.plotly_relayout(dict(layout))
        return
    names = dict.fromkeys(name for change in changes.values() for name in change)
    figure.plotly_update(
        restyle_data={
            name: [
                change[name] if name in change else _as_it_is(figure.data[index], name)
                for index, change in changes.items()
            ]
            for name in names
        },
        relayout_data=dict(layout or {}),
        trace_indexes=list(changes),
    )


def _as_it_is(trace: Any, name: str) -> Any:
    # To ask for what a trace can't have costs a lot: plotly looks for what may have been meant.
    if name not in trace:
        return Undefined
    value = trace[name]
    return Undefined if value is None else value
