"""The studio: a live cluster, a dropped file, findings, faults, an answer in Python."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from pretend import RESOURCES, Pretend, pretending, wait_until
from waiting import painted

from kueuelab import scenarios, workshop
from kueuelab.workshop.start_page import StartPage

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

KUEUE = "kueue.x-k8s.io"
VERSION = {"apiVersion": f"{KUEUE}/v1beta2"}
FLAVOR = {**VERSION, "metadata": {"name": "default"}, "spec": {}}
CLUSTER_QUEUE = {
    **VERSION,
    "metadata": {"name": "physics"},
    "spec": {
        "namespaceSelector": {},
        "resourceGroups": [
            {
                "coveredResources": ["cpu"],
                "flavors": [
                    {"name": "default", "resources": [{"name": "cpu", "nominalQuota": "4"}]}
                ],
            }
        ],
    },
}
LOCAL_QUEUE = {**VERSION, "metadata": {"name": "jobs"}, "spec": {"clusterQueue": "physics"}}
WORKLOAD = {
    **VERSION,
    "metadata": {"name": "simulation"},
    "spec": {
        "active": True,
        "queueName": "jobs",
        "podSets": [
            {
                "name": "main",
                "count": 1,
                "template": {
                    "spec": {
                        "restartPolicy": "Never",
                        "containers": [
                            {"name": "main", "image": "i", "resources": {"requests": {"cpu": "6"}}}
                        ],
                    }
                },
            }
        ],
    },
}

DISPATCHER = """\
from kueuelab.multikueue import cheapest_first

PRICES = {"campus": 1, "partner": 2, "cloud-west": 3, "cloud-east": 4}
dispatch = cheapest_first(PRICES, patience=60 * 1_000_000_000)
"""


def with_a_pending_workload(cluster: Pretend) -> None:
    """Have a queue with quota for 4 cpu, and a workload that requests 6, which is pending."""
    with cluster.store.lock:
        create = cluster.store.create
        create(RESOURCES[KUEUE, "resourceflavors"], "", FLAVOR)
        create(RESOURCES[KUEUE, "clusterqueues"], "", CLUSTER_QUEUE)
        create(RESOURCES[KUEUE, "localqueues"], "default", LOCAL_QUEUE)
        create(RESOURCES[KUEUE, "workloads"], "default", WORKLOAD)

    def is_pending() -> bool:
        assert not cluster.crash, cluster.crash
        with cluster.store.lock:
            found = cluster.store.get(RESOURCES[KUEUE, "workloads"], "default", "simulation")
            return bool((found.get("status") or {}).get("conditions"))

    wait_until(is_pending)


def test_a_live_cluster_is_read_and_asked(
    page: Page, jupyterlab: Any, pictures: Path, tmp_path: Path
) -> None:
    with pretending(tmp_path, complete=True) as cluster:
        with_a_pending_workload(cluster)
        shutil.copyfile(cluster.kubeconfig, jupyterlab.kubeconfig)
        studio = jupyterlab.studio(page, show="open")
        context = studio.get_by_label("Context of kubectl")
        context.wait_for()
        assert context.locator("option").all_inner_texts() == [cluster.context]
        studio.get_by_role("button", name="Read the cluster").press("Enter")
        studio.get_by_role("button", name="default/simulation").wait_for()
        studio.get_by_text("6 cpu requested").first.wait_for()
        painted(page)
        page.screenshot(path=pictures / "studio-live.png")
        assert {method for method, _ in cluster.asked} == {"GET"}, "nothing is written"

        # A server that does not answer is a sentence, and the page goes on.
        cluster.go_down()
        studio.get_by_role("tab", name="Home").click()
        studio.get_by_role("button", name="Read the cluster").press("Enter")
        studio.locator(".kl-studio-status", has_text="✖").wait_for()
        assert "Traceback" not in studio.inner_text()
        cluster.come_back()


def test_a_file_is_dropped_on_the_page(page: Page, jupyterlab: Any) -> None:
    studio = jupyterlab.studio(page, show="open")
    place = studio.locator(".kl-drop")
    place.wait_for()
    held = page.evaluate_handle(
        """text => {
            const held = new DataTransfer();
            held.items.add(new File([text], "mine.yaml", {type: "application/yaml"}));
            return held;
        }""",
        scenarios.text("reclaim-1-take-back"),
    )
    place.dispatch_event("dragover", {"dataTransfer": held})
    studio.locator(".kl-drop.kl-over").wait_for()
    place.dispatch_event("drop", {"dataTransfer": held})
    studio.get_by_role("button", name="default/job-1").wait_for()
    assert studio.locator(".kl-drop.kl-over").count() == 0


def test_findings_show_their_step_and_a_way_out_is_tried(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    studio = jupyterlab.studio(page, "loop-2-policies-in-turn")
    studio.get_by_role("tab", name="Findings").click()
    show = studio.get_by_role("button", name="Show me")
    show.first.wait_for()
    painted(page)
    page.screenshot(path=pictures / "studio-findings.png")
    show.first.press("Enter")
    view = studio.locator(".kl-view[data-step]:visible").first
    view.wait_for()
    # It is the step at which the loop begins, not that at which the run opens.
    assert int(view.get_attribute("data-step") or 0) > 0
    studio.get_by_role("tab", name="Ask").click()
    studio.get_by_role("button", name="What would end the loop?").press("Enter")
    studio.get_by_role("button", name="Try it").locator("visible=true").first.press("Enter")
    studio.get_by_text("What differs, as a patch").wait_for()


def test_a_fault_is_injected_on_the_page_of_several_clusters(page: Page, jupyterlab: Any) -> None:
    page.set_viewport_size({"width": 1280, "height": 1000})
    studio = jupyterlab.studio(page, "lost-worker")
    studio.get_by_role("tab", name="Clusters", selected=True).wait_for()
    board = studio.locator(".kl-lab").locator("visible=true").first
    board.get_by_label("Stop at").select_option("worker chosen")
    board.get_by_role("button", name="Run on ▶").click()
    lane = board.get_by_role("region", name="cluster w1")
    lane.get_by_role("button", name=re.compile("chosen: the job runs here")).wait_for()
    lane.get_by_role("button", name=re.compile("^disconnect, w1")).click()
    # It is another run, in which the manager does not reach the worker.
    lane.get_by_text("✖ MultiKueueCluster: not active").wait_for()
    assert len(board.get_by_label("run shown").locator("option").all()) == 2


def test_an_exercise_is_answered_in_python(page: Page, jupyterlab: Any, pictures: Path) -> None:
    page.set_viewport_size({"width": 1280, "height": 1100})
    studio = jupyterlab.studio(page, show="exercises")
    studio.get_by_role("button", name="external-dispatcher", exact=True).press("Enter")
    answer = studio.get_by_role("textbox", name="Your answer: a function in Python")
    answer.wait_for()
    assert "def dispatch" in answer.input_value()
    answer.fill("def dispatch(view):\n    return (\n")
    studio.get_by_role("button", name="Check").press("Enter")
    studio.locator(".kl-editor ul.kl-wrong li").first.wait_for()
    answer.fill(DISPATCHER)
    studio.get_by_role("button", name="Check").press("Enter")
    studio.get_by_text("Solved:").first.wait_for()
    painted(page)
    page.screenshot(path=pictures / "studio-exercise-python.png")


def test_the_first_page_is_the_start_page_with_the_map_and_what_is_next(
    page: Page, jupyterlab: Any, pictures: Path
) -> None:
    page.set_viewport_size({"width": 1280, "height": 1400})
    studio = jupyterlab.studio(page)
    following = workshop.exercise_map(progress=jupyterlab.progress).next
    choose = studio.get_by_role("button", name=f"Do the exercise {following.name}")
    choose.wait_for()
    studio.locator("svg.kl-map").wait_for()
    for door in StartPage().doors:
        studio.get_by_role("button", name=door.title, exact=True).wait_for()
    page.wait_for_function("() => document.querySelector('.kl-studio-start img').naturalWidth > 0")
    painted(page)
    page.screenshot(path=pictures / "studio-home.png")
    choose.press("Enter")
    studio.get_by_role("tab", name="Exercise", selected=True).wait_for()
    studio.get_by_text(following.title).locator("visible=true").first.wait_for()
