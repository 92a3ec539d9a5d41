"""The timeline: a Gantt chart of every workload's phases, queue lengths, use of quota."""

from __future__ import annotations

from html import escape
from typing import Any, Final

import ipywidgets
import plotly.graph_objects as go

from kueuelab.messages import Catalog, Message
from kueuelab.model.times import SECOND
from kueuelab.trace.names import short_name
from kueuelab.views import Timeline as Data
from kueuelab.views import moment_at, timeline_of
from kueuelab.widgets.board import Watched, board_of
from kueuelab.widgets.collapsible import Collapsible
from kueuelab.widgets.figures import as_text, new_figure
from kueuelab.widgets.frontend import ChoiceTable, View, html
from kueuelab.widgets.style import FRAME, PHASES, SELECTED

__all__ = ["Timeline"]

#: The least width of a phase, as a part of the whole, so that none is invisible.
_LEAST: Final = 0.006
_SWATCHES: Final = {"": "■", "/": "▨", "x": "▩", ".": "▣"}
_DASHES: Final = ("solid", "dash", "dot", "dashdot")


class Timeline(View):
    """Phases of all workloads over time; lengths of queues and use of quota below them.

    A click jumps to where the phase begins. A vertical line is where the run is now.

    Parameters
    ----------
    run
        A run, a trace, or the board of another view.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> print(Timeline(scenarios.load("within-3-victim-elsewhere").run()).as_text())
    workload       phases and their start
    default/job-0  Pending at 1s, Admitted at 1s
    default/job-1  Pending at 4s, Admitted at 4s
    default/job-2  Pending at 7s
    """

    def __init__(self, run: Watched, *, language: str | Catalog | None = None) -> None:
        self.board = board_of(run, language=language)
        self.data: Data = timeline_of(self.board.run_index)
        self.figure = _figure(self.data)
        for trace in self.figure.data:
            trace.on_click(self._clicked)
        self._note = html("kl-legend")
        self._legend = _legend(self.data)
        self._table = ChoiceTable(
            language=self.board.words,
            caption=Message("widgets.timeline.title"),
            columns=["workload", "phase", "from", "to"],
            link=0,
        )
        self._table.on_msg(self._row_chosen)
        self._collapsible = Collapsible(
            self.board.words.text("widgets.as-table"), self._table, self._fill
        )
        frame = ipywidgets.Box([self.figure])
        frame.add_class("kl-scroll")
        frame.layout.max_height = "400px"
        self.widget = ipywidgets.VBox([frame, self._note, self._collapsible.widget])
        self.board.subscribe(lambda _: self.refresh() if self.visible else None)
        self.refresh()

    def as_text(self) -> str:
        """Return one line per workload with its phases."""
        return self.data.as_text()

    def _clicked(self, trace: Any, points: Any, _: Any) -> None:
        for index in points.point_inds:
            step, *workload = trace.customdata[index]
            self._jump(int(step), *workload)
            return

    def _jump(self, step: int, workload: str = "") -> None:
        """Go to a step; what was clicked is selected."""
        self.board.go(step)
        if workload and workload != self.board.workload:
            self.board.select("Workload", workload)

    def _row_chosen(self, _: Any, content: Any, __: Any) -> None:
        if content.get("type") == "select":
            number, _, workload = content["key"].partition(" ")
            self._jump(int(number), workload)

    def _fill(self) -> None:
        rows: list[Any] = [
            {
                "key": f"{each.step} {each.workload}",
                "cells": [
                    short_name(each.workload),
                    each.phase,
                    f"{each.start:g} s",
                    f"{each.end:g} s",
                ],
            }
            for each in self.data.phases
        ]
        if self._table.rows != rows:
            self._table.rows = rows

    def refresh(self) -> None:
        """Show where the run is now."""
        board = self.board
        now = (board.cursor.step.time - board.trace[0].time) / SECOND
        chosen = as_text(short_name(board.workload))
        names = [as_text(short_name(key)) for key in self.data.workloads]
        self.figure.plotly_relayout(
            {
                "shapes[0].x0": now,
                "shapes[0].x1": now,
                "yaxis.ticktext": [f"◆ {name}" if name == chosen else name for name in names],
            },
        )
        where = moment_at(board.trace, board.index).as_text()
        texts = [Message("widgets.timeline.note", moment=where)]
        if self.data.hidden:
            texts.append(Message("widgets.timeline.hidden", count=self.data.hidden))
        self._note.value = (
            f"<p>{escape(' '.join(map(board.words.render, texts)))}<br>{self._legend}</p>"
        )


def _figure(data: Data) -> Any:
    rows = {key: len(data.workloads) - 1 - place for place, key in enumerate(data.workloads)}
    least = max(data.end, 1e-9) * _LEAST
    traces: list[Any] = []
    for phase, (colour, pattern) in PHASES.items():
        found = [each for each in data.phases if each.phase == phase]
        traces.append(
            go.Bar(
                name=phase,
                orientation="h",
                base=[each.start for each in found],
                x=[max(each.end - each.start, least) for each in found],
                y=[rows[each.workload] for each in found],
                customdata=[(each.step, each.workload) for each in found],
                hovertext=[
                    Message(
                        "widgets.timeline.phase",
                        workload=as_text(each.workload),
                        phase=phase,
                        start=f"{each.start:g}",
                        end=f"{each.end:g}",
                    )
                    for each in found
                ],
                hoverinfo="text",
                width=0.6,
                marker={
                    "color": colour,
                    "pattern": {
                        "shape": pattern,
                        "fillmode": "overlay",
                        "fgcolor": "#333333",
                        "fgopacity": 0.5,
                        "size": 6,
                        "solidity": 0.2,
                    },
                    "line": {"width": 0},
                },
            )
        )
    traces += _lines(data)
    gantt = max(90, 22 * len(rows) + 30)
    total = gantt + 150
    return new_figure(
        traces,
        height=total + 40,
        margin={"l": 10, "r": 10, "t": 6, "b": 34},
        showlegend=False,
        xaxis={
            "title": {"text": "seconds"},
            "range": [-0.01 * data.end, data.end],
            "gridcolor": "rgba(128,128,128,0.2)",
            "zeroline": False,
            "anchor": "y2",
        },
        yaxis={
            "domain": [1 - gantt / total, 1],
            "automargin": True,
            "tickvals": [rows[key] for key in data.workloads],
            "ticktext": [as_text(short_name(key)) for key in data.workloads],
            "range": [-0.6, len(rows) - 0.4],
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
        },
        yaxis2={
            "automargin": True,
            "domain": [0, 0.8 * (1 - gantt / total)],
            "rangemode": "tozero",
            "gridcolor": "rgba(128,128,128,0.2)",
            "zeroline": False,
            "title": {"text": "workloads"},
            "tickformat": "d",
            "nticks": 4,
            "fixedrange": True,
        },
        yaxis3={
            "automargin": True,
            "overlaying": "y2",
            "side": "right",
            "range": [0, 1.25],
            "tickvals": [0, 0.5, 1],
            "tickformat": ".0%",
            "zeroline": False,
            "showgrid": False,
            "fixedrange": True,
        },
        shapes=[
            {
                "type": "line",
                "xref": "x",
                "yref": "paper",
                "x0": 0,
                "x1": 0,
                "y0": 0,
                "y1": 1,
                "line": {"color": SELECTED, "width": 2},
            }
        ],
    )


def _legend(data: Data) -> str:
    """Explain colours, patterns and lines in words."""
    shown = {each.phase for each in data.phases}
    words = [
        f'<span style="color:{colour}">{_SWATCHES[pattern]}</span>&nbsp;{phase}'
        for phase, (colour, pattern) in PHASES.items()
        if phase in shown
    ]
    used = ", ".join(sorted({escape(name) for each in data.samples for name in each.used}))
    return Message("widgets.timeline.legend", phases=" ".join(words), used=used or "quota")


def _lines(data: Data) -> list[Any]:
    times = [each.time for each in data.samples]
    steps = [(each.step,) for each in data.samples]
    common: dict[str, Any] = {"x": times, "customdata": steps, "mode": "lines"}
    found = [
        go.Scatter(
            name="pending",
            y=[each.pending for each in data.samples],
            line={"color": FRAME, "width": 2, "shape": "hv"},
            yaxis="y2",
            **common,
        ),
        go.Scatter(
            name="admitted",
            y=[each.admitted for each in data.samples],
            line={"color": PHASES["Admitted"][0], "width": 2, "shape": "hv", "dash": "dash"},
            yaxis="y2",
            **common,
        ),
    ]
    resources = sorted({name for each in data.samples for name in each.used})
    for place, resource in enumerate(resources[:4]):
        found.append(
            go.Scatter(
                name=Message("widgets.timeline.in-use", resource=as_text(resource)),
                y=[each.used.get(resource, 0) for each in data.samples],
                line={
                    "color": "#e69f00",
                    "width": 2,
                    "shape": "hv",
                    "dash": _DASHES[(place + 2) % 4],
                },
                yaxis="y3",
                **common,
            )
        )
    return found
