"""The page of several clusters: the board in the shell, faults that make branches, each cluster."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pages import shows, violations

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]

PICTURES = Path(os.environ.get("KUEUELAB_PICTURES", Path(__file__).parents[2] / "test-results"))


def open_at(app: Page, address: str) -> None:
    app.evaluate("to => { location.hash = to; }", address)
    app.reload()


def test_a_button_of_a_lane_makes_a_branch(app: Page) -> None:
    open_at(app, "#/clusters?open=lost-worker&step=80")
    shows(app, 80)
    lane = app.get_by_role("region", name="cluster w2")
    lane.get_by_role("button", name="disconnect").click()
    app.locator(".changed-by .changes li").first.wait_for()
    shows(app, 80)
    app.locator(".changed-by").get_by_role("link", name="Compare").click()
    app.locator(".changes li", has_text="default/train").wait_for()
    assert app.locator("pre.yaml").count() == 0


def test_why_a_workload_is_where_it_is_is_in_the_address(app: Page) -> None:
    open_at(app, "#/clusters?open=lost-worker&step=60&w=default/train")
    shows(app, 60)
    why = app.locator(".kl-clusters-why")
    why.get_by_text("nominated: w1, w2").wait_for()
    lane = app.get_by_role("region", name="cluster w2")
    lane.locator(".kl-lane-chip", has_text="filler").click()
    app.wait_for_function("() => /w=default.filler.*in=w2/.test(location.hash)")


def test_each_cluster_has_its_pages(app: Page) -> None:
    open_at(app, "#/overview?open=lost-worker")
    app.locator(".find", has_text="older copy").wait_for()
    app.locator(".find").get_by_role("link", name="Show the clusters").click()
    app.locator(".kl-view-multikueue[data-step]").wait_for()
    app.get_by_role("link", name="Overview of w1").click()
    app.locator(".kpis").wait_for()
    assert "cluster=w1" in app.evaluate("location.hash")
    app.locator("nav a", has_text="Workloads").click()
    app.locator(".tr .name", has_text="train").click()
    app.locator(".drawer .placement dt", has_text="w1").wait_for()
    assert "Finished" in app.locator(".drawer .who").inner_text()
    app.locator("header").get_by_label("Cluster").select_option("manager")
    app.locator(".tr .name", has_text="train").click()
    app.locator(".drawer .who", has_text="Admitted").wait_for()
    app.locator("nav a", has_text="Steps").click()
    app.locator(".kl-view-lab[data-step]").wait_for()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "size", [(2560, 1440), (1440, 900), (390, 844)], ids=["large", "wide", "narrow"]
)
def test_the_page_is_accessible(app: Page, size: tuple[int, int], theme: str) -> None:
    app.set_viewport_size({"width": size[0], "height": size[1]})
    app.evaluate("theme => { localStorage['kueuelab-theme'] = theme; }", theme)
    open_at(app, "#/clusters?open=lost-worker&step=150&w=default/train")
    shows(app, 150)
    app.locator(".members li").first.wait_for()
    PICTURES.mkdir(exist_ok=True)
    app.screenshot(path=PICTURES / f"app-clusters-{size[0]}-{theme}.png")
    assert violations(app) == []
    assert app.evaluate("document.documentElement.scrollWidth <= innerWidth")
