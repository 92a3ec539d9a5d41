"""The page of topologies: where pods are and why some have no place, at a step of the address."""

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


def test_why_a_workload_has_no_place(app: Page) -> None:
    open_at(app, "#/overview?open=topology-10-fragmentation")
    app.locator("nav a", has_text="Topology").click()
    app.locator(".kl-view-topology[data-step]").wait_for()
    # It opens where the pods are placed; the address names the step.
    app.locator(".find", has_text="default/big").get_by_text("r1-h1 (4)").wait_for()
    assert "step=" in app.evaluate("location.hash")
    open_at(app, "#/topology?open=topology-10-fragmentation&step=108")
    shows(app, 108)
    big = app.locator(".find", has_text="default/big")
    big.get_by_text("Enough is free in all, but not in one rack.").wait_for()
    big.get_by_role("button", name="default/big").click()
    app.wait_for_function("() => location.hash.includes('w=default/big')")
    app.locator(".kl-reasons-room", has_text="big needs a place").wait_for()
    big.get_by_role("link", name="Show the search").click()
    app.wait_for_function("() => !location.hash.includes('step=108')")
    app.locator(".domains").get_by_role("link", name="a × 1").click()
    app.locator(".find.chosen", has_text="default/a").wait_for()


def test_domains_follow_the_steps_and_the_resource(app: Page) -> None:
    open_at(app, "#/topology?open=topology-10-fragmentation&step=108")
    shows(app, 108)
    first = app.locator(".domains li").first
    first.get_by_text("3 of 8 free").wait_for()
    app.locator(".choices").get_by_role("button", name="cpu").click()
    app.wait_for_function("() => location.hash.includes('resource=cpu')")
    first.get_by_text("3 of 8 free").wait_for(state="detached")
    app.get_by_role("button", name="First step").click()
    app.locator(".domains li").first.wait_for(state="detached")


def test_the_page_is_only_offered_where_there_is_a_topology(app: Page) -> None:
    open_at(app, "#/topology?open=two-teams")
    app.locator("h2", has_text="This input has no topology").wait_for()
    assert app.locator("nav a", has_text="Topology").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "size", [(2560, 1440), (1440, 900), (390, 844)], ids=["large", "wide", "narrow"]
)
def test_the_page_is_accessible(app: Page, size: tuple[int, int], theme: str) -> None:
    app.set_viewport_size({"width": size[0], "height": size[1]})
    app.evaluate("theme => { localStorage['kueuelab-theme'] = theme; }", theme)
    open_at(app, "#/topology?open=topology-10-fragmentation&step=108&w=default/big")
    shows(app, 108)
    app.locator(".find.chosen").wait_for()
    PICTURES.mkdir(exist_ok=True)
    app.screenshot(path=PICTURES / f"app-topology-{size[0]}-{theme}.png")
    assert violations(app) == []
    assert app.evaluate("document.documentElement.scrollWidth <= innerWidth")
