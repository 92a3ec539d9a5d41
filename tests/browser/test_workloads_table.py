"""The table of workloads in Chromium: filters, columns, groups, several at once."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pages import STORE, violations

from kueuelab.bench.cluster_dump import DumpShape, write_yaml_dump

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]

SHAPE = DumpShape(queues=20, pending=20, admitted=10)
DROP = f"([name, text]) => {{ {STORE}.then((store) => store.openContent(name, text)); }}"


@pytest.fixture
def table(app: Page) -> Page:
    """The app with a dump of 600 workloads, at the page of workloads."""
    text = io.StringIO()
    write_yaml_dump(SHAPE, text)
    app.evaluate(DROP, ["dump.yaml", text.getvalue()])
    app.locator(".kpis").wait_for()
    app.locator("nav a", has_text="Workloads").click()
    app.locator(".tr .name").first.wait_for()
    return app


def sentence(page: Page, text: str) -> None:
    """Wait until the page says how many workloads match."""
    page.locator(".title p", has_text=text).wait_for()


def test_filters_groups_and_columns(table: Page, pictures: Path) -> None:
    sentence(table, "600 of 600")
    menu = table.get_by_role("button", name="Filter", exact=True)
    menu.click()
    panel = table.get_by_role("group", name="Filter", exact=True)
    assert panel.locator("label span").all_inner_texts() == [
        *("Queue", "Reason", "Priority", "Flavor", "Owner")
    ]
    assert violations(table) == []
    table.screenshot(path=pictures / "app-workloads-filter.png")
    panel.get_by_label("Flavor").select_option("spot")
    chip = table.get_by_role("button", name="Clear the filter: Flavor")
    chip.wait_for()
    assert "flavor=spot" in table.url
    panel.get_by_label("Priority").select_option("200")
    table.keyboard.press("Escape")
    panel.wait_for(state="detached")
    table.get_by_label("Group by").select_option("queue")
    heading = table.locator(".group-head").first
    heading.wait_for()
    count = int(heading.locator("small").inner_text())
    queue = heading.locator("b").inner_text()
    table.locator(f".tbody > :nth-child(2) >> text={queue}").first.wait_for()
    assert (
        table.locator(".tbody > :not(.group-head)").first.locator(".c-queue").inner_text() == queue
    )
    assert table.locator(f".tbody > :nth-child({count + 2}).group-head").count() == 1
    columns = table.get_by_role("button", name="Columns")
    columns.click()
    table.get_by_role("checkbox", name="Owner").check()
    table.get_by_role("checkbox", name="Age").uncheck()
    table.keyboard.press("Escape")
    table.locator(".thead .c-owner").wait_for()
    assert table.locator(".thead .c-age").count() == 0
    assert table.locator(".tr .c-owner").first.inner_text() == "Job"
    assert table.evaluate("document.documentElement.scrollWidth <= innerWidth")
    table.screenshot(path=pictures / "app-workloads-groups.png")
    # The address has all but the columns, which the browser keeps.
    table.reload()
    table.locator(".group-head").first.wait_for()
    table.locator(".thead .c-owner").wait_for()
    chip.click()
    sentence(table, "of 600")
    table.wait_for_function("() => !location.hash.includes('flavor')")


def test_several_are_chosen_and_copied_as_kubectl(table: Page, pictures: Path) -> None:
    table.context.grant_permissions(["clipboard-read", "clipboard-write"])
    boxes = table.locator(".tr .c-choose input")
    boxes.first.check()
    boxes.nth(4).click(modifiers=["Shift"])
    bar = table.locator(".chosen-rows")
    bar.get_by_text("5 workloads chosen").wait_for()
    assert violations(table) == []
    table.screenshot(path=pictures / "app-workloads-chosen.png")
    names = table.locator(".tr .name").all_inner_texts()[:5]
    bar.get_by_role("button", name="Copy as kubectl").click()
    table.locator(".toast", has_text="5 workloads").wait_for()
    text = table.evaluate("() => navigator.clipboard.readText()")
    for line in text.splitlines():
        assert line.startswith("kubectl get workloads.kueue.x-k8s.io -n ")
    for each in names:
        name, namespace = each.split()
        assert any(
            f"-n {namespace} " in line and name in line.split() for line in text.splitlines()
        )
    bar.get_by_role("button", name="Choose none").click()
    bar.wait_for(state="detached")
    table.locator(".thead .c-choose input").check()
    bar.get_by_text("500 workloads chosen").wait_for()


def test_the_last_row_is_reached_and_only_rows_in_sight_are_drawn(table: Page) -> None:
    table.get_by_label("Group by").select_option("priority")
    table.locator(".group-head").first.wait_for()
    table.locator(".table").evaluate("each => { each.scrollTop = each.scrollHeight; }")
    rows = int(table.locator(".table").get_attribute("aria-rowcount") or 0)
    last = table.locator(f".tr[aria-rowindex='{rows}'] .name")
    last.wait_for()
    assert table.locator(".tr").count() < 60
    table.get_by_role("button", name="Age", exact=True).click()
    table.locator("[aria-sort='ascending']").wait_for()
