"""A large input in the app: its table at once, what is wrong with it, and its decisions."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path

import pytest
from pages import STORE, violations
from playwright.sync_api import Page

from kueuelab.bench.cluster_dump import DumpShape, write_dump

pytestmark = [pytest.mark.browser, pytest.mark.slow]

#: A file of more than a megabyte is sent as it is.
OPEN = f"""([name, text]) => {{
    {STORE}.then((store) => store.openContent(name, new Blob([text])));
}}"""
#: Notes what the header says of what is open.
HEADER = """() => {
    const said = (window.said = []);
    new MutationObserver(() => {
        const text = document.querySelector(".top .file small")?.textContent;
        if (text && text !== said.at(-1)) said.push(text);
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""


@cache
def dump(queues: int = 10) -> str:
    """Return a dump with more workloads than an input has that is decided at once."""
    text = io.StringIO()
    write_dump(DumpShape(queues=queues, pending=490, admitted=20), text)
    return text.getvalue()


def header(page: Page, text: str) -> None:
    """Wait until the header says something of what is open."""
    page.locator(".top .file", has_text=text).wait_for()


def test_its_table_is_there_before_it_is_checked(app: Page) -> None:
    app.evaluate(HEADER)
    app.evaluate(OPEN, ["dump.json", dump()])
    app.locator(".tr .name").first.wait_for()
    app.locator(".search input").fill("gpu")
    header(app, "as read")
    first, *_, last = app.evaluate("() => window.said")
    assert first.startswith("5,100 workloads, not yet checked")
    assert last.startswith("5,100 workloads, as read")
    # What was searched stays, and now each has its position.
    app.locator(".title p", has_text="of 5,100 workloads match").wait_for()
    assert app.locator(".search input").input_value() == "gpu"
    app.wait_for_function(
        "() => /^[1-9]/.test(document.querySelector('.tr .c-position')?.textContent)"
    )


def test_it_is_shown_as_it_was_read_until_it_runs(app: Page, pictures: Path) -> None:
    app.evaluate(OPEN, ["dump.json", dump()])
    app.locator(".tr .name").first.wait_for()
    app.locator("nav a", has_text="Overview").click()
    app.locator(".kpis").wait_for()
    said = app.locator(".cause", has_text="Kueue said: couldn't assign flavors").first
    header(app, "5,100 workloads, as read")
    assert violations(app) == []
    app.screenshot(path=pictures / "app-as-read.png")
    said.click()
    app.locator(".tr .name").first.click()
    drawer = app.locator(".drawer")
    drawer.locator(".say", has_text="Kueue says: couldn't assign flavors").wait_for()
    assert violations(app) == []
    app.keyboard.press("Escape")
    app.locator("nav a", has_text="Steps").click()
    app.locator("h1", has_text="Steps").wait_for()
    app.locator(".as-read").get_by_role("button", name="Run").click()
    app.locator(".lab").first.wait_for()
    app.locator("nav a", has_text="Overview").click()
    app.locator(".cause", has_text="Not enough quota").first.wait_for()
    assert app.locator(".as-read").count() == 0
    assert "as read" not in app.locator(".top").inner_text()


def test_what_is_wrong_with_it_is_said_with_its_place(app: Page) -> None:
    data = json.loads(dump())
    data["items"][-1]["spec"]["podSets"][0]["count"] = -1
    app.evaluate(OPEN, ["broken.json", json.dumps(data, indent=1)])
    trouble = app.locator(".trouble")
    trouble.wait_for()
    assert "should be greater than or equal to 0" in trouble.inner_text()
    assert "broken.json:" in trouble.inner_text()
    # Nothing of it is open; something else can be.
    assert app.locator(".top .file").count() == 0
    app.locator(".example", has_text="two-teams").first.click()
    app.locator(".kpis").wait_for()


def test_an_engine_that_is_started_anew_opens_it_again(app: Page) -> None:
    app.evaluate(OPEN, ["dump.json", dump()])
    header(app, "as read")
    # The engine in the page begins anew; a server does not know the other name.
    app.evaluate("() => { sessionStorage['kueuelab-reader'] = 'another'; }")
    app.reload()
    header(app, "5,100 workloads, as read")
    app.locator(".tr .name").first.wait_for()
    app.locator("nav a", has_text="Home").click()
    app.get_by_role("button", name="Undo", exact=True).first.click()
    app.locator(".top .file").wait_for(state="detached")
    app.locator(".recent-item", has_text="dump.json").click()
    header(app, "5,100 workloads, as read")
