"""Charts of a sweep in JupyterLab: a click on a point opens its run; the table does, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from test_strangers_file import upload

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CELL = """\
import kueuelab as kl
factor = "cluster-queue/team-a:spec.preemption.reclaimWithinCohort"
found = kl.sweep(kl.scenarios.load("reclaim-1-take-back"), {factor: ["Never", "Any"]})
kl.widgets.ParetoFront(found, "preemptions", "waiting.max")
"""


def test_a_click_on_a_point_opens_its_run(page: Page, jupyterlab: Any) -> None:
    pytest.importorskip("plotly", reason="plotly is not installed")
    notebook = nbformat.v4.new_notebook()
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    notebook.cells = [nbformat.v4.new_code_cell(CELL)]
    upload(page, jupyterlab.url, "sweep.ipynb", notebook)
    jupyterlab.open(page, "sweep.ipynb")
    chart = page.locator(".kl-chart")
    chart.wait_for(state="attached")
    chart.scroll_into_view_if_needed()
    page.locator(".kl-chart[data-state='drawn']").wait_for()
    # Run 0 preempts nothing: its point is left of the other.
    place = page.locator(".kl-chart .scatterlayer .point").last.bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    opened = page.locator(".kl-opened")
    opened.get_by_role("status").filter(has_text="with its record").wait_for()
    opened.locator(".kl-svg .kl-chip").first.wait_for(state="attached")
    chart.locator("summary").click()
    chart.get_by_role("button", name="Open run 1").click()
    opened.get_by_role("status").filter(has_text="Run 1, with its record").wait_for()
    opened.locator(".kl-svg .kl-chip").first.wait_for(state="attached")
