"""The app in Chromium: changes, hostile names, the address, accessibility.

Each test runs on two engines: the one on this machine, and the one in the page.
"""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from long_scenario import long_scenario
from pages import violations, write, written

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]

ROUTE = "import('/front.js').then(({ modules }) => modules['app/route.js'])"
ROOT = Path(__file__).parents[2]
PICTURES = Path(os.environ.get("KUEUELAB_PICTURES", ROOT / "test-results"))
WORKLOAD = "job-b-cpu-2-71f14"
#: Names that no API server takes, and a file may have; texts that it takes.
HOSTILE = """\
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: hostile, title: "<img src=x onerror=window.hacked=1><script>hacked=1</script>"}
spec:
  manifests:
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: team}
    spec:
      namespaceSelector: {}
      resourceGroups:
      - coveredResources: [cpu]
        flavors: [{name: default, resources: [{name: cpu, nominalQuota: 1}]}]
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: main, namespace: default}
    spec: {clusterQueue: team}
  timeline:
  - {at: 0s, submit: {job: large, queue: main, requests: {cpu: 3}}}
  - {at: 0s, submit: {job: small, queue: "<svg/onload=hacked=1>", requests: {cpu: 1}}}
"""

#: A LocalQueue whose ClusterQueue is missing, in a scenario with a hostile text that is valid.
FINDINGS = """\
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: findings, title: "<img src=x onerror=window.hacked=1>"}
spec:
  manifests:
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: team}
    spec:
      namespaceSelector: {}
      resourceGroups:
      - coveredResources: [cpu]
        flavors: [{name: default, resources: [{name: cpu, nominalQuota: 1}]}]
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata:
      name: lost
      namespace: default
      annotations: {note: "<img src=x onerror=window.hacked=1>"}
    spec: {clusterQueue: other}
"""


def test_levers_and_what_they_cost_are_reached_by_keyboard(app: Page) -> None:
    app.evaluate("location.hash = '#/levers?open=two-teams'")
    app.reload()
    app.locator(".offered a", has_text=WORKLOAD).focus()
    app.keyboard.press("Enter")
    card = app.locator(".lever-card", has_text="raise the priority of")
    card.locator(".cost-part").first.wait_for()
    assert "2 workloads are evicted" in card.inner_text()
    assert f"w=team-b/{WORKLOAD}" in app.evaluate("location.hash")
    card.get_by_role("button", name="Try").focus()
    app.keyboard.press("Enter")
    app.locator(".changes li", has_text="loses").first.wait_for()
    assert app.locator("h1").inner_text() == "Compare"
    app.go_back()
    card.wait_for()


def test_an_object_is_changed_by_its_manifest(app: Page) -> None:
    app.evaluate("location.hash = '#/change?open=two-teams&object=ClusterQueue/cq-b'")
    app.reload()
    manifest = app.get_by_label("Manifest of ClusterQueue/cq-b")
    manifest.wait_for()
    run = app.get_by_role("button", name="Run with the change")
    assert run.is_disabled()
    text = written(manifest)
    write(manifest, text.replace("kind: ClusterQueue", "kind: ["))
    run.click()
    app.locator(".trouble").wait_for()
    write(manifest, text.replace("nominalQuota: '8'", "nominalQuota: '16'", 1))
    assert violations(app) == []
    app.screenshot(path=PICTURES / "app-change.png")
    run.click()
    app.locator(".changes li", has_text=WORKLOAD).first.wait_for()
    assert app.locator("h1").inner_text() == "Compare"
    app.locator(".toast").get_by_role("button", name="Undo").click()
    app.locator(".kpis").wait_for()
    assert "two-teams: cq-b" not in app.locator("header").inner_text()


def test_the_address_is_the_state(app: Page) -> None:
    app.evaluate(f"location.hash = '#/workloads?open=two-teams&q=cpu-2&w=team-b/{WORKLOAD}'")
    app.reload()
    app.locator(".drawer .say").wait_for()
    assert app.locator(".drawer h1").inner_text().startswith(WORKLOAD)
    assert app.locator(".tr").count() == 1
    app.locator("nav a", has_text="Overview").click()
    app.locator(".kpis").wait_for()
    app.go_back()
    app.locator(".drawer .say").wait_for()


def test_branches_are_a_tree_and_figures_have_bars(app: Page) -> None:
    for lever in ("raise the nominal quota", "raise the priority"):
        app.evaluate(
            f"location.hash = '#/levers?open=two-teams&branch=two-teams&w=team-b/{WORKLOAD}'"
        )
        app.reload()
        card = app.locator(".lever-card", has_text=lever).first
        card.get_by_role("button", name="Try").click()
        app.locator(".figures td").first.wait_for()
    branches = app.locator(".branches li")
    branches.nth(2).wait_for()
    assert app.locator(".branches > ul > li").count() == 1, "both are below what was opened"
    assert app.locator(".branches a[aria-current]").inner_text().startswith("two-teams: priority")
    rows = app.locator(".figures tr")
    assert app.locator(".figures tr.same").count() == 0
    count = rows.count()
    queue = app.locator(".figures li", has_text="cq-b").last
    pending = queue.locator("tr", has_text="pending")
    was, now = (pending.locator(f".{side}").bounding_box() for side in ("was", "is"))
    assert "3 → 2" in pending.inner_text()
    assert was is not None
    assert now is not None
    assert now["width"] == pytest.approx(was["width"] * 2 / 3, abs=1)
    app.get_by_role("link", name="Show what is the same, too").click()
    app.locator(".figures tr.same").first.wait_for()
    assert rows.count() > count
    assert app.locator(".changes li").count() == 7, "all workloads"
    app.reload()
    app.locator(".figures tr.same").first.wait_for()
    app.locator(".branches a", has_text="two-teams: quota").click()
    app.locator(".after b", has_text="two-teams: quota").wait_for()


def test_back_opens_what_was_open_before(app: Page) -> None:
    app.evaluate("location.hash = '#/overview?open=two-teams'")
    app.reload()
    opened = app.locator("header", has_text="two-teams")
    opened.wait_for()
    app.evaluate("location.hash = '#/levers?open=version-2-undeclared-resource'")
    app.locator("header", has_text="version-2-undeclared-resource").wait_for()
    app.locator("h2", has_text="Nothing is pending here").wait_for()
    app.go_back()
    opened.wait_for()


def test_an_address_that_changes_while_another_is_opened_is_followed(app: Page) -> None:
    app.evaluate("location.hash = '#/overview?open=two-teams'")
    app.reload(wait_until="commit")
    app.locator("header").wait_for()
    app.evaluate("location.hash = '#/overview?open=reclaim-1-take-back'")
    app.locator("header", has_text="reclaim-1-take-back").wait_for()
    app.locator(".kpis").wait_for()
    assert "open=reclaim-1-take-back" in app.url


def test_a_step_of_the_address_is_shown_and_followed(app: Page) -> None:
    app.evaluate("location.hash = '#/steps?open=reclaim-1-take-back&step=63'")
    app.reload()
    app.locator(".kl-view[data-step='62']").wait_for()
    app.locator(".kl-view").focus()
    app.keyboard.press("ArrowRight")
    app.wait_for_function("() => !location.hash.includes('step=63')")


def test_an_address_that_is_written_late_takes_no_step_back(app: Page) -> None:
    """The reader goes on just as the address gets the step before."""
    app.evaluate("location.hash = '#/steps?open=reclaim-1-take-back&step=63'")
    app.reload()
    view = app.locator(".kl-view[data-step='62']")
    view.wait_for()
    view.focus()
    app.evaluate(
        """() => {
            const known = history.replaceState.bind(history);
            history.replaceState = (...given) => {
                known(...given);
                history.replaceState = known;
                document.querySelector(".kl-view [aria-label='Last step']").click();
            };
        }"""
    )
    app.keyboard.press("ArrowRight")
    last = app.locator(".kl-view[data-step='102']")
    last.wait_for()
    app.wait_for_function("() => location.hash.includes('step=103')")
    assert last.count() == 1


def test_an_address_that_is_written_late_does_not_replace_another_one(app: Page) -> None:
    """The reader goes elsewhere just before the address gets the step that was shown."""
    app.evaluate("location.hash = '#/steps?open=reclaim-1-take-back&step=63'")
    app.locator(".kl-view[data-step='62']").wait_for()
    shown = app.evaluate(
        f"""() => {ROUTE}.then(({{ go, address }}) => {{
            location.hash = "#/steps?open=reclaim-1-take-back&step=10";
            go(address("steps", {{ step: 64 }}), true);
            return location.hash;
        }})"""
    )
    assert shown.endswith("step=10")
    app.locator(".kl-view[data-step='9']").wait_for()


def test_the_decisions_of_a_run_are_skimmed(app: Page) -> None:
    app.evaluate("location.hash = '#/steps?open=reclaim-1-take-back'")
    app.reload()
    strip = app.get_by_role("region", name="Decisions")
    chosen = strip.locator("[role='option'][aria-selected='true']")
    # It opens at the first preemption.
    chosen.filter(has_text="preempted").wait_for()
    assert chosen.locator("b").inner_text() == "job-1"
    assert strip.get_by_role("option").count() == 7
    strip.get_by_role("option").filter(has_text="preempts").click()
    app.locator(".kl-view[data-step='61']").wait_for()
    app.wait_for_function("() => location.hash.includes('step=62')")

    # Keys go over what is chosen alone, and the address says what that is.
    strip.get_by_role("button", name="admitted").click()
    app.wait_for_function("() => document.querySelectorAll('.decision').length === 3")
    assert "outcomes=admitted" in app.url
    strip.get_by_role("listbox").focus()
    app.keyboard.press("End")
    app.locator(".kl-view[data-step='85']").wait_for()
    app.keyboard.press("ArrowLeft")
    app.locator(".kl-view[data-step='33']").wait_for()
    chosen.filter(has_text="job-1").wait_for()
    app.reload()
    strip.get_by_role("button", name="admitted", pressed=True).wait_for()
    strip.get_by_role("button", name="All").click()
    app.wait_for_function("() => document.querySelectorAll('.decision').length === 7")


def test_of_many_decisions_those_are_drawn_that_are_seen(app: Page) -> None:
    text = long_scenario(900).encode()
    long = {"name": "long.yaml", "mimeType": "application/yaml", "buffer": text}
    app.set_input_files("input[type='file']", long)
    app.locator(".kpis").wait_for()
    app.evaluate("location.hash = location.hash.replace('/overview', '/steps')")
    strip = app.get_by_role("region", name="Decisions")
    options = strip.get_by_role("option")
    options.first.wait_for()
    assert options.count() < 40
    total = int(options.first.get_attribute("aria-setsize") or 0)
    assert total > 1_800
    strip.get_by_role("listbox").focus()
    app.keyboard.press("End")
    last = strip.locator(f"[aria-posinset='{total}'][aria-selected='true']")
    last.wait_for()
    app.keyboard.press("ArrowLeft")
    strip.locator(f"[aria-posinset='{total - 1}'][aria-selected='true']").wait_for()
    # A step that another control goes to is found among them.
    app.locator(".kl-view [aria-label='First step']").click()
    options.first.wait_for()
    app.wait_for_function("() => document.querySelector('.strip-line').scrollLeft < 200")
    assert strip.locator("[aria-selected='true']").count() == 0


def test_the_palette_reaches_a_workload(app: Page) -> None:
    app.locator(".example", has_text="two-teams").first.click()
    app.locator(".kpis").wait_for()
    app.keyboard.press("Control+k")
    app.keyboard.type("cpu-2")
    app.locator(".palette li", has_text=WORKLOAD).wait_for()
    app.keyboard.press("Enter")
    app.locator(".drawer .say").wait_for()
    app.keyboard.press("Escape")
    app.locator(".drawer").wait_for(state="detached")


def test_an_action_of_the_palette_shows_its_key(app: Page) -> None:
    app.evaluate("location.hash = '#/workloads?open=two-teams'")
    app.reload()
    app.locator(".tr .name").first.wait_for()
    app.keyboard.press("Control+k")
    app.keyboard.type("search the")
    entry = app.locator(".palette li[aria-selected=true]", has_text="Search the workloads")
    assert entry.locator("kbd").inner_text() == "/"
    app.keyboard.press("Enter")
    app.locator(".work .search input:focus").wait_for()


def test_a_change_is_undone_and_done_again_by_keys(app: Page) -> None:
    app.evaluate("to => { location.hash = to; }", f"#/levers?open=two-teams&w=team-b/{WORKLOAD}")
    app.reload()
    app.locator(".lever-card").get_by_role("button", name="Try").first.click()
    app.locator(".changes li").first.wait_for()
    branch = app.locator(".pill.branch")
    branch.wait_for()
    app.keyboard.press("Control+z")
    branch.wait_for(state="detached")
    app.keyboard.press("Control+y")
    branch.wait_for()
    app.keyboard.press("Control+z")
    branch.wait_for(state="detached")
    app.keyboard.press("Control+Shift+z")
    branch.wait_for()
    # In a field they are about what is typed.
    app.locator("nav a", has_text="Change").click()
    manifest = app.locator(".manifest .cm-content")
    text = written(manifest)
    manifest.press("End")
    app.keyboard.type("x")
    app.keyboard.press("Control+z")
    assert written(manifest) == text
    assert branch.count() == 1


def test_what_is_typed_at_once_belongs_to_the_palette(app: Page) -> None:
    # The next key may come before the palette is painted.
    pressed = "new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true })"
    focused = app.evaluate(
        f"async () => {{ dispatchEvent({pressed}); await null; await null;"
        " return document.activeElement.getAttribute('role'); }"
    )
    assert focused == "combobox"


def test_the_keys_are_listed_and_the_focus_comes_back(app: Page) -> None:
    keys = app.get_by_role("dialog", name="Keys")
    settings = app.locator("nav a", has_text="Settings")
    settings.focus()
    app.keyboard.press("?")
    keys.get_by_text("next workload").wait_for()
    assert violations(app) == []
    for _ in range(3):
        app.keyboard.press("Tab")
        assert keys.locator(":focus").count() == 1
    app.keyboard.press("Control+k")
    app.locator(".palette").wait_for()
    assert keys.count() == 0
    app.keyboard.press("Escape")
    app.locator(".palette").wait_for(state="detached")
    assert settings.evaluate("element => element === document.activeElement")

    # A text may have a question mark.
    app.keyboard.press("Control+k")
    app.keyboard.type("?")
    assert app.get_by_role("combobox").input_value() == "?"
    assert keys.count() == 0
    app.keyboard.press("Escape")
    app.locator("nav a", has_text="Build").click()
    app.locator(".shape").first.click()
    app.locator(".editor .cm-content").click()
    app.keyboard.type("?")
    app.locator(".cm-line", has_text="?").wait_for()
    assert keys.count() == 0
    settings.focus()
    app.keyboard.press("Control+k")
    app.locator(".palette input").fill("keys")
    entry = app.locator(".palette li[aria-selected=true]", has_text="Keys")
    assert entry.locator("kbd").inner_text() == "?"
    app.keyboard.press("Enter")
    keys.wait_for()
    assert app.locator(".palette").count() == 0
    app.keyboard.press("Escape")
    keys.wait_for(state="detached")
    assert settings.evaluate("element => element === document.activeElement")


def test_a_drawing_lists_its_own_keys(app: Page) -> None:
    app.evaluate("location.hash = '#/steps?open=reclaim-1-take-back'")
    app.reload()
    app.get_by_role("option").first.wait_for()
    ours, drawing = app.locator(".keys-dialog"), app.locator("dialog.kl-help")
    app.locator(".kl-view").focus()
    app.keyboard.press("?")
    drawing.wait_for()
    app.keyboard.press("?")
    app.keyboard.press("Control+k")
    app.keyboard.press("Escape")
    drawing.wait_for(state="hidden")
    assert ours.count() == app.locator(".palette").count() == 0
    app.get_by_role("listbox").focus()
    app.keyboard.press("?")
    ours.wait_for()
    assert not drawing.is_visible()


def test_what_is_wrong_with_a_file_is_shown_with_its_line(app: Page) -> None:
    app.get_by_role("button", name="Paste YAML").click()
    app.locator("textarea").fill("apiVersion: v1\nkind: [")
    app.locator("form", has=app.locator("textarea")).get_by_role("button").click()
    app.locator(".trouble").wait_for()
    assert "pasted.yaml:" in app.locator(".trouble").inner_text()


def test_hostile_texts_are_shown_as_text(app: Page) -> None:
    app.get_by_role("button", name="Paste YAML").click()
    app.locator("textarea").fill(HOSTILE)
    app.locator("form", has=app.locator("textarea")).get_by_role("button").click()
    app.locator(".kpis, .trouble").first.wait_for()
    for name in ("Overview", "Workloads", "Levers", "Steps", "Compare"):
        if app.locator("nav a", has_text=name).count():
            app.locator("nav a", has_text=name).click()
            app.locator("h1", has_text=name).wait_for()
    assert app.evaluate("window.hacked") is None
    assert app.locator("img, iframe, main script").count() == 0


def test_findings_have_their_rule_place_and_object(app: Page) -> None:
    app.get_by_role("button", name="Paste YAML").click()
    app.locator("textarea").fill(FINDINGS)
    app.locator("form", has=app.locator("textarea")).get_by_role("button").click()
    found = app.locator(".find", has_text="KL502")
    found.get_by_role("button").click(timeout=20_000)
    assert "pasted.yaml:" in found.locator(".shown").inner_text()
    assert "<img src=x" in found.locator("pre").inner_text()
    assert violations(app) == []
    for name in ("Levers", "Compare"):
        app.locator("nav a", has_text=name).click()
        app.locator("h1", has_text=name).wait_for()
    assert app.evaluate("window.hacked") is None
    assert app.locator("img").count() == 0


#: Controls and drawings of a page that are out of sight, and that no scrolling reaches.
CUT_OFF = """() => {
    const scrolls = (element) => {
        const above = element.parentElement;
        if (!above || above.matches(".main")) return false;
        const { overflowX, position } = getComputedStyle(above);
        return ["auto", "scroll"].includes(overflowX) || position === "fixed" || scrolls(above);
    };
    const parts = ".main :is(button, a, input, select, textarea, svg, h1, h2, h3, p)";
    return [...document.querySelectorAll(parts)].filter((each) => {
        const { width, left, right } = each.getBoundingClientRect();
        return width > 1 && (left < -1 || right > innerWidth + 1) && !scrolls(each);
    }).map((each) => each.outerHTML.slice(0, 120));
}"""


def test_on_a_telephone_nothing_is_cut_off(app: Page) -> None:
    app.set_viewport_size({"width": 390, "height": 844})
    for name, ready in (
        ("home", ".example"),
        ("overview?open=two-teams", ".kpis"),
        ("workloads?open=two-teams", ".tr .name"),
        (f"workloads?open=two-teams&w=team-b/{WORKLOAD}", ".lever"),
        (f"levers?open=two-teams&w=team-b/{WORKLOAD}", ".cost-part"),
        ("try-job?open=two-teams", ".page form"),
        ("change?open=two-teams", ".manifest .cm-content"),
        ("steps?open=racks-1-levels", ".decision"),
        ("topology?open=racks-1-levels", ".domains li"),
        ("clusters?open=lost-worker", ".kl-view[data-step]"),
        ("compare?open=two-teams", ".empty"),
        ("capacity?open=two-teams", ".page form"),
        ("upgrade?open=two-teams", ".cols"),
        ("exercises", ".exercise"),
        ("exercises?exercise=within-a-team", ".answer .cm-content"),
        ("build", ".shape"),
        ("settings", ".setting"),
    ):
        app.evaluate("to => { location.hash = to; }", f"#/{name}")
        app.reload()
        app.locator(ready).first.wait_for()
        assert app.evaluate(CUT_OFF) == [], name
        assert app.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


def test_on_a_telephone_the_domains_have_room(app: Page) -> None:
    app.set_viewport_size({"width": 390, "height": 844})
    app.evaluate("location.hash = '#/topology?open=racks-1-levels'")
    app.reload()
    app.locator(".kl-view[data-step]").wait_for()
    boxes = app.evaluate(
        """() => ["kl-seeking", "kl-judging", "kl-stage", "kl-reasons"].map((name) => {
            const part = document.querySelector(`.kl-domains > .${name}`);
            const { top, bottom } = part.getBoundingClientRect();
            return [top, bottom];
        })"""
    )
    for (_, bottom), (top, _) in pairwise(boxes):
        assert bottom <= top + 1
    assert boxes[2][1] - boxes[2][0] >= 220


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["wide", "narrow"])
def test_the_pages_are_accessible(app: Page, size: tuple[int, int], theme: str) -> None:
    app.set_viewport_size({"width": size[0], "height": size[1]})
    app.evaluate("theme => { localStorage['kueuelab-theme'] = theme; }", theme)
    PICTURES.mkdir(exist_ok=True)
    found = []
    for name, ready in (
        ("home", ".example"),
        ("overview", ".kpis"),
        ("workloads", ".tr .name"),
        (f"workloads?w=team-b/{WORKLOAD}", ".lever"),
        ("levers", ".offered a"),
        (f"levers?w=team-b/{WORKLOAD}", ".cost-part"),
        ("compare", ".empty"),
        ("upgrade", ".cols"),
        ("steps", ".decision"),
    ):
        mark = "&" if "?" in name else "?"
        app.evaluate("to => { location.hash = to; }", f"#/{name}{mark}open=two-teams")
        app.reload()
        app.locator(ready).first.wait_for()
        app.screenshot(path=PICTURES / f"app-{name.partition('?')[0]}-{size[0]}-{theme}.png")
        found += [f"{name}: {each}" for each in violations(app)]
        assert app.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    assert found == []
