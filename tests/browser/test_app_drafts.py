"""Drafts beside files in Chromium: a server that is killed, and a closed tab, lose nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from pages import violations
from waiting import painted

from kueuelab import scenarios

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser]

PICTURES = Path(os.environ.get("KUEUELAB_PICTURES", Path(__file__).parents[2] / "test-results"))
DRAFT = ".queues.yaml.kueuelab-draft"


@contextmanager
def studio(file: Path, port: int = 0) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Serve the app with a file."""
    command = [sys.executable, "-m", "kueuelab", "studio", str(file)]
    command += ["--port", str(port), "--no-browser", "--json"]
    environment = os.environ | {"KUEUELAB_PROGRESS": str(file.parent / "progress.json")}
    server = subprocess.Popen(
        command, cwd=file.parent, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        yield json.loads("".join(next(server.stdout) for _ in range(3)))["url"], server
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def home(page: Page, url: str) -> None:
    page.goto(url.partition("#")[0])
    page.locator(".app").wait_for()
    page.locator("nav a", has_text="Home").click()


def build(page: Page, url: str) -> None:
    """Begin a draft of the file that the server opens."""
    page.goto(url)
    page.locator(".kpis").wait_for()
    page.locator("nav a", has_text="Build").click()
    page.get_by_role("button", name="reclaim-1-take-back").click()


def test_an_edit_outlives_the_server_and_the_browser(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "queues.yaml"
    text = scenarios.text("reclaim-1-take-back")
    file.write_text(text, "utf-8")
    with studio(file) as (url, server):
        page = browser.new_page()
        build(page, url)
        page.locator(".build-title", has_text="kept beside queues.yaml").wait_for()
        editor = page.locator(".cm-content")
        editor.click()
        page.keyboard.press("Control+Home")
        page.keyboard.type("# mine\n")
        wait_for_draft(page, tmp_path / DRAFT)
        server.kill()
        page.close()
    assert file.read_text("utf-8") == text
    with studio(file) as (url, _):
        context = browser.new_context()
        page = context.new_page()
        home(page, url)
        draft = page.locator(".recent-draft", has_text="queues.yaml")
        draft.wait_for()
        assert f"draft beside the file: {DRAFT}" in draft.inner_text()
        assert violations(page) == []
        PICTURES.mkdir(exist_ok=True)
        page.screenshot(path=PICTURES / "app-home-draft.png")
        draft.locator(".recent-item").click()
        page.locator(".cm-line", has_text="# mine").wait_for()
        page.locator("nav a", has_text="Home").click()
        draft.get_by_role("button", name="Discard the draft of queues.yaml").click()
        draft.wait_for(state="detached")
        assert not (tmp_path / DRAFT).exists()
        context.close()


def test_a_server_that_is_started_anew_makes_no_edit_twice(
    browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "queues.yaml"
    file.write_text(scenarios.text("reclaim-1-take-back"), "utf-8")
    jobs = "count => document.querySelectorAll('.lanes li').length === count"
    with studio(file) as (url, server):
        page = browser.new_page()
        build(page, url)
        page.wait_for_function(jobs, arg=3)
        page.get_by_role("button", name="Add a job to team-a-jobs").first.click()
        page.wait_for_function(jobs, arg=4)
        server.kill()
        server.wait()
    port = urlsplit(url).port
    assert port
    kept = (tmp_path / DRAFT).read_text("utf-8")
    with studio(file, port) as (url, _):
        page.goto(url)
        page.locator(".kpis").wait_for()
        page.locator("nav a", has_text="Build").click()
        page.wait_for_function(jobs, arg=4)
        page.locator(".top").get_by_role("button", name="Undo").click()
        page.wait_for_function(jobs, arg=3)
        page.locator(".top").get_by_role("button", name="Redo").click()
        page.wait_for_function(jobs, arg=4)
        assert (tmp_path / DRAFT).read_text("utf-8") == kept
        page.close()


def wait_for_draft(page: Page, place: Path) -> None:
    """Wait until the draft has what was written."""
    while not (place.exists() and "# mine" in place.read_text("utf-8")):
        painted(page)
