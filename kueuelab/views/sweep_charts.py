"""Charts of a sweep, as plain data for plotly, each with its table; a point knows its run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from kueuelab.errors import InputError, Problem, UnknownObjectError
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.sweeps.plan import Row, shown_value
from kueuelab.sweeps.summary import is_in_seconds, measure_text, short_name
from kueuelab.views.frame.timeline import plain
from kueuelab.views.merge_patch import Json

if TYPE_CHECKING:
    from kueuelab.sweeps import Sweep

__all__ = ["distributions", "heat_map", "parallel_coordinates", "pareto_front"]

_BLUE, _ORANGE, _GREY = "#0072b2", "#d55e00", "#8a8a8a"
_SOFT: Final = "rgba(128,128,128,0.2)"
#: Leaves room for the title of the horizontal axis, and for a legend below it.
_MARGIN: Final[Json] = {"l": 70, "r": 50, "t": 36, "b": 60}
_LEGEND: Final[Json] = {"orientation": "h", "y": -0.3}
#: Where the name of a factor or measure goes on in the next line.
_BREAK: Final = re.compile(r"(?<=: )|(?=\[)")
#: So many runs are lines of parallel coordinates.
_MOST_LINES: Final = 300


def parallel_coordinates(
    sweep: Sweep, measures: Sequence[str], language: str | Catalog = "en"
) -> Json:
    """Return a line for each run through the factors and measures.

    Each axis goes from the lowest value of the runs to the highest.

    Raises
    ------
    UnknownObjectError
        If no run has a measure.
    """
    words = language_of(language)
    rows = _rows(sweep, measures)[:_MOST_LINES]
    factors = [factor.name for factor in sweep.plan.factors]
    names = [*factors, *measures]
    axes = {name: _axis(name, rows) for name in names}
    places = list(range(len(names)))
    last = measures[-1]

    def told(name: str, value: Any) -> str:
        return plain(measure_text(name, value) if name in measures else _text(value))

    traces = []
    for row in rows:
        height = [axes[name][row[name]] for name in names]
        texts = [f"{plain(name)}: {told(name, row[name])}" for name in names]
        share = axes[last][row[last]]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": places,
                "y": height,
                "text": texts,
                "customdata": [row["run"]] * len(names),
                "hovertemplate": "%{text}<extra></extra>",
                "line": {"color": _shade(share), "width": 1.5},
                "showlegend": False,
            }
        )
    labels = []
    for name, axis in axes.items():
        low, high = (told(name, end(axis, key=axis.__getitem__)) for end in (min, max))
        lines = [plain(line.strip()) for line in _BREAK.split(short_name(name))]
        labels.append("<br>".join([*lines, f"{low} – {high}"]))
    return {
        "title": words.text("sweeps.chart.parallel"),
        "traces": traces,
        "layout": {
            "xaxis": {
                "tickvals": places,
                "ticktext": labels,
                "tickangle": 0,
                "tickfont": {"size": 11},
                "gridcolor": _GREY,
            },
            "yaxis": {"visible": False, "range": [-0.05, 1.05]},
            "height": 380,
            "margin": {"l": 80, "r": 80, "t": 36, "b": 70},
        },
        "columns": names,
        "rows": [[_text(row[name]) for name in names] for row in rows],
        "runs": [row["run"] for row in rows],
    }


def heat_map(sweep: Sweep, x: str, y: str, measure: str, language: str | Catalog = "en") -> Json:
    """Return a measure by two factors, averaged over all runs with their values.

    Raises
    ------
    UnknownObjectError
        If there is no such factor or measure.
    """
    words = language_of(language)
    rows = _rows(sweep, [measure])
    known = [factor.name for factor in sweep.plan.factors]
    for name in (x, y):
        if name not in known:
            raise UnknownObjectError(Message("sweeps.kind.factor"), name, known)
    columns, lines = (list(dict.fromkeys(row[name] for row in rows)) for name in (x, y))
    cells = {
        (a, b): [row for row in rows if (row[x], row[y]) == (a, b)] for a in columns for b in lines
    }
    means = {place: _mean(own, measure) for place, own in cells.items()}
    title = words.text("sweeps.chart.heat-map", measure=measure)
    return {
        "title": plain(title),
        "traces": [
            {
                "type": "heatmap",
                "x": [plain(_text(each)) for each in columns],
                "y": [plain(_text(each)) for each in lines],
                "z": [[means[a, b] for a in columns] for b in lines],
                "customdata": [
                    [cells[a, b][0]["run"] if cells[a, b] else None for a in columns] for b in lines
                ],
                "colorscale": "Viridis",
                "colorbar": {"title": {"text": _title(measure), "side": "right"}},
                "hovertemplate": "%{x}<br>%{y}<br>%{z:.4g}<extra></extra>",
            }
        ],
        "layout": {
            "xaxis": {"title": {"text": plain(short_name(x)), "standoff": 10}, "type": "category"},
            "yaxis": {
                "title": {"text": plain(short_name(y))},
                "type": "category",
                "automargin": True,
            },
            "height": 320,
            "margin": _MARGIN,
        },
        "columns": [x, y, measure],
        "rows": [
            [_text(a), _text(b), _text(mean)] for (a, b), mean in means.items() if mean is not None
        ],
        "runs": [cells[place][0]["run"] for place, mean in means.items() if mean is not None],
    }


def pareto_front(
    sweep: Sweep,
    x: str,
    y: str,
    maximise: Sequence[str] = (),
    language: str | Catalog = "en",
) -> Json:
    """Return two measures of each point, averaged over its seeds, and which points are best.

    A point is on the front if no other one is better in one of the two and as good in the other.
    Lower is better, but for the measures in ``maximise``.

    Raises
    ------
    UnknownObjectError
        If no run has a measure.
    """
    words = language_of(language)
    _rows(sweep, [x, y])
    found = []
    for row in sweep.summary(x, y).rows:
        first, second = row.spreads
        if first is not None and second is not None:
            label = ", ".join(map(_text, row.values)) or words.text("sweeps.chart.all-runs")
            found.append((first.mean, second.mean, label, row.runs[0]))
    signs = [-1 if name in maximise else 1 for name in (x, y)]
    best = [
        not any(
            other != own
            and signs[0] * other[0] <= signs[0] * own[0]
            and signs[1] * other[1] <= signs[1] * own[1]
            and other[:2] != own[:2]
            for other in found
        )
        for own in found
    ]
    front = sorted(each for each, is_best in zip(found, best, strict=True) if is_best)
    rest = [each for each, is_best in zip(found, best, strict=True) if not is_best]
    yes, no = words.text("sweeps.chart.on-front"), words.text("sweeps.chart.off-front")
    return {
        "title": words.text("sweeps.chart.pareto"),
        "traces": [
            _points(rest, no, {"color": _GREY, "size": 9, "symbol": "circle-open"}, "markers"),
            _points(front, yes, {"color": _ORANGE, "size": 11}, "lines+markers"),
        ],
        "layout": {
            "xaxis": {"title": {"text": _title(x), "standoff": 10}, "gridcolor": _SOFT},
            "yaxis": {"title": {"text": _title(y)}, "gridcolor": _SOFT},
            "height": 360,
            "margin": _MARGIN,
            "legend": _LEGEND,
        },
        "columns": [words.text("sweeps.chart.values"), x, y, yes],
        "rows": [
            [label, _text(a), _text(b), words.text(f"sweeps.chart.{'yes' if is_best else 'no'}")]
            for (a, b, label, _), is_best in zip(found, best, strict=True)
        ],
        "runs": [each[3] for each in found],
    }


def distributions(sweep: Sweep, measure: str, language: str | Catalog = "en") -> Json:
    """Return a measure over the runs, queue by queue; each point is a run.

    Parameters
    ----------
    sweep
        The sweep.
    measure
        A measure that there is by queue, such as ``waiting.p95``.
    language
        The language.

    Raises
    ------
    InputError
        If there is no such measure by queue.
    """
    words = language_of(language)
    start = f"{measure}[queue="
    names = [name for name in sweep.measures if name.startswith(start)]
    if not names:
        raise InputError(Problem(Message("sweeps.chart.not-by-queue", measure=measure)))
    rows = _rows(sweep, ())
    points = [(name[len(start) : -1], row) for name in names for row in rows if name in row]
    queues = list(dict.fromkeys(queue for queue, _ in points))
    traces = []
    for queue in queues:
        own = [row for name, row in points if name == queue]
        traces.append(
            {
                "type": "box",
                "name": plain(queue),
                "y": [row[f"{start}{queue}]"] for row in own],
                "text": [plain(_label(sweep, row)) for row in own],
                "customdata": [row["run"] for row in own],
                "boxpoints": "all",
                "jitter": 0.5,
                "pointpos": 0,
                "hovertemplate": "%{text}<br>%{y:.4g}<extra></extra>",
                "showlegend": False,
            }
        )
    return {
        "title": words.text("sweeps.chart.distributions", measure=measure),
        "traces": traces,
        "layout": {
            "yaxis": {"title": {"text": _title(measure)}, "gridcolor": _SOFT},
            "height": 360,
        },
        "columns": [words.text("sweeps.chart.queue"), words.text("sweeps.chart.values"), measure],
        "rows": [
            [queue, _label(sweep, row), _text(row[f"{start}{queue}]"])] for queue, row in points
        ],
        "runs": [row["run"] for _, row in points],
    }


def _rows(sweep: Sweep, measures: Sequence[str]) -> list[Row]:
    """Return the rows that have all of some measures."""
    for name in measures:
        if name not in sweep.measures:
            raise UnknownObjectError(Message("sweeps.kind.measure"), name, sweep.measures)
    return [
        row for row in sweep.rows if row["error"] is None and all(name in row for name in measures)
    ]


def _axis(name: str, rows: Sequence[Row]) -> dict[object, float]:
    """Return where each value stands on an axis: numbers by their size, others in order."""
    values = list(dict.fromkeys(row[name] for row in rows))
    if all(isinstance(each, int | float) and not isinstance(each, bool) for each in values):
        low, high = min(values), max(values)
        return {each: (each - low) / (high - low) if high > low else 0.5 for each in values}
    last = max(1, len(values) - 1)
    return {each: place / last for place, each in enumerate(values)}


def _points(
    found: Sequence[tuple[float, float, str, int]], name: str, marker: Json, mode: str
) -> Json:
    return {
        "type": "scatter",
        "mode": mode,
        "name": plain(name),
        "x": [each[0] for each in found],
        "y": [each[1] for each in found],
        "text": [plain(each[2]) for each in found],
        "customdata": [each[3] for each in found],
        "hovertemplate": "%{text}<br>%{x:.4g}, %{y:.4g}<extra></extra>",
        "marker": marker,
        "line": {"color": _ORANGE, "width": 1, "dash": "dot"},
    }


def _mean(rows: Sequence[Row], measure: str) -> float | None:
    values = [float(row[measure]) for row in rows]
    return sum(values) / len(values) if values else None


def _label(sweep: Sweep, row: Row) -> str:
    return ", ".join(_text(row[factor.name]) for factor in sweep.plan.factors)


def _title(measure: str) -> str:
    """Return the title of the axis of a measure, with its unit."""
    return plain(f"{measure} (s)" if is_in_seconds(measure) else measure)


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(shown_value(value))


def _shade(part: float) -> str:
    """Return a colour from blue (0) to orange (1)."""
    ends = ((0, 114, 178), (213, 94, 0))
    mixed = (round(a + part * (b - a)) for a, b in zip(*ends, strict=True))
    return f"rgb({','.join(map(str, mixed))})"
