"""The MultiKueue board in JupyterLab: faults, the order of the dispatch, objects that change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from waiting import painted

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROUNDS, LOST, LARGE = 0, 1, 2


def opened(page: Page, jupyterlab: Any, index: int) -> Locator:
    """Return one of the boards, scrolled to; the widget stands for the part of the page."""
    page.set_viewport_size({"width": 1280, "height": 800})
    jupyterlab.open(page, "boards.ipynb")
    board = page.locator(".kl-lab").nth(index)
    # Other boards above are drawn meanwhile, and move it.
    page.wait_for_function(
        """board => {
            board.scrollIntoView({block: 'start'});
            return board.querySelector('.kl-lane');
        }""",
        arg=board.element_handle(),
    )
    assert page.locator(".kl-embedded:visible .kl-lane").count() == 0
    return board


def scrolled_to(page: Page, place: Locator) -> None:
    place.evaluate("node => node.scrollIntoView({block: 'start'})")
    painted(page)


def shows(page: Page, board: Locator, text: str) -> None:
    """Wait until the sentence of the step has a text in it."""
    page.wait_for_function(
        "([board, text]) => board.querySelector('.kl-sentence')?.innerText.includes(text)",
        arg=[board.element_handle(), text],
    )


def more(board: Locator) -> None:
    """Unfold the controls: a cell is narrow."""
    board.get_by_role("button", name="More …").click()


def lane(board: Locator, name: str) -> Locator:
    return board.get_by_role("region", name=f"cluster {name}")


def test_the_order_of_the_dispatch_and_an_object_are_edited(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    board = opened(page, jupyterlab, ROUNDS)

    # Another order of the clusters: the job runs ten minutes earlier.
    board.get_by_text("What if? Inject a fault").click()
    order = board.get_by_label("order of the clusters")
    assert order.input_value() == "w1, w2, w3"
    rerun = board.get_by_role("button", name="Rerun ▶")
    order.fill("w3, w9")
    board.get_by_text("there is no worker named 'w9'").wait_for()
    assert rerun.is_disabled()
    order.fill("w3, w1, w2")
    page.wait_for_function("node => !node.disabled", arg=rerun.element_handle())
    rerun.click()
    told = board.get_by_role("row", name=re.compile("^train w3 from 10m"))
    told.wait_for()
    assert "w3 from 100ms to 22.5s (finished)" in told.inner_text()
    shows(page, board, "may go to w3")
    assert board.get_by_label("run shown").input_value() == "2. order w3, w1, w2"
    scrolled_to(page, board)
    page.screenshot(path=pictures / "multikueue-order.png")
    board.get_by_label("run shown").select_option("the scenario")
    page.wait_for_function(
        "board => board.querySelector('.kl-comparison th:nth-child(3)')"
        "?.innerText.includes('the scenario')",
        arg=board.element_handle(),
    )

    # So it does when w1 has more quota; its YAML is checked while it is typed.
    board.get_by_text("What if? Change an object of a cluster").click()
    board.get_by_label("In", exact=True).select_option("w1")
    text = board.locator("textarea")
    page.wait_for_function(
        """node => node.value.includes("nominalQuota: '1'")""",
        arg=text.element_handle(),
    )
    original = text.input_value()
    text.fill(original.replace("nominalQuota", "nominalQouta"))
    board.get_by_text("Did you mean 'nominalQuota'?").wait_for()
    text.fill(original.replace("nominalQuota: '1'", "nominalQuota: '3'"))
    board.get_by_text("changes spec.resourceGroups").wait_for()
    board.get_by_role("button", name="Fork and run ▶").click()
    board.get_by_role("row", name=re.compile("w1 from 100ms to 22.5s")).wait_for()


def test_a_worker_is_cut_off_and_the_job_is_requeued(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    board = opened(page, jupyterlab, LOST)
    more(board)
    board.get_by_label("Stop at").select_option("worker chosen")
    board.get_by_role("button", name="Run on ▶").click()
    shows(page, board, "w1 runs default/train")
    lane(board, "w1").get_by_role("button", name=re.compile("chosen: the job runs here")).click()
    board.get_by_text("Why train is where it is").wait_for()

    # The network is cut with the button in the lane; it is another run from here.
    lane(board, "w1").get_by_role("button", name=re.compile("^disconnect, w1")).click()
    shows(page, board, "w1 is out of reach")
    more(board)
    lane(board, "w1").get_by_role("button", name=re.compile("^reconnect, w1")).wait_for()
    assert "✖ MultiKueueCluster: not active" in lane(board, "w1").inner_text()
    scrolled_to(page, board)
    page.screenshot(path=pictures / "multikueue-disconnected.png")

    # Requeued after the timeout, and dispatched to the other one.
    board.get_by_label("Stop at").select_option("evicted")
    board.get_by_role("button", name="Run on ▶").click()
    shows(page, board, "default/train is evicted")
    board.get_by_label("Stop at").select_option("worker chosen")
    board.get_by_role("button", name="Run on ▶").click()
    shows(page, board, "w2 runs default/train")
    note = board.get_by_text("Hazard (older-copy-wins)")
    note.wait_for()
    assert "What to do: Delete the older Workload" in note.inner_text()
    row = board.get_by_role("row", name=re.compile("^train w1 from 1.1s"))
    assert "w2 from 9.3s to 34.7s (finished)" in row.inner_text()

    # The rest of the faults are in a list.
    board.get_by_text("What if? Inject a fault").click()
    board.get_by_label("Cluster", exact=True).select_option("w2")
    what = board.get_by_label("Fault", exact=True)
    page.wait_for_function(
        "node => [...node.options].some(each => each.value.startsWith('delete the copy'))",
        arg=what.element_handle(),
    )
    what.select_option("delete the copy of train on w2")
    board.get_by_text("On a real cluster: kubectl delete workload").wait_for()
    board.get_by_role("button", name="Inject ▶").click()
    board.get_by_role("row", name=re.compile(r"w2 from 9.3s to 9.5s \(removed\)")).wait_for()

    # Everything is legible in the dark, too.
    jupyterlab.theme(page, "Dark")
    scrolled_to(page, board)
    page.screenshot(path=pictures / "multikueue-dark.png")
    jupyterlab.theme(page, "Light")


def test_eight_workers_are_stepped_over_chunks_that_the_kernel_gives(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    board = opened(page, jupyterlab, LARGE)
    assert board.locator(".kl-lane").count() == 9
    page.screenshot(path=pictures / "multikueue-eight.png")
    view = board.locator(".kl-view")
    board.get_by_label("Step by").select_option("step")
    for target in (1, 1000, 9000):
        board.get_by_role("slider", name="Step").fill(str(target))
        page.wait_for_function(
            "([view, step]) => Number(view.dataset.step) === step",
            arg=[view.element_handle(), target],
        )
        board.get_by_role("button", name="Next", exact=True).click()
        page.wait_for_function(
            "([view, step]) => Number(view.dataset.step) === step",
            arg=[view.element_handle(), target + 1],
        )
    assert board.locator(".kl-problem:not(:empty)").count() == 0
