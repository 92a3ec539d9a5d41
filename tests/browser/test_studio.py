"""*My job is pending*: why, what would admit it, tried in a fork, compared, exported as a patch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from waiting import painted

import kueuelab as kl
from kueuelab import scenarios, workshop

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WORKLOAD = "team-b/job-b-cpu-2-71f14"
EXERCISE = "take-back"


def test_a_pending_job_is_explained_helped_compared_and_the_patch_exported(
    page: Page, jupyterlab: Any, pictures: Path, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 1280, "height": 1000})
    outside: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: outside.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    studio = jupyterlab.studio(page, "two-teams")

    # Everything pending is there, with why and the best lever.
    studio.get_by_text(
        "It does not fit: 4 cpu requested, 2 available in generic (cq-b uses 8 and cq-a uses 6)."
    ).first.wait_for()
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
    path = studio.get_by_label("File", exact=True).locator("visible=true")
    path.fill(str(file))
    path.press("Tab")
    page.keyboard.press("Enter")
    studio.get_by_text("The patch is in").wait_for()
    run = kl.load(scenarios.dump("two-teams")).run().fork().apply(file.read_text("utf-8")).run()
    assert WORKLOAD not in [row.about.workload for row in kl.pending(run, levers=False)]
    painted(page)
    page.screenshot(path=pictures / "studio-exported.png")

    # The history leads to the step.
    studio.get_by_role("tab", name="Ask").click()
    studio.get_by_role("tab", name="History").click()
    studio.get_by_role("button", name="Step ").last.press("Enter")
    studio.locator(".kl-view[data-step]:visible").first.wait_for()
    painted(page)
    page.screenshot(path=pictures / "studio-steps.png")

    # The fork is taken back.
    studio.get_by_role("tab", name="Compare").click()
    tree = studio.locator("pre:visible", has_text="two-teams: quota (tried)")
    tree.wait_for()
    studio.get_by_role("button", name="Revert").press("Enter")
    tree.wait_for(state="detached")

    # All of it came from this machine.
    ours = (jupyterlab.url, jupyterlab.url.replace("http", "ws"), "data:", "blob:")
    assert [url for url in outside if not url.startswith(ours)] == []
    assert errors == []


def test_the_launcher_has_cards_that_open_the_studio(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    page.goto(f"{jupyterlab.url}/lab?reset")
    cards = page.locator('.jp-Launcher-section:has-text("kueuelab") .jp-LauncherCard')
    cards.first.wait_for()
    assert [card.inner_text() for card in cards.all()] == [
        "Studio",
        "Tour",
        "Exercises",
        "Scenarios",
    ]
    painted(page)
    page.screenshot(path=pictures / "studio-launcher.png")
    cards.filter(has_text="Scenarios").focus()
    page.keyboard.press("Enter")
    frame = page.frame_locator('iframe[title="Scenarios"]')
    card = frame.get_by_role("button", name="reclaim-1-take-back", exact=True)
    card.wait_for()
    painted(page)
    page.screenshot(path=pictures / "studio-gallery.png")
    card.press("Enter")
    frame.get_by_role("button", name="default/job-1").wait_for()
    frame.get_by_role("tab", name="Queues").click()
    frame.get_by_role("button", name="team-b").wait_for()
    painted(page)
    page.screenshot(path=pictures / "studio-queues.png")


def test_an_exercise_is_opened_failed_helped_and_passed(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    page.set_viewport_size({"width": 1280, "height": 1100})
    studio = jupyterlab.studio(page, show="exercises")
    studio.get_by_role("button", name=EXERCISE, exact=True).press("Enter")
    answer = studio.get_by_role("textbox", name="Your answer")
    answer.wait_for()

    # As it is at the start, it fails, and a step shows why.
    studio.get_by_role("button", name="Check").press("Enter")
    studio.get_by_text("Not solved yet").first.wait_for()
    studio.get_by_role("button", name="Hint").press("Enter")
    studio.get_by_text("Hint 1 of 3").wait_for()
    painted(page)
    page.screenshot(path=pictures / "studio-exercise-failed.png")
    studio.get_by_role("button", name="Show me: ").first.press("Enter")
    studio.locator(".kl-view[data-step]:visible").first.wait_for()

    # A mistake is named at its line.
    studio.get_by_role("tab", name="Exercise").click()
    start = answer.input_value()
    answer.fill(start.replace("reclaimWithinCohort: Never", "reclaimWithinCohort: Sometimes"))
    studio.get_by_role("button", name="Check").press("Enter")
    studio.locator(".kl-editor ul.kl-wrong li").first.wait_for()

    # The solution passes, and the progress says so.
    never, any_ = "reclaimWithinCohort: Never", "reclaimWithinCohort: Any"
    answer.fill(start.replace(never, "?").replace(any_, never).replace("?", any_))
    studio.get_by_role("button", name="Check").press("Enter")
    studio.get_by_text("Solved:").first.wait_for()
    painted(page)
    page.screenshot(path=pictures / "studio-exercise-passed.png")
    studio.get_by_role("tab", name="Home").click()
    studio.get_by_text(f"1 of {len(workshop.names())} exercises are solved").wait_for()
    studio.get_by_text("solved", exact=True).wait_for()
    page.screenshot(path=pictures / "studio-exercises.png")


def test_the_first_page_leads_to_notebooks_files_and_several_clusters(
    page: Page, jupyterlab: Any, pictures: Path, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 1280, "height": 1000})
    studio = jupyterlab.studio(page, show="tour")
    first = studio.get_by_role("link", name="01 ")
    first.wait_for()
    assert first.get_attribute("href") == "/lab/tree/01-first-preemption.ipynb"
    studio.get_by_text("0 of ").wait_for()
    done = studio.get_by_role("checkbox").first
    done.press("Space")
    studio.get_by_text("The next one is: ").wait_for()
    studio.get_by_text("1 of ").wait_for()
    painted(page)
    page.screenshot(path=pictures / "studio-tour.png")

    # A file of this machine, and a scenario of several clusters.
    file = tmp_path / "mine.yaml"
    file.write_text(scenarios.text("reclaim-1-take-back"), "utf-8")
    studio.get_by_role("button", name="My cluster").press("Enter")
    studio.get_by_label("Choose files").set_input_files(file)
    studio.get_by_role("button", name="default/job-1").wait_for()
    studio.get_by_role("tab", name="Home").click()
    path = studio.get_by_label("Path", exact=True)
    path.fill("lost-worker")
    path.press("Tab")
    page.keyboard.press("Enter")
    studio.get_by_text("Inject a fault").first.wait_for()
    painted(page)
    page.screenshot(path=pictures / "studio-clusters.png")
