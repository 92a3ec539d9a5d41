"""The view on a telephone: sentences and amounts are whole, and names as far as there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pages import box, document, missed_chips, open_page, shows, violations

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

NAME = "reclaim-1-take-back"
#: Texts of the picture, as they are drawn.
TEXTS = "[...document.querySelectorAll('.kl-svg text')].map(each => each.textContent)"


@pytest.fixture
def telephone(page: Page) -> Page:
    page.set_viewport_size({"width": 390, "height": 844})
    return page


def longest_sentence(data: dict[str, Any]) -> int:
    """Return the step, counted from 1, with the longest sentence."""
    frames = [
        frame for chunk in data["chunks"].values() for frame in (chunk["key"], *chunk["patches"])
    ]
    found = [len(each.get("sentence", "")) for each in frames]
    return found.index(max(found)) + 1


@pytest.mark.parametrize("name", [NAME, "flavors-3-preempt-or-borrow"])
def test_the_longest_sentence_is_whole(telephone: Page, tmp_path: Path, name: str) -> None:
    data = document(name)
    step = longest_sentence(data)
    open_page(telephone, tmp_path, data, f"#step={step}")
    shows(telephone, step)
    sentence = telephone.locator(".kl-sentence")
    assert sentence.evaluate("each => each.scrollWidth <= each.clientWidth")
    assert sentence.evaluate("each => each.scrollHeight <= each.clientHeight")
    assert telephone.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_names_and_amounts_are_whole(telephone: Page, tmp_path: Path, pictures: Path) -> None:
    open_page(telephone, tmp_path, document(NAME), "#step=64")
    telephone.screenshot(path=pictures / "narrow.png")
    texts = telephone.evaluate(TEXTS)
    assert not [text for text in texts if "…" in text]
    for text in ("team-a-jobs", "∅ job-0", "▶ job-2", "500m of 200m cpu, borrows 300m"):
        assert text in texts
    assert missed_chips(telephone) == []
    assert violations(telephone) == []


def test_the_controls_stay_where_they_are(telephone: Page, tmp_path: Path) -> None:
    open_page(telephone, tmp_path, document(NAME))
    place = box(telephone.locator(".kl-line"))
    telephone.get_by_role("button", name="Go to the preemption").click()
    shows(telephone, 64)
    telephone.keyboard.press("End")
    shows(telephone, 103)
    assert box(telephone.locator(".kl-line")) == place


def test_title_and_description_are_whole(telephone: Page, tmp_path: Path) -> None:
    data = document(NAME)
    open_page(telephone, tmp_path, data)
    title = telephone.get_by_role("heading", level=1)
    assert title.inner_text() == data["title"]
    assert title.evaluate("each => each.scrollWidth <= each.clientWidth")
    (about,) = [each for each in telephone.locator(".kl-about").all() if each.is_visible()]
    assert about.inner_text() == data["description"]
    # The picture is what one sees first.
    assert box(about)[1] > box(telephone.locator(".kl-picture"))[3]
