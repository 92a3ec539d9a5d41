"""Building in the app: a draft, its YAML, the keyboard, what is refused; and it is kept.

Each test runs on two engines: the one on this machine, and the one in the page.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pages import violations

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.browser]

ROOT = Path(__file__).parents[2]
PICTURES = Path(os.environ.get("KUEUELAB_PICTURES", ROOT / "test-results"))


def fill(control: Locator, text: str) -> None:
    """Type a text and leave the control."""
    control.fill(text)
    control.press("Enter")


def begin(app: Page, shape: str) -> None:
    app.locator("nav a", has_text="Build").click()
    app.locator(".shape", has_text=shape).click()
    app.locator(".objects li").first.wait_for()


def with_preemption(app: Page) -> None:
    """Add the two jobs of the story; each edit is run at once."""
    app.get_by_role("button", name="Add a job to team-b-jobs").click()
    app.locator(".lanes li", has_text="job-1").wait_for()
    fill(app.get_by_label("Each pod requests"), "cpu: 12")
    app.locator(".form .calm", has_text="12 cpu").wait_for()
    app.get_by_role("button", name="Add a job to team-a-jobs").click()
    app.locator(".result .say", has_text="preempted by").wait_for()


def test_many_jobs_are_one_edit(app: Page) -> None:
    begin(app, "Teams that share")
    app.get_by_role("button", name="Many jobs").click()
    form = app.get_by_role("form", name="Many jobs")
    form.get_by_label("LocalQueue").select_option("team-a-jobs")
    form.get_by_label("Jobs", exact=True).fill("12")
    form.get_by_label("Pods of each").fill("1, 2, 4")
    form.get_by_label("Seed").fill("7")
    form.get_by_label("A pod requests").fill("cpu: 1")
    form.get_by_role("button", name="Add the jobs").click()
    form.wait_for(state="detached")
    app.locator(".lanes li", has_text="load-12").wait_for()
    assert app.locator(".lanes li").count() == 12
    app.locator(".cm-line", has_text="load-1,").first.wait_for()
    app.locator(".result .say", has_text="12 jobs").wait_for()
    app.locator("header").get_by_role("button", name="Undo").click()
    app.locator(".lanes li").first.wait_for(state="detached")
    assert violations(app) == []


def test_a_draft_outlives_its_engine(app: Page) -> None:
    begin(app, "One team")
    app.get_by_role("button", name="Add a job to jobs").click()
    app.locator(".lanes li", has_text="job-1").wait_for()
    # Another tab has another session, and the same drafts.
    name = app.locator(".build-title p").inner_text().split(" ")[0]
    app.evaluate("sessionStorage.clear()")
    app.reload()
    app.locator(".lanes li", has_text="job-1").wait_for()
    assert name in app.locator(".build-title p").inner_text()


def test_yaml_is_completed_by_the_schema_and_has_its_errors(app: Page) -> None:
    begin(app, "One team")
    content = app.locator(".editor .cm-content")
    content.wait_for()
    line = app.locator(".cm-line", has_text="withinClusterQueue")
    line.click()
    app.keyboard.press("End")
    app.keyboard.press("Enter")
    app.keyboard.type("recl", delay=30)
    chosen = app.locator(".cm-tooltip-autocomplete li[aria-selected=true]")
    chosen.filter(has_text="reclaimWithinCohort").wait_for()
    app.keyboard.press("Enter")
    app.keyboard.type("Sometimes", delay=20)
    app.locator(".problems li").first.wait_for()
    assert "reclaimWithinCohort" in app.locator(".cm-line", has_text="Sometimes").inner_text()
    app.locator(".cm-lint-marker-error").first.wait_for()
    for _ in "Sometimes":
        app.keyboard.press("Backspace")
    app.keyboard.type("Any", delay=20)
    app.locator(".pill", has_text="No problems").wait_for()
    app.locator(".objects li", has_text="ClusterQueue").first.click()
    assert app.get_by_label("reclaimWithinCohort").input_value() == "Any"


def test_everything_is_reached_by_keyboard(app: Page) -> None:
    begin(app, "Teams that share")
    app.locator(".objects li").first.focus()
    app.keyboard.press("ArrowDown")
    app.locator(".objects li[aria-selected=true]", has_text="team-a").wait_for()
    app.wait_for_function("() => document.activeElement?.getAttribute('aria-selected') === 'true'")
    app.keyboard.press("F2")
    app.locator(".objects input").wait_for()
    app.keyboard.type("physics")
    app.keyboard.press("Enter")
    app.locator(".objects li[aria-selected=true]", has_text="physics").wait_for()
    app.get_by_role("button", name="Add a job to team-a-jobs").press("Enter")
    knob = app.locator(".knob").first
    knob.focus()
    app.keyboard.press("ArrowRight")
    app.locator(".axis").wait_for()
    app.wait_for_function(
        "() => !document.querySelector('.knob').getAttribute('aria-label').includes('at 0s')"
    )
    app.locator(".top").get_by_role("button", name="Undo").click()
    app.wait_for_function(
        "() => document.querySelector('.knob').getAttribute('aria-label').includes('at 0s')"
    )


def test_what_is_refused_says_why_and_changes_nothing(app: Page) -> None:
    begin(app, "One team")
    app.get_by_role("button", name="Add a job to jobs").click()
    field = app.get_by_label("Each pod requests")
    field.wait_for()
    fill(field, "four")
    app.locator(".refused", has_text="is not a request").wait_for()
    assert "cpu: 8" in app.locator(".cm-content").inner_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["wide", "narrow"])
def test_building_is_accessible(app: Page, size: tuple[int, int], theme: str) -> None:
    app.set_viewport_size({"width": size[0], "height": size[1]})
    app.evaluate("theme => { localStorage['kueuelab-theme'] = theme; }", theme)
    PICTURES.mkdir(exist_ok=True)
    app.reload()
    app.locator("nav a", has_text="Build").click()
    app.locator(".shape").first.wait_for()
    app.screenshot(path=PICTURES / f"app-shapes-{size[0]}-{theme}.png")
    found = [f"shapes: {each}" for each in violations(app)]
    app.locator(".shape", has_text="Teams that share").click()
    app.locator(".cm-content").wait_for()
    with_preemption(app)
    app.screenshot(path=PICTURES / f"app-build-job-{size[0]}-{theme}.png", full_page=True)
    found += [f"job: {each}" for each in violations(app)]
    app.locator(".objects li", has_text="ClusterQueue").first.click()
    app.locator(".quota-grid").wait_for()
    app.screenshot(path=PICTURES / f"app-build-{size[0]}-{theme}.png", full_page=True)
    found += [f"build: {each}" for each in violations(app)]
    assert app.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert found == []


def test_settings_take_effect_and_are_kept(app: Page) -> None:
    app.locator("nav a", has_text="Settings").click()
    app.get_by_label("Kueue's version").select_option("v0.18.6")
    app.get_by_label("Time zone").select_option("Asia/Tokyo")
    app.get_by_label("High contrast").check()
    assert app.evaluate("document.documentElement.dataset.theme") == "contrast"
    app.evaluate("location.hash = '#/overview?open=two-teams'")
    app.locator(".kpis").wait_for()
    # The dump names its own time, and the header the release that decided.
    assert app.locator(".version").inner_text() == "Kueue v0.18.6"
    assert "4:58" in app.locator(".file small").inner_text()
    app.evaluate("sessionStorage.clear()")
    app.reload()
    app.locator(".kpis").wait_for()
    assert app.locator(".version").inner_text() == "Kueue v0.18.6"
    app.locator("nav a", has_text="Settings").click()
    assert violations(app) == []
    app.get_by_label("Kueue's version").select_option("")
    app.get_by_role("button", name="Open it again").click()
    app.locator(".kpis").wait_for()
    app.locator(".version", has_text="v0.19.2").wait_for()
    app.locator("nav a", has_text="Settings").click()
    app.get_by_label("Language", exact=True).select_option("en-XA")
    app.locator("h1", has_text="[!!").wait_for()
