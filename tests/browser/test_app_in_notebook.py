"""The app in cells of a notebook: each has its own address, and leaves the notebook alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Error, Locator, Page, Request

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NOTEBOOK = "app.ipynb"
WORKLOAD = "job-b-cpu-2-71f14"


def opened(page: Page, jupyterlab: Any, interface: str = "lab/tree") -> tuple[Locator, Locator]:
    """Open the notebook, and return its two cells with the app."""
    page.set_viewport_size({"width": 1440, "height": 900})
    jupyterlab.open(page, NOTEBOOK, interface)
    apps = page.locator(".kueuelab-app")
    for index in (0, 1):
        apps.nth(index).get_by_role("heading", name="Overview").wait_for()
    return apps.nth(0), apps.nth(1)


@pytest.mark.parametrize("interface", ["lab/tree", "notebooks"])
def test_each_cell_has_a_page_of_its_own(
    page: Page, jupyterlab: Any, pictures: Path, interface: str
) -> None:
    outside: list[str] = []
    errors: list[str] = []

    def watch(request: Request) -> None:
        if not request.url.startswith((jupyterlab.url, "data:", "blob:")):
            outside.append(request.url)

    def note(error: Error) -> None:
        # Others are JupyterLab's own.
        if "blob:" in (error.stack or ""):
            errors.append(str(error))

    page.on("request", watch)
    page.on("pageerror", note)
    first, second = opened(page, jupyterlab, interface)
    address, title = page.url, page.title()
    second.get_by_role("link", name="Workloads").click()
    second.get_by_role("button", name=WORKLOAD).click()
    drawer = second.get_by_role("complementary", name=WORKLOAD)
    drawer.get_by_text("What would admit it").wait_for()
    first.get_by_role("link", name="Steps").click()
    first.locator(".kl-view[data-step]").wait_for()
    first.screenshot(path=pictures / "cell-steps.png")
    assert drawer.is_visible(), "the other cell is where it was"
    assert (page.url, page.title()) == (address, title)
    heading = page.get_by_role("heading", name="outside")
    style = "element => [getComputedStyle(element).color, getComputedStyle(element).display]"
    assert heading.evaluate(style) == ["rgb(255, 0, 0)", "block"]
    assert page.evaluate("() => document.documentElement.dataset.theme") is None
    assert (outside, errors) == ([], [])


def test_what_is_tried_in_the_cell_is_open_in_python(page: Page, jupyterlab: Any) -> None:
    _, second = opened(page, jupyterlab)
    second.get_by_role("link", name="Workloads").click()
    second.get_by_role("button", name=WORKLOAD).click()
    second.get_by_role("button", name="Try").first.click()
    second.get_by_role("heading", name="Compare").wait_for()
    second.get_by_role("button", name="Undo").first.wait_for()
    page.locator(".jp-Notebook .jp-Cell").last.get_by_role("textbox").click()
    jupyterlab.command(page, "notebook:run-cell")
    page.get_by_text("('two-teams', 'two-teams: ").wait_for()


def test_keys_are_for_the_cell_that_has_the_focus(page: Page, jupyterlab: Any) -> None:
    first, second = opened(page, jupyterlab)
    count = page.locator(".jp-Notebook .jp-Cell").count()
    palette = first.get_by_role("dialog")
    page.locator(".jp-Notebook .jp-InputArea-prompt").last.click()
    page.keyboard.press("Control+k")
    assert palette.count() == second.get_by_role("dialog").count() == 0
    first.get_by_role("link", name="Workloads").click()
    page.keyboard.press("Control+k")
    # In command mode these keys would add, delete and cut cells.
    palette.get_by_role("combobox").press_sequentially("abddx")
    palette.get_by_text("Nothing has this name").wait_for()
    assert second.get_by_role("dialog").count() == 0
    page.keyboard.press("Escape")
    palette.wait_for(state="detached")
    page.keyboard.press("?")
    palette.get_by_text("next workload").wait_for()
    assert second.get_by_role("dialog").count() == 0
    page.keyboard.press("Escape")
    palette.wait_for(state="detached")
    link = first.get_by_role("link", name="Workloads")
    assert link.evaluate("element => element === element.getRootNode().activeElement")
    assert page.locator(".jp-Notebook .jp-Cell").count() == count


def test_it_has_the_theme_and_the_width_of_its_notebook(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    first, _ = opened(page, jupyterlab)
    ground = "element => getComputedStyle(element).backgroundColor"
    assert first.evaluate(ground) == "rgb(247, 248, 250)"
    jupyterlab.theme(page, "Dark")
    page.wait_for_function(
        "element => getComputedStyle(element).backgroundColor === 'rgb(14, 17, 22)'",
        arg=first.element_handle(),
    )
    first.screenshot(path=pictures / "cell-dark.png")
    jupyterlab.theme(page, "Light")
    page.set_viewport_size({"width": 720, "height": 900})
    jupyterlab.command(page, "application:toggle-left-area")
    # In a narrow cell the navigation is at the bottom, as in a narrow page.
    page.wait_for_function(
        """app => app.querySelector(".nav").getBoundingClientRect().top
            > app.querySelector("main").getBoundingClientRect().top""",
        arg=first.element_handle(),
    )
    first.screenshot(path=pictures / "cell-narrow.png")
