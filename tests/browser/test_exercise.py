"""An exercise from start to finish, by typing into its notebook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kueuelab import workshop

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

NAME = "within-a-team"
ANSWER = 'exercise.answer({{"cq/research": {{"spec.preemption.withinClusterQueue": "{}"}}}})'


@pytest.fixture
def notebook(jupyterlab: Any, page: Page) -> str:
    """Put the learner's copy where the server is, and return its name."""
    spec = next(spec for spec in workshop.specs() if spec.name == NAME)
    content = json.loads(spec.notebook.read_text("utf-8"))
    page.goto(f"{jupyterlab.url}/lab?reset")
    page.wait_for_function("() => window.jupyterapp !== undefined")
    page.evaluate(
        """([path, content]) => window.jupyterapp.serviceManager.contents.save(
            path, {type: 'notebook', format: 'json', content})""",
        [f"{NAME}.ipynb", content],
    )
    return f"{NAME}.ipynb"


def cell(page: Page, text: str) -> Locator:
    """Return the code cell that holds a text."""
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    return cells.filter(has=page.locator(".cm-content", has_text=text)).first


def write(page: Page, place: Locator, text: str) -> None:
    """Type something into a cell in the place of what is there, and run it."""
    place.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.type(text)
    page.keyboard.press("Shift+Enter")


def test_a_wrong_try_a_hint_and_then_the_solution(
    jupyterlab: Any, page: Page, notebook: str, pictures: Path
) -> None:
    jupyterlab.open(page, notebook)
    checked = page.locator(".jp-Notebook .jp-CodeCell").filter(has=page.locator(".kl-feedback"))
    checked.first.wait_for()
    assert "Not solved yet" in checked.first.inner_text()

    answer = cell(page, "spec.<field>")
    place = page.locator(".jp-Notebook .jp-CodeCell").nth(_index(page, answer))
    write(page, place, ANSWER.format("LowerOrNewerEqualPriority"))
    page.keyboard.press("Shift+Enter")
    told = checked.first.get_by_text("default/small was evicted, 61 s after the start")
    told.wait_for()
    # The stepper stands where that happened.
    stepper = checked.first.locator(".kl-view")
    stepper.wait_for()
    assert "default/small is preempted by default/wide" in checked.first.inner_text()
    stepper.scroll_into_view_if_needed()
    page.screenshot(path=pictures / "exercise-wrong-try.png")

    write(page, cell(page, "# exercise.hint()"), "exercise.hint()")
    page.get_by_text("Hint 1 of 3:").wait_for()

    write(page, place, ANSWER.format("LowerPriority"))
    page.keyboard.press("Shift+Enter")
    checked.first.get_by_text("Solved: all 7 checks pass").wait_for()
    assert f"1 of {len(workshop.names())} solved" in checked.first.inner_text()
    page.screenshot(path=pictures / "exercise-solved.png")


def _index(page: Page, place: Locator) -> int:
    """Return the number of a code cell, by which it is found whatever it holds."""
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    handle = place.element_handle()
    assert handle is not None
    return next(
        number
        for number in range(cells.count())
        if cells.nth(number).evaluate("(one, other) => one === other", handle)
    )
