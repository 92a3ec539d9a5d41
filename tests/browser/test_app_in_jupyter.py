"""The app as a page of JupyterLab's server: the cards of the launcher open it."""

from __future__ import annotations

import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError

import pytest
from waiting import painted

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_the_launcher_has_cards_that_open_the_app(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    page.goto(f"{jupyterlab.url}/lab?reset")
    cards = page.locator('.jp-Launcher-section:has-text("kueuelab") .jp-LauncherCard')
    cards.first.wait_for()
    assert [card.inner_text() for card in cards.all()] == ["Studio", "Exercises", "Scenarios"]
    painted(page)
    page.screenshot(path=pictures / "launcher.png")
    cards.filter(has_text="Scenarios").focus()
    page.keyboard.press("Enter")
    frame = page.frame_locator('iframe[title="Scenarios"]')
    frame.get_by_role("button", name="two-teams", exact=False).first.click()
    frame.get_by_role("heading", name="Overview").wait_for()
    frame.get_by_role("link", name="Workloads").click()
    frame.get_by_role("button", name="job-b-cpu-2-71f14").click()
    frame.get_by_text("It does not fit: 4 cpu requested").first.wait_for()
    painted(page)
    page.screenshot(path=pictures / "app-in-jupyterlab.png")


def test_the_address_without_a_slash_leads_to_the_page(page: Page, jupyterlab: Any) -> None:
    page.goto(f"{jupyterlab.url}/kueuelab/studio#/overview?open=two-teams")
    page.get_by_role("heading", name="Overview").wait_for()
    assert page.url.startswith(f"{jupyterlab.url}/kueuelab/studio/#/overview?open=two-teams")


def test_only_files_of_the_front_end_are_served(jupyterlab: Any) -> None:
    found = urllib.request.urlopen(f"{jupyterlab.url}/kueuelab/studio/front.js", timeout=300)
    policy = found.headers["Content-Security-Policy"]
    assert "unsafe-inline" not in policy
    assert "frame-ancestors 'self'" in policy
    found.close()
    for name in ("server.py", "app/../server.py", "app/%2e%2e/server.py"):
        with pytest.raises(HTTPError) as caught:
            urllib.request.urlopen(f"{jupyterlab.url}/kueuelab/studio/{name}", timeout=300)
        assert caught.value.code == 404
        caught.value.close()
