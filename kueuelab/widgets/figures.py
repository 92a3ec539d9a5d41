"""Figures that are made once and updated in place, in one or two messages a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final, TypeAlias

import plotly.graph_objects as go
from plotly.basedatatypes import Undefined

from kueuelab.widgets.style import SOFT

__all__ = ["Changes", "Redrawing", "as_text", "new_figure"]

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


class _Figure(go.FigureWidget):  # type: ignore[misc]
    """A figure that tells of a change in one message.

    Plotly numbers its changes, and tells each number in a message of its own before the change.
    """

    _late: frozenset[str] = frozenset()

    def send_state(self, key: Any = None) -> None:
        """Send properties; keep a number until the next ones are sent."""
        if key in ("_last_trace_edit_id", "_last_layout_edit_id"):
            self._late |= {key}
            return
        late, self._late = self._late, frozenset()
        if key is None or not late:
            super().send_state(key)
        else:
            super().send_state({key, *late} if isinstance(key, str) else {*key, *late})


def new_figure(traces: Sequence[Any], **layout: Any) -> Any:
    """Return a figure that takes its ground and text colours from the notebook's theme."""
    figure = _Figure(data=list(traces))
    figure.update_layout(
        # Everything is said here: with a template, each update would go through it again.
        template="none",
        barmode="overlay",
        paper_bgcolor=_TRANSPARENT,
        plot_bgcolor=_TRANSPARENT,
        dragmode=False,
        hovermode="closest",
        font={"color": SOFT},
        **layout,
    )
    figure._config = {**figure._config, "displayModeBar": False, "responsive": True}
    figure.add_class("kl-figure")
    return figure


class Redrawing:
    """Updates a figure in place, and sends only the properties that look different now.

    What it shows is only ever changed by it.
    """

    __slots__ = ("_figure", "_shown")

    def __init__(self, figure: Any) -> None:
        self._figure = figure
        self._shown: dict[int, dict[str, Any]] = {}

    def show(self, changes: Changes, layout: Mapping[str, Any] | None = None) -> None:
        """Show traces, and a layout, in one message: the browser draws once."""
        different: dict[int, list[str]] = {}
        for index, change in changes.items():
            shown = self._shown.setdefault(index, {})
            new = [
                name for name, value in change.items() if name not in shown or shown[name] != value
            ]
            if new:
                shown.update((name, change[name]) for name in new)
                different[index] = new
        if different:
            self._update(different, dict(layout or {}))
        elif layout:
            self._figure.plotly_relayout(dict(layout))

    def _update(self, different: Mapping[int, Sequence[str]], layout: dict[str, Any]) -> None:
        """Send what is different.

        Every trace of the message has a value for every property in it: one that is left out
        for a trace would be taken away from it in the browser.
        """
        names = dict.fromkeys(name for new in different.values() for name in new)
        self._figure.plotly_update(
            restyle_data={
                name: [self._value(index, name) for index in different] for name in names
            },
            relayout_data=layout,
            trace_indexes=list(different),
        )

    def _value(self, index: int, name: str) -> Any:
        """Return what a trace shows; "undefined" stands for what it can't have.

        The figure is asked but once, as plotly is slow to answer.
        """
        shown = self._shown[index]
        if name not in shown:
            trace = self._figure.data[index]
            has_it = name in trace and trace[name] is not None
            shown[name] = trace[name] if has_it else Undefined
        return shown[name]
