"""The stories with the engine in the kernel of a notebook, and the app in one of its cells.

The visit without a network is one of a page alone. A cell has no address that others could open:
what it copies of a link is pasted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from test_stories import (
    Reader,
    test_a_cohort_is_designed,
    test_a_worker_is_lost,
    test_an_exercise_is_failed_and_solved,
    test_my_job_is_pending,
)

from kueuelab import scenarios

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

__all__ = [
    "test_a_cohort_is_designed",
    "test_a_worker_is_lost",
    "test_an_exercise_is_failed_and_solved",
    "test_my_job_is_pending",
]

pytestmark = [pytest.mark.browser, pytest.mark.slow]


#: The variable of the notebook has the app.
ADDRESS = """async () => {
    const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
    const asked = { code: "", user_expressions: { address: "app.address" } };
    const { content } = await kernel.requestExecute(asked).done;
    return content.user_expressions.address.data["text/plain"];
}"""
SAVED = "() => window.jupyterapp.shell.currentWidget.context.save()"
FOLLOWED = """(app, to) => {
    const link = document.createElement("a");
    link.href = to;
    app.append(link);
    link.click();
    link.remove();
}"""


@dataclass
class NotebookReader(Reader):
    """A person with a notebook, and the app in one of its cells."""

    @property
    def app(self) -> Locator:
        return self.page.locator(".kueuelab-app")

    @property
    def shown(self) -> str:
        """The address of the cell, as the kernel has it."""
        return str(self.page.evaluate(ADDRESS))

    def go(self, to: str) -> None:
        """Go to an address, as a link in the cell does."""
        self.app.evaluate(FOLLOWED, to)

    def reload(self) -> None:
        """Load the page again; a notebook shows what was saved."""
        self.page.evaluate(SAVED)
        self.page.reload()
        self.app.locator(".app").wait_for()


@pytest.fixture
def reader(page: Page, jupyterlab: Any) -> NotebookReader:
    page.set_viewport_size({"width": 1440, "height": 900})
    jupyterlab.open(page, "home.ipynb")
    # So many workloads are listed, too, before they are read.
    found = NotebookReader(page, queues=200)
    found.app.locator(".example").first.wait_for()
    return found


@pytest.mark.parametrize(
    ("name", "opened"), [("take-back.yaml", "open=link:"), ("", "open=reclaim-1-take-back")]
)
def test_why_a_job_was_preempted_is_in_a_link(
    reader: NotebookReader, name: str, opened: str
) -> None:
    app, page = reader.app, reader.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    if name:
        reader.drop(name, scenarios.text("reclaim-1-take-back"))
    else:
        reader.go("#/overview?open=reclaim-1-take-back")
    app.locator("nav a", has_text="Workloads").click()
    app.locator(".tr .name", has_text="job-1").click()
    app.locator(".drawer .say").wait_for()
    app.get_by_role("button", name="Copy link").click()
    app.locator(".toast", has_text="Paste it in Home").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith("#/workloads?")
    assert opened in link
    # It is opened by pasting it.
    app.locator("nav a", has_text="Home").click()
    app.locator(".hero h1").wait_for()
    app.locator(".main").focus()
    page.keyboard.press("Control+v")
    app.locator(".drawer h1", has_text="job-1").wait_for()
    assert opened in reader.shown
    drawer = app.locator(".drawer")
    drawer.get_by_role("heading", name="What evicted it last").wait_for()
    reader.click(drawer.locator(".life .tone-bad a").first)
    app.locator(".kl-view[data-step='63']").wait_for()
