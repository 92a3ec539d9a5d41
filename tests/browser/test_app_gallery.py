"""Home in Chromium: the gallery with its pictures, the navigation, the palette."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pages import violations

from kueuelab.workshop.library import specs

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]

PICTURES = Path(os.environ.get("KUEUELAB_PICTURES", Path(__file__).parents[2] / "test-results"))


def test_each_example_has_a_picture_of_its_queues(app: Page) -> None:
    card = app.locator(".example", has_text="reclaim-1-take-back")
    card.locator(".still-row").first.wait_for()
    assert "7s: job-1 is preempted by job-2" in card.inner_text()
    assert "Why was my job preempted?" in card.inner_text()
    assert card.locator(".leaving").count() == 1
    app.get_by_role("button", name="Tutorial").click()
    app.locator(".example", has_text="within-cq-2-overtaken").locator(".still-row").first.wait_for()
    assert app.locator(".still.waiting").count() == 0
    app.locator(".example", has_text="within-cq-2-overtaken").click()
    app.locator(".kl-view[data-step]").first.wait_for()


def test_a_file_that_is_dropped_beside_its_place_is_opened(app: Page) -> None:
    data = app.evaluate_handle(
        """text => {
          const data = new DataTransfer();
          data.items.add(new File([text], "queues.yaml"));
          return data;
        }""",
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: spot}}",
    )
    app.locator("h1").dispatch_event("drop", {"dataTransfer": data})
    app.locator(".file b", has_text="queues").wait_for()


def test_the_navigation_has_only_pages_that_show_something(app: Page) -> None:
    pages = app.locator(".nav a")
    assert pages.all_inner_texts() == ["Home", "Build", "Exercises", "Settings"]
    app.locator(".example", has_text="two-teams").first.click()
    app.locator(".kpis").wait_for()
    assert "Workloads" in " ".join(pages.all_inner_texts())
    assert app.locator(".nav-hint").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["wide", "narrow"])
def test_home_is_accessible(app: Page, size: tuple[int, int], theme: str) -> None:
    app.set_viewport_size({"width": size[0], "height": size[1]})
    app.evaluate("theme => { localStorage['kueuelab-theme'] = theme; }", theme)
    app.reload()
    app.locator(".example", has_text="lost-worker").locator(".still-row").first.wait_for()
    PICTURES.mkdir(exist_ok=True)
    app.screenshot(path=PICTURES / f"app-gallery-{size[0]}-{theme}.png", full_page=True)
    assert violations(app) == []
    assert app.evaluate("document.documentElement.scrollWidth <= innerWidth")


def choose(app: Page, text: str, entry: str) -> None:
    """Choose an entry of the palette."""
    app.keyboard.press("Control+k")
    app.locator(".palette input").fill(text)
    app.locator(".palette li", has_text=entry).first.click()
    app.locator(".palette").wait_for(state="detached")


def test_the_palette_reaches_examples_exercises_topics_shapes_and_objects(app: Page) -> None:
    choose(app, "hierarchy-1", "hierarchy-1-two-departments")
    app.locator(".kpis").wait_for()
    choose(app, "ClusterQueue vision Change", "ClusterQueue/vision")
    app.get_by_label("Manifest of ClusterQueue/vision").wait_for()
    choose(app, "ClusterQueue/vision workloads", "ClusterQueue/vision")
    app.locator(".tr .name", has_text="vision-1").wait_for()
    choose(app, "within-a-team", "within-a-team")
    app.locator("h1", has_text="Which job makes room within a team?").wait_for()
    choose(app, "topic of the course", "Topic of the course")
    app.locator(".topic.named").wait_for()
    choose(app, "departments", "Begin with a shape")
    app.locator(".page.build").wait_for()


def test_the_palette_has_every_example_and_exercise(app: Page) -> None:
    app.keyboard.press("Control+k")
    box = app.locator(".palette input")
    for name in ("no-loop-4-the-larger-share", "version-3-slices-within-slices", "short-outage"):
        box.fill(name)
        app.locator(".palette li", has_text=name).wait_for()
    box.fill("exercise")
    count = app.locator(".palette li", has_text="Exercise ·")
    names = [spec.name for spec in specs()]
    count.nth(len(names) - 1).wait_for()
    assert count.count() == len(names)
    assert violations(app) == []
