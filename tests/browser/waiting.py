"""States of a page that the browser tests wait for; none of them is a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


def painted(page: Page) -> None:
    """Wait until the page has drawn what its scripts changed so far."""
    page.evaluate(
        "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def handlers_ran(page: Page) -> None:
    """Wait until a broken image that is added now has called its handler.

    A broken image that a hostile text added earlier has called its own by then.
    """
    page.evaluate(
        """() => new Promise(done => {
            const image = new Image();
            image.onerror = done;
            image.src = 'no-such-image';
        })"""
    )


def open_tab(page: Page, place: Locator, name: str) -> None:
    """Click a tab, and wait until it is the selected one and drawn."""
    place.get_by_role("tab", name=name).first.click()
    place.get_by_role("tab", name=name, selected=True).first.wait_for()
    painted(page)
