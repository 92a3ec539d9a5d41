"""What all tests share: reproducible examples, and a browser where there is one."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import seed, settings

# Tests import what they share from here.
sys.path.insert(0, str(Path(__file__).parent))
from seeds import IDS, SEEDS, header

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Response, WebSocket

# A slow machine is no failure. Each property is tested with two seeds, half of the examples each.
settings.register_profile("seeded", deadline=None, max_examples=50)
settings.load_profile("seeded")

_SEED = "seed_of_examples"
#: What a page has said while a test drove it.
_HEARD = pytest.StashKey[list[str]]()


def pytest_report_header() -> str:
    return header()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each property twice: with the fixed seed, and with that of the day."""
    if getattr(metafunc.function, "is_hypothesis_test", False):
        metafunc.fixturenames.append(_SEED)
        metafunc.parametrize(_SEED, SEEDS, ids=IDS)


#: Folders and modules that take long, the longest first.
LONG = (
    "tests/browser/",
    "tests/fuzz/",
    "tests/unit/trace/test_rules.py",
    "tests/unit/trace/test_state.py",
    "tests/conformance/",
    "tests/exercises/test_notebooks.py",
    "tests/test_wheel.py",
    "notebooks/",
)
#: Those whose tests mostly wait for another process.
WAITING = ("tests/unit/live/", "tests/unit/workshop/")


def _rank(file: str) -> int:
    places = (place for place, name in enumerate(LONG) if file.startswith(name))
    return next(places, len(LONG))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let several workers begin with what takes long, so that they end together.

    Each second file is one that mostly waits, as long as there are any: so both processors have
    work.
    """
    if hasattr(config, "workerinput"):
        files = sorted({item.nodeid.partition("::")[0]: None for item in items}, key=_rank)
        waiting = (file for file in files if file.startswith(WAITING))
        others = (file for file in files if not file.startswith(WAITING))
        turns = (file for pair in zip_longest(others, waiting) for file in pair if file)
        places = {file: place for place, file in enumerate(turns)}
        items.sort(key=lambda item: places[item.nodeid.partition("::")[0]])


def pytest_runtest_setup(item: pytest.Item) -> None:
    if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
        start = item.callspec.params.get(_SEED)
        if start is not None:
            seed(start)(item.function)


@pytest.fixture(scope="module")
def minutes_of_timers() -> Iterator[None]:
    """Timers alone keep a run going for five minutes, not for an hour.

    Nothing in a random world lasts longer than a minute; only the usage that admission fair
    sharing samples every few seconds goes on fading. A nightly run follows it for the hour.
    """
    with pytest.MonkeyPatch.context() as patch:
        if "KUEUELAB_WORLDS" not in os.environ:
            patch.setattr("kueuelab.simulation.player._PATIENCE", 300 * 1_000_000_000)
        yield


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
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A fresh page of its own, large enough for JupyterLab."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    # A limit for what never comes, not for how fast it comes.
    context.set_default_timeout(300_000)
    page = context.new_page()
    request.node.stash[_HEARD] = heard = []
    page.on("console", lambda each: heard.append(f"console {each.type}: {each.text}"))
    page.on("pageerror", lambda each: heard.append(f"error: {each}"))
    page.on("requestfailed", lambda each: heard.append(f"no answer: {each.url}"))
    page.on("response", lambda each: _note_refusal(heard, each))
    page.on("websocket", lambda each: _follow(heard, each))
    yield page
    context.close()


def _note_refusal(heard: list[str], response: Response) -> None:
    if response.status >= 400:
        heard.append(f"{response.status}: {response.url}")


def _follow(heard: list[str], socket: WebSocket) -> None:
    heard.append(f"WebSocket opened: {socket.url}")
    socket.on("close", lambda _: heard.append(f"WebSocket closed: {socket.url}"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Say with a failed test of a page what the page showed, and what its server wrote."""
    report = yield
    if report.when == "call" and report.failed and _HEARD in item.stash:
        fixtures: dict[str, Any] = item.funcargs  # type: ignore[attr-defined]
        with suppress(Exception):
            text = fixtures["page"].locator("body").inner_text(timeout=10_000)
            report.sections.append(("text of the page", text[:4000]))
        report.sections.append(("messages of the page", "\n".join(item.stash[_HEARD][-80:])))
        if log := getattr(fixtures.get("jupyterlab"), "log", None):
            report.sections.append(("log of its server", log.read_text("utf-8")[-6000:]))
    return report
