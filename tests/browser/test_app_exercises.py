"""Exercises in the app: hints, what is kept, both engines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pages import violations, write, written

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]

PICTURES = Path(os.environ.get("KUEUELAB_PICTURES", Path(__file__).parents[2] / "test-results"))
HOSTILE = "kind: <img src=x onerror=window.hacked=1>\n# <script>hacked=1</script>"


def open_at(app: Page, address: str) -> None:
    app.evaluate("to => { location.hash = to; }", address)
    app.reload()


def start_over(app: Page, name: str) -> None:
    """Open an exercise as it is at first: another test may have begun it."""
    open_at(app, f"#/exercises?exercise={name}")
    app.get_by_role("button", name="Start over").click()
    app.locator(".title .tag", has_text="tried").wait_for(state="detached")
    app.locator(".title .tag", has_text="solved").wait_for(state="detached")


def test_hints_lead_to_a_solution(app: Page) -> None:
    start_over(app, "blocked-head")
    assert app.get_by_role("button", name="Show a solution").count() == 0
    for count in (1, 2, 3):
        app.get_by_role("button", name="hint").click()
        app.locator(f".hints li:nth-child({count})").wait_for()
    app.get_by_role("button", name="Show a solution").click()
    app.get_by_role("region", name="One of several solutions").wait_for()
    assert app.get_by_role("button", name="hint").count() == 0


def test_what_is_written_is_kept_and_shown_as_text(app: Page) -> None:
    start_over(app, "share-a-cohort")
    write(app.get_by_label("Your answer"), HOSTILE)
    app.get_by_role("button", name="Check").click()
    app.locator(".trouble").wait_for()
    assert app.evaluate("window.hacked") is None
    assert app.locator("main img").count() == 0
    app.reload()
    app.get_by_label("Your answer").wait_for()
    assert written(app.get_by_label("Your answer")) == HOSTILE
    start_over(app, "share-a-cohort")
    app.get_by_label("Your answer").locator(".cm-line", has_text="astro").first.wait_for()


def test_code_is_only_checked_on_this_machine(app: Page, address: str) -> None:
    open_at(app, "#/exercises?exercise=external-dispatcher")
    app.get_by_role("heading", name="Your answer, in Python").wait_for()
    check = app.get_by_role("button", name="Check")
    assert check.is_disabled() == ("token" not in address)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "size", [(2560, 1440), (1440, 900), (390, 844)], ids=["large", "wide", "narrow"]
)
def test_the_pages_are_accessible(app: Page, size: tuple[int, int], theme: str) -> None:
    app.set_viewport_size({"width": size[0], "height": size[1]})
    app.evaluate("theme => { localStorage['kueuelab-theme'] = theme; }", theme)
    PICTURES.mkdir(exist_ok=True)
    open_at(app, "#/exercises")
    app.locator(".topic").first.wait_for()
    found = violations(app)
    start_over(app, "share-a-cohort")
    app.get_by_role("button", name="Check").click()
    app.locator(".feedback").wait_for()
    app.screenshot(path=PICTURES / f"app-exercise-{size[0]}-{theme}.png")
    assert [*found, *violations(app)] == []
    assert app.evaluate("document.documentElement.scrollWidth <= innerWidth")
