"""A run as one web page: it holds what was recorded, and nothing in it can be executed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fragments import unpacked

import kueuelab as kl
from kueuelab.errors import InputError, KueueLabError
from kueuelab.trace import Recorder, Trace
from kueuelab.trace.explain import why
from kueuelab.trace.step_text import step_text
from kueuelab.trace.steps import EventEmitted, WorkloadCreated
from kueuelab.views.merge_patch import apply_patch
from kueuelab.views.page import page

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
    document: Any = embedded(text)
    assert document["steps"] == len(run.trace)
    frames = [each for chunk in document["chunks"].values() for each in chunk["patches"]]
    assert len(frames) + len(document["chunks"]) == len(run.trace)
    assert not re.findall(r"""(?:src|href)\s*=\s*["']?https?:""", text)
    assert page(run.trace) == text


def test_a_page_holds_plotly_only_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kueuelab.views.page.plotly_source", lambda: "'</script><!--'")
    run = kl.scenarios.load("reclaim-1-take-back").run()
    assert "data-kueuelab-plotly>" not in page(run.trace)
    run.save(tmp_path / "run.html", inline_plotly=True)
    text = (tmp_path / "run.html").read_text("utf-8")
    assert r"data-kueuelab-plotly>'<\/script><\!--'</script>" in text
    monkeypatch.setattr("kueuelab.views.page.plotly_source", lambda: "")
    with pytest.raises(KueueLabError, match="plotly is not installed"):
        page(run.trace, inline_plotly=True)


def test_a_run_is_saved_as_a_page_by_its_name(tmp_path: Path) -> None:
    run = kl.scenarios.load("reclaim-1-take-back").run()
    run.save(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text("utf-8") == page(run.trace)


def test_the_page_says_why_each_workload_is_where_it_is() -> None:
    trace = kl.scenarios.load("reclaim-1-take-back").run().trace
    document: Any = embedded(page(trace))
    whys = unpacked(document["whys"])
    texts, of = whys["texts"], whys["of"]
    for workload in trace.workloads:
        for index in range(of[workload][0][0], len(trace), 9):
            _, (_, sections) = [each for each in of[workload] if each[0] <= index][-1]
            said = [texts[line[0]] for _, lines in sections for line in lines]
            assert said == [line.text for line in why(trace, workload, index).lines]


STORIES = [name for name in kl.scenarios.names() if re.match(r"(within|reclaim|borrow)-\d", name)]


def test_the_page_of_each_story_is_small() -> None:
    assert len(STORIES) == 13
    sizes = {name: len(page(kl.scenarios.load(name).run().trace).encode()) for name in STORIES}
    assert max(sizes.values()) <= 300_000, sizes


def test_of_several_clusters_every_step_says_where_it_happened(tmp_path: Path) -> None:
    run = kl.scenarios.load("lost-worker").run()
    run.save(tmp_path / "run.html")
    document: Any = embedded((tmp_path / "run.html").read_text("utf-8"))
    (chunk,) = document["chunks"].values()
    frame, found = chunk["key"], [chunk["key"]["cluster"]]
    for patch in chunk["patches"]:
        frame = apply_patch(frame, patch)
        found.append(frame["cluster"])
    assert found == [step.cluster for step in run.trace]


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
def test_a_page_steps_forwards_and_backwards(page: Page, tmp_path: Path) -> None:
    run = kl.scenarios.load("reclaim-1-take-back").run()
    run.save(tmp_path / "run.html")
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((tmp_path / "run.html").as_uri())
    place, said = page.locator(".kl-place"), page.locator(".kl-said")
    page.keyboard.press("End")
    place.get_by_text("Step 103 of 103").wait_for()
    shown = said.inner_text()
    page.keyboard.press("Home")
    place.get_by_text("Step 1 of 103").wait_for()
    page.keyboard.press("End")
    place.get_by_text("Step 103 of 103").wait_for()
    assert said.inner_text() == shown == step_text(run.trace[-1])
    assert wrong == []


@pytest.mark.browser
def test_names_are_shown_and_never_executed(page: Page, tmp_path: Path) -> None:
    from kueuelab.views.page import page as page_of

    (tmp_path / "evil.html").write_text(page_of(evil_trace()), "utf-8")
    page.goto((tmp_path / "evil.html").as_uri())
    page.keyboard.press("End")
    page.locator(".kl-place").get_by_text("Step 2 of 2").wait_for()
    assert EVIL in page.inner_text("body")
    assert page.title() == EVIL
