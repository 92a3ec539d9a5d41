"""Pictures of the components of the app in their states, light and dark: ``make design-pictures``.

They are in docs/design, and docs/design.md shows them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "docs" / "design"
WORKLOAD: Final = "team-b%2Fjob-b-cpu-2-71f14"


def _nothing(_: Page) -> None:
    pass


def _palette(text: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        page.keyboard.press("Control+k")
        page.keyboard.type(text)

    return act


def _try(page: Page) -> None:
    page.locator(".lever").first.get_by_role("button", name="Try").click()


#: Of each picture its name, the address, what is done there, and what is seen.
PICTURES: Final = (
    ("navigation-nothing-open", "/home", _nothing, ".nav"),
    ("navigation", "/workloads?open=two-teams", _nothing, ".nav"),
    ("top-bar", "/workloads?open=two-teams", _nothing, ".top"),
    ("palette", "/workloads?open=two-teams", _palette("team-b"), ".palette"),
    ("palette-nothing-found", "/workloads?open=two-teams", _palette("xyz"), ".palette"),
    ("example", "/home", _nothing, ".example"),
    ("table", "/workloads?open=two-teams", _nothing, ".main .page"),
    ("table-nothing-matches", "/workloads?open=two-teams&q=xyz", _nothing, ".empty"),
    ("drawer", f"/workloads?open=two-teams&w={WORKLOAD}", _nothing, ".drawer:has(.lever)"),
    ("lever", f"/workloads?open=two-teams&w={WORKLOAD}", _nothing, ".lever"),
    ("lever-card", f"/levers?open=two-teams&w={WORKLOAD}", _nothing, ".lever-card"),
    ("toast", f"/workloads?open=two-teams&w={WORKLOAD}", _try, ".toast"),
    ("empty", "/compare?open=reclaim-1-take-back", _nothing, ".empty"),
    ("error", "/workloads?open=two-teams&w=team-b%2Fnot-there", _nothing, ".trouble"),
)


def draw(page: Page, address: str) -> None:
    """Draw all pictures."""
    FOLDER.mkdir(exist_ok=True)
    for theme in ("light", "dark"):
        for name, place, act, selector in PICTURES:
            page.goto("about:blank")
            page.goto(address)
            page.locator(".app").wait_for()
            page.evaluate("to => { location.hash = to; }", place)
            page.reload()
            page.locator(".app").wait_for()
            page.evaluate("to => { document.documentElement.dataset.theme = to; }", theme)
            if act is _try:
                page.locator(".lever").first.wait_for()
            elif act is not _nothing:
                page.locator(".tr .name").first.wait_for()
            act(page)
            seen = page.locator(selector).first
            seen.wait_for()
            page.wait_for_function("() => !document.querySelector('.skeleton, .tr.waiting')")
            seen.screenshot(path=FOLDER / f"{name}-{theme}.png", animations="disabled")


def main() -> None:
    """Serve the app, and draw it."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "kueuelab", "studio", "--port", "0", "--no-browser", "--json"]
    server = subprocess.Popen(command, cwd=FOLDER.parent, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = json.loads("".join(next(server.stdout) for _ in range(3)))["url"]
    executable = os.environ.get("CHROMIUM") or shutil.which("chromium") or "chromium"
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable, args=arguments)
            page = browser.new_page(viewport={"width": 1200, "height": 760})
            page.set_default_timeout(20_000)
            page.emulate_media(reduced_motion="reduce")
            draw(page, address)
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
