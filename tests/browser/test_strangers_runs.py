"""Every view of runs with hostile names shows them as text, asks for nothing and runs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from hostile import ATTACKS, TEXT, hostile
from test_strangers_file import hacked, upload
from waiting import handlers_ran, open_tab

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

#: One view a cell; what is asked about them below goes by these names.
CELLS = {
    "runs": f"""\
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from dataclasses import replace
from hostile import TEXT, hostile, poisoned, without_preemption
import kueuelab as kl
import kueuelab.multikueue as mk
from kueuelab import scenarios, workshop
from kueuelab.live.marks import marked_timeline
from kueuelab.workshop.feedback import Feedback, Verdict
from kueuelab.workshop.finding import Finding
lab = scenarios.load('reclaim-1-take-back')
lab = replace(lab, spec=poisoned(lab.spec))
run = lab.run()
after = replace(lab, spec=without_preemption(lab.spec)).run()
diff = after.diff(run)
fleet = mk.load('lost-worker')
fleet = replace(fleet, spec=poisoned(fleet.spec)).run()
""",
    "lab": "view = kl.widgets.lab(run)\nview.board.select('Workload', 'default/' + "
    "hostile('job-1'))\nview",
    # The editor knows no way to fork with such names: it says what is wrong with them.
    "editor": """\
from kueuelab.views.frame.comparison import ComparisonDocument
from kueuelab.widgets.still_view import StillView
both = ComparisonDocument(diff, run.trace, after.trace, view.board.words)
StillView(both.as_data(), both.answer)
""",
    "board": """\
board = kl.widgets.multikueue_board(fleet)
board.select(hostile('train'))
board.until('chosen')
board.inject('disconnect', hostile('w1'))
board.until('evicted')
board
""",
    "sequence": "kl.widgets.SequenceDiagram(fleet, hostile('train'))",
    "why": "panel = kl.widgets.WhyPanel(run)\n"
    "panel.board.select('Workload', 'default/' + hostile('job-1'))\n"
    "panel.board.go(len(run.trace) - 1)\npanel",
    "prediction": """\
asked = kl.widgets.Prediction(TEXT, [TEXT, hostile('job-1')], TEXT, TEXT)
asked.choose(TEXT)
asked
""",
    "feedback": """\
exercise = workshop.exercise('within-a-team', {folder!r}, progress={folder!r} + '/progress.json')
feedback = exercise.check()
verdicts = [
    replace(each, wanted=each.wanted + TEXT, played=run,
            finding=Finding('workshop.found.dispatcherFailed', {'error': TEXT}, 40))
    for each in feedback.failed
]
Feedback('within-a-team', exercise.spec.texts, tuple(verdicts), note=TEXT, bar=TEXT)
""",
    "problems": """\
(exercise.folder / 'answer.yaml').write_text(
    'apiVersion: kueue.x-k8s.io/v1beta2\\nkind: ClusterQueue\\n'
    'metadata: {name: "<img src=x onerror=hacked=1>"}\\nspec: {"<script>hacked=1<!--": 1}\\n')
exercise.check()
""",
    "hint": "from kueuelab.workshop.hints import PlainText\nPlainText(TEXT)",
    "texts": """\
print(diff.as_text())
print(diff.as_table())
print(run.timeline, fleet.job_history(hostile('train')), fleet.why(hostile('train')))
print(marked_timeline(run.trace))
fleet.trace[20], run.trace[12], board
""",
}
SHOWN = {
    "lab": ("job-1",),
    "editor": ("job-1", "team-a"),
    "board": ("train", "w1", "w2", "dispatch"),
    "sequence": ("w1", "w2"),
    "why": ("job-1", "job-2", "team-b"),
    "texts": ("job-1", "team-b", "train", "w1"),
}
CELL = ".jp-Notebook .jp-CodeCell"
OUTPUT = ".jp-Cell-outputWrapper"


@pytest.fixture
def asked(page: Page, jupyterlab: Any) -> list[str]:
    """Return what the page asks of others, or of this server because of a hostile text."""
    found: list[str] = []

    def watch(request: Any) -> None:
        own = request.url.startswith((jupyterlab.url, "data:", "blob:"))
        if not own or request.url.rpartition("/")[2] == "x" or "hacked" in request.url:
            found.append(request.url)

    def opened(dialog: Any) -> None:
        found.append(f"dialog {dialog.message}")
        dialog.dismiss()

    page.on("request", watch)
    page.on("dialog", opened)
    return found


def output(page: Page, name: str) -> Locator:
    """Return what a cell shows."""
    cell = page.locator(CELL).nth(list(CELLS).index(name))
    cell.scroll_into_view_if_needed()
    return cell.locator(OUTPUT)


def smuggled(page: Page) -> list[str]:
    """Return elements in the outputs that only a hostile text could have made.

    A view in a cell has three scripts of its own: the packed modules and document, and what unpacks
    them.
    """
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll('.jp-Cell-outputWrapper *')].filter(node =>
            node.matches('script:not(.kl-embedded > script)')
            || node.matches('.kl-embedded > script ~ script ~ script ~ *')
            || node.matches('iframe, img[src=x], svg[onload], [onerror], a[href*="hacked"]')
            || (node.getAttribute('href') || node.getAttribute('xlink:href') || '')
                .startsWith('javascript')
        ).map(node => node.outerHTML)"""
    )
    return found


def texts_of(place: Locator, selector: str) -> str:
    """Return the letters of a figure as they are drawn."""
    found: str = place.evaluate(
        """(place, selector) => [...place.querySelectorAll(selector)]
            .map(node => node.textContent).join('\\n')""",
        selector,
    )
    return found.replace("\u00a0", " ")


def test_views_of_hostile_runs(
    page: Page, jupyterlab: Any, asked: list[str], tmp_path: Path
) -> None:
    notebook = nbformat.v4.new_notebook()
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    notebook.cells = [
        nbformat.v4.new_code_cell(code.replace("{folder!r}", repr(str(tmp_path / "answers"))))
        for code in CELLS.values()
    ]
    page.set_viewport_size({"width": 1280, "height": 800})
    upload(page, jupyterlab.url, "hostile.ipynb", notebook)
    jupyterlab.open(page, "hostile.ipynb")
    output(page, "lab").locator(".kl-view[data-step]").wait_for()
    errors = page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']")
    assert errors.all_inner_texts() == []

    # The picture, what is said at the pointer, and each tab have the names as they are.
    lab = output(page, "lab")
    drawn = texts_of(lab, ".kl-item")
    assert hostile("department")[:8] in drawn
    lab.locator(".kl-chip").first.hover()
    hovered = lab.get_by_role("tooltip").inner_text()
    assert any(name in hovered for name in ATTACKS.values())
    for tab in ("Queues", "Timeline", "Selected", "Decision"):
        open_tab(page, lab, tab)

    # The what-if editor has the YAML and its mistakes; in the drawer, and with two runs.
    lab.locator("span").get_by_text("What if?").click()
    yaml = lab.locator("textarea").first
    yaml.wait_for()
    assert hostile("job-1") in yaml.input_value()
    yaml.press("End")
    yaml.type(" ")
    lab.locator(".kl-editor li", has_text="Invalid value").first.wait_for()
    compared = output(page, "editor")
    compared.locator(".kl-view[data-step]").first.wait_for()
    assert hostile("job-2") in compared.inner_text()

    # The MultiKueue board steps.
    board = output(page, "board").locator(".kl-view[data-step]").first
    board.locator(".kl-lane").first.wait_for()
    before = board.get_attribute("data-step")
    board.get_by_role("button", name="Previous", exact=True).click()
    page.wait_for_function(
        "([board, before]) => board.dataset.step !== before",
        arg=[board.element_handle(), before],
    )
    output(page, "sequence").locator(".kl-view[data-step]").first.wait_for()
    output(page, "why").locator(".kl-view[data-step]").first.wait_for()

    for name, names in SHOWN.items():
        output(page, name)
        for each in names:
            # Some of it comes from the kernel; JupyterLab may replace a cell that was out of sight.
            page.wait_for_function(
                """([cell, index, output, text]) => document.querySelectorAll(cell)[index]
                    ?.querySelector(output)
                    ?.textContent.replaceAll('\\u00a0', ' ').includes(text)""",
                arg=[CELL, list(CELLS).index(name), OUTPUT, hostile(each)],
            )
    for name in ("prediction", "feedback", "hint"):
        assert TEXT in output(page, name).evaluate("node => node.textContent"), name
    assert "<img src=x onerror=hacked=1>" in output(page, "problems").inner_text()

    handlers_ran(page)
    assert smuggled(page) == []
    assert not hacked(page)
    assert asked == []
