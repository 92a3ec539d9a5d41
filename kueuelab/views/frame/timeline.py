"""The timeline of a run as the browser draws it, and the chart of its queues and quota."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from kueuelab.messages import Catalog, Message
from kueuelab.model.times import MILLISECOND, format_duration
from kueuelab.trace.trace import Trace
from kueuelab.views.frame.index import deltas
from kueuelab.views.merge_patch import Json
from kueuelab.views.run_index import RunIndex
from kueuelab.views.timeline import Sample, Timeline, timeline_of

__all__ = ["chart_of_both", "clock_of", "timeline_data"]

#: So many rows of a chart's table are shown.
_MOST_ROWS: Final = 40
_MOST_RESOURCES: Final = 4
_GREY, _BLUE = "#8a8a8a", "#0072b2"
_COLOURS: Final = ("#e69f00", "#d55e00", "#009e73", "#aa4499")
_DASHES: Final = ("dash", "dashdot", "dot", "longdash")


def clock_of(trace: Trace) -> Json:
    """Return the first step of each instant, and its milliseconds since the start.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> clock = clock_of(scenarios.load("reclaim-1-take-back").run().trace)
    >>> clock["step"][:3], clock["ms"][:3]
    ([0, 9, 14], [0, 1000, 3000])
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
    catalog = run_index.words.catalog
    if not _takes_time(run_index.trace):
        return data, []
    return data, [_chart({"": found}, catalog, catalog.text("frontend.chart.queues"))]


def chart_of_both(before: RunIndex, after: RunIndex) -> Json | None:
    """Return the lengths of queues and the use of quota of two runs in one chart.

    There is none where neither run takes any time: all of it would be in one point.
    """
    if not (_takes_time(before.trace) or _takes_time(after.trace)):
        return None
    catalog = after.words.catalog
    sides = {
        catalog.text(f"frontend.comparison.{side}"): timeline_of(run_index)
        for side, run_index in (("before", before), ("after", after))
    }
    return _chart(sides, catalog, catalog.text("frontend.chart.both"))


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a chart: its name, its values at the samples of a run, and how it looks."""

    name: str
    samples: Sequence[Sample]
    value: Callable[[Sample], float]
    colour: str
    dash: str
    is_share: bool = False

    def at(self, time: float) -> str:
        """Return the value at a time as a table has it."""
        place = bisect_right(self.samples, time, key=lambda sample: sample.time) - 1
        value = self.value(self.samples[place]) if place >= 0 else 0
        return f"{100 * value:.0f} %" if self.is_share else f"{value:g}"

    def trace(self) -> Json:
        """Return the line for plotly."""
        return {
            "type": "scatter",
            "mode": "lines",
            "name": plain(self.name),
            "x": [each.time for each in self.samples],
            "y": [round(self.value(each), 4) for each in self.samples],
            "line": {"color": self.colour, "width": 2, "shape": "hv", "dash": self.dash},
            "yaxis": "y2" if self.is_share else "y",
        }


def _lines(side: str, found: Timeline, dash: str, catalog: Catalog) -> Iterator[_Line]:
    """Yield the lines of a run; those of one of two runs have its name behind theirs."""

    def named(what: Message) -> str:
        both = Message("views.timeline.of-one-run", what=what, run=side) if side else what
        return catalog.render(both)

    pending, admitted = (Message(f"views.timeline.{name}") for name in ("pending", "admitted"))
    samples = found.samples
    yield _Line(named(pending), samples, lambda each: each.pending, _GREY, dash)
    yield _Line(named(admitted), samples, lambda each: each.admitted, _BLUE, dash)
    resources = sorted({name for each in samples for name in each.used})
    for place, resource in enumerate(resources[:_MOST_RESOURCES]):
        name = named(Message("views.timeline.in-use", resource=resource))

        def value(each: Sample, resource: str = resource) -> float:
            return each.used.get(resource, 0)

        own = dash if side else _DASHES[place]
        yield _Line(name, samples, value, _COLOURS[place], own, True)


def _chart(sides: Mapping[str, Timeline], catalog: Catalog, title: str) -> Json:
    """Return a chart for plotly with the same numbers as a table."""
    lines = [
        line
        for place, (side, found) in enumerate(sides.items())
        for line in _lines(side, found, "dot" if side and not place else "solid", catalog)
    ]
    times = sorted({each.time for found in sides.values() for each in found.samples})
    every = max(1, -(-len(times) // _MOST_ROWS))
    soft = "rgba(128,128,128,0.2)"
    layout = {
        # A title of the axis would be where the legend is.
        "xaxis": {
            "ticksuffix": f"\u00a0{catalog.text('frontend.chart.seconds')}",
            "gridcolor": soft,
        },
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
    return {
        "title": title,
        "traces": [line.trace() for line in lines],
        "layout": layout,
        "columns": [catalog.text("frontend.chart.time"), *(line.name for line in lines)],
        "rows": [
            [format_duration(_ms(time) * MILLISECOND), *(line.at(time) for line in lines)]
            for time in times[::every]
        ],
    }


def _takes_time(trace: Trace) -> bool:
    """Tell whether time goes by in a run; in that of a dump without a timeline, none does."""
    return len(trace) > 0 and trace[-1].time > trace[0].time


def plain(text: str) -> str:
    """Return text as plotly shows it letter by letter: nothing of it is markup or TeX.

    Examples
    --------
    >>> plain("a <b> & $5")
    'a &lt;b&gt; &amp; &#36;5'
    """
    found = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return found.replace("$", "&#36;")


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
