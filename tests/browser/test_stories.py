"""Six stories from end to end, on two engines: the one on this machine, and the one in the page.

``test_stories_in_notebook.py`` has them with the engine in the kernel of a notebook.

With KUEUELAB_PICTURES_OF_STORIES=1 the stories leave pictures of their pages in test-results/,
in three sizes, light and dark.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from large_dump import RESOURCE, TEAM, large_dump
from pages import write, written
from static_site import serving
from test_app_build import begin, with_preemption
from waiting import painted

from kueuelab import scenarios

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from playwright.sync_api import Browser, Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SIZES = ((1440, 900), (1024, 768), (390, 844))
#: The engine takes commands.
READY = "() => document.querySelector('.app') && !document.querySelector('.pill.engine')"
#: A file that is dropped, as the browser gives it to the page.
DROPPED = """([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    return data;
}"""


@dataclass
class Reader:
    """A person with a page, whose clicks are counted.

    Attributes
    ----------
    page
        The page.
    pictures
        Where pictures of the stories go, if they are asked for.
    queues
        How many ClusterQueues the dump of a large cluster has.
    clicks
        How often something was clicked.
    """

    page: Page
    pictures: Path | None = None
    queues: int = 1_000
    clicks: int = 0

    @property
    def app(self) -> Page | Locator:
        """The app: the page, or the cell of a notebook that it is in."""
        return self.page

    @property
    def shown(self) -> str:
        """What the address says of what is shown."""
        return str(self.page.evaluate("location.hash"))

    def go(self, to: str) -> None:
        """Go to an address."""
        self.page.evaluate("to => { location.hash = to; }", to)

    def reload(self) -> None:
        """Load the page again."""
        self.page.reload()

    def click(self, place: Locator) -> None:
        place.click()
        self.clicks += 1

    def drop(self, name: str, text: str) -> None:
        """Drop a file on the page."""
        data = self.page.evaluate_handle(DROPPED, [name, text])
        self.app.locator(".drop").dispatch_event("drop", {"dataTransfer": data})

    def picture(self, name: str) -> None:
        """Leave pictures of what is shown, if they are asked for."""
        if self.pictures is None:
            return
        before = self.page.viewport_size
        for theme in ("light", "dark"):
            self.page.evaluate("to => { document.documentElement.dataset.theme = to; }", theme)
            for width, height in SIZES:
                self.page.set_viewport_size({"width": width, "height": height})
                painted(self.page)
                self.page.screenshot(path=self.pictures / f"story-{name}-{width}-{theme}.png")
        if before is not None:
            self.page.set_viewport_size(before)


@pytest.fixture
def reader(app: Page, address: str, pictures: Path) -> Reader:
    # Both engines draw the same pages.
    wanted = os.environ.get("KUEUELAB_PICTURES_OF_STORIES") and "token" in address
    return Reader(app, pictures if wanted else None)


def test_my_job_is_pending(reader: Reader) -> None:
    app = reader.app
    reader.drop("cluster.json", large_dump(reader.queues))
    reader.click(app.locator("nav a", has_text="Overview"))
    reader.click(app.locator(".as-read").get_by_role("button", name="Run"))
    reader.click(app.locator(".cause", has_text=RESOURCE).first)
    app.locator(".tr .name").first.wait_for()
    assert f"of {30 * reader.queues:,} workloads" in app.locator(".title p").inner_text()
    reader.click(app.locator(".tr .name").first)
    reader.click(app.get_by_role("button", name="Search for levers"))
    lever = app.locator(".lever", has_text=f"raise the nominal quota of ClusterQueue {TEAM}")
    lever.wait_for()
    reader.picture("pending-lever")
    reader.click(lever.get_by_role("button", name="Try"))
    app.locator(".changes li", has_text=f"{TEAM}/").wait_for()
    assert "gains" in app.locator(".changes li").inner_text()
    patch = app.locator("pre.yaml")
    patch.wait_for()
    assert "nominalQuota: '11'" in patch.inner_text()
    reader.picture("pending-patch")
    with reader.page.expect_download() as download:
        reader.click(app.get_by_role("button", name="Download"))
    assert "name: research" in download.value.path().read_text("utf-8")
    assert reader.clicks <= 8


def test_a_cohort_is_designed(reader: Reader) -> None:
    app, began = reader.app, time.monotonic()
    begin(app, "Teams that share")
    with_preemption(app)
    assert time.monotonic() - began < 120
    assert "job-1 preempted by default/job-2" in app.locator(".result .say").inner_text()
    assert app.locator(".lanes .evicted").count() == 1
    reader.picture("build")
    app.get_by_role("link", name="Show in Steps").click()
    app.locator(".kl-view[data-step]").wait_for()
    reader.picture("build-steps")
    app.locator("nav a", has_text="Build").click()
    app.locator(".lanes li", has_text="job-2").wait_for()
    # A page that is loaded again has the draft, and so has Home.
    reader.reload()
    app.locator(".result .say", has_text="preempted by").wait_for()
    assert app.locator(".lanes li").count() == 2
    app.locator("nav a", has_text="Home").click()
    app.locator(".recent-item", has_text="teams-that-share.yaml").first.click()
    app.locator(".lanes li", has_text="job-2").wait_for()
    assert app.locator("h1").inner_text() == "Build"


def test_why_a_job_was_preempted_is_in_a_link(
    reader: Reader, address: str, browser: Browser
) -> None:
    app = reader.app
    reader.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    reader.drop("take-back.yaml", scenarios.text("reclaim-1-take-back"))
    app.locator("nav a", has_text="Workloads").click()
    app.locator(".tr .name", has_text="job-1").click()
    app.locator(".drawer .say").wait_for()
    app.get_by_role("button", name="Copy link").click()
    app.locator(".toast", has_text="The link is copied").wait_for()
    link = reader.page.evaluate("navigator.clipboard.readText()")
    assert len(link) <= 8_400
    # A fresh profile, and nothing of the content is sent.
    context = browser.new_context()
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url + (request.post_data or "")))
    other = Reader(context.new_page(), reader.pictures)
    page = other.page
    page.goto(f"{address}#{link.partition('#')[2]}")
    page.locator(".drawer h1", has_text="job-1").wait_for()
    drawer = page.locator(".drawer")
    drawer.get_by_role("heading", name="What evicted it last").wait_for()
    assert "default/job-2" in drawer.inner_text()
    other.picture("link")
    data = link.partition("open=link:")[2][:40]
    assert data
    assert not [url for url in asked if data in url]
    # The step of the eviction is one click away.
    other.click(drawer.locator(".life .tone-bad a").first)
    page.locator(".kl-view[data-step]").wait_for()
    other.picture("link-step")
    page.reload()
    page.locator(".kl-view[data-step]").wait_for()
    page.evaluate("to => { location.hash = to; }", f"#/overview?open=link:{data}")
    page.locator(".toast", has_text="The link is not complete").wait_for()
    context.close()


def test_an_exercise_is_failed_and_solved(reader: Reader) -> None:
    app = reader.app
    app.locator("nav a", has_text="Exercises").click()
    app.locator(".exercise b", has_text="Which job makes room").click()
    answer = app.get_by_label("Your answer")
    app.get_by_role("button", name="Check").click()
    app.locator(".verdict-line", has_text="Not solved yet: 5 of 7").wait_for()
    reader.picture("exercise-failed")
    # What happened is shown step by step.
    app.locator(".feedback").get_by_role("link", name="demo starts").click()
    app.locator(".kl-view[data-step]").wait_for()
    assert "case=monday&step=" in reader.shown
    app.get_by_role("button", name="Give me a hint").click()
    app.locator(".hints li").first.wait_for()
    text = written(answer)
    write(answer, text.replace("withinClusterQueue: Never", "withinClusterQueue: LowerPriority"))
    answer.press("Control+Enter")
    app.locator(".feedback.passed").wait_for()
    app.locator(".title .tag", has_text="solved").wait_for()
    reader.picture("exercise-solved")
    app.locator(".feedback").get_by_role("link", name="Next:").click()
    app.locator("h1", has_text="Borrow before evicting").wait_for()
    app.get_by_role("link", name="All exercises").click()
    app.locator(".exercise.solved b", has_text="Which job makes room").wait_for()
    # Progress and hints outlive the page.
    reader.go("#/exercises?exercise=within-a-team")
    reader.reload()
    app.locator(".hints li").first.wait_for()
    app.locator(".title .tag", has_text="solved").wait_for()
    assert "LowerPriority" in written(app.get_by_label("Your answer"))


def test_a_worker_is_lost(reader: Reader) -> None:
    app = reader.app
    app.get_by_role("button", name="Several clusters").click()
    app.locator(".example", has_text="rounds-step-by-step").click()
    app.locator(".kl-view-multikueue[data-step]").wait_for()
    assert app.locator("h1").inner_text() == "Clusters"
    # Only pages that say something of several clusters are there.
    assert app.locator("nav a", has_text="Capacity").count() == 0
    app.get_by_role("button", name="Last step").click()
    app.locator(".kl-view[data-step='103']").wait_for()
    form = app.get_by_role("form", name="Add a fault")
    cluster, fault = (form.locator("select").nth(number) for number in range(2))
    cluster.select_option("w3")
    fault.select_option("disconnect")
    form.get_by_role("button", name="at 10m23.8s").click()
    changed = app.locator(".changed-by")
    changed.get_by_role("link", name="Compare").wait_for()
    assert "disconnect w3" in changed.inner_text()
    assert "branch=rounds-step-by-step:+disconnect+w3" in reader.shown
    lane = app.get_by_role("region", name="cluster w3")
    app.get_by_role("button", name="Last step").click()
    lane.get_by_role("button", name="reconnect").wait_for()
    reader.picture("worker-lost")
    app.locator(".toast").get_by_role("button", name="Undo").click()
    changed.wait_for(state="detached")
    lane.get_by_role("button", name="disconnect").wait_for()


def test_the_second_visit_needs_no_network(page: Page, site: Path, pictures: Path) -> None:
    reader = Reader(page, pictures if os.environ.get("KUEUELAB_PICTURES_OF_STORIES") else None)
    with serving(site) as address:
        page.goto(address)
        page.wait_for_function(READY)
        page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    # The server is gone.
    page.reload()
    page.locator(".example", has_text="two-teams").first.click()
    branch = with_lever(page)
    page.reload()
    page.locator("nav a", has_text="Steps").click()
    page.locator(".kl-view[data-step]").wait_for()
    assert page.locator(".pill.branch select").input_value() == branch
    reader.picture("offline")


def test_a_machine_that_stops_and_comes_back_loses_nothing(
    page: Page,
    machine: Callable[..., AbstractContextManager[str]],
    tmp_path: Path,
    pictures: Path,
) -> None:
    reader = Reader(page, pictures if os.environ.get("KUEUELAB_PICTURES_OF_STORIES") else None)
    with machine(tmp_path) as address:
        page.goto(address)
        page.locator(".example", has_text="two-teams").first.click()
        branch = with_lever(page)
    page.locator(".away", has_text="Start it again").wait_for()
    # What is asked meanwhile waits for the answer.
    page.locator("nav a", has_text="Workloads").click()
    page.locator("h1", has_text="Workloads").wait_for()
    reader.picture("machine-stopped")
    with machine(tmp_path, urlsplit(address).port) as again:
        # The address that the command prints, as it opens it in the browser.
        page.context.new_page().goto(again)
        page.locator(".tr .name").first.wait_for()
        assert page.locator(".pill.branch select").input_value() == branch
        page.locator(".away").wait_for(state="detached")
        page.locator("nav a", has_text="Compare").click()
        page.locator(".changes li", has_text="gains").first.wait_for()


def with_lever(page: Page) -> str:
    """Try a lever for a pending workload; return the branch that it made."""
    page.locator(".cause").first.click()
    page.locator(".tr .name").first.click()
    page.locator(".lever button").first.click()
    page.locator(".changes li").first.wait_for()
    return page.locator(".pill.branch select").input_value()
