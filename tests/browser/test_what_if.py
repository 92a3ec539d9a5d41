"""A policy is edited in JupyterLab, and both runs are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from waiting import painted

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_policy_is_edited_and_both_runs_are_compared(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    jupyterlab.open(page, "views.ipynb")
    jupyterlab.view(page)
    page.locator("span").get_by_text("What if?").click()
    editor = page.locator(".kl-what-if")
    text = editor.get_by_label("YAML")
    original = text.input_value()

    # A mistake is told while typing, with its line.
    line = text.input_value().split("\n").index("    reclaimWithinCohort: LowerPriority") + 1
    text.evaluate("(text, at) => text.setSelectionRange(at, at)", original.index(": LowerPriority"))
    text.press("s")
    editor.get_by_text("Did you mean 'reclaimWithinCohort'?").wait_for()
    wrong = editor.locator(".kl-gutter .kl-wrong")
    assert wrong.inner_text() == f"✖ {line}"
    assert text.get_attribute("aria-invalid") == "true"
    run = editor.get_by_role("button", name="Fork and run ▶")
    assert run.is_disabled()
    editor.scroll_into_view_if_needed()
    page.screenshot(path=pictures / "what-if-mistake.png")

    # Corrected, it runs, and both are there side by side.
    text.fill(original.replace("reclaimWithinCohort: LowerPriority", "reclaimWithinCohort: Never"))
    editor.get_by_text("changes spec.preemption").wait_for()
    assert editor.locator(".kl-gutter .kl-changed").inner_text() == f"● {line}"
    run.click()
    editor.get_by_text("The first decision that differs is number 3").wait_for()
    editor.get_by_text("default/job-2 ends Admitted (cpu/default) before").wait_for()
    before, after = editor.locator(".kl-view[data-step]").all()
    assert "preempts default/job-1" in before.locator(".kl-said").inner_text()
    assert "stays pending" in after.locator(".kl-said").inner_text()
    one, other = before.bounding_box(), after.bounding_box()
    assert one is not None
    assert other is not None
    assert one["y"] == other["y"], "side by side"
    step = int(after.get_attribute("data-step") or 0)
    after.get_by_label("Step by").select_option("step")
    after.get_by_role("button", name="Next", exact=True).click()
    page.wait_for_function(
        "([view, step]) => view.dataset.step === String(step)",
        arg=[after.element_handle(), step + 1],
    )
    painted(page)
    page.screenshot(path=pictures / "what-if-compared.png")
