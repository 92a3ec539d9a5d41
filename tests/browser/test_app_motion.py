"""Motion in Steps: a job slides from its queue into its quota, unless motion is not wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pages import shows

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]

#: Notes which workloads slide, and that steps are a second apart: those that follow each other
#: faster do not slide.
WATCH = """() => {
    window.slid = [];
    const real = Element.prototype.animate;
    Element.prototype.animate = function (frames, ...given) {
        if (this.dataset?.workload) window.slid.push(this.dataset.workload);
        return real.call(this, frames, ...given);
    };
    let now = 0;
    performance.now = () => (now += 1000);
}"""


@pytest.mark.parametrize(("motion", "moves"), [("no-preference", True), ("reduce", False)])
def test_a_job_slides_from_its_queue_into_its_quota(app: Page, motion: str, moves: bool) -> None:
    app.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
    app.evaluate("location.hash = '#/steps?open=reclaim-1-take-back&step=10'")
    app.reload()
    shows(app, 10)
    app.evaluate(WATCH)
    app.locator(".kl-view").first.focus()
    for step in range(11, 30):
        app.keyboard.press("]")
        shows(app, step)
    assert ("default/job-0" in app.evaluate("window.slid")) == moves
    quick = app.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--quick')")
    assert quick.strip() == ("120ms" if moves else "0ms")
