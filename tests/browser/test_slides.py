"""Slides of a notebook, opened from a file without a network: views step, notes are there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kueuelab.workshop.slides import make_slides

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

CURRENT = ".slides > section.present > section.present"


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("nbconvert", reason="nbconvert is not installed: pip install '.[lab]'")
    (made,) = make_slides(tmp_path_factory.mktemp("slides"), ["05"])
    assert made.slides > 10
    return made.file


def open_deck(page: Page, deck: Path) -> list[str]:
    """Open slides; return what they load and what goes wrong."""
    wrong: list[str] = []
    page.set_viewport_size({"width": 1280, "height": 800})
    page.context.set_offline(True)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request",
        lambda asked: (
            None
            if asked.url.startswith((deck.as_uri(), "data:", "blob:", "about:"))
            else wrong.append(asked.url)
        ),
    )
    page.goto(deck.as_uri())
    page.wait_for_function("() => Reveal.isReady()")
    return wrong


def test_it_opens_from_a_file_and_views_step(page: Page, deck: Path, pictures: Path) -> None:
    wrong = open_deck(page, deck)
    page.get_by_role("heading", level=1).first.wait_for()
    page.screenshot(path=pictures / "slides-title.png")
    while not page.locator(f"{CURRENT} .kl-frame").count():
        before = page.evaluate("JSON.stringify(Reveal.getIndices())")
        page.keyboard.press("Space")
        page.wait_for_function(
            "before => JSON.stringify(Reveal.getIndices()) != before", arg=before
        )
    frame = page.frame_locator(f"{CURRENT} .kl-frame")
    view = frame.locator(".kl-view[data-step]").first
    view.wait_for()
    view.locator(".kl-chip").first.wait_for()
    page.screenshot(path=pictures / "slides-view.png")
    step = view.get_attribute("data-step")
    view.get_by_role("button", name="Next", exact=True).click()
    frame.locator(f".kl-view[data-step]:not([data-step='{step}'])").wait_for()
    # A key that the view has moves the view, and not the slides.
    slide = page.evaluate("JSON.stringify(Reveal.getIndices())")
    page.keyboard.press("Home")
    frame.locator(".kl-view[data-step='0']").wait_for()
    assert page.evaluate("JSON.stringify(Reveal.getIndices())") == slide
    assert wrong == []


def test_what_the_instructor_says_is_in_the_notes(page: Page, deck: Path) -> None:
    wrong = open_deck(page, deck)
    notes = page.locator("aside.notes").all_text_contents()
    assert any("run.until" in each for each in notes)
    assert any(not re.search(r"[=(]", each) for each in notes), "there is prose"
    # Code is for the notes, and the slides have what came of it.
    assert page.locator(".jp-InputArea .highlight:not(aside *)").count() == 0
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    opened.value.wait_for_function("() => document.title.includes('Speaker View')")
    assert wrong == []
