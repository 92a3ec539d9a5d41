"""What takes long, in Chromium: it shows how far it is, and Stop ends it at any time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from long_scenario import long_scenario
from pages import STORE, violations

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]

#: Opens a text as if it were dropped; the answer is not waited for.
DROP = f"(text) => {{ {STORE}.then((store) => store.openContent('large.yaml', text)); }}"
#: Says that a command was answered, so that a page that is loaded again restores it.
ANSWERED = f"(text) => {STORE}.then((store) => store.engine.wire.done('open', text))"
KEPT = """
() => import('/front.js')
  .then(({ modules }) => modules['app/drafts.js'])
  .then(({ within }) => within('journal', 'readonly', (store) => store.count()))
  .then((count) => count === 2)
"""


def test_how_far_it_is_is_shown_and_stop_ends_it(app: Page, pictures: Path) -> None:
    app.locator(".example", has_text="two-teams").first.click()
    app.locator(".kpis").wait_for()
    app.evaluate(DROP, long_scenario(20_000))
    part = app.locator(".busy-part")
    part.get_by_text("Playing the timeline").wait_for()
    text, bar = part.inner_text(), part.locator("progress")
    assert text.endswith("of 20,000 actions")
    assert bar.get_attribute("max") == "20000"
    assert violations(app) == []
    app.screenshot(path=pictures / "app-progress.png")
    app.get_by_role("button", name="Stop").click()
    app.locator(".toast", has_text="Stopped").wait_for()
    app.locator(".busy").wait_for(state="detached")
    app.locator("nav a", has_text="Workloads").click()
    app.locator(".tr .name").first.wait_for()
    assert app.locator(".file b").inner_text() == "two-teams"
    assert app.locator(".pill.branch").count() == 0


def test_restoring_is_stopped_and_what_was_restored_stays(app: Page) -> None:
    app.locator(".example", has_text="two-teams").first.click()
    app.locator(".kpis").wait_for()
    command = {"do": "open", "name": "large.yaml", "text": long_scenario(20_000), "id": 1}
    app.evaluate(ANSWERED, json.dumps(command))
    app.wait_for_function(KEPT)
    # The engine on this machine keeps what is open: it restores for a reader that it does not know.
    app.evaluate("() => sessionStorage.removeItem('kueuelab-reader')")
    app.reload()
    app.locator(".pill.engine", has_text="Restoring").wait_for()
    app.locator(".busy-part", has_text="Playing the timeline").wait_for()
    app.get_by_role("button", name="Stop").click()
    app.locator(".toast", has_text="no longer open").wait_for()
    app.locator(".kpis").wait_for()
    assert app.locator(".file b").inner_text() == "two-teams"
    assert app.locator(".pill.branch").count() == 0
