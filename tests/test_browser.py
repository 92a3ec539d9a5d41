"""The browser that other tests drive is there and works."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.mark.browser
def test_the_browser_shows_a_page(page: Page) -> None:
    page.set_content("<h1>kueuelab</h1>")
    assert page.inner_text("h1") == "kueuelab"
