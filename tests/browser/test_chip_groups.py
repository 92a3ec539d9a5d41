"""A job that grows is one chip with its slices inside; variants race in one chip."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pages import document, open_page, shows
from waiting import painted

if TYPE_CHECKING:
    from playwright.sync_api import Page

#: Steps of elastic-scale-up, from 1: a slice is being admitted; it has replaced the other one.
GROWING, GROWN = 76, 86
#: Of concurrent-race: three variants wait; the one for spot is admitted, two still race.
RACE, WON = 150, 170


def width(page: Page, selector: str) -> float:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["width"]


def test_a_job_is_one_chip_that_grows(page: Page, tmp_path: Path) -> None:
    wrong = open_page(page, tmp_path, document("elastic-scale-up"), "#step=33")
    bar = ".kl-chip[data-group='default/train']:not(.kl-pending) > rect"
    before = width(page, bar)
    page.locator(".kl-chip.kl-pending", has_text="train +4").wait_for()
    for step, parts in ((GROWING, ["train", "train-2"]), (GROWN, [])):
        page.goto(page.url.partition("#")[0] + f"#step={step}")
        shows(page, step)
        assert page.locator(bar).count() == 1
        inside = page.locator(".kl-chip:not(.kl-pending) .kl-part text").all_text_contents()
        assert inside == parts
        page.wait_for_function(
            "([bar, least]) => document.querySelector(bar).getBoundingClientRect().width > least",
            arg=[bar, 1.9 * before],
        )
    assert wrong == []


def test_a_slice_inside_is_selected_by_a_click(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, document("elastic-scale-up"), f"#step={GROWING}")
    page.locator("[data-part='default/train-2'] text").click()
    page.get_by_role("tab", name="Selected").click()
    page.get_by_role("heading", name="Workload default/train-2").wait_for()
    page.locator(".kl-part.kl-chosen[data-part='default/train-2']").wait_for()


def test_variants_race_in_one_chip(page: Page, tmp_path: Path) -> None:
    wrong = open_page(page, tmp_path, document("concurrent-race"), f"#step={RACE}")
    chip = page.locator(".kl-chip.kl-pending[data-group='default/train']")
    assert chip.locator(".kl-part text").all_text_contents() == [
        "… reserved",
        "… on-demand",
        "… spot",
    ]
    chip.locator("[data-part*='on-demand'] text").hover()
    tip = page.get_by_role("tooltip")
    tip.get_by_text("races for admission").wait_for()
    page.set_viewport_size({"width": 390, "height": 844})
    painted(page)
    for box in (each.bounding_box() for each in page.locator(".kl-chip.kl-pending").all()):
        assert box is not None
        assert box["x"] + box["width"] <= 390
    assert wrong == []
