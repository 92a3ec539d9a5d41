"""Levers in Chromium: several at once with one cost, and quotas that move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pages import violations

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]

WORKLOAD = "job-b-cpu-2-71f14"


def show(app: Page) -> None:
    app.evaluate(f"location.hash = '#/levers?open=two-teams&w=team-b/{WORKLOAD}'")
    app.reload()
    app.locator(".slider").first.wait_for()


def test_several_levers_are_tried_together(app: Page) -> None:
    show(app)
    app.get_by_label("Combine: raise the nominal quota of ClusterQueue cq-b").check()
    app.get_by_label("Combine: raise the priority").check()
    together = app.locator(".together", has_text="The workload in the end: Admitted.")
    together.locator(".cost-part", has_text="1 quota grows").wait_for()
    together.get_by_role("button", name="Try them together").click()
    app.locator(".changes li", has_text=WORKLOAD).first.wait_for()
    assert ": levers" in app.locator(".after").inner_text()


def test_a_quota_that_moves_is_decided_and_kept(app: Page) -> None:
    show(app)
    slider = app.get_by_label("Nominal quota, cpu (generic)").first
    slider.focus()
    for _ in range(2):
        app.keyboard.press("ArrowRight")
    app.locator(".outcome .say", has_text="is admitted.").wait_for()
    assert slider.get_attribute("aria-valuetext") == "10"
    assert violations(app) == []
    app.get_by_role("button", name="Reset").click()
    app.locator(".outcome .say", has_text="is pending").wait_for()
    slider.fill("12")
    app.locator(".outcome .say", has_text="is admitted.").wait_for()
    app.locator(".outcome").get_by_role("button", name="Keep as branch").click()
    app.locator(".changes li", has_text=WORKLOAD).first.wait_for()
    assert "kind: ClusterQueue" in app.locator("pre.yaml").inner_text()
