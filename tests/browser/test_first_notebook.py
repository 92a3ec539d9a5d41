"""The first notebook in JupyterLab: every cell runs, and Next leads to the end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page, Request

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NOTEBOOK = "01-first-preemption.ipynb"


def test_next_leads_through_the_preemption_to_the_end(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    outside: list[str] = []

    def watch(request: Request) -> None:
        if not request.url.startswith((jupyterlab.url, "data:", "blob:")):
            outside.append(request.url)

    page.on("request", watch)
    jupyterlab.open(page, NOTEBOOK)
    assert page.locator(".jp-RenderedText[data-mime-type*='stderr']").count() == 0
    # The graph is first, the stepper second.
    view = jupyterlab.view(page, 1)
    sentence = view.locator(".kl-sentence")
    next_button = view.get_by_role("button", name="Next", exact=True)
    seen = [sentence.inner_text()]
    count = int(re.search(r"of (\d+)", seen[0])[1])  # type: ignore[index]
    view.get_by_label("Step by").select_option("step")
    while next_button.get_attribute("aria-disabled") is None:
        here = int(re.search(r"Step (\d+)", seen[-1])[1])  # type: ignore[index]
        next_button.click()
        page.wait_for_function(
            "([view, text]) => view.innerText.includes(text)",
            arg=[sentence.element_handle(), f"Step {here + 1} of {count}"],
        )
        seen.append(sentence.inner_text())
        if "default/job-1 is removed in simulation" in seen[-1]:
            view.screenshot(path=pictures / "stepper.png")
    story = "\n".join(seen)
    assert f"Step {count} of {count}" in seen[-1]
    assert "default/job-1 is removed in simulation (InClusterQueue)." in story
    assert "default/job-1 is preempted by default/job-2 (InClusterQueue)" in story
    message = "insufficient unused quota for cpu in flavor default, 500m more needed"
    assert message in view.get_by_role("tabpanel", name="Decision").inner_text() + seen[-1]
    page.screenshot(path=pictures / "first-notebook-end.png")
    view.get_by_role("button", name="Previous", exact=True).click()
    page.wait_for_function(
        "([view, text]) => view.innerText.includes(text)",
        arg=[sentence.element_handle(), f"Step {count - 1} of {count}"],
    )
    assert sentence.inner_text() == seen[-2]
    assert outside == []
