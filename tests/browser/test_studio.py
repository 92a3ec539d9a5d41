"""*My job is pending*: why, what would admit it, tried in a fork, compared, exported as a patch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from waiting import painted

import kueuelab as kl
from kueuelab import scenarios

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WORKLOAD = "team-b/job-b-cpu-2-71f14"


def test_a_pending_job_is_explained_helped_compared_and_the_patch_exported(
    page: Page, jupyterlab: Any, pictures: Path, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 1280, "height": 1000})
    jupyterlab.open(page, "studio.ipynb")
    studio = page.locator(".kl-studio")
    studio.wait_for()

    # Everything pending is there, with why and the best lever.
    studio.get_by_text("It does not fit: 4 cpu requested, 2 available in generic.").first.wait_for()
    studio.get_by_role("button", name=WORKLOAD).press("Enter")
    studio.get_by_text(f"What would admit {WORKLOAD}").wait_for()
    painted(page)
    page.screenshot(path=pictures / "studio-ask.png")

    # A suggestion is tried, by the keyboard alone.
    row = studio.locator(".widget-hbox").filter(has_text="raise the nominal quota").last
    row.get_by_role("button", name="Try it").press("Enter")
    studio.get_by_text(f"{WORKLOAD} ends Pending before").wait_for()
    studio.get_by_text("What differs, as a patch").wait_for()
    painted(page)
    page.screenshot(path=pictures / "studio-compare.png")

    # The patch is written, and the dump with it applied admits the workload.
    file = tmp_path / "patch.yaml"
    path = studio.get_by_label("File", exact=True)
    path.fill(str(file))
    path.press("Tab")
    page.keyboard.press("Enter")
    studio.get_by_text("The patch is in").wait_for()
    run = kl.load(scenarios.dump("two-teams")).run().fork().apply(file.read_text("utf-8")).run()
    assert WORKLOAD not in [row.about.workload for row in kl.pending(run, levers=False)]
    painted(page)
    page.screenshot(path=pictures / "studio-exported.png")

    # The gallery opens a scenario.
    studio.get_by_role("tab", name="Open").click()
    card = studio.get_by_role("button", name="reclaim-1-take-back", exact=True)
    card.wait_for()
    painted(page)
    page.screenshot(path=pictures / "studio-open.png")
    card.press("Enter")
    studio.get_by_role("button", name="default/job-1").wait_for()
