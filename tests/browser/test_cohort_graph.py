"""The cohort graph in a browser: what answers the pointer is what is drawn there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kueuelab import scenarios
from kueuelab.widgets import CohortGraph

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

#: The step of notebook 01 at which job-1 holds quota of its queue, and borrowed quota.
STEP = 49

#: The pointer is put on points of a line, from its left end to its right; the trace and the
#: point of it that a click there would go to.
HIT = """async ([xs, y]) => {
    const graph = document.querySelector('.js-plotly-plot');
    const {xaxis, yaxis} = graph._fullLayout;
    const hits = [];
    for (const x of xs) {
        const box = graph.querySelector('.nsewdrag').getBoundingClientRect();
        const at = {
            clientX: box.left + xaxis.l2p(x), clientY: box.top + yaxis.l2p(y), bubbles: true,
        };
        Plotly.Fx.hover(graph, {xpx: xaxis.l2p(x), ypx: yaxis.l2p(y)});
        const found = (graph._hoverdata || [])[0];
        hits.push(found ? [found.curveNumber, found.pointNumber] : null);
        Plotly.Fx.unhover(graph, at);
    }
    return hits;
}"""


def test_a_chip_is_hit_where_it_is_drawn(page: Page, pictures: Path) -> None:
    run = scenarios.load("within-1-all-in-one-queue").run()
    graph = CohortGraph(run)
    graph.window.width = 900
    graph.board.go(STEP)
    figure = graph.figure
    page.set_content(figure.to_html(include_plotlyjs=True, default_width=900))
    page.wait_for_function("document.querySelector('.js-plotly-plot .main-svg') !== null")
    page.screenshot(path=pictures / "cohort-graph.png")
    chips = [index for index, each in enumerate(figure.data) if "Workload" in str(each.customdata)]
    assert len(chips) == 1
    drawn = figure.data[chips[0]]
    names = [name for _, name in drawn.customdata]
    assert names.count("default/job-1") == 1
    for place, (start, length, y) in enumerate(zip(drawn.base, drawn.x, drawn.y, strict=True)):
        xs = [start + length * part / 20 for part in range(1, 20)]
        hits = page.evaluate(HIT, [xs, y])
        assert hits == [[chips[0], place]] * 19, names[place]


def test_what_no_chip_covers_is_its_queue(page: Page) -> None:
    run = scenarios.load("within-1-all-in-one-queue").run()
    graph = CohortGraph(run)
    graph.window.width = 900
    graph.board.go(STEP)
    page.set_content(graph.figure.to_html(include_plotlyjs=True, default_width=900))
    page.wait_for_function("document.querySelector('.js-plotly-plot .main-svg') !== null")
    (bar,) = [each for each in graph.picture.bars if each.node[1] == "cohort-queue"]
    y = graph.layout.bar(bar.line)
    hits: list[Any] = page.evaluate(
        HIT, [[bar.at(bar.nominal) * part / 8 for part in range(1, 8)], y]
    )
    found = {tuple(graph.figure.data[curve].customdata[point]) for curve, point in hits}
    assert found == {("ClusterQueue", "cohort-queue")}
