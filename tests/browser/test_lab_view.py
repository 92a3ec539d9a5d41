"""All views of a run together in JupyterLab: buttons, keys, slider, clicks, both themes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from waiting import open_tab, painted

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page, Request

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def shows(page: Page, view: Locator, text: str) -> None:
    """Wait until the sentence of the view has a text in it."""
    page.wait_for_function(
        "([view, text]) => view.querySelector('.kl-sentence').innerText.includes(text)",
        arg=[view.element_handle(), text],
    )


def step_of(view: Locator) -> int:
    found = re.search(r"Step (\d+) of", view.locator(".kl-sentence").first.inner_text())
    assert found is not None
    return int(found[1])


def click_chip(page: Page, view: Locator, name: str) -> str:
    """Click a workload in the graph; return what is said of it at the pointer."""
    chip = view.locator(".kl-graph .scatterlayer .trace:last-child text", has_text=name).first
    box = chip.bounding_box()
    assert box is not None
    # A click is about what the pointer was on before: that has to be told first.
    page.mouse.move(box["x"] - 200, box["y"] - 60)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
    label = view.locator(".kl-graph .hoverlayer .hovertext", has_text=name)
    label.wait_for()
    text = " ".join(label.locator("tspan").all_text_contents())
    page.mouse.down()
    page.mouse.up()
    return text


@pytest.fixture
def outside(page: Page, jupyterlab: Any) -> list[str]:
    """What the page asks of anybody but the server on this machine."""
    asked: list[str] = []

    def watch(request: Request) -> None:
        if not request.url.startswith((jupyterlab.url, "data:", "blob:")):
            asked.append(request.url)

    page.on("request", watch)
    return asked


def test_the_lab_view_follows_buttons_keys_and_clicks(
    page: Page, jupyterlab: Any, pictures: Path, outside: list[str]
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    jupyterlab.open(page, "views.ipynb")
    view = jupyterlab.view(page)

    # To the preemption, by what to stop at.
    view.get_by_label("Stop at").select_option("preempting")
    view.get_by_role("button", name="Run on ▶").click()
    shows(page, view, "preempts default/job-1 (InCohortReclamation)")

    # The candidates, with the rule of each, here and while they are looked at.
    decision = view.locator(".kl-decision")
    rule = decision.locator("tr", has_text="job-0")
    assert "withinClusterQueue of cluster-queue is Never" in rule.inner_text()
    view.get_by_label("Stop at").select_option("anything")
    for _ in range(5):
        view.get_by_role("button", name="◀ Previous").click()
    shows(page, view, "fits now")
    assert "withinClusterQueue of cluster-queue is Never" in rule.inner_text()

    # A click on a candidate selects it in every view, and says its rule.
    decision.get_by_role("button", name="job-1", exact=True).click()
    decision.locator("tr.kl-selected").wait_for()
    assert view.get_by_label("Follow").input_value() == "default/job-1"
    chosen = decision.locator(".kl-selection")
    taken = chosen.filter(
        has_text="removed in simulation: priority 10 is lower than 100 under LowerPriority"
    )
    taken.wait_for()
    page.screenshot(path=pictures / "lab-light.png")

    # So does a click on its chip; a second one takes the selection away.
    click_chip(page, view, "job-1")
    decision.locator("tr.kl-selected").wait_for(state="detached")
    # One who was excluded says by which rule, at the pointer and when it is chosen.
    rule_there = click_chip(page, view, "job-0")
    assert "withinClusterQueue of cluster-queue is Never" in rule_there
    excluded = chosen.filter(has_text="excluded: withinClusterQueue of cluster-queue is Never")
    excluded.wait_for()

    # Its whole explanation; a sentence leads to the step that it comes from, and the slider back.
    view.get_by_role("tab", name="Why").click()
    story = view.locator(".kl-explanation")
    story.get_by_text("It runs").wait_for()
    story.get_by_role("button", name="step 18").click()
    slider = view.get_by_role("slider", name="Step")
    page.wait_for_function("slider => slider.value === '17'", arg=slider.element_handle())
    view.get_by_role("tab", name="Decision").click()
    shows(page, view, "Step 18 of")

    # Keys, wherever the focus is in the view.
    view.get_by_role("button", name="Next ▶").focus()
    page.keyboard.press("ArrowRight")
    shows(page, view, "Step 19 of")
    page.keyboard.press("ArrowLeft")
    shows(page, view, "Step 18 of")
    page.keyboard.press("End")
    shows(page, view, "Step 103 of 103")
    # The button that had the focus is off now; the view takes the keys.
    page.wait_for_function("() => document.activeElement.classList.contains('kl-view')")
    page.keyboard.press("Home")
    shows(page, view, "Step 1 of 103")

    # The slider, dragged to the middle and back.
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    # On the way it shows other steps, too.
    there = int(slider.input_value()) + 1
    assert 45 <= there <= 60
    shows(page, view, f"Step {there} of")
    shows(page, view, "cycle 3 of 5")
    assert "Step" in (slider.get_attribute("aria-valuetext") or "")
    assert slider.evaluate("slider => slider.list.options.length") == 5

    # Playing goes on by itself until it is stopped.
    here = step_of(view)
    view.get_by_label("Speed").select_option("fast")
    view.get_by_role("button", name="▶ Play").focus()
    view.locator(".kl-moment").click()
    view.focus()
    page.keyboard.press(" ")
    page.wait_for_function(
        """([view, step]) => {
            const found = /Step (\\d+) of/.exec(view.querySelector('.kl-sentence').innerText);
            return found !== null && Number(found[1]) >= step;
        }""",
        arg=[view.element_handle(), here + 3],
    )
    page.keyboard.press(" ")
    view.get_by_role("button", name="▶ Play").wait_for()
    assert outside == []


def test_breakpoints_tables_and_the_timeline_in_the_dark(
    page: Page, jupyterlab: Any, pictures: Path, outside: list[str]
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    jupyterlab.open(page, "views.ipynb")
    view = jupyterlab.view(page)
    jupyterlab.command(page, "apputils:change-theme", theme="JupyterLab Dark")
    page.wait_for_selector("body[data-jp-theme-light='false']", state="attached")

    # Conditions joined with "and", kept, and joined with others by "or".
    view.get_by_role("button", name="Breakpoints …").click()
    view.get_by_label("Queue").select_option("cohort-queue")
    view.get_by_label("Message").fill("insufficient (")
    view.get_by_text("is not a regular expression").wait_for()
    assert view.get_by_role("button", name="+ Add").is_disabled()
    view.get_by_label("Message").fill("more needed")
    view.get_by_text("queue 'cohort-queue' and message 'more needed'").wait_for()
    view.get_by_role("button", name="+ Add").click()
    view.get_by_label("Stop at").select_option("preempted")
    view.get_by_text("or (queue 'cohort-queue' and message 'more needed')").wait_for()
    view.get_by_role("button", name="Run on ▶").click()
    shows(page, view, "default/job-1 is preempted by default/job-2")
    page.screenshot(path=pictures / "lab-dark-breakpoints.png")
    view.get_by_role("button", name="Run on ▶").click()
    shows(page, view, "it lacks 200m")
    view.get_by_role("button", name="Breakpoints …").click()

    # What is chosen in the queues is chosen in the timeline, and a click there leads back.
    view.get_by_role("tab", name="Queues").click()
    view.get_by_text("Pending in all ClusterQueues").wait_for()
    view.locator(".kl-table").get_by_role("button", name="job-1", exact=True).click()
    view.get_by_role("tab", name="Timeline").click()
    view.locator(".ytick text", has_text="◆ job-1").wait_for()
    view.get_by_text("The same as a table").nth(1).click()
    phases = view.locator("tr", has_text="Evicted")
    phases.get_by_role("button", name="job-1").click()
    view.get_by_text("The same as a table").nth(1).click()
    view.get_by_role("tab", name="Decision").click()
    shows(page, view, "default/job-1 is preempted by default/job-2")
    open_tab(page, view, "Timeline")
    page.screenshot(path=pictures / "lab-dark.png")
    assert outside == []
    jupyterlab.command(page, "apputils:change-theme", theme="JupyterLab Light")


def test_a_policy_is_edited_and_both_runs_are_compared(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    jupyterlab.open(page, "views.ipynb")
    jupyterlab.view(page)
    lab = page.locator(".kl-lab")
    lab.get_by_text("What if?").click()
    editor = lab.locator(".kl-what-if")
    text = editor.get_by_label("YAML")
    original = text.input_value()

    # A mistake is told while typing, with its line.
    line = text.input_value().split("\n").index("    reclaimWithinCohort: LowerPriority") + 1
    text.evaluate("(text, at) => text.setSelectionRange(at, at)", original.index(": LowerPriority"))
    text.press("s")
    editor.get_by_text("Did you mean 'reclaimWithinCohort'?").wait_for()
    wrong = editor.locator(".kl-gutter .kl-wrong")
    assert wrong.inner_text() == f"✖ {line}"
    assert text.get_attribute("aria-invalid") == "true"
    run = editor.get_by_role("button", name="Fork and run ▶")
    assert run.is_disabled()
    editor.scroll_into_view_if_needed()
    page.screenshot(path=pictures / "what-if-mistake.png")

    # Corrected, it runs, and both are there side by side.
    text.fill(original.replace("reclaimWithinCohort: LowerPriority", "reclaimWithinCohort: Never"))
    editor.get_by_text("changes spec.preemption").wait_for()
    assert editor.locator(".kl-gutter .kl-changed").inner_text() == f"● {line}"
    run.click()
    editor.get_by_text("The first decision that differs is number 3").wait_for()
    editor.get_by_text("default/job-2 ends Admitted (cpu/default) before").wait_for()
    before, after = editor.locator(".kl-view").all()
    shows(page, before, "preempts default/job-1")
    shows(page, after, "stays pending")
    after.locator(".main-svg").first.wait_for()
    one, other = before.bounding_box(), after.bounding_box()
    assert one is not None
    assert other is not None
    assert one["y"] == other["y"], "side by side"
    after.get_by_role("button", name="Next ▶").click()
    shows(page, after, "Step 59 of 62")
    editor.locator(".kl-diff").scroll_into_view_if_needed()
    painted(page)
    page.screenshot(path=pictures / "what-if-compared.png")
    jupyterlab.command(page, "apputils:change-theme", theme="JupyterLab Dark")
    page.wait_for_selector("body[data-jp-theme-light='false']", state="attached")
    editor.locator(".kl-sides").scroll_into_view_if_needed()
    before.locator(".kl-scrubber").evaluate("place => place.scrollIntoView()")
    painted(page)
    page.screenshot(path=pictures / "what-if.png")
    jupyterlab.command(page, "apputils:change-theme", theme="JupyterLab Light")


def test_the_lab_view_works_in_notebook_7(
    page: Page, jupyterlab: Any, pictures: Path, outside: list[str]
) -> None:
    pytest.importorskip("notebook", reason="Notebook 7 is not installed: pip install '.[lab]'")
    page.set_viewport_size({"width": 1280, "height": 800})
    jupyterlab.open(page, "views.ipynb", interface="notebooks")
    view = jupyterlab.view(page)
    before = step_of(view)
    view.get_by_role("button", name="Next ▶").click()
    shows(page, view, f"Step {before + 1} of")
    view.focus()
    page.keyboard.press("ArrowRight")
    shows(page, view, f"Step {before + 2} of")
    painted(page)
    page.screenshot(path=pictures / "notebook-7.png")
    jupyterlab.command(page, "apputils:change-theme", theme="JupyterLab Dark")
    page.wait_for_selector("body[data-jp-theme-light='false']", state="attached")
    painted(page)
    page.screenshot(path=pictures / "notebook-7-dark.png")
    jupyterlab.command(page, "apputils:change-theme", theme="JupyterLab Light")
    assert outside == []
