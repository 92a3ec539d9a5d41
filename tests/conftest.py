"""What all tests share: reproducible examples, and a browser where there is one."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

# Tests import what they share from here.
sys.path.insert(0, str(Path(__file__).parent))
from seeds import header

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# A slow machine is no failure; in CI the examples are the same in every run.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_report_header() -> str:
    return header()


# A module at a time: its event loop must not outlive the browser tests.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Headless Chromium, as installed on the system; the test is skipped where there is none."""
    executable = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")
    if executable is None:
        pytest.skip("no Chromium here; install it with: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    # Chromium's sandbox does not start as root.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page of its own, large enough for JupyterLab."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    # A limit for what never comes, not for how fast it comes.
    context.set_default_timeout(300_000)
    yield context.new_page()
    context.close()
