"""The MultiKueue board in JupyterLab: rounds, a worker cut off, the order of the dispatch."""

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
    """Return one of the boards, scrolled to."""
    page.set_viewport_size({"width": 1280, "height": 800})
    jupyterlab.open(page, "boards.ipynb")
    board = page.locator(".kl-lab").nth(index)
    board.locator(".kl-lane").first.wait_for()
    scrolled_to(page, board)
    return board


def scrolled_to(page: Page, place: Locator) -> None:
    place.evaluate("node => node.scrollIntoView({block: 'start'})")
    painted(page)


def shows(page: Page, board: Locator, text: str) -> None:
    """Wait until the sentence of the step has a text in it."""
    page.wait_for_function(
        "([board, text]) => board.querySelector('.kl-decision').innerText.includes(text)",
        arg=[board.element_handle(), text],
    )


def lane(board: Locator, name: str) -> Locator:
    return board.get_by_role("region", name=f"cluster {name}")


def overflows(board: Locator) -> list[str]:
    """Return what sticks out of its lane to the right."""
    return board.evaluate(
        """board => [...board.querySelectorAll('.kl-lane')].flatMap(lane => {
            const edge = lane.getBoundingClientRect().right + 1;
            return [...lane.querySelectorAll('*')]
                .filter(node => node.getBoundingClientRect().right > edge)
                .map(node => node.textContent);
        })"""
    )


def test_a_round_is_stepped_and_the_order_edited(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    board = opened(page, jupyterlab, ROUNDS)

    # Round by round: w1, five minutes later w2, too.
    board.get_by_label("Step by").select_option("rounds")
    step_on = board.get_by_role("button", name="Next ▶")
    step_on.click()
    shows(page, board, "may go to w1")
    step_on.click()
    shows(page, board, "may go to w1 and w2")
    table = board.locator(".kl-jobs")
    assert "round 2 at 5m0.1s: w2" in table.inner_text()
    board.get_by_label("Step by").select_option("one minute")
    step_on.click()
    page.wait_for_function(
        "board => [...board.querySelectorAll('.kl-clock')].length === 1",
        arg=board.element_handle(),
    )
    assert "the round ends at 10m0.1s" in table.inner_text()

    # A chip selects its job everywhere, and says why in every cluster.
    lane(board, "w1").get_by_role("button", name=re.compile("train")).click()
    board.get_by_text("Why train is where it is").wait_for()
    assert board.get_by_label("Follow").input_value() == "manager:default/train"
    assert board.locator(".kl-picked").count() >= 3
    assert board.locator(".kl-jobs tr.kl-selected").count() == 1
    assert "> maximum capacity (1)" in board.locator(".kl-clusters-why").inner_text()
    assert not overflows(board)
    scrolled_to(page, board)
    page.screenshot(path=pictures / "multikueue-rounds.png")

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
    scrolled_to(page, told)
    page.screenshot(path=pictures / "multikueue-order.png")
    board.get_by_label("run shown").select_option("the scenario")
    told.wait_for(state="detached")

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
    scrolled_to(page, board.locator(".kl-what-if").nth(1))
    page.screenshot(path=pictures / "multikueue-edit.png")
    board.get_by_role("button", name="Fork and run ▶").click()
    board.get_by_role("row", name=re.compile("w1 from 100ms to 22.5s")).wait_for()


def test_a_worker_is_cut_off_and_the_job_is_requeued(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    board = opened(page, jupyterlab, LOST)
    board.get_by_label("Stop at").select_option("worker chosen")
    board.get_by_role("button", name="Run on ▶").click()
    shows(page, board, "w1 runs default/train")
    lane(board, "w1").get_by_role("button", name=re.compile("chosen: the job runs here")).click()
    board.get_by_text("Why train is where it is").wait_for()

    # The network is cut with the button in the lane; it is another run from here.
    lane(board, "w1").get_by_role("button", name=re.compile("^Disconnect w1")).click()
    shows(page, board, "w1 is out of reach")
    lane(board, "w1").get_by_role("button", name=re.compile("^Reconnect w1")).wait_for()
    assert "✖ MultiKueueCluster: not active" in lane(board, "w1").inner_text()
    scrolled_to(page, board)
    page.screenshot(path=pictures / "multikueue-disconnected.png")

    # Keys go to the run that is shown, wherever the focus is in the board.
    shows(page, board, "Step 97 of")
    lane(board, "w1").get_by_role("button", name=re.compile("chosen: the job runs here")).focus()
    page.keyboard.press("ArrowRight")
    shows(page, board, "Step 98 of")
    page.keyboard.press("ArrowLeft")
    shows(page, board, "Step 97 of")

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
    assert not overflows(board)
    scrolled_to(page, board)
    page.screenshot(path=pictures / "multikueue-requeued.png")

    # The rest of the faults are in a list; what happened can be undone by showing the first run.
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
    scrolled_to(page, board.locator(".kl-what-if").first)
    page.screenshot(path=pictures / "multikueue-what-if.png")

    # Everything is legible in the dark, too.
    jupyterlab.command(page, "apputils:change-theme", theme="JupyterLab Dark")
    page.wait_for_selector("body[data-jp-theme-light='false']", state="attached")
    scrolled_to(page, board)
    painted(page)
    page.screenshot(path=pictures / "multikueue-dark.png")
    jupyterlab.command(page, "apputils:change-theme", theme="JupyterLab Light")
    page.wait_for_selector("body[data-jp-theme-light='true']", state="attached")


def test_eight_workers_fit_and_are_stepped(page: Page, jupyterlab: Any, pictures: Path) -> None:
    board = opened(page, jupyterlab, LARGE)
    assert board.locator(".kl-lane").count() == 9
    assert not overflows(board)
    page.screenshot(path=pictures / "multikueue-eight.png")
    decision = board.locator(".kl-decision").first
    for _ in range(40):
        before = decision.inner_text()
        board.get_by_role("button", name="Next ▶").click()
        page.wait_for_function(
            "([board, before]) => board.querySelector('.kl-decision').innerText !== before",
            arg=[board.element_handle(), before],
        )
    assert not overflows(board)
