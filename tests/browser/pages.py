"""Pages of runs for the tests of the front end, and what is looked for in them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waiting import painted

from kueuelab import frontend, scenarios
from kueuelab.views.frame.document import Document

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

AXE = Path(__file__).parents[1] / "data" / "axe" / "axe.min.js"
#: The module of the app that has the engine and what is open, as a promise.
STORE = "import('/front.js').then(({ modules }) => modules['app/store.js'])"
#: A text that is pasted into an element.
PASTED = """(element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const options = { clipboardData, bubbles: true, cancelable: true };
    element.dispatchEvent(new ClipboardEvent("paste", options));
}"""
#: What is copied of an element.
COPIED = """(element) => {
    const clipboardData = new DataTransfer();
    const options = { clipboardData, bubbles: true, cancelable: true };
    element.dispatchEvent(new ClipboardEvent("copy", options));
    return clipboardData.getData("text/plain");
}"""
#: The rules of WCAG 2.2, levels A and AA, and the best practices of ARIA.
TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


@cache
def document(name: str) -> dict[str, Any]:
    """Return the document of one of the scenarios of the package."""
    return Document(scenarios.load(name).run()).as_data()


def open_page(page: Page, folder: Path, data: dict[str, Any], address: str = "") -> list[str]:
    """Save a document as a page and open it; return the errors of its scripts, as they come."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    file = folder / "run.html"
    file.write_text(frontend.page(data), "utf-8")
    # Another address after the # alone would not load the page again.
    page.goto("about:blank")
    page.goto(file.as_uri() + address)
    page.locator(".kl-view[data-step]").first.wait_for()
    painted(page)
    return wrong


def written(editor: Locator) -> str:
    """Return the text of an editor, as it is copied: lines out of sight are not drawn."""
    editor.press("Control+a")
    return str(editor.evaluate(COPIED))


def write(editor: Locator, text: str) -> None:
    """Paste a text in the place of all that is in an editor."""
    editor.press("Control+a")
    editor.evaluate(PASTED, text)


def shows(page: Page, step: int, view: str = ".kl-view") -> None:
    """Wait until a view shows a step, counted from 1."""
    page.locator(f"{view}[data-step='{step - 1}']").wait_for()
    painted(page)


def step_of(page: Page) -> int:
    """Return the step that is shown, counted from 1."""
    return int(page.locator(".kl-view").first.get_attribute("data-step") or -1) + 1


def missed_chips(page: Page) -> list[str]:
    """Return the chips that the pointer does not hit where they are drawn."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll('.kl-chip')].map(chip => {
            const {left, right, top, bottom} = chip.querySelector('rect').getBoundingClientRect();
            const inside = [[left + 2, top + 2], [right - 2, bottom - 2],
                            [(left + right) / 2, (top + bottom) / 2]];
            return inside.every(([x, y]) =>
                document.elementFromPoint(x, y)?.closest('.kl-chip') === chip) || chip.outerHTML;
        }).filter(each => each !== true)"""
    )
    return found


def violations(page: Page) -> list[str]:
    """Return what axe-core finds, one line each."""
    # The page allows no other scripts; what is evaluated is not one of its own.
    page.evaluate(AXE.read_text("utf-8"))
    found: list[dict[str, Any]] = page.evaluate(
        "tags => axe.run(document, {runOnly: tags}).then(found => found.violations)", list(TAGS)
    )
    return [
        f"{each['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
        for each in found
        for node in each["nodes"]
    ]


def box(place: Locator) -> tuple[float, float, float, float]:
    """Return the left, top, right and bottom of what is drawn."""
    found = place.bounding_box()
    assert found is not None
    return (found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"])
