"""*Design a cohort*: from nothing to a scenario file that ``kueuelab run`` takes."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from waiting import painted

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def fill(control: Locator, text: str) -> None:
    """Type a text and leave the control."""
    control.fill(text)
    control.press("Tab")


def wait_for_text(page: Page, text: str) -> None:
    """Wait until an edit has come back from the kernel: what it shows anew may take the focus."""
    page.wait_for_function(
        "text => document.querySelector('.kl-build textarea').value.includes(text)", arg=text
    )


def test_a_cohort_is_designed_from_nothing_and_run(
    page: Page, jupyterlab: Any, pictures: Path, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 1440, "height": 1100})
    jupyterlab.open(page, "build.ipynb")
    build = page.locator(".kl-build")
    build.wait_for()
    tree = build.locator(".kl-tree")
    yaml = build.get_by_label("YAML")

    # A cohort, named by the keyboard in the tree.
    build.get_by_role("button", name="+ Cohort").press("Enter")
    # What is added is chosen, too, and then the tree stays as it is.
    cohort = tree.get_by_role("treeitem", name="cohort-1", selected=True)
    cohort.wait_for()
    cohort.focus()
    cohort.press("F2")
    tree.get_by_role("textbox").fill("university")
    tree.get_by_role("textbox").press("Enter")
    university = tree.get_by_role("treeitem", name="university")
    university.wait_for()

    # Two ClusterQueues in it; the form of a new one is shown at once.
    build.get_by_role("button", name="+ ClusterQueue").press("Enter")
    name = build.get_by_label("ClusterQueue", exact=True)
    name.wait_for()
    fill(name, "physics")
    tree.get_by_role("treeitem", name="physics").wait_for()
    fill(build.get_by_label("cpu nominalQuota"), "4")
    wait_for_text(page, "nominalQuota: 4")
    build.get_by_label("reclaimWithinCohort").select_option("Any")
    wait_for_text(page, "reclaimWithinCohort: Any")
    build.get_by_role("button", name="+ LocalQueue").press("Enter")
    tree.get_by_role("treeitem", name="jobs-1", selected=True).wait_for()
    university.press("Enter")
    tree.locator("[aria-selected=true]", has_text="university").wait_for()
    build.get_by_role("button", name="+ ClusterQueue").press("Enter")
    tree.get_by_role("treeitem", name="team-1", selected=True).wait_for()
    build.get_by_role("button", name="+ LocalQueue").press("Enter")
    tree.get_by_role("treeitem", name="jobs-2", selected=True).wait_for()
    painted(page)
    page.screenshot(path=pictures / "build-tree.png")

    # What is no quantity is said at the field and at the line; undo takes it back.
    tree.get_by_role("treeitem", name="team-1").click()
    fill(build.get_by_label("cpu borrowingLimit"), "many")
    build.locator(".kl-build-form .kl-wrong", has_text="line ").first.wait_for()
    build.locator(".kl-editor .kl-gutter .kl-wrong").first.wait_for()
    painted(page)
    page.screenshot(path=pictures / "build-problem.png")
    build.get_by_role("button", name="Undo").press("Enter")
    build.locator(".kl-editor", has_text="No problems.").wait_for()

    # A queue moves by cut and paste in the tree.
    queue = tree.get_by_role("treeitem", name="jobs-2")
    queue.focus()
    queue.press("Control+x")
    tree.get_by_role("treeitem", name="physics").focus()
    tree.get_by_role("treeitem", name="physics").press("Control+v")
    page.wait_for_function(
        "() => !document.querySelector('.kl-build textarea').value"
        ".includes('{clusterQueue: team-1}')"
    )

    # A comment that is typed into the YAML stays.
    text = yaml.input_value()
    yaml.fill(text.replace("  timeline: []", "  # What the two teams submit.\n  timeline: []"))
    build.locator(".kl-editor", has_text="No problems.").wait_for()

    # Jobs: one by the form, moved on the axis by keyboard, and many that are drawn.
    fill(build.get_by_label("Job", exact=True), "simulation")
    build.get_by_label("LocalQueue", exact=True).last.select_option("jobs-1")
    fill(build.get_by_label("Each requests").first, "cpu: 6")
    build.get_by_role("button", name="Add job", exact=True).press("Enter")
    bar = build.locator(".kl-axis-job[data-job=simulation]")
    bar.wait_for()
    bar.focus()
    bar.press("ArrowRight")
    wait_for_text(page, "{at: 1s, submit")
    build.get_by_role("button", name="Add jobs").press("Enter")
    build.locator(".kl-axis-job[data-job=load-20]").wait_for()
    assert "# What the two teams submit." in yaml.input_value()
    painted(page)
    page.screenshot(path=pictures / "build-jobs.png")

    # Nodes in their short form, and another number of them.
    build.get_by_role("button", name="Add nodes").press("Enter")
    fill(build.get_by_label("hosts", exact=True), "3")
    wait_for_text(page, "hosts: 3")
    build.get_by_label("hosts", exact=True).scroll_into_view_if_needed()
    painted(page)
    page.screenshot(path=pictures / "build-nodes.png")

    # The file is what `kueuelab run` takes.
    file = tmp_path / "university.yaml"
    fill(build.get_by_label("File", exact=True), str(file))
    build.get_by_role("button", name="Save", exact=True).press("Enter")
    page.get_by_text(f"The scenario is in {file}.").wait_for()
    done = subprocess.run(
        [sys.executable, "-m", "kueuelab", "run", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "simulation" in done.stdout
    assert file.read_text("utf-8") == yaml.input_value()

    # The picture shows the tree; a node that is chosen in it is shown in the form.
    build.get_by_text("Picture", exact=True).scroll_into_view_if_needed()
    node = build.get_by_role("treeitem", name="ClusterQueue physics")
    node.wait_for()
    node.click()
    tree.locator("[aria-selected=true]", has_text="physics").wait_for()
    painted(page)
    page.screenshot(path=pictures / "build-picture.png")
    page.set_viewport_size({"width": 1024, "height": 768})
    build.locator(".kl-build-columns").scroll_into_view_if_needed()
    painted(page)
    page.screenshot(path=pictures / "build-1024.png")
    page.set_viewport_size({"width": 1440, "height": 1100})
    jupyterlab.theme(page, "Dark")
    painted(page)
    page.screenshot(path=pictures / "build-dark.png")


def test_what_is_typed_while_an_edit_comes_back_stays(page: Page, jupyterlab: Any) -> None:
    held: list[tuple[Any, Any]] = []
    holds = False

    def answer() -> None:
        while held and not holds:
            socket, message = held.pop(0)
            socket.send(message)

    def routed(socket: Any) -> None:
        def answered(message: Any) -> None:
            held.append((socket, message))
            answer()

        socket.connect_to_server().on_message(answered)

    page.route_web_socket("**/api/kernels/*/channels**", routed)
    jupyterlab.open(page, "build.ipynb")
    build = page.locator(".kl-build")
    build.get_by_role("button", name="+ ClusterQueue").press("Enter")
    name = build.get_by_label("ClusterQueue", exact=True)
    name.wait_for()
    selector = build.get_by_label("namespaceSelector")

    # The queue gets another name; while the kernel's answer is on its way, the next field is typed.
    holds = True
    fill(name, "physics")
    selector.fill("")
    selector.press_sequentially("team=phy")
    assert not build.get_by_role("treeitem", name="physics").count()
    holds = False
    answer()
    build.get_by_role("treeitem", name="physics").wait_for()
    page.keyboard.type("sics")
    page.keyboard.press("Tab")
    wait_for_text(page, "team: physics")
    assert selector.input_value() == "team=physics"
