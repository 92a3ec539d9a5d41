"""A run as one web page: it holds what was recorded, and nothing in it can be executed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import kueuelab as kl
from kueuelab.errors import InputError
from kueuelab.trace import Recorder, Trace
from kueuelab.trace.page import page
from kueuelab.trace.steps import EventEmitted, WorkloadCreated

if TYPE_CHECKING:
    from playwright.sync_api import Page

EVIL = "</script><script>document.title='caught'</script><img src=x onerror=alert(1)>"


def embedded(text: str) -> dict[str, object]:
    match = re.search(r'<script type="application/json" id="run">(.*?)</script>', text, re.DOTALL)
    assert match is not None
    found: dict[str, object] = json.loads(match[1])
    return found


def evil_trace() -> Trace:
    recorder = Recorder()
    queue = {"metadata": {"name": EVIL}, "spec": {"cohortName": EVIL}}
    recorder.change(("objects", f"ClusterQueue/{EVIL}"), queue)
    recorder.change(("workloads", f"default/{EVIL}", "phase"), EVIL)
    recorder.record(WorkloadCreated(EVIL, 1), f"default/{EVIL}", EVIL)
    recorder.record(EventEmitted("Normal", EVIL, EVIL), f"default/{EVIL}")
    return Trace.of(recorder, EVIL, EVIL)


def test_the_page_holds_every_step_and_names_no_other_place() -> None:
    run = kl.scenarios.load("reclaim-1-take-back").run()
    text = page(run.trace)
    steps = embedded(text)["steps"]
    assert isinstance(steps, list)
    assert len(steps) == len(run.trace)
    assert not re.findall(r"""(?:src|href)\s*=|https?://""", text.split("__RUN__")[0])
    assert page(run.trace) == text


def test_a_run_is_saved_as_a_page_by_its_name(tmp_path: Path) -> None:
    run = kl.scenarios.load("reclaim-1-take-back").run()
    run.save(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text("utf-8") == page(run.trace)


def test_of_several_clusters_every_step_says_where_it_happened(tmp_path: Path) -> None:
    run = kl.scenarios.load("lost-worker").run()
    run.save(tmp_path / "run.html")
    document = embedded((tmp_path / "run.html").read_text("utf-8"))
    assert document["clusters"] == ["manager", "w1", "w2"]
    steps = document["steps"]
    assert isinstance(steps, list)
    assert len(steps) == len(run.trace)
    own = run.traces["w1"].steps
    there = [step for step in steps if step["cluster"] == "w1"]
    assert [step["cycle"] for step in there] == [step.cycle for step in own]
    told = {name for step in there for name in step["about"]}
    assert told == {"default/train"}


def test_what_was_not_recorded_is_not_saved(tmp_path: Path) -> None:
    run = kl.scenarios.load("lost-worker").run(record=False)
    with pytest.raises(InputError, match="this run was not recorded"):
        run.save(tmp_path / "run.html")
    assert not (tmp_path / "run.html").exists()


def test_names_cannot_end_the_data() -> None:
    text = page(evil_trace())
    assert embedded(text)["title"] == EVIL
    assert text.count("</script>") == 2


@pytest.mark.browser
def test_a_page_of_several_clusters_has_the_queues_of_each(page: Page, tmp_path: Path) -> None:
    run = kl.scenarios.load("lost-worker").run()
    run.save(tmp_path / "run.html")
    own = (
        step
        for step in run.trace.steps
        if step.workload == "default/train" and step.cluster == "w2"
    )
    reserved = next(step.index for step in own if step.kind == "QuotaReserved")
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((tmp_path / "run.html").as_uri())
    page.keyboard.press("End")
    assert page.locator("#tree h3").all_inner_texts() == [
        "Cluster manager",
        "Cluster w1",
        "Cluster w2",
    ]
    assert page.locator("#tree strong").count() == 3
    page.locator("#slider").evaluate(
        "(slider, at) => { slider.value = at; slider.oninput({target: slider}); }", reserved
    )
    page.get_by_role("button", name="w2:default/train", exact=True).click()
    assert page.inner_text("#chosen") == "Workload w2:default/train"
    assert "QuotaReserved" in page.inner_text("#workload")
    assert page.locator("#why li").count() > 1
    page.keyboard.press("Home")
    assert "in manager" in page.inner_text("#place")
    assert wrong == []


@pytest.mark.browser
def test_a_page_steps_forwards_and_backwards(page: Page, tmp_path: Path) -> None:
    kl.scenarios.load("reclaim-1-take-back").run().save(tmp_path / "run.html")
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((tmp_path / "run.html").as_uri())
    page.keyboard.press("p")
    assert "default/job-1 is preempted by default/job-2" in page.inner_text("#sentence")
    assert "borrows 300m" in page.inner_text("#tree")
    place = page.inner_text("#place")
    shown = page.inner_text("#tree")
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    assert (page.inner_text("#place"), page.inner_text("#tree")) == (place, shown)
    page.keyboard.press("End")
    assert page.inner_text("#place").startswith("Step 103 of 103")
    assert wrong == []


@pytest.mark.browser
def test_a_page_says_why_without_a_network(page: Page, tmp_path: Path) -> None:
    kl.scenarios.load("reclaim-1-take-back").run().save(tmp_path / "run.html")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.context.set_offline(offline=True)
    page.goto((tmp_path / "run.html").as_uri())
    page.keyboard.press("p")
    page.locator(".chip", has_text="job-0").click()
    told = page.inner_text("#why")
    rule = "may not be preempted: withinClusterQueue of cluster-queue is Never"
    assert f"default/job-0 in cluster-queue {rule}" in told
    page.locator("#why button", has_text=rule).first.click()
    assert rule in page.inner_text("#sentence")
    assert page.locator("#why li.here").count() == 1
    assert asked == [(tmp_path / "run.html").as_uri()]


@pytest.mark.browser
def test_names_are_shown_and_never_executed(page: Page, tmp_path: Path) -> None:
    from kueuelab.trace.page import page as page_of

    (tmp_path / "evil.html").write_text(page_of(evil_trace()), "utf-8")
    page.goto((tmp_path / "evil.html").as_uri())
    page.keyboard.press("End")
    assert EVIL in page.inner_text("#tree")
    assert page.title() == EVIL
