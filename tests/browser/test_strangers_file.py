"""A file from a stranger shows what is in it, and runs nothing of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from hostile import TEXT as IN_TEXTS
from waiting import handlers_ran, open_tab

from kueuelab import scenarios
from kueuelab.trace.export import load_trace, trace_from_json, trace_to_json
from kueuelab.views.page import page as page_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]

#: In names there is no slash: it parts a namespace from a name.
IN_NAMES = "<script>hacked=1<img src=x onerror=hacked=1>"
#: What the run's objects are called.
NAMES = ("team-a", "team-b", "job-0", "job-1", "job-2")


def poisoned() -> str:
    """Return a trace in which every name and every text would like to be HTML."""
    trace = scenarios.load("reclaim-1-take-back").run().trace
    document = json.loads(trace_to_json(trace))
    found = poison(document["steps"])
    document["steps"] = found
    document["name"] = document["title"] = IN_TEXTS
    return json.dumps(document)


def poison(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {poison_name(key): poison(part, key) for key, part in value.items()}
    if isinstance(value, list):
        return [poison(part, name) for part in value]
    if isinstance(value, str):
        return value + IN_TEXTS if name == "message" else poison_name(value)
    return value


def poison_name(text: str) -> str:
    for name in NAMES:
        text = text.replace(name, f"{name}{IN_NAMES}")
    return text


def hacked(page: Page) -> bool:
    found: bool = page.evaluate("() => 'hacked' in window")
    return found


def test_the_names_are_really_there() -> None:
    trace = trace_from_json(poisoned())
    assert any(IN_NAMES in step.workload for step in trace.steps)
    assert any(IN_TEXTS in trace_to_json(trace).replace('\\"', '"') for _ in (0,))


def test_the_page_of_a_run(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    file.write_text(page_of(trace_from_json(poisoned())), "utf-8")
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(file.as_uri())
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    handlers_ran(page)
    assert "onerror=hacked=1" in page.inner_text("body"), "the names are shown as they are"
    assert not hacked(page)
    assert not errors


@pytest.mark.slow
def test_every_view_in_jupyterlab(page: Page, jupyterlab: Any, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(poisoned(), "utf-8")
    assert load_trace(file).steps
    notebook = nbformat.v4.new_notebook()
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    notebook.cells = [
        nbformat.v4.new_code_cell(code)
        for code in (
            "import kueuelab as kl\n"
            "from kueuelab.trace.export import load_trace\n"
            f"trace = load_trace({str(file)!r})\n"
            "evicted = trace.of_kind('Evicted')[0]\n"
            "board = kl.widgets.Board(trace, evicted)\n"
            "lab = kl.widgets.lab(board)\n"
            "lab",
            "kl.widgets.DecisionPanel(board)",
            "kl.widgets.QueuesPanel(board)",
            "kl.widgets.Timeline(board)",
            "kl.widgets.CohortGraph(board)",
            "kl.widgets.Stepper(board)",
            "print(lab.as_text())",
        )
    ]
    upload(page, jupyterlab.url, "stranger.ipynb", notebook)
    jupyterlab.open(page, "stranger.ipynb")
    view = jupyterlab.view(page)
    for tab in ("Queues", "Timeline", "Decision"):
        open_tab(page, view, tab)
    for _ in range(5):
        before = view.get_attribute("data-step")
        view.get_by_role("button", name="Previous", exact=True).click()
        page.wait_for_function(
            "([view, before]) => view.dataset.step !== before",
            arg=[view.element_handle(), before],
        )
    handlers_ran(page)
    assert "onerror=hacked=1" in view.inner_text()
    assert page.locator("img[src=x]").count() == 0
    assert not hacked(page)


def upload(page: Page, url: str, name: str, notebook: Any) -> None:
    """Put a notebook beside the others, as JupyterLab itself would."""
    page.goto(f"{url}/lab")
    page.wait_for_function("() => document.cookie.includes('_xsrf')")
    body = json.dumps({"type": "notebook", "format": "json", "content": notebook})
    status = page.evaluate(
        """async ([name, body]) => {
            const xsrf = document.cookie.match('_xsrf=([^;]+)')[1];
            const answer = await fetch(`/api/contents/${name}`, {
                method: 'PUT', body,
                headers: {'Content-Type': 'application/json', 'X-XSRFToken': xsrf},
            });
            return answer.status;
        }""",
        [name, body],
    )
    assert status in (200, 201)
