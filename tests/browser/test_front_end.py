"""The front end on a saved page: stepping, keys, clicks, places of panels, screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pages import box, document, missed_chips, open_page, shows, step_of, violations
from waiting import painted

from kueuelab import scenarios

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

NAME = "reclaim-1-take-back"
SENTENCE = ".kl-said"
SIZES = ((1440, 900), (1024, 768))
PANELS = (".kl-sentence", ".kl-controls", ".kl-picture", ".kl-tabs")


def test_a_page_from_a_file_steps_and_asks_for_nothing(page: Page, tmp_path: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.context.set_offline(offline=True)
    wrong = open_page(page, tmp_path, document(NAME))
    assert page.title() == "Reclaiming what another queue borrowed"
    assert step_of(page) == document(NAME)["start"] + 1

    # By decision; by every step; to the ends; back to the same.
    page.keyboard.press("p")
    page.get_by_text("default/job-1 is preempted by default/job-2").wait_for()
    preemption = step_of(page)
    labels = page.locator(".kl-svg .kl-labels").inner_html()
    for key, step in (("]", 1), ("]", 2), ("[", 1), ("[", 0)):
        page.keyboard.press(key)
        shows(page, preemption + step)
    assert page.locator(".kl-tabs").inner_text().count("target, InCohortReclamation") == 1
    assert page.locator(".kl-svg .kl-labels").inner_html() == labels
    page.keyboard.press("End")
    shows(page, 103)
    assert page.get_by_role("button", name="Next").get_attribute("aria-disabled") == "true"
    page.keyboard.press("Home")
    shows(page, 1)
    moves = document(NAME)["index"]["moves"]["decision"]
    page.keyboard.press("ArrowRight")
    shows(page, moves[0] + 1)
    page.keyboard.press("ArrowRight")
    shows(page, moves[0] + moves[1] + 1)
    page.keyboard.press("ArrowLeft")
    shows(page, moves[0] + 1)
    # The address names the step; the slider and a field go to others.
    page.wait_for_function("step => location.hash === `#step=${step}`", arg=moves[0] + 1)
    page.get_by_role("slider", name="Step").fill("50")
    shows(page, 51)
    field = page.get_by_role("textbox", name="Go to")
    for wish, step in (("58", 58), ("c 2", 25), ("4s", 24), ("1m", 38)):
        field.fill(wish)
        field.press("Enter")
        shows(page, step)
    field.fill("someday")
    field.press("Enter")
    assert field.get_attribute("aria-invalid") == "true"
    assert wrong == []
    assert asked == [page.url.partition("#")[0]]


def test_a_new_address_is_followed_though_it_is_written_meanwhile(
    page: Page, tmp_path: Path
) -> None:
    wrong = open_page(page, tmp_path, document(NAME))
    # As the address of a step is written late, between the change and its event.
    page.evaluate("location.hash = '#step=58'; history.replaceState(null, '', '#step=1')")
    shows(page, 58)
    page.wait_for_function("() => location.hash === '#step=58'")
    assert wrong == []


def test_a_chip_is_hit_where_it_is_drawn(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, document("hierarchy-2-fair-departments"), "#step=607")
    assert missed_chips(page) == []
    chip = page.locator(".kl-chip", has_text="search-12")
    chip.hover()
    page.get_by_role("tooltip").get_by_text("default/search-12").wait_for()
    chip.click()
    page.get_by_role("tab", name="Selected").click()
    details = page.get_by_role("tabpanel", name="Selected")
    details.get_by_text("Workload default/search-12").wait_for()
    assert page.get_by_role("combobox", name="Follow").input_value() == "default/search-12"
    # It says why without a kernel, and leads to where it is said.
    details.get_by_role("button", name="step 594").click()
    shows(page, 594)
    # A second click takes the selection away; a bar selects its queue, with its numbers.
    page.locator(".kl-chip.kl-chosen").first.click()
    page.locator(".kl-chip.kl-chosen").wait_for(state="detached")
    page.locator(".kl-bar").nth(4).click(position={"x": 250, "y": 8})
    details.get_by_text("ClusterQueue").first.wait_for()
    details.get_by_text("default/cpu · used").wait_for()


def test_a_queue_tells_its_numbers_at_the_pointer_and_beside_the_picture(
    page: Page, tmp_path: Path
) -> None:
    open_page(page, tmp_path, document(NAME), "#step=48")
    row = page.get_by_role("treeitem", name="ClusterQueue team-a").first
    row.hover()
    tooltip = page.get_by_role("tooltip")
    tooltip.get_by_text("ClusterQueue team-a").wait_for()
    assert "default/cpu" in tooltip.inner_text()
    assert "500m" in tooltip.inner_text()
    row.click()
    page.get_by_role("tab", name="Selected").click()
    panel = page.get_by_role("tabpanel", name="Selected")
    panel.get_by_role("heading", name="ClusterQueue team-a").wait_for()
    told = panel.inner_text()
    for each in ("reclaimWithinCohort", "BestEffortFIFO", "500m"):
        assert each in told


#: Points at each chip and name; returns what the tooltip covers: its row, or a row of a table.
COVERED = """
() => {
  const tooltip = document.querySelector('.kl-tooltip');
  const rows = [...document.querySelectorAll('.kl-candidates tr')];
  const covers = (one, other) => one.left < other.right && other.left < one.right
    && one.top < other.bottom && other.top < one.bottom;
  const found = [];
  for (const each of document.querySelectorAll('.kl-chip, .kl-item, .kl-bar .kl-hit')) {
    const {left, right, top, bottom} = each.getBoundingClientRect();
    const [clientX, clientY] = [right - 4, (top + bottom) / 2];
    each.dispatchEvent(new PointerEvent('pointermove', {clientX, clientY, bubbles: true}));
    const box = tooltip.getBoundingClientRect();
    if (tooltip.hidden) found.push(`nothing at ${each.outerHTML}`);
    const own = {left: clientX, right: clientX + 1, top, bottom};
    if (covers(box, own)) found.push(tooltip.textContent);
    for (const row of rows)
      if (covers(box, row.getBoundingClientRect())) found.push(row.textContent);
  }
  return found;
}
"""


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (980, 700), (1024, 768)])
def test_a_tooltip_covers_neither_its_row_nor_a_table(
    page: Page, tmp_path: Path, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    open_page(page, tmp_path, document(NAME), "#step=64")
    assert page.locator(".kl-candidates tr").count() > 1
    assert page.evaluate(COVERED) == []


def test_the_picture_by_keyboard(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, document(NAME), "#step=64")
    tree = page.get_by_role("tree")
    # The tree is one tab stop.
    assert tree.locator("[tabindex='0']").count() == 1
    tree.locator("[tabindex='0']").focus()

    def focused() -> str:
        found: str = page.evaluate("document.activeElement.getAttribute('aria-label')")
        return found

    assert focused().startswith("Cohort department, 700m of 700m cpu")
    page.keyboard.press("ArrowDown")
    assert focused().startswith("ClusterQueue team-a, 200m of 500m cpu")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "() => document.activeElement.getAttribute('aria-label').includes('job-0')"
    )
    assert "excluded" in focused()
    page.keyboard.press("Enter")
    page.locator(".kl-chip.kl-chosen").wait_for()
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    page.keyboard.press("Escape")
    assert focused().startswith("ClusterQueue team-a")
    page.keyboard.press("ArrowLeft")
    page.locator("[role=treeitem][aria-expanded='false']").wait_for()
    assert page.get_by_role("treeitem").count() == 4
    page.keyboard.press("ArrowRight")
    page.locator("[role=treeitem]").nth(4).wait_for()
    page.keyboard.press("End")
    assert focused().startswith("LocalQueue default/team-b-jobs")
    # The focus is visible.
    stroke = page.evaluate(
        "getComputedStyle(document.activeElement.querySelector('.kl-row')).stroke !== 'none'"
    )
    assert stroke
    # The step is the same: arrows move in the tree.
    assert step_of(page) == 64


def test_tabs_help_and_tables_by_keyboard(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, document(NAME), "#step=64")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    dialog.get_by_text("to the next preemption").wait_for()
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    tab = page.get_by_role("tab", name="Decision")
    tab.focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("tab", name="Selected", selected=True).wait_for()
    assert step_of(page) == 64
    page.keyboard.press("t")
    table = page.get_by_role("region", name="Quota and its use, with the workloads")
    row = table.get_by_role("row", name="ClusterQueue team-b")
    assert "borrows 300m" in row.inner_text()
    assert "default/job-1" in row.inner_text()
    page.keyboard.press("]")
    shows(page, 65)
    page.keyboard.press("t")
    page.locator(".kl-svg").wait_for()


def test_it_stops_where_it_was_asked_to(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, document(NAME))
    page.get_by_label("Stop at").select_option("preempting")
    page.get_by_role("button", name="Run on ▶").click()
    shows(page, 62)
    page.get_by_role("button", name="Breakpoints …").click()
    page.get_by_label("Stop at").select_option("")
    page.get_by_label("Message").fill("insufficient (")
    page.get_by_text("is not a regular expression").wait_for()
    page.get_by_label("Message").fill("it lacks 200m")
    page.get_by_label("Queue", exact=True).select_option("team-b")
    stops = page.get_by_text("Stops where: queue team-b and message it lacks 200m")
    stops.wait_for()
    page.get_by_role("button", name="+ Add").click()
    page.get_by_label("Stop at").select_option("preempted")
    page.get_by_text("event preempted or queue team-b and message").wait_for()
    page.get_by_role("button", name="Run on ▶").click()
    shows(page, 64)
    page.get_by_role("button", name="Run on ▶").click()
    page.locator(SENTENCE, has_text="it lacks 200m").wait_for()
    assert step_of(page) > 64
    # Playing stops there, too.
    page.get_by_label("Stop at").select_option("")
    page.get_by_label("Speed").select_option("fastest")
    page.get_by_role("button", name="First step").click()
    shows(page, 1)
    page.get_by_label("Step by").select_option("step")
    page.get_by_role("button", name="Play").click()
    page.locator(SENTENCE, has_text="it lacks 200m").wait_for()
    page.get_by_role("button", name="Play").wait_for()


# The last one is 1024×768 at 200 %.
@pytest.mark.parametrize("size", [*SIZES, (512, 384)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    page: Page, tmp_path: Path, pictures: Path, size: tuple[int, int], scheme: str
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    open_page(page, tmp_path, document(NAME), "#step=48")
    page.screenshot(path=pictures / f"front-end-{size[0]}-{scheme}.png")
    assert violations(page) == []
    page.locator(".kl-chip", has_text="job-1").first.click()
    page.get_by_role("tab", name="Selected").click()
    if size[0] > 1100:
        page.get_by_role("button", name="Breakpoints …").click()
    page.screenshot(path=pictures / f"front-end-selected-{size[0]}-{scheme}.png")
    assert violations(page) == []
    page.keyboard.press("t")
    assert violations(page) == []


def test_high_contrast(page: Page, tmp_path: Path, pictures: Path) -> None:
    page.emulate_media(forced_colors="active")
    open_page(page, tmp_path, document(NAME), "#step=48")
    page.locator(".kl-chip", has_text="job-1").first.click()
    page.screenshot(path=pictures / "front-end-high-contrast.png")
    assert violations(page) == []


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768), (720, 450), (512, 384)])
def test_sentence_picture_and_controls_are_visible_together(
    page: Page, tmp_path: Path, pictures: Path, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    open_page(page, tmp_path, document(NAME), "#step=64")
    page.screenshot(path=pictures / f"front-end-{width}x{height}.png")
    for name in (".kl-sentence", ".kl-line", ".kl-svg"):
        left, top, right, bottom = box(page.locator(name))
        assert left >= 0, name
        assert top >= 0, name
        assert right <= width + 1, name
        assert bottom <= height + 1, name
    # The picture has rows in it, and nothing is wider than the page.
    assert page.locator(".kl-item").count() == 5
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_nothing_jumps_and_the_sentence_is_announced(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, document(NAME))
    page.keyboard.press("Home")
    shows(page, 1)
    places = [box(page.locator(name)) for name in PANELS]
    assert page.locator("[aria-live=polite]").count() == 1
    for step in range(2, 104):
        page.keyboard.press("]")
        page.locator(f".kl-view[data-step='{step - 1}']").wait_for()
        assert [box(page.locator(name)) for name in PANELS] == places, step


def test_a_chip_slides_only_where_motion_is_wanted(page: Page, tmp_path: Path) -> None:
    for motion, moves in (("no-preference", True), ("reduce", False)):
        page.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
        open_page(page, tmp_path, document(NAME), "#step=1")
        page.evaluate(
            """() => { window.slid = 0; const real = Element.prototype.animate;
            Element.prototype.animate = function (...given) {
                window.slid += 1; return real.apply(this, given); };
            // Nothing slides in steps that follow each other fast: these are a second apart.
            let now = 0; performance.now = () => (now += 1000); }"""
        )
        for step in range(2, 30):
            page.keyboard.press("]")
            shows(page, step)
        assert (page.evaluate("window.slid") > 0) == moves


def test_views_with_one_board_move_together(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, document(NAME))
    page.evaluate(
        """() => {
            const data = JSON.parse(document.getElementById('run').textContent);
            for (const [id, view] of [['one', 'lab'], ['two', 'cohorts'], ['three', 'decision']]) {
                const place = document.body.appendChild(document.createElement('div'));
                place.id = id;
                void new View(place, {...data, view}, {board: 'shared', step: 20}).start();
            }
        }"""
    )
    first = page.locator("#one")
    first.get_by_role("button", name="Next").click()
    step = int(first.locator(".kl-view").get_attribute("data-step") or 0)
    for name in ("two", "three"):
        page.locator(f"#{name} .kl-view[data-step='{step}']").wait_for()
    page.locator("#two .kl-chip").first.click()
    first.locator(".kl-chip.kl-chosen").wait_for()


def test_search_collapse_zoom_and_fit(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, document("hierarchy-2-fair-departments"), "#step=607")
    rows = page.get_by_role("treeitem")
    count = rows.count()
    page.keyboard.press("/")
    page.keyboard.type("vision")
    page.wait_for_function("() => document.querySelectorAll('[role=treeitem]').length === 4")
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="Collapse all").click()
    assert rows.count() == 1
    page.get_by_role("button", name="Expand all").click()
    assert rows.count() == count
    width = box(page.locator(".kl-nominal").first)[2]
    page.get_by_role("button", name="Zoom in").click()
    painted(page)
    assert box(page.locator(".kl-nominal").first)[2] > width
    page.get_by_role("button", name="Fit").click()
    painted(page)
    assert box(page.locator(".kl-nominal").first)[2] == pytest.approx(width, abs=1)


def test_the_picture_is_saved_as_svg_png_and_text(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, document(NAME), "#step=64")
    summary = page.locator(".kl-menu summary")
    for name, ending, begins in (
        ("Save the picture as SVG", "svg", b"<svg "),
        ("Save the picture as PNG", "png", b"\x89PNG"),
        ("Save this step as text", "txt", b"Step 64 of 103"),
    ):
        if not page.locator(".kl-menu[open]").count():
            summary.click()
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        assert download.value.suggested_filename == f"{NAME}-64.{ending}"
        content = download.value.path().read_bytes()
        assert content.startswith(begins)
        if ending == "svg":
            assert b"job-1" in content
            assert b"var(--" not in content
        if ending == "txt":
            assert b"ClusterQueue team-b: default/cpu, 500m of 200m cpu" in content


@pytest.mark.parametrize("name", [NAME, "hierarchy-1-two-departments", "racks-1-levels"])
def test_a_step_that_draws_only_what_it_changes_shows_the_whole_frame(
    page: Page, tmp_path: Path, name: str
) -> None:
    open_page(page, tmp_path, document(name))
    wrong = page.evaluate(
        """async () => {
            const data = JSON.parse(document.getElementById('run').textContent);
            const place = document.body.appendChild(document.createElement('div'));
            const view = new View(place, data, {step: 0});
            await view.start();
            const {picture} = view.picture;
            const wrong = [];
            for (const step of [...Array(Math.min(data.steps, 300)).keys(), 40, 39, 12]) {
                await view.stepping.go(step);
                const drawn = picture.svg.outerHTML;
                picture.draw();
                if (picture.svg.outerHTML !== drawn) wrong.push(step);
            }
            return wrong;
        }"""
    )
    assert wrong == []


def test_the_kernel_offers_workloads_to_follow_where_there_are_very_many(
    page: Page, tmp_path: Path
) -> None:
    open_page(page, tmp_path, document(NAME))
    page.evaluate(
        """() => {
            const data = JSON.parse(document.getElementById('run').textContent);
            data.workloads = Array.from({length: 500}, (_, at) => `default/job-${at}`);
            window.asked = [];
            const ask = (question) => {
                window.asked.push(question);
                return Promise.resolve({found: ['default/job-4711']});
            };
            const place = document.body.appendChild(document.createElement('div'));
            place.id = 'many';
            void new View(place, data, {ask}).start();
        }"""
    )
    follow = page.locator("#many").get_by_label("Follow", exact=True)
    follow.evaluate("""each => { each.value = '4711'; each.dispatchEvent(new Event('input')); }""")
    page.locator("#many option[value='default/job-4711']").wait_for(state="attached")
    asked = page.evaluate("window.asked.filter(each => each.ask === 'find')")
    assert asked == [{"ask": "find", "text": "4711"}]


def test_a_saved_page_draws_its_charts_with_and_without_plotly(page: Page, tmp_path: Path) -> None:
    pytest.importorskip("plotly", reason="plotly is not installed")
    run = scenarios.load(NAME).run()
    for inline, state in ((True, "drawn"), (False, "lines")):
        file = tmp_path / f"{state}.html"
        run.save(file, inline_plotly=inline)
        page.context.set_offline(offline=True)
        page.goto(file.as_uri())
        page.get_by_role("tab", name="Timeline").click()
        chart = page.locator(".kl-chart").first
        chart.scroll_into_view_if_needed()
        page.locator(f".kl-chart[data-state='{state}']").first.wait_for()
        assert (chart.locator(".js-line").count() >= 2) == inline
        assert (chart.locator("path.kl-series").count() >= 4) != inline
