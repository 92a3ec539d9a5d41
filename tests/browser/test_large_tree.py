"""Of a tree of 1,000 queues with 30,000 workloads, only what is visible is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pages import document, open_page, shows

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

QUEUES, EACH = 1_000, 30


def large() -> dict[str, Any]:
    """Return a document of two steps: all queues are full, then one workload goes."""
    tree: dict[str, Any] = {
        "c:all": {"kind": "Cohort", "name": "all", "parent": "", "order": 0, "depth": 0}
    }
    bars: dict[str, Any] = {}
    chips: dict[str, Any] = {}
    for number in range(QUEUES):
        name = f"team-{number}"
        node, bar = f"q:{name}", f"q:{name}|default|cpu"
        place = {"kind": "ClusterQueue", "name": name, "parent": "c:all", "depth": 1}
        tree[node] = place | {"order": number + 1}
        bars[bar] = {"node": node, "flavor": "default", "resource": "cpu", "order": number}
        bars[bar] |= {"nominal": 1000 * EACH, "used": 1000 * EACH}
        for each in range(EACH):
            workload = f"default/job-{number}-{each}"
            chips[f"{workload}|cpu"] = {"bar": bar, "workload": workload, "amount": 1000}
    key = {"at": {"step": 0, "cycle": 0, "time": "0s"}, "kind": "Admitted", "title": "Admitted"}
    key |= {"sentence": "All of them run.", "tree": tree, "bars": bars, "chips": chips}
    last = f"default/job-{QUEUES - 1}-0"
    patch = {"at": {"step": 1}, "workload": last, "chips": {f"{last}|cpu": {"role": "target"}}}
    return document("reclaim-1-take-back") | {
        "title": "large",
        "steps": 2,
        "start": 0,
        "scales": {"cpu": 1000 * EACH},
        "index": {},
        "marks": [],
        "workloads": [],
        "timeline": None,
        "rows": [[1, "Cohort", []], [QUEUES, "ClusterQueue", [["default", "cpu"]]]],
        "chunks": {"0": {"first": 0, "key": key, "patches": [patch]}},
    }


def test_only_what_is_visible_of_a_large_tree_is_drawn(page: Page, tmp_path: Path) -> None:
    wrong = open_page(page, tmp_path, large())
    assert page.locator(".kl-item").count() < 60
    assert page.locator(".kl-chip").count() < 60 * EACH
    # A step scrolls to what it is about.
    page.keyboard.press("]")
    shows(page, 2)
    page.locator(".kl-chip.kl-role-target").wait_for()
    page.locator(".kl-item", has_text=f"team-{QUEUES - 1}").wait_for()
    assert page.locator(".kl-item").count() < 60
    # The search finds a queue, and the whole tree fits into the picture.
    page.get_by_role("searchbox").fill("team-777")
    page.wait_for_function("() => document.querySelectorAll('.kl-item').length === 2")
    page.get_by_role("searchbox").fill("")
    page.get_by_role("treeitem", name="Cohort all").focus()
    page.keyboard.press("End")
    focused = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focused).startswith(f"ClusterQueue team-{QUEUES - 1}")
    assert wrong == []


#: Counts what takes long, from before the page is read.
COUNTS = """
window.counted = {measured: 0};
const measure = CanvasRenderingContext2D.prototype.measureText;
CanvasRenderingContext2D.prototype.measureText = function (text) {
  counted.measured += 1;
  return measure.call(this, text);
};
"""


def test_the_first_picture_takes_no_work_that_is_not_seen(page: Page, tmp_path: Path) -> None:
    page.add_init_script(COUNTS)
    data = large()
    chunk = data["chunks"]["0"]
    rest = {str(number): chunk | {"first": 2 * number} for number in (1, 2)}
    data |= {"steps": 6, "chunk": 2, "chunks": {"0": chunk, **rest}}
    data["workloads"] = [f"default/job-0-{number}" for number in range(500)]
    wrong = open_page(page, tmp_path, data)
    # Neither the names of all queues are measured, nor are all workloads offered.
    assert page.evaluate("counted.measured") < QUEUES
    assert page.locator("datalist option").count() == 0
    assert page.locator("[role=tabpanel] > *").count() == 1
    # They are there once they are asked for, and so are the packed chunks.
    page.get_by_label("Follow", exact=True).focus()
    assert page.locator("datalist option").count() == 500
    page.get_by_role("tab", name="Queues").click()
    assert page.locator("[role=tabpanel] > *").count() == 2
    page.evaluate("location.hash = '#step=6'")
    shows(page, 6)
    assert wrong == []
