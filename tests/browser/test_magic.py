"""``%%kueue`` in JupyterLab: a cell with YAML runs, and shows its view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from waiting import painted

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_cell_with_yaml_runs_and_shows_its_view(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    jupyterlab.open(page, "magic.ipynb")
    view = jupyterlab.view(page)
    # It steps, as the view of any run does.
    step = int(view.get_attribute("data-step"))
    view.get_by_label("Step by").select_option("step")
    view.get_by_role("button", name="Next", exact=True).click()
    page.wait_for_function(
        "([view, step]) => Number(view.dataset.step) === step",
        arg=[view.element_handle(), step + 1],
    )
    painted(page)
    page.screenshot(path=pictures / "magic.png")
    # The run has the name that was asked for.
    said = page.locator(
        ".jp-OutputArea-output", has_text="default/job-1 is pending in ClusterQueue"
    )
    said.last.wait_for(state="attached")
    assert page.locator(".jp-RenderedText[data-mime-type*='stderr']").count() == 0
