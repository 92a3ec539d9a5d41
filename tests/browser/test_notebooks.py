"""The views of a run in JupyterLab, Notebook 7, a reopened notebook and nbconvert's pages."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from pages import violations
from test_strangers_file import upload
from waiting import painted

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page, Request

pytestmark = [pytest.mark.browser, pytest.mark.slow]

#: The view opens at the first preemption.
PREEMPTION = 64
START = 10
ELEVEN = [
    f"kl.widgets.CohortGraph(scenarios.load('{name}').run())"
    for name in (
        "within-1-all-in-one-queue",
        "reclaim-1-take-back",
        "flavors-1-borrow-or-free",
        "hierarchy-2-fair-departments",
    )
    for _ in range(3)
][:11]
TWO = [
    "import kueuelab as kl\nfrom kueuelab import scenarios\n"
    "view = kl.widgets.Stepper(scenarios.load('reclaim-1-take-back').run())\nview",
    "kl.widgets.CohortGraph(view.board)",
    "print('step', view.board.index + 1, view.board.selected)",
]


def shows(page: Page, view: Locator, step: int) -> None:
    """Wait until a view shows a step, counted from 1."""
    page.wait_for_function(
        "([view, step]) => view.dataset.step === String(step - 1)",
        arg=[view.element_handle(), step],
    )
    painted(page)


def step_of(view: Locator) -> int:
    return int(view.get_attribute("data-step") or -1) + 1


def notebook_of(*cells: str) -> Any:
    found = nbformat.v4.new_notebook()
    found.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    found.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    return found


@pytest.fixture
def outside(page: Page, jupyterlab: Any) -> list[str]:
    """What the page asks of anybody but the server on this machine."""
    asked: list[str] = []

    def watch(request: Request) -> None:
        if not request.url.startswith((jupyterlab.url, "data:", "blob:")):
            asked.append(request.url)

    page.on("request", watch)
    return asked


def walk(page: Page, view: Locator, opens_at: int = PREEMPTION) -> None:
    """Step by buttons and keys, select, and go to the preemption."""
    shows(page, view, opens_at)
    view.focus()
    page.keyboard.press("Home")
    page.wait_for_function("view => Number(view.dataset.step) < 10", arg=view.element_handle())
    while step_of(view) < START:
        before = step_of(view)
        view.get_by_role("button", name="Next").click()
        page.wait_for_function(
            "([view, step]) => Number(view.dataset.step) + 1 > step",
            arg=[view.element_handle(), before],
        )
    shows(page, view, START)
    view.get_by_role("button", name="Next").click()
    shows(page, view, 15)
    view.focus()
    page.keyboard.press("ArrowRight")
    shows(page, view, 18)
    page.keyboard.press("ArrowLeft")
    shows(page, view, 15)
    page.keyboard.press("p")
    shows(page, view, PREEMPTION)
    sentence = view.locator(".kl-said").inner_text()
    assert "default/job-1 is preempted by default/job-2" in sentence
    view.locator(".kl-chip", has_text="job-1").first.click()
    view.locator(".kl-chip.kl-chosen").wait_for()


def test_the_lab_view_follows_buttons_keys_and_clicks(
    page: Page, jupyterlab: Any, pictures: Path, outside: list[str]
) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    jupyterlab.open(page, "views.ipynb")
    view = jupyterlab.view(page)
    walk(page, view)
    # Sentence, controls and picture are visible together.
    view.scroll_into_view_if_needed()
    page.screenshot(path=pictures / "lab-light.png")
    # The tooltip of the chip is in the picture, and cells of tables begin at the left.
    tooltip, panel = (view.locator(name).bounding_box() for name in (".kl-tooltip", ".kl-picture"))
    assert tooltip is not None
    assert panel is not None
    assert panel["x"] <= tooltip["x"] <= panel["x"] + panel["width"] - tooltip["width"]
    cell = view.locator(".kl-candidates td").last
    assert cell.evaluate("each => getComputedStyle(each).textAlign") == "left"
    # The explanation comes from the kernel; a sentence leads to the step that it comes from.
    view.get_by_role("tab", name="Selected").click()
    panel = view.get_by_role("tabpanel", name="Selected")
    links = panel.get_by_role("button", name="step ")
    links.first.wait_for()
    step = int(links.first.inner_text().removeprefix("step "))
    links.first.click()
    shows(page, view, step)
    jupyterlab.theme(page, "Dark")
    ground = view.evaluate("view => getComputedStyle(view).colorScheme")
    assert ground == "dark"
    page.screenshot(path=pictures / "lab-dark.png")
    found = [each for each in violations(page) if "kl-" in each]
    assert found == []
    jupyterlab.theme(page, "Light")
    assert outside == []


def test_printed_text_is_broken_between_words_before_anything_runs(
    page: Page, jupyterlab: Any
) -> None:
    page.set_viewport_size({"width": 760, "height": 900})
    page.goto(f"{jupyterlab.url}/lab/tree/01-first-preemption.ipynb?reset")
    printed = page.locator(".jp-OutputArea-output pre", has_text="InCohortReclamation").first
    printed.wait_for()
    assert page.locator(".kl-view").count() == 0
    assert printed.evaluate("each => getComputedStyle(each).wordBreak") == "normal"


def test_still_pictures_follow_the_theme_before_anything_runs(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    page.goto(f"{jupyterlab.url}/lab/tree/01-first-preemption.ipynb?reset")
    still = page.locator(".jp-OutputArea-output img").first
    still.wait_for()
    for shade in ("Light", "Dark"):
        jupyterlab.theme(page, shade)
        still.scroll_into_view_if_needed()
        painted(page)
        page.screenshot(path=pictures / f"stills-{shade.lower()}.png")
        # What the media query of the picture asks for.
        assert still.evaluate("each => getComputedStyle(each).colorScheme") == shade.lower()


def test_the_lab_view_works_in_notebook_7(
    page: Page, jupyterlab: Any, pictures: Path, outside: list[str]
) -> None:
    pytest.importorskip("notebook", reason="Notebook 7 is not installed: pip install '.[lab]'")
    page.set_viewport_size({"width": 1280, "height": 800})
    jupyterlab.open(page, "views.ipynb", interface="notebooks")
    walk(page, jupyterlab.view(page))
    page.screenshot(path=pictures / "notebook-7.png")
    assert outside == []


def test_views_of_one_run_and_python_are_at_the_same_step(page: Page, jupyterlab: Any) -> None:
    page.set_viewport_size({"width": 1280, "height": 1000})
    upload(page, jupyterlab.url, "two.ipynb", notebook_of(*TWO))
    jupyterlab.open(page, "two.ipynb")
    first, second = jupyterlab.view(page, 0), jupyterlab.view(page, 1)
    first.get_by_role("button", name="Next").click()
    shows(page, first, 15)
    shows(page, second, 15)
    second.locator(".kl-chip").first.click()
    first.locator(".kl-chip.kl-chosen").wait_for()
    # Python hears of it: its cell, run again, says the same.
    told = page.locator(".jp-Notebook .jp-CodeCell").nth(2)
    for _ in range(50):
        told.locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        painted(page)
        if "step 15 ('Workload'" in told.locator(".jp-OutputArea").inner_text():
            break
    assert "step 15 ('Workload'" in told.locator(".jp-OutputArea").inner_text()


def test_eleven_views_of_a_notebook_are_all_shown(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    imports = "import kueuelab as kl\nfrom kueuelab import scenarios"
    upload(page, jupyterlab.url, "eleven.ipynb", notebook_of(imports, *ELEVEN))
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], stdout=subprocess.DEVNULL)
        for _ in range(8)
    ]
    try:
        jupyterlab.open(page, "eleven.ipynb")
        for number in range(11):
            cell = page.locator(".jp-Notebook .jp-CodeCell").nth(number + 1)
            cell.scroll_into_view_if_needed()
            cell.locator(".kl-view[data-step] .kl-item").first.wait_for()
    finally:
        for each in busy:
            each.kill()
            each.wait()


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook with the views of a run, run and saved without a browser."""
    from nbclient import NotebookClient

    found = notebook_of(*TWO)
    NotebookClient(found, kernel_name="python3").execute()
    path = tmp_path_factory.mktemp("executed") / "run.ipynb"
    nbformat.write(found, path)
    return path


def test_a_reopened_notebook_steps_without_a_kernel(
    page: Page, jupyterlab: Any, executed: Path, outside: list[str]
) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    content = json.loads(executed.read_text("utf-8"))
    content["metadata"]["kernelspec"] = {"name": "none", "display_name": "None"}
    upload(page, jupyterlab.url, "reopened.ipynb", content)
    page.goto(f"{jupyterlab.url}/lab/tree/reopened.ipynb?reset")
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    # Before scripts of the notebook are trusted there is a still picture with its text.
    assert "model not found" not in page.locator(".jp-Notebook").inner_text()
    page.keyboard.press("Escape")
    jupyterlab.trust(page)
    view = jupyterlab.view(page)
    view.get_by_role("button", name="Next").click()
    shows(page, view, 15)
    shows(page, jupyterlab.view(page, 1), 15)
    assert outside == []


def test_a_page_of_nbconvert_steps(
    page: Page, executed: Path, tmp_path: Path, pictures: Path
) -> None:
    from nbconvert import HTMLExporter

    text, _ = HTMLExporter(template_name="basic").from_filename(str(executed))
    file = tmp_path / "run.html"
    file.write_text(f"<!doctype html><meta charset=utf-8><title>run</title>{text}", "utf-8")
    page.context.set_offline(offline=True)
    page.goto(file.as_uri())
    view = page.locator(".kl-view[data-step]").first
    view.wait_for()
    # Only ``lab()`` opens at the preemption: a Stepper begins where the jobs do.
    walk(page, view, opens_at=START)
    shows(page, page.locator(".kl-view[data-step]").nth(1), PREEMPTION)
    page.screenshot(path=pictures / "nbconvert.png", full_page=True)


#: Forms, and what stands for each where no kernel runs.
FORMS = {
    "import kueuelab as kl\nfrom kueuelab import scenarios\n"
    "run = scenarios.load('reclaim-1-take-back').run()\n"
    "kl.widgets.Prediction('Which job?', ['job-0', 'job-1'], 'job-1', 'Why.')": (
        "( ) job-1",
        "Reveal",  # a question needs no kernel
    ),
    "kl.widgets.WhatIf(run)": ("What if?", "run this cell"),
    "kl.widgets.lab(run)": ("What if?", "run this cell"),
}


@pytest.mark.parametrize("interface", ["lab/tree", "notebooks"])
def test_a_form_says_what_it_is_where_no_kernel_runs(
    page: Page, jupyterlab: Any, interface: str
) -> None:
    from nbclient import NotebookClient

    name = f"forms-{interface[:3]}.ipynb"
    upload(page, jupyterlab.url, name, notebook_of(*FORMS))
    jupyterlab.open(page, name, interface=interface)
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    for number in range(len(FORMS)):
        # The form is there: it needs no note.
        cells.nth(number).locator(".jupyter-widgets > *").first.wait_for(state="attached")
        cells.nth(number).locator(".kl-form-note").wait_for(state="hidden")
    found = notebook_of(*FORMS)
    NotebookClient(found, kernel_name="python3", store_widget_state=False).execute()
    # Jupyter remembers what it trusts by its content.
    found.metadata["title"] = name
    upload(page, jupyterlab.url, f"closed-{name}", found)
    page.goto(f"{jupyterlab.url}/{interface}/closed-{name}?reset")
    jupyterlab.trust(page)
    # The kernel is a new one: it has no models.
    page.get_by_text("model not found").first.wait_for(state="attached")
    for number, (text, what_to_do) in enumerate(FORMS.values()):
        note = cells.nth(number).locator(".kl-form-note")
        note.wait_for()
        assert text in note.inner_text()
        assert what_to_do in note.inner_text()
        assert "model not found" not in cells.nth(number).inner_text()
