"""All views of a run together in JupyterLab: buttons, keys, slider, clicks, both themes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def shows(page: Page, view: Locator, text: str) -> None:
    """Wait until the sentence of the view has a text in it."""
    page.wait_for_function(
        "([view, text]) => view.querySelector('.kl-sentence').innerText.includes(text)",
        arg=[view.element_handle(), text],
        timeout=20_000,
    )


def step_of(view: Locator) -> int:
    found = re.search(r"Step (\d+) of", view.locator(".kl-sentence").first.inner_text())
    assert found is not None
    return int(found[1])


def test_the_lab_view_follows_buttons_keys_and_clicks(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    jupyterlab.open(page, "views.ipynb")
    view = jupyterlab.view(page)

    # To the preemption, by what to stop at.
    view.get_by_label("until").select_option("preempting")
    view.get_by_role("button", name="Run on ▶").click()
    shows(page, view, "preempts default/job-1 (InCohortReclamation)")

    # The candidates, with the rule of each.
    view.get_by_label("until").select_option("anything")
    for _ in range(5):
        view.get_by_role("button", name="◀ Previous").click()
    shows(page, view, "fits now")
    decision = view.locator(".kl-decision")
    rule = decision.locator("tr", has_text="job-0")
    assert "withinClusterQueue of cluster-queue is Never" in rule.inner_text()

    # A click on a candidate selects it in every view.
    decision.get_by_role("button", name="job-1", exact=True).click()
    decision.locator("tr.kl-selected").wait_for(timeout=20_000)
    assert view.get_by_label("about").input_value() == "default/job-1"
    page.screenshot(path=pictures / "lab-light.png")

    # So does a click on its chip; a second one takes the selection away.
    chip = view.locator(".kl-graph .barlayer text", has_text="job-1")
    chip.first.click(force=True)
    decision.locator("tr.kl-selected").wait_for(state="detached", timeout=20_000)

    # Keys, wherever the focus is in the view.
    before = step_of(view)
    view.get_by_role("button", name="Next ▶").focus()
    page.keyboard.press("ArrowRight")
    shows(page, view, f"Step {before + 1} of")
    page.keyboard.press("ArrowLeft")
    shows(page, view, f"Step {before} of")
    page.keyboard.press("End")
    shows(page, view, "Step 103 of 103")
    # The button that had the focus is off now; the view takes the keys.
    page.wait_for_function("() => document.activeElement.classList.contains('kl-view')")
    page.keyboard.press("Home")
    shows(page, view, "Step 1 of 103")

    # The slider, dragged to the middle and back.
    slider = view.get_by_role("slider", name="Step")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    shows(page, view, "cycle 3 of 5")
    assert 45 <= step_of(view) <= 60
    assert "Step" in (slider.get_attribute("aria-valuetext") or "")

    # Playing goes on by itself until it is stopped.
    here = step_of(view)
    view.get_by_label("speed").select_option("fast")
    view.get_by_role("button", name="▶ Play").focus()
    view.locator(".kl-moment").click()
    view.focus()
    page.keyboard.press(" ")
    shows(page, view, f"Step {here + 3} of")
    page.keyboard.press(" ")
    view.get_by_role("button", name="▶ Play").wait_for(timeout=20_000)

    # The other pages, in the dark.
    view.get_by_role("tab", name="Queues").click()
    view.get_by_text("Pending in all ClusterQueues").wait_for(timeout=20_000)
    view.get_by_role("tab", name="Timeline").click()
    jupyterlab.command(page, "apputils:change-theme", theme="JupyterLab Dark")
    page.wait_for_selector("body[data-jp-theme-light='false']", state="attached")
    page.wait_for_timeout(500)
    page.screenshot(path=pictures / "lab-dark.png")


def test_a_policy_is_edited_and_both_runs_are_compared(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    jupyterlab.open(page, "views.ipynb")
    jupyterlab.view(page)
    lab = page.locator(".kl-lab")
    lab.get_by_text("What if?").click()
    editor = lab.locator(".kl-what-if")
    text = editor.locator("textarea")
    original = text.input_value()
    text.fill(original.replace("reclaimWithinCohort", "reclaimWithinCohorts"))
    editor.get_by_text("Did you mean 'reclaimWithinCohort'?").wait_for(timeout=20_000)
    run = editor.get_by_role("button", name="Fork and run ▶")
    assert run.is_disabled()
    text.fill(original.replace("reclaimWithinCohort: LowerPriority", "reclaimWithinCohort: Never"))
    editor.get_by_text("changes spec.preemption").wait_for(timeout=20_000)
    run.click()
    editor.get_by_text("The first decision that differs is number 3").wait_for(timeout=30_000)
    before, after = editor.locator(".kl-view").all()
    shows(page, before, "preempts default/job-1")
    shows(page, after, "stays pending")
    after.locator(".main-svg").first.wait_for(timeout=20_000)
    before.scroll_into_view_if_needed()
    page.wait_for_timeout(1000)
    page.screenshot(path=pictures / "what-if.png")


def test_the_lab_view_works_in_notebook_7(page: Page, jupyterlab: Any, pictures: Path) -> None:
    pytest.importorskip("notebook", reason="Notebook 7 is not installed: pip install '.[lab]'")
    jupyterlab.open(page, "views.ipynb", interface="notebooks")
    view = jupyterlab.view(page)
    before = step_of(view)
    view.get_by_role("button", name="Next ▶").click()
    shows(page, view, f"Step {before + 1} of")
    page.screenshot(path=pictures / "notebook-7.png")
