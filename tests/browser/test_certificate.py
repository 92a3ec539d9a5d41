"""A certificate in a browser: accessible, and one sheet of A4 on paper."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pages import violations

from kueuelab import workshop
from kueuelab.messages import english
from kueuelab.workshop.certificate import Certificate

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def test_everything_solved_and_a_long_name_fit_on_one_sheet(
    page: Page, tmp_path: Path, pictures: Path
) -> None:
    names = tuple(workshop.names())
    file = tmp_path / "certificate.html"
    days = {name: date(2026, 3, 2 + number) for number, name in enumerate(names)}
    certificate = Certificate("W" * 80, names, (), len(names), days)
    file.write_text(certificate.as_html(english()), "utf-8")
    page.goto(file.as_uri())
    page.screenshot(path=pictures / "certificate.png", full_page=True)
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    assert violations(page) == []
    # On a narrow screen nothing is cut off.
    page.set_viewport_size({"width": 320, "height": 600})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
