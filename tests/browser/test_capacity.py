"""The page Capacity in Chromium: a sweep with progress that is stopped, the map, the command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pages import violations

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]


def show(app: Page, **fields: str) -> None:
    app.evaluate("location.hash = '#/capacity?open=two-teams'")
    app.reload()
    app.locator(".job-form").wait_for()
    for name, value in fields.items():
        app.locator(f"input[name={name}]").fill(value)
    app.get_by_role("button", name="Run the sweep").click()


def test_a_sweep_is_drawn_as_a_map_with_its_front(app: Page) -> None:
    show(app, jobs="10", amounts="4 16", rates="30 60")
    app.wait_for_function("() => document.querySelectorAll('.heat td').length === 4")
    app.locator(".heat .wait").first.wait_for(state="detached")
    app.locator(".front-chart circle").first.wait_for()
    app.get_by_role("button", name="Use of the flavor").click()
    app.locator(".heat td", has_text="%").first.wait_for()
    assert "kueuelab sweep" in app.locator("pre.yaml").inner_text()
    assert violations(app) == []


def test_a_sweep_is_stopped(app: Page) -> None:
    show(app, jobs="300")
    app.locator(".heat td", has_text="s").first.wait_for()
    app.locator(".job-form").get_by_role("button", name="Stop").click()
    app.locator(".calm", has_text="Stopped after").wait_for()
    app.get_by_role("button", name="Run the sweep").is_enabled()


def test_a_large_sweep_shows_the_command(app: Page) -> None:
    show(app, jobs="100000")
    app.locator(".calm", has_text="too large to run here").wait_for()
    assert app.locator(".heat").count() == 0
    assert "--vary" in app.locator("pre.yaml").inner_text()
