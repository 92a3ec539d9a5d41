"""The topology view on a saved page: domains, pods that look for a place, keys, search, table."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from pages import document, open_page, shows, step_of, violations
from waiting import painted

import kueuelab as kl
from kueuelab import frontend
from kueuelab.trace import Trace
from kueuelab.views.frame.document import Document

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

QUEUES = [
    {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "q"},
        "spec": {
            "namespaceSelector": {},
            "resourceGroups": [
                {
                    "coveredResources": ["cpu"],
                    "flavors": [
                        {"name": "default", "resources": [{"name": "cpu", "nominalQuota": 60000}]}
                    ],
                }
            ],
        },
    },
    {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {"clusterQueue": "q"},
    },
]


def job(name: str, pods: int, level: str = "rack") -> dict[str, Any]:
    asks = {"queue": "q", "pods": pods, "requests": {"cpu": 3}, "topology": {"required": level}}
    return {"job": name, **asks}


@cache
def trace_of(blocks: int = 2, racks: int = 2, hosts: int = 2) -> Trace:
    timeline: list[dict[str, Any]] = [{"at": "1s", "submit": job("first", 4)}]
    if blocks == 2:
        agent = {"name": "agent", "node": "b1-r1-h1", "requests": {"cpu": 5}}
        timeline.insert(0, {"at": "0s", "pod": agent})
        timeline += [
            {"at": "2s", "node": {"name": "b2-r2-h2", "ready": False}},
            {"at": "3s", "submit": job("second", 4)},
            {"at": "4s", "submit": job("third", 8)},
        ]
    nodes = {"blocks": blocks, "racks": racks, "hosts": hosts, "cpu": 8}
    spec = {"nodes": nodes, "manifests": QUEUES, "timeline": timeline}
    metadata = {"name": "racks", "title": "Racks"}
    scenario = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": metadata,
        "spec": spec,
    }
    return kl.load(json.dumps(scenario)).run().trace


def data_of(trace: Trace, view: str = "lab") -> Any:
    document = Document(trace, view)
    # Of many nodes only what is looked at: a page of all steps takes long to make.
    chunks = None if len(trace) < 1_000 else [document.count - 1]
    document.start = step(trace, "FlavorChosen", "first") - 1
    return document.as_data(chunks)


def step(trace: Trace, kind: str, workload: str) -> int:
    """Return the first step of a kind that is about a workload, counted from 1."""
    return next(i for i in trace.of_kind(kind) if trace[i].workload == f"default/{workload}") + 1


def domain(page: Page, name: str) -> Any:
    return page.locator(f"[data-domain='default|{name}']")


def test_domains_are_areas_in_areas_with_what_is_free(page: Page, tmp_path: Path) -> None:
    trace = trace_of()
    wrong = open_page(
        page, tmp_path, data_of(trace), f"#step={step(trace, 'FlavorChosen', 'second')}"
    )
    assert page.locator("[data-domain]").count() == 1 + 2 + 4 + 8
    rack, host = domain(page, "b1,b1-r2"), domain(page, "b1,b1-r2,b1-r2-h1")
    outer, inner = rack.bounding_box(), host.bounding_box()
    assert outer["x"] < inner["x"]
    assert inner["y"] + inner["height"] < outer["y"] + outer["height"]
    assert host.get_attribute("aria-label") == (
        "host b1-r2-h1: 2 of 8 cpu free; room for 0 pods; 2 pods of first"
    )
    assert "pods outside of Kueue use 5 cpu" in (
        domain(page, "b1,b1-r1,b1-r1-h1").get_attribute("aria-label") or ""
    )
    failed = domain(page, "b2,b2-r2,b2-r2-h2").get_attribute("aria-label") or ""
    assert "0 of 8 cpu free; not ready; room for 0 pods" in failed
    # The pods that look for a place, and where all of them fit.
    page.get_by_text("second needs a place for pod set main: 4 × 3 cpu").wait_for()
    assert page.locator(".kl-seeking-pods i").count() == 4
    fitting = page.locator(".kl-domain-fits").evaluate_all("all => all.map(e => e.dataset.domain)")
    assert fitting == ["default|b2", "default|b2,b2-r1"]
    assert wrong == []


def test_pods_arrive_on_their_hosts(page: Page, tmp_path: Path) -> None:
    trace = trace_of()
    reserved = step(trace, "QuotaReserved", "first")
    page.emulate_media(reduced_motion="no-preference")
    wrong = open_page(page, tmp_path, data_of(trace), f"#step={reserved - 1}")
    assert page.locator(".kl-segment-pods").count() == 0
    page.evaluate(
        """() => { window.flown = 0; new MutationObserver(found => {
            for (const {addedNodes} of found) for (const node of addedNodes)
                if (node.classList?.contains('kl-flying')) window.flown += 1;
        }).observe(document.querySelector('.kl-view'), {childList: true}); }"""
    )
    page.keyboard.press("]")
    shows(page, reserved)
    assert domain(page, "b1,b1-r2,b1-r2-h1").locator(".kl-segment-pods").count() == 1
    page.wait_for_function("() => window.flown === 2")
    page.locator(".kl-flying").first.wait_for(state="detached")
    # Pods select their workload in all views.
    domain(page, "b1,b1-r2,b1-r2-h1").locator(".kl-segment-pods").click()
    page.get_by_role("tab", name="Selected").click()
    page.get_by_role("tabpanel", name="Selected").get_by_text("Workload default/first").wait_for()
    assert wrong == []


def test_a_search_judges_domain_by_domain(page: Page, tmp_path: Path) -> None:
    trace = trace_of()
    searched = step(trace, "DomainsSearched", "first")
    wrong = open_page(page, tmp_path, data_of(trace), f"#step={searched}")
    page.get_by_text("one rack required").wait_for()
    assert page.locator(".kl-domain-chosen").count() == 3
    judged = page.get_by_role("group", name="Domains that the search judges")
    judged.get_by_text("Domain 6 of 6: host b1-r2-h2").wait_for()
    for _ in range(3):
        judged.get_by_role("button", name="Previous domain").click()
    judged.get_by_text(
        "Domain 3 of 6: rack b2-r2: room for 4, more would be left over than in the chosen one"
    ).wait_for()
    assert page.locator(".kl-domain-chosen").count() == 1
    assert page.locator(".kl-domain-candidate").count() == 2
    judged.get_by_role("button", name="Next domain").click()
    judged.get_by_text("Domain 4 of 6: rack b1-r1: room for 3, too small for all pods").wait_for()
    assert page.locator(".kl-domain-rejected").count() == 1
    assert wrong == []


def test_nothing_flies_where_motion_is_reduced(page: Page, tmp_path: Path) -> None:
    trace = trace_of()
    reserved = step(trace, "QuotaReserved", "first")
    page.emulate_media(reduced_motion="reduce")
    open_page(page, tmp_path, data_of(trace), f"#step={reserved - 1}")
    page.keyboard.press("]")
    shows(page, reserved)
    assert page.locator(".kl-flying").count() == 0


def test_domains_are_reached_by_keys_search_and_as_a_table(page: Page, tmp_path: Path) -> None:
    trace = trace_of()
    open_page(page, tmp_path, data_of(trace), f"#step={step(trace, 'FlavorChosen', 'third')}")
    domain(page, "b1").focus()
    for key, name in (
        ("ArrowRight", "b2"),
        ("ArrowDown", "b2,b2-r1"),
        ("ArrowLeft", "b1,b1-r2"),
        ("ArrowUp", "b1"),
    ):
        page.keyboard.press(key)
        painted(page)
        assert page.evaluate("document.activeElement.dataset.domain") == f"default|{name}"
    before = step_of(page)
    page.keyboard.press("Enter")
    painted(page)
    assert page.locator("[data-domain]").count() == 1 + 2 + 4
    assert page.locator(".kl-crumbs [aria-current]").inner_text() == "block b1"
    page.keyboard.press("Escape")
    painted(page)
    assert page.locator("[data-domain]").count() == 15
    assert step_of(page) == before
    search = page.get_by_role("searchbox", name="Highlight hosts")
    search.fill("b2-r1")
    assert page.locator(".kl-dim").count() == 6
    search.press("Enter")
    assert page.locator(".kl-crumbs [aria-current]").inner_text() == "rack b2-r1"
    page.get_by_role("button", name="Show the domain around this one").click()
    page.get_by_role("button", name="Show the topology as a table").click()
    table = page.get_by_role("table", name="Topology domains, cpu")
    rows = table.locator("tbody tr").all_inner_texts()
    assert rows[0].split("\t")[:4] == ["rack b2-r1", "4 of 16 free", "0", "0"]
    assert len(rows) == 2 + 4


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_screen_readers_get_names_and_roles(page: Page, tmp_path: Path, scheme: Any) -> None:
    trace = trace_of()
    page.emulate_media(color_scheme=scheme)
    open_page(page, tmp_path, data_of(trace), f"#step={step(trace, 'FlavorChosen', 'third')}")
    assert violations(page) == []


def test_a_run_without_topologies_has_no_such_panel(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, document("reclaim-1-take-back"))
    assert page.locator(".kl-domains").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_selected_workload_has_its_room_and_why_in_words(
    page: Page, tmp_path: Path, scheme: Any
) -> None:
    trace = trace_of()
    page.emulate_media(color_scheme=scheme)
    pending = step(trace, "Pending", "third")
    data = Document(trace, start=pending - 1).as_data(whys=True)
    assert data["whys"]
    wrong = open_page(page, tmp_path, data, f"#step={pending}")
    reasons = page.locator(".kl-reasons")
    assert reasons.is_hidden()
    page.locator(".kl-chip", has_text="third").first.click()
    reasons.get_by_text("The rack with the most room, b1-r1, takes 3 of 8.").wait_for()
    assert reasons.locator("p").all_inner_texts() == [
        "third needs a place for pod set main: 8 × 3 cpu, one rack required. "
        "Free in all: 27 cpu, room for 5 of 8 pods. "
        "The rack with the most room, b1-r1, takes 3 of 8."
    ]
    reasons.get_by_text("Why third is where it is").click()
    reasons.get_by_text("default/third is pending in ClusterQueue q.").wait_for()
    assert violations(page) == []
    # What would admit it is simulated: a page alone has only the record, and says so.
    reasons.get_by_role("button", name="What would admit third").click()
    reasons.get_by_text("A kernel that has the run simulates changes.").wait_for()
    # Placed pods are named with their hosts.
    domain(page, "b2,b2-r1,b2-r1-h1").locator(".kl-segment-pods").click()
    reasons.get_by_text("Pods of second, pod set main: b2-r1-h1 (2), b2-r1-h2 (2).").wait_for()
    assert wrong == []


KERNEL = """
board => {
  const asked = [];
  globalThis.asked = asked;
  const lines = ["What would admit default/third?", "prefer one rack", "add a node to b1-r1"];
  const answer = question => { asked.push(question); return Promise.resolve({ lines }); };
  const kernels = (globalThis[Symbol.for("kueuelab.kernels")] ??= new Map());
  kernels.set(board, answer);
}
"""


def test_with_a_kernel_the_view_lists_what_would_admit_the_workload(
    page: Page, tmp_path: Path
) -> None:
    trace = trace_of()
    pending = step(trace, "Pending", "third")
    data = Document(trace, "topology", pending - 1).as_data(whys=True)
    html = frontend.fragment(data, "", "a-board")
    (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8>{html}")
    page.goto((tmp_path / "notebook.html").as_uri())
    page.evaluate(KERNEL, "a-board")
    levers = page.get_by_role("button", name="What would admit third")
    levers.click()
    page.get_by_text("add a node to b1-r1").wait_for()
    asked = page.evaluate("asked.filter(each => each.ask === 'levers')")
    assert asked == [{"ask": "levers", "workload": "default/third", "step": pending - 1}]
    # The answer is about this step: at another one it is asked for again.
    levers.click()
    page.get_by_text("add a node to b1-r1").wait_for(state="detached")


def test_alone_the_view_is_about_the_workload_of_the_step(page: Page, tmp_path: Path) -> None:
    trace = trace_of()
    pending = step(trace, "Pending", "third")
    data = Document(trace, "topology", pending - 1).as_data(whys=True)
    open_page(page, tmp_path, data, f"#step={pending}")
    reasons = page.locator(".kl-reasons")
    reasons.get_by_text("default/third is pending in ClusterQueue q.").wait_for()
    reasons.get_by_text("Free in all: 27 cpu, room for 5 of 8 pods.").wait_for()


def test_of_5000_hosts_only_what_is_visible_is_drawn(page: Page, tmp_path: Path) -> None:
    trace = trace_of(10, 10, 50)
    found = f"#step={step(trace, 'FlavorChosen', 'first')}"
    open_page(page, tmp_path, data_of(trace, "topology"), found)
    assert page.locator("[data-domain]").count() <= 1_600
    assert page.locator(".kl-domain-note", has_text="room for 1000 pods").count() > 0
    domain(page, "b01").locator(".kl-domain-name").first.click(force=True)
    painted(page)
    assert page.locator(".kl-crumbs [aria-current]").inner_text() == "block b01"
    assert page.locator("[data-domain]").count() == 1 + 10 + 500
