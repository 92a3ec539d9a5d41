"""Charts in JupyterLab: all of a notebook are drawn, by one plotly that the kernel gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from test_strangers_file import upload

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CELLS = (
    """\
import kueuelab as kl
from kueuelab import scenarios
run = scenarios.load('reclaim-3-late-after-finish').run()
kl.widgets.Timeline(run)
""",
    """\
editor = kl.widgets.WhatIf(run)
editor.text.value = editor.text.value.replace('nominalQuota: 500m', 'nominalQuota: 700m')
editor.run()
editor
""",
    "kl.widgets.Timeline(scenarios.load('reclaim-1-take-back').run())",
    "kl.widgets.Timeline(scenarios.load('fair-1-three-teams').run())",
)


def test_all_charts_and_views_of_a_comparison_are_drawn(page: Page, jupyterlab: Any) -> None:
    pytest.importorskip("plotly", reason="plotly is not installed")
    notebook = nbformat.v4.new_notebook()
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    upload(page, jupyterlab.url, "charts.ipynb", notebook)
    page.add_init_script(
        """window.loaded = 0;
        new MutationObserver(found => found.forEach(({addedNodes}) => addedNodes.forEach(node => {
            if (node.tagName === 'SCRIPT' && node.text.length > 1e6) window.loaded += 1;
        }))).observe(document, {subtree: true, childList: true});"""
    )
    jupyterlab.open(page, "charts.ipynb")
    # Each view is there when it comes into view; nothing is waited for but what it shows.
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    charts = page.locator(".kl-chart")
    for place in range(len(CELLS)):
        view = cells.nth(place).locator(".kl-embedded, .kl-awaited").last
        view.wait_for(state="attached")
        view.scroll_into_view_if_needed()
        chart = cells.nth(place).locator(".kl-chart").first
        chart.wait_for(state="attached")
        chart.scroll_into_view_if_needed()
        cells.nth(place).locator(".kl-chart[data-state='drawn']").first.wait_for()
    assert charts.count() == len(CELLS)
    for chart in charts.all():
        assert chart.locator(".scatterlayer .js-line").count() >= 2
        assert all(each.get_attribute("d") for each in chart.locator(".js-line").all())
    assert page.evaluate("window.loaded") == 1
    # Both runs of the comparison have their picture and their timeline.
    sides = cells.nth(1).locator(".kl-side")
    assert sides.count() == 2
    for side in sides.all():
        side.scroll_into_view_if_needed()
        side.locator(".kl-svg .kl-chip").first.wait_for(state="attached")
        side.locator(".kl-timeline-phase").first.wait_for(state="attached")
    # The line that says where the run is follows the steps in the chart, too.
    assert page.locator(".kl-chart .shapelayer path").count() == len(CELLS) - 1
