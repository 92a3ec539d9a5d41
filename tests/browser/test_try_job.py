"""The page Try a job in Chromium: a form, pasted manifests, a workload changed, a branch kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pages import violations, write

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]

WORKLOAD = "job-b-cpu-2-71f14"
REFUSED = """\
apiVersion: batch/v1
kind: Job
metadata:
  {name: "<img src=x onerror=window.hacked=1>", labels: {kueue.x-k8s.io/queue-name: main}}
spec:
  parallelism: -1
"""


def show(app: Page, address: str) -> None:
    app.evaluate("to => { location.hash = to; }", address)
    app.reload()
    app.locator(".job-form").wait_for()


def test_a_workload_is_tried_again_with_changes_and_kept(app: Page) -> None:
    app.evaluate(f"location.hash = '#/workloads?open=two-teams&w=team-b/{WORKLOAD}'")
    app.reload()
    app.locator(".drawer").get_by_role("link", name="Try again with changes").click()
    app.locator("input[name=others]").fill("1m..1h")
    app.keyboard.press("Enter")
    app.locator(".instead .lever-card").first.wait_for()
    assert "position 3 of 3" in app.locator(".subject .say").inner_text()
    assert app.locator(".runs li").count() == 7
    app.get_by_role("button", name="Keep as branch: ask for only 2 cpu per pod").click()
    app.locator(".changes li", has_text=f"{WORKLOAD}-2").wait_for()
    assert app.locator("h1").inner_text() == "Compare"
    app.locator(".toast").get_by_role("button", name="Undo").click()
    app.locator("h1", has_text="Overview").wait_for()


def test_a_new_job_that_fits_is_admitted_at_once(app: Page) -> None:
    show(app, "#/try-job?open=two-teams")
    app.get_by_label("LocalQueue").select_option("team-b/main")
    app.locator("input[name=pods]").fill("2")
    app.get_by_role("button", name="Try the job").click()
    app.locator(".subject .tag.tone-ok").wait_for()
    assert "ClusterQueue cq-b: main (2 pods: cpu/generic)" in app.locator(".subject").inner_text()
    # What was written stays while another page is looked at.
    app.locator("nav a", has_text="Overview").click()
    app.locator(".kpis").wait_for()
    app.go_back()
    app.locator(".subject .tag.tone-ok").wait_for()


def test_what_the_api_server_refuses_is_shown_with_its_place(app: Page) -> None:
    show(app, "#/try-job?open=two-teams")
    app.get_by_role("button", name="YAML").click()
    write(app.locator(".job-yaml .cm-content"), REFUSED)
    app.get_by_role("button", name="Try the job").click()
    trouble = app.locator(".trouble")
    trouble.wait_for()
    assert "job.yaml:" in trouble.inner_text()
    assert "spec.parallelism" in trouble.inner_text()
    assert app.evaluate("window.hacked") is None
    assert app.locator("main img").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["wide", "narrow"])
def test_the_page_is_accessible(app: Page, size: tuple[int, int], theme: str) -> None:
    app.set_viewport_size({"width": size[0], "height": size[1]})
    app.evaluate("theme => { localStorage['kueuelab-theme'] = theme; }", theme)
    show(app, f"#/try-job?open=two-teams&w=team-b/{WORKLOAD}")
    app.locator("input[name=others]").fill("1m..1h")
    app.get_by_role("button", name="Try the job").click()
    app.locator(".instead .lever-card").first.wait_for()
    assert violations(app) == []
    assert app.evaluate("document.documentElement.scrollWidth <= innerWidth")
