"""Several clusters, lifecycles, queues, timelines and comparisons on saved pages: no kernel."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from pages import document, open_page, shows, step_of, violations
from waiting import painted

import kueuelab.multikueue as mk
from kueuelab import frontend, scenarios
from kueuelab.views.frame.comparison import ComparisonDocument
from kueuelab.views.frame.document import Document
from kueuelab.views.frame.multikueue_document import MultiKueueDocument, SequenceDocument

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

SIZES = ((1440, 900), (1024, 768), (480, 900))


@cache
def run_of(name: str) -> mk.ClusterSetRun:
    return mk.load(name).run()


@cache
def board(name: str) -> dict[str, Any]:
    """Return the document of a MultiKueue board."""
    return MultiKueueDocument(run_of(name)).as_data()


@cache
def comparison() -> dict[str, Any]:
    """Return the document of two runs of one scenario, of which one has more quota."""
    before = scenarios.load("reclaim-3-late-after-finish").run()
    groups = [
        {
            "coveredResources": ["cpu"],
            "flavors": [
                {"name": "default", "resources": [{"name": "cpu", "nominalQuota": "700m"}]}
            ],
        }
    ]
    edited = before.fork(0).edit("ClusterQueue/team-a", {"spec.resourceGroups": groups})
    after = edited.run()
    words = Document(before).run_index.words.catalog
    return ComparisonDocument(after.diff(before), before.trace, after.trace, words).as_data()


def lane(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=f"cluster {name}")


def overflows(page: Page) -> list[str]:
    """Return what sticks out of its lane to the right."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll('.kl-lane')].flatMap(lane => {
            const edge = lane.getBoundingClientRect().right + 1;
            return [...lane.querySelectorAll('*')]
                .filter(node => node.getBoundingClientRect().right > edge)
                .map(node => node.textContent);
        })"""
    )
    return found


def test_the_board_is_stepped_by_rounds_and_decisions(page: Page, tmp_path: Path) -> None:
    page.context.set_offline(offline=True)
    wrong = open_page(page, tmp_path, board("rounds-step-by-step"))
    moves = board("rounds-step-by-step")["index"]["moves"]
    step_by = page.get_by_label("Step by")
    assert step_by.evaluate("node => [...node.options].map(each => each.value)") == [
        *moves,
        "step",
    ]
    page.keyboard.press("Home")
    step_by.select_option("round")
    following = page.get_by_role("button", name="Next", exact=True)
    place, table = -1, page.locator(".kl-jobs")
    for number, delta in enumerate(moves["round"], 1):
        place = delta if place < 0 else place + delta
        following.click()
        shows(page, place + 1)
        assert f"nomination {number}" in table.inner_text()
    assert "round 3 at 10m0.1s: w3" in table.inner_text()
    # Backwards the same is shown, to the letter.
    page.keyboard.press("Home")
    start = page.locator(".kl-clusters").first.inner_text()
    page.keyboard.press("End")
    page.keyboard.press("Home")
    shows(page, 1)
    assert page.locator(".kl-clusters").first.inner_text() == start
    assert wrong == []


def test_every_step_of_the_browser_is_the_frame_of_python(page: Page, tmp_path: Path) -> None:
    run = run_of("lost-worker")
    open_page(page, tmp_path, board("lost-worker"), "#step=1")
    frames = MultiKueueDocument(run)
    for index in range(0, len(run.trace), 9):
        page.get_by_role("slider", name="Step").fill(str(index))
        shows(page, index + 1)
        frame = frames.frame(index)
        drawn = page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll('.kl-lane')].map(lane => [
                lane.querySelector('strong').textContent,
                [...lane.querySelectorAll('.kl-lane-chip')].map(chip => chip.textContent)]))"""
        )
        assert {name: len(each) for name, each in drawn.items()} == {
            name: len(each["chips"]) for name, each in frame["lanes"].items()
        }
        for name, each in frame["lanes"].items():
            for chip in each["chips"].values():
                assert any(text.endswith(chip["text"]) for text in drawn[name]), (index, name)


def test_the_clock_goes_on_between_steps(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, board("rounds-step-by-step"), "#step=1")
    page.get_by_label("Step by").select_option("round")
    page.get_by_role("button", name="Next", exact=True).click()
    row = page.locator(".kl-jobs tbody tr")
    row.get_by_text("0s of 5m0s; the round ends at 5m0.1s").wait_for()
    before = step_of(page)
    for _ in range(4):
        page.get_by_role("button", name="+ 1 min").click()
    page.get_by_text("The clock shows 4m0.1s.", exact=True).wait_for()
    row.get_by_text("3m59.9s of 5m0s").or_(row.get_by_text("4m0s of 5m0s")).wait_for()
    page.get_by_role("button", name="+ 1 s", exact=True).click()
    page.get_by_text("The clock shows 4m1.1s.", exact=True).wait_for()
    for _ in range(2):
        page.get_by_role("button", name="+ 1 min").click()
    page.get_by_text("round 2 at 5m0.1s: w2").wait_for()
    assert step_of(page) > before
    page.get_by_role("button", name="− 1 min").click()
    page.get_by_text("The clock shows 5m1.1s.", exact=True).wait_for()
    # A step sets the clock.
    page.keyboard.press("]")
    page.get_by_text("the time of this step").wait_for()


def test_a_copy_is_selected_with_its_job_and_says_why(page: Page, tmp_path: Path) -> None:
    wrong = open_page(page, tmp_path, board("lost-worker"), "#step=75")
    lane(page, "w1").get_by_role("button", name="train").first.click()
    page.get_by_text("Why train is where it is").wait_for()
    placement = MultiKueueDocument(run_of("lost-worker")).placement(74, "default/train")
    for cluster, sentence in placement.values():
        said = page.locator(".kl-clusters-why div", has_text=cluster).first.inner_text()
        assert sentence in page.locator(".kl-clusters-why").inner_text(), said
    assert page.locator(".kl-picked").count() >= 2
    assert page.locator(".kl-jobs tr.kl-selected").count() == 1
    # The lifecycle of the job follows the steps, and leads to them.
    page.get_by_role("tab", name="Lifecycle").click()
    life = page.locator(".kl-sequence-svg")
    life.get_by_role("button", name="w1: quota reserved").first.click()
    now = page.locator(".kl-message-now")
    assert "quota reserved" in (now.get_attribute("aria-label") or "")
    assert "w1" in page.locator(".kl-at").inner_text()
    page.keyboard.press("End")
    shows(page, board("lost-worker")["steps"])
    assert page.locator(".kl-message-later").count() == 0
    assert wrong == []


def test_a_fault_says_that_no_kernel_is_there(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, board("lost-worker"))
    lane(page, "w1").get_by_role("button", name="disconnect").click()
    page.get_by_role("alert").get_by_text("no kernel is connected").wait_for()


@pytest.mark.parametrize("name", ["lost-worker", "regions-first-capacity"])
def test_lanes_fit_and_are_accessible(
    page: Page, tmp_path: Path, pictures: Path, name: str
) -> None:
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            open_page(page, tmp_path, board(name), "#step=75")
            lane(page, "manager").get_by_role("button", name="train").first.click()
            painted(page)
            assert not overflows(page)
            # What is wider scrolls in its own place.
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            page.screenshot(path=pictures / f"clusters-{name}-{width}-{theme}.png")
        assert violations(page) == []


def test_hostile_names_are_text(page: Page, tmp_path: Path) -> None:
    evil = "<img src=x onerror=\"document.title='hacked'\">"
    text = json.dumps(board("lost-worker"))
    wrong = open_page(
        page, tmp_path, json.loads(text.replace("w1", json.dumps(evil)[1:-1])), "#step=75"
    )
    page.get_by_role("tab", name="Lifecycle").click()
    lane(page, "manager").get_by_role("button", name="train").first.click()
    painted(page)
    assert page.locator(".kl-lanes img, .kl-sequence img").count() == 0
    assert page.title() != "hacked"
    assert wrong == []


def test_the_sequence_diagram_is_stepped(page: Page, tmp_path: Path) -> None:
    data = SequenceDocument(run_of("lost-worker"), "train").as_data()
    wrong = open_page(page, tmp_path, data)
    messages = data["sequences"]["default/train"]["messages"]
    assert page.locator(".kl-message").count() == len(messages)
    page.locator(".kl-message").nth(8).click()
    shows(page, messages[8]["step"] + 1)
    page.locator(".kl-message").nth(3).focus()
    page.keyboard.press("Enter")
    shows(page, messages[3]["step"] + 1)
    assert page.locator(".kl-message-later").count() == len(messages) - 4
    assert violations(page) == []
    assert wrong == []


def test_the_timeline_follows_the_steps_and_leads_to_them(page: Page, tmp_path: Path) -> None:
    data = Document(scenarios.load("reclaim-3-late-after-finish").run(), "lab").as_data()
    wrong = open_page(page, tmp_path, data)
    page.get_by_role("tab", name="Timeline").click()
    line = page.locator(".kl-timeline-now")
    page.locator(".kl-timeline-phase").first.wait_for()
    assert page.locator(".kl-timeline-phase").count() == len(data["timeline"]["phases"])

    def x() -> float:
        return float(line.get_attribute("transform").split("(")[1].split()[0])  # type: ignore[union-attr]

    places = []
    for end, step in (("First", 1), ("Last", data["steps"])):
        page.get_by_role("button", name=f"{end} step").click()
        shows(page, step)
        places.append(x())
    assert places[0] == 0
    assert places[1] > 100
    evicted = (each for each in data["timeline"]["phases"] if each[1] == "Evicted")
    row, _, _, _, step = next(evicted)
    phase = page.locator(f".kl-timeline-phase[data-step='{step}']").first
    phase.dispatch_event("click")
    shows(page, step + 1)
    name = data["timeline"]["workloads"][row].partition("/")[2]
    page.get_by_role("button", name=f"◆ {name}", pressed=True).wait_for()
    assert wrong == []


def test_a_chart_over_time_is_drawn_without_plotly(page: Page, tmp_path: Path) -> None:
    data = Document(scenarios.load("reclaim-3-late-after-finish").run(), "timeline").as_data()
    open_page(page, tmp_path, data)
    chart = page.locator(".kl-chart")
    chart.scroll_into_view_if_needed()
    page.locator(".kl-chart[data-state='lines']").wait_for()
    names = data["charts"][0]["columns"][1:]
    assert chart.locator(".kl-lines-legend li span").all_inner_texts() == names
    assert chart.locator("svg.kl-lines > path.kl-series").count() == len(names)
    chart.get_by_text("As table").click()
    assert chart.locator("tbody tr").count() == len(data["charts"][0]["rows"])
    assert violations(page) == []


def test_pages_with_charts_have_plotly_once_where_it_is_held(page: Page, tmp_path: Path) -> None:
    pytest.importorskip("plotly", reason="plotly is not installed")
    open_page(page, tmp_path, document("reclaim-1-take-back"))
    views = [frontend.page(comparison()), frontend.page(_timeline())]
    held = f"<script type='text/plain' data-kueuelab-plotly>{_plotly()}</script>"
    for text in views:
        file = tmp_path / "charts.html"
        file.write_text(text.replace("<main", f"{held}<main", 1), "utf-8")
        page.goto(file.as_uri())
        page.locator(".kl-chart[data-state='drawn']").first.wait_for()
        for chart in page.locator(".kl-chart").all():
            chart.scroll_into_view_if_needed()
        page.wait_for_function(
            "() => [...document.querySelectorAll('.kl-chart')]"
            ".every(each => each.dataset.state === 'drawn')"
        )
        lines = page.locator(".kl-chart .scatterlayer .trace")
        assert lines.count() >= 3
        # Axes without data would go from −1 to 4 or 6.
        assert page.locator(".kl-chart .js-line").first.get_attribute("d")


def _plotly() -> str:
    from kueuelab.views.frame.answers import answer

    run = scenarios.load("reclaim-1-take-back").run()
    source = str(answer(Document(run), {"ask": "plotly"})["source"])
    return source.replace("</script", "<\\/script")


def _timeline() -> dict[str, Any]:
    return Document(scenarios.load("reclaim-3-late-after-finish").run(), "timeline").as_data()


def test_two_runs_are_stepped_side_by_side(page: Page, tmp_path: Path, pictures: Path) -> None:
    wrong = open_page(page, tmp_path, comparison())
    assert page.locator(".kl-view").count() == 2
    before, after = (page.locator(".kl-view").nth(place) for place in (0, 1))
    starts = [comparison()["sides"][side]["start"] for side in ("before", "after")]
    assert [int(each.get_attribute("data-step") or -1) for each in (before, after)] == starts
    after.get_by_role("button", name="Next", exact=True).click()
    page.wait_for_function(
        "([view, step]) => Number(view.dataset.step) > step",
        arg=[after.element_handle(), starts[1]],
    )
    assert int(before.get_attribute("data-step") or -1) == starts[0]
    assert (
        "The first decision that differs is number 3."
        in page.locator(".kl-comparison").inner_text()
    )
    page.screenshot(path=pictures / "comparison.png", full_page=True)
    assert violations(page) == []
    assert wrong == []


def test_queues_show_the_order_of_the_scheduler(page: Page, tmp_path: Path) -> None:
    run = scenarios.load("reclaim-3-late-after-finish").run()
    queues = run.cluster.queues
    open_page(page, tmp_path, Document(run, "queues").as_data(), f"#step={len(run.trace)}")
    shows(page, len(run.trace))
    pending = 0
    for name in run.trace.state_at(len(run.trace) - 1).names("ClusterQueue"):
        section = page.get_by_role("region", name=name, exact=True)
        shown = [cells.split("\t")[1] for cells in section.locator("tbody tr").all_inner_texts()]
        expected = [*queues.pending_active(name), *queues.inadmissible(name)]
        assert shown == [key.partition("/")[2] for key in expected]
        pending += len(expected)
    assert pending
    assert "300m more needed" in page.locator(".kl-queues").inner_text()
