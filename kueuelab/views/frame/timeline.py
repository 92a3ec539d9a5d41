"""The timeline of a run as the browser draws it, and the chart of its queues and quota."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

from kueuelab.messages import Catalog, Message
from kueuelab.model.times import MILLISECOND, format_duration
from kueuelab.trace.trace import Trace
from kueuelab.views.frame.index import deltas
from kueuelab.views.merge_patch import Json
from kueuelab.views.run_index import RunIndex
from kueuelab.views.timeline import Sample, Timeline, timeline_of

__all__ = ["chart_of", "clock_of", "timeline_data"]

#: So many rows of a chart's table are shown.
_MOST_ROWS: Final = 40
_GREY, _BLUE, _ORANGE = "#8a8a8a", "#0072b2", "#e69f00"
_DASHES: Final = ("dot", "dashdot", "solid", "dash")


def clock_of(trace: Trace) -> Json:
    """Return the first step of each instant, and its milliseconds since the start.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> clock = clock_of(scenarios.load("reclaim-1-take-back").run().trace)
    >>> clock["step"][:3], clock["ms"][:3]
    ([0, 9, 35], [0, 1000, 3000])
    """
    firsts = [0, *(b.index for a, b in pairwise(trace.steps) if a.time != b.time)]
    start = trace[0].time
    return {
        "step": deltas(firsts),
        "ms": deltas((trace[index].time - start) // MILLISECOND for index in firsts),
    }


def timeline_data(run_index: RunIndex) -> tuple[Json, list[Json]]:
    """Return the timeline as plain JSON, and the charts that go with it."""
    found = timeline_of(run_index)
    rows = {key: row for row, key in enumerate(found.workloads)}
    data = {
        "workloads": list(found.workloads),
        "hidden": found.hidden,
        "phases": [
            [rows[each.workload], each.phase, _ms(each.start), _ms(each.end), each.step]
            for each in found.phases
        ],
        "end": _ms(found.end),
    }
    return data, [chart_of(found, run_index.words.catalog)]


def chart_of(found: Timeline, catalog: Catalog, side: str = "") -> Json:
    """Return the lengths of queues and the use of quota over time, for plotly, with a table."""
    resources = sorted({name for each in found.samples for name in each.used})
    used = {
        name: catalog.render(Message("widgets.timeline.in-use", resource=name))
        for name in resources
    }
    times = [each.time for each in found.samples]

    def line(name: str, values: list[Any], colour: str, dash: str, axis: str = "y") -> Json:
        style = {"color": colour, "width": 2, "shape": "hv", "dash": dash}
        # A name is text: nothing of it is markup.
        return {
            "type": "scatter",
            "mode": "lines",
            "name": plain(name),
            "x": times,
            "y": values,
            "line": style,
            "yaxis": axis,
        }

    traces = [
        line("pending", [each.pending for each in found.samples], _GREY, "solid"),
        line("admitted", [each.admitted for each in found.samples], _BLUE, "dash"),
        *(
            line(
                used[name],
                [round(each.used.get(name, 0), 4) for each in found.samples],
                _ORANGE,
                _DASHES[place % len(_DASHES)],
                "y2",
            )
            for place, name in enumerate(resources[:4])
        ),
    ]
    soft = "rgba(128,128,128,0.2)"
    layout = {
        "xaxis": {"title": {"text": catalog.text("frontend.chart.seconds")}, "gridcolor": soft},
        "yaxis": {
            "title": {"text": catalog.text("frontend.chart.workloads")},
            "rangemode": "tozero",
            "gridcolor": soft,
            "nticks": 5,
        },
        "yaxis2": {
            "overlaying": "y",
            "side": "right",
            "range": [0, 1.25],
            "tickvals": [0, 0.5, 1],
            "tickformat": ".0%",
            "showgrid": False,
        },
        "hovermode": "x unified",
    }
    every = max(1, -(-len(found.samples) // _MOST_ROWS))
    return {
        "title": catalog.text("frontend.chart.queues"),
        "traces": traces,
        "layout": layout,
        "columns": [
            catalog.text("frontend.chart.time"),
            "pending",
            "admitted",
            *(used[name] for name in resources),
        ],
        "rows": [_row(each, resources) for each in found.samples[::every]],
    }


def plain(text: str) -> str:
    """Return text as plotly shows it letter by letter: nothing of it is markup or TeX.

    Examples
    --------
    >>> plain("a <b> & $5")
    'a &lt;b&gt; &amp; &#36;5'
    """
    found = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return found.replace("$", "&#36;")


def _row(sample: Sample, resources: list[str]) -> list[Any]:
    time = format_duration(_ms(sample.time) * MILLISECOND)
    shares = (f"{100 * sample.used.get(name, 0):.0f} %" for name in resources)
    return [time, sample.pending, sample.admitted, *shares]


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
