"""What is shown can be read: few rows are large, many bars are chosen from, words stay whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pages import box, document, missed_chips, open_page, shows
from waiting import open_tab, painted

import kueuelab as kl
from kueuelab.views import Document

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

FEW = "reclaim-1-take-back"
TEAMS = "abcdef"
FLAVORS = ("on-demand", "spot")
QUOTA = {"cpu": "8", "memory": "32Gi", "nvidia.com/gpu": "2"}
#: The sizes of the texts in the picture, in pixels.
TEXTS = """selector => [...document.querySelectorAll(selector)].filter(text => text.textContent)
    .map(text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"""
#: Words on more than one line, of those that are short enough for any column.
BROKEN = """place => [...document.querySelectorAll(`${place} td, ${place} th`)].flatMap(cell => {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) {
        const text = texts.currentNode;
        for (const word of text.data.matchAll(/[\\p{L}\\d]{2,13}/gu)) {
            const range = document.createRange();
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            const lines = new Set([...range.getClientRects()].map(each => Math.round(each.top)));
            if (lines.size > 1) found.push(word[0]);
        }
    }
    return found;
})"""


def crowded(folder: Path) -> dict[str, Any]:
    """Return the document of 6 queues with 2 flavors of 3 resources, all of it in use."""
    api = {"apiVersion": "kueue.x-k8s.io/v1beta2"}
    objects: list[dict[str, Any]] = [
        api | {"kind": "ResourceFlavor", "metadata": {"name": name}} for name in FLAVORS
    ]
    resources = [{"name": name, "nominalQuota": amount} for name, amount in QUOTA.items()]
    flavors = [{"name": name, "resources": resources} for name in FLAVORS]
    for team in TEAMS:
        name = f"team-{team}"
        spec = {
            "cohortName": "research",
            "namespaceSelector": {},
            "resourceGroups": [{"coveredResources": list(QUOTA), "flavors": flavors}],
        }
        queue = {"name": name, "namespace": "default"}
        objects += [
            api | {"kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec},
            api | {"kind": "LocalQueue", "metadata": queue, "spec": {"clusterQueue": name}},
        ]
    # The first jobs take one flavor, the second the other; the third are pending.
    timeline = [
        {
            "at": f"{at}s",
            "submit": {"job": f"{job}-{team}", "queue": f"team-{team}", "requests": QUOTA},
        }
        for at, job in enumerate(("job", "run", "new"))
        for team in TEAMS
    ]
    file = folder / "crowded.yaml"
    scenario = {"apiVersion": "kueuelab/v1", "kind": "Scenario", "metadata": {"name": "crowded"}}
    scenario["spec"] = {"manifests": objects, "timeline": timeline}
    file.write_text(json.dumps(scenario), "utf-8")
    return Document(kl.load(file).run()).as_data()


def texts(page: Page, selector: str) -> list[str]:
    """Return what is written there, without what is empty."""
    return [each for each in page.locator(selector).all_text_contents() if each]


def test_six_queues_with_two_flavors_of_three_resources(
    page: Page, tmp_path: Path, pictures: Path
) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    data = crowded(tmp_path)
    wrong = open_page(page, tmp_path, data, f"#step={data['steps']}")
    page.screenshot(path=pictures / "front-end-six-queues.png")
    # Each bar is named after its flavor and resource.
    lanes = {f"{flavor} · {resource}" for flavor in FLAVORS for resource in QUOTA}
    assert lanes <= set(texts(page, ".kl-lane .kl-name"))

    page.get_by_role("combobox", name="Resource").select_option("cpu")
    painted(page)
    assert set(texts(page, ".kl-lane .kl-name")) == {f"{flavor} · cpu" for flavor in FLAVORS}

    page.get_by_role("combobox", name="Flavor").select_option("spot")
    painted(page)
    assert page.get_by_role("treeitem").count() == 7 + len(TEAMS)
    page.screenshot(path=pictures / "front-end-six-queues-chosen.png")
    # One bar a queue, all visible, with the names of the queue and of the workload on it.
    for team in TEAMS:
        queue = page.get_by_role("treeitem", name=f"ClusterQueue team-{team}, 8 of 8 cpu")
        assert texts(page, f"[aria-label^='ClusterQueue team-{team},'] .kl-name") == [
            f"team-{team}"
        ]
        assert box(queue)[3] <= box(page.locator(".kl-stage"))[3]
    named = texts(page, ".kl-chip:not(.kl-pending) text")
    assert sorted(each[-5:] for each in named) == [f"run-{team}" for team in TEAMS]
    assert min(page.evaluate(TEXTS, ".kl-chip text, .kl-name")) >= 12
    assert missed_chips(page) == []

    page.get_by_role("combobox", name="Resource").select_option("")
    page.get_by_role("combobox", name="Flavor").select_option("")
    painted(page)
    assert lanes <= set(texts(page, ".kl-lane .kl-name"))
    assert wrong == []


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768)])
def test_few_rows_are_large_at_every_step(
    page: Page, tmp_path: Path, pictures: Path, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(reduced_motion="reduce")
    open_page(page, tmp_path, document(FEW), "#step=64")
    page.screenshot(path=pictures / f"front-end-few-rows-{width}.png")
    # Rows are taller, and texts keep their size.
    scale = (
        "(svg => [svg.getScreenCTM().a,"
        " svg.querySelector('.kl-bar .kl-hit')?.height.baseVal.value])"
        "(document.querySelector('.kl-svg'))"
    )
    size = page.evaluate(scale)
    assert size[0] == 1
    assert 28 < size[1] <= 1.7 * 28
    # Bars have more than half of the width.
    bars = page.locator(".kl-nominal").evaluate_all(
        "all => Math.max(...all.map(each => each.getBoundingClientRect().width))"
    )
    assert bars > page.locator(".kl-scroll").evaluate("each => each.clientWidth") * 0.45
    assert min(page.evaluate(TEXTS, ".kl-chip text, .kl-name")) >= 12
    assert missed_chips(page) == []
    # Nothing that fits in has to be scrolled to.
    assert page.evaluate(
        "(({scrollWidth, clientWidth, scrollHeight, clientHeight}) => scrollWidth <= clientWidth"
        " && scrollHeight <= clientHeight)(document.querySelector('.kl-scroll'))"
    )
    for key, step in (("Home", 1), ("End", 103)):
        page.keyboard.press(key)
        shows(page, step)
        # At the first step there is no row yet.
        assert page.evaluate(scale) == ([1, None] if step == 1 else size)
    # What is under the pointer stays there while one zooms.
    bar = page.locator(".kl-nominal").nth(1)
    _, top, right, bottom = box(bar)
    page.mouse.move(right, (top + bottom) / 2)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    page.wait_for_function("() => document.querySelector('.kl-scroll').scrollLeft > 0")
    painted(page)
    assert box(bar)[2] == pytest.approx(right, abs=2)


def test_many_rows_have_their_usual_size(page: Page, tmp_path: Path) -> None:
    data = crowded(tmp_path)
    open_page(page, tmp_path, data, f"#step={data['steps']}")
    assert page.evaluate("document.querySelector('.kl-svg').getScreenCTM().a") == 1


@pytest.mark.parametrize("width", [1440, 1024])
def test_words_in_the_table_of_a_queue_stay_whole(
    page: Page, tmp_path: Path, pictures: Path, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 768})
    open_page(page, tmp_path, document(FEW), "#step=103")
    # JupyterLab gives all columns of a table the same width.
    page.locator("head").evaluate(
        "head => { head.append(Object.assign(document.createElement('style'),"
        " {textContent: ':where(.kl-body) table { table-layout: fixed }'})); }"
    )
    open_tab(page, page.locator(".kl-tabs"), "Queues")
    page.locator(".kl-queues td", has_text="insufficient").first.wait_for()
    page.screenshot(path=pictures / f"front-end-queues-{width}.png")
    assert page.evaluate(BROKEN, ".kl-queues") == []
