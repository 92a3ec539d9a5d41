"""Charts of a sweep: what is drawn, the table that goes with it, and which run a point is."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import kueuelab as kl
from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.sweeps import Sweep, WorkloadModel
from kueuelab.sweeps.summary import measure_text
from kueuelab.views.svg_chart import svg_of_chart
from kueuelab.views.sweep_charts import (
    distributions,
    heat_map,
    parallel_coordinates,
    pareto_front,
)
from kueuelab.views.sweep_document import SweepDocument

RECLAIM = "cluster-queue/team-a:spec.preemption.reclaimWithinCohort"
STRATEGY = "cluster-queue/*:spec.queueingStrategy"


@pytest.fixture(scope="module")
def found() -> Sweep:
    lab = kl.scenarios.load("reclaim-1-take-back")
    vary = {RECLAIM: ["Never", "Any"], STRATEGY: ["StrictFIFO", "BestEffortFIFO"]}
    model = WorkloadModel(jobs=6, requests={"cpu": "100m"}, sizes=(1,))
    return kl.sweep(lab, vary, seeds=2, workloads=model)


def test_parallel_coordinates_have_a_line_for_each_run(found: Sweep) -> None:
    chart = parallel_coordinates(found, ["preemptions", "waiting.max"])
    assert [trace["customdata"][0] for trace in chart["traces"]] == list(range(8))
    assert {len(trace["y"]) for trace in chart["traces"]} == {4}
    assert all(0 <= each <= 1 for trace in chart["traces"] for each in trace["y"])
    assert chart["columns"] == [RECLAIM, STRATEGY, "preemptions", "waiting.max"]
    assert chart["runs"] == list(range(8))
    assert chart["rows"][0][:2] == ["Never", "StrictFIFO"]


def test_the_label_of_an_axis_is_broken_and_has_its_range_with_units(found: Sweep) -> None:
    chart = parallel_coordinates(found, ["waiting.max", "waiting.p95[queue=team-a]"])
    axis = chart["layout"]["xaxis"]
    waits = [row["waiting.max"] for row in found.rows]
    low, high = (measure_text("waiting.max", end(waits)) for end in (min, max))
    assert axis["ticktext"][0] == "team-a:<br>reclaimWithinCohort<br>Never – Any"
    assert axis["ticktext"][2] == f"waiting.max<br>{low} – {high}"
    assert axis["ticktext"][3].startswith("waiting.p95<br>[queue=team-a]<br>")
    # A label at an angle leaves the picture.
    assert axis["tickangle"] == 0


def test_the_axis_of_a_time_has_its_unit(found: Sweep) -> None:
    layout = pareto_front(found, "preemptions", "waiting.max")["layout"]
    assert layout["xaxis"]["title"]["text"] == "preemptions"
    assert layout["yaxis"]["title"]["text"] == "waiting.max (s)"
    (trace,) = heat_map(found, RECLAIM, STRATEGY, "waiting.mean")["traces"]
    assert trace["colorbar"]["title"]["text"] == "waiting.mean (s)"


def test_a_heat_map_has_the_mean_of_the_runs(found: Sweep) -> None:
    chart = heat_map(found, RECLAIM, STRATEGY, "waiting.mean")
    (trace,) = chart["traces"]
    assert (trace["x"], trace["y"]) == (["Never", "Any"], ["StrictFIFO", "BestEffortFIFO"])
    rows = found.rows
    assert trace["z"][0][0] == (rows[0]["waiting.mean"] + rows[1]["waiting.mean"]) / 2
    assert trace["customdata"] == [[0, 4], [2, 6]]
    assert chart["runs"] == [0, 2, 4, 6]
    with pytest.raises(UnknownObjectError, match="there is no factor named 'x'"):
        heat_map(found, "x", STRATEGY, "waiting.mean")


def test_no_point_is_better_than_one_on_the_front(found: Sweep) -> None:
    chart = pareto_front(found, "preemptions", "waiting.max")
    rest, front = chart["traces"]
    points = [(row[1], row[2]) for row in chart["rows"]]
    assert len(points) == len(rest["x"]) + len(front["x"]) == 4
    for x, y in zip(front["x"], front["y"], strict=True):
        assert not any(
            float(a) <= x and float(b) <= y and (float(a), float(b)) != (x, y) for a, b in points
        )
    assert min(float(a) for a, _ in points) in front["x"]


def test_distributions_have_a_box_for_each_queue(found: Sweep) -> None:
    chart = distributions(found, "waiting.mean")
    names = [trace["name"] for trace in chart["traces"]]
    assert names == sorted(names)
    assert len(names) >= 2
    assert chart["traces"][0]["customdata"] == list(range(8))
    with pytest.raises(InputError, match="no measure 'makespan' by queue"):
        distributions(found, "makespan")


def test_a_point_opens_its_run(found: Sweep) -> None:
    document = SweepDocument(found, parallel_coordinates(found, ["preemptions"]))
    assert document.as_data()["charts"] == [document.chart]
    opened = document.answer({"ask": "open", "run": 5})["document"]
    assert opened["steps"] == len(found.run(5).trace)
    assert document.answer({"ask": "find", "text": "drawn-2", "run": 5})["found"]
    assert document.answer({"ask": "open", "run": 8}) == {}
    assert document.answer({"ask": "plotly"})["source"]


def test_a_chart_as_text_is_its_table(found: Sweep) -> None:
    text = SweepDocument(found, heat_map(found, RECLAIM, STRATEGY, "preemptions")).as_text()
    assert text.splitlines()[0] == "preemptions, averaged over the runs"
    assert len(text.splitlines()) == 6


def test_each_chart_has_a_still_picture(found: Sweep) -> None:
    space = "{http://www.w3.org/2000/svg}"
    names = [RECLAIM, STRATEGY]
    charts = {
        "circle": [
            (parallel_coordinates(found, ["waiting.max"]), 3 * 8),
            (pareto_front(found, "preemptions", "waiting.max"), 4),
            (distributions(found, "waiting.p95"), 2 * 8),
        ],
        "rect": [(heat_map(found, *names, "waiting.mean"), 1 + 4)],
    }
    for kind, each in charts.items():
        for chart, count in each:
            root = ElementTree.fromstring(svg_of_chart(chart))
            assert len(root.findall(f"{space}{kind}")) == count
            assert chart["title"] in "".join(root.itertext())


def test_names_are_text_in_the_still_picture_of_a_chart(found: Sweep) -> None:
    chart = heat_map(found, RECLAIM, STRATEGY, "waiting.mean")
    chart["traces"][0]["x"] = ["&lt;script&gt;", "b"]
    root = ElementTree.fromstring(svg_of_chart(chart))
    assert "<script>" in "".join(root.itertext())
    assert not root.findall(".//{http://www.w3.org/2000/svg}script")
