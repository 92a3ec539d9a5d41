"""Six stories from end to end, each on two engines: the one on this machine, and the one in the page.

With KUEUELAB_PICTURES_OF_STORIES=1 each story leaves pictures of its main pages in test-results/, in
three sizes, light and dark.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from large_dump import RESOURCE, TEAM, large_dump
from waiting import painted

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SIZES = ((1440, 900), (1024, 768), (390, 844))
#: A file that is dropped, as the browser gives it to the page.
DROPPED = """([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    return data;
}"""


@dataclass
class Reader:
    """A person with a page, whose clicks are counted."""

    page: Page
    pictures: Path | None
    clicks: int = 0

    def click(self, place: Locator) -> None:
        place.click()
        self.clicks += 1

    def drop(self, name: str, text: str) -> None:
        """Drop a file on the page."""
        data = self.page.evaluate_handle(DROPPED, [name, text])
        self.page.locator(".drop").dispatch_event("drop", {"dataTransfer": data})

    def picture(self, name: str) -> None:
        """Leave pictures of what is shown, if they are asked for."""
        if self.pictures is None:
            return
        before = self.page.viewport_size
        for theme in ("light", "dark"):
            self.page.evaluate("to => { document.documentElement.dataset.theme = to; }", theme)
            for width, height in SIZES:
                self.page.set_viewport_size({"width": width, "height": height})
                painted(self.page)
                self.page.screenshot(path=self.pictures / f"story-{name}-{width}-{theme}.png")
        if before is not None:
            self.page.set_viewport_size(before)


@pytest.fixture
def reader(app: Page, address: str, pictures: Path) -> Reader:
    # Both engines draw the same pages.
    wanted = os.environ.get("KUEUELAB_PICTURES_OF_STORIES") and "token" in address
    return Reader(app, pictures if wanted else None)


def test_my_job_is_pending(reader: Reader) -> None:
    app = reader.page
    reader.drop("cluster.json", large_dump())
    reader.click(app.locator(".cause", has_text=RESOURCE).first)
    app.locator(".tr .name").first.wait_for()
    assert "of 30,000 workloads" in app.locator(".title p").inner_text()
    reader.click(app.locator(".tr .name").first)
    reader.click(app.get_by_role("button", name="Search for levers"))
    reader.picture("pending-lever")
    lever = app.locator(".lever", has_text=f"raise the nominal quota of ClusterQueue {TEAM}")
    reader.click(lever.get_by_role("button", name="Try"))
    app.locator(".changes li", has_text=f"{TEAM}/").wait_for()
    assert "gains" in app.locator(".changes li").inner_text()
    patch = app.locator("pre.yaml")
    patch.wait_for()
    assert "nominalQuota: '11'" in patch.inner_text()
    reader.picture("pending-patch")
    with app.expect_download() as download:
        reader.click(app.get_by_role("button", name="Download"))
    assert "name: research" in download.value.path().read_text("utf-8")
    assert reader.clicks <= 8
