"""Pictures of the components of the app in their states, light and dark: ``make design-pictures``.

They are in docs/design, and docs/design.md shows them. Each is of the app itself: a state that
passes soon, such as loading, is held by holding answers back.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from long_scenario import long_scenario

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route, WebSocketRoute

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "docs" / "design"
WORKLOAD: Final = "team-b%2Fjob-b-cpu-2-71f14"
#: What takes long is said over the page, also over what another picture is of.
WITHOUT_NOTICES: Final = ".busy { visibility: hidden; }"


class Wire:
    """The connection of a page with its engine: it can hold answers back, and be lost."""

    def __init__(self, page: Page, held: frozenset[str]) -> None:
        self.held = set(held)
        """Commands, and questions about frames, that get no answer; they get progress."""
        self._ids: set[object] = set()
        self._routes: list[WebSocketRoute] = []
        self._lost = False
        self._files: list[Route] = []
        page.route_web_socket("**/engine?*", self._connected)

    def _connected(self, route: WebSocketRoute) -> None:
        if self._lost:
            route.close()
            return
        server = route.connect_to_server()
        self._routes.append(route)

        def ask(message: str | bytes) -> None:
            if isinstance(message, str):
                command = json.loads(message)
                if (command.get("question") or {}).get("ask", command["do"]) in self.held:
                    self._ids.add(command["id"])
            server.send(message)

        def answer(message: str | bytes) -> None:
            found = json.loads(message)
            # Of what is held, the page hears how far it is, up to the middle.
            progress = found.get("progress") or {"done": 1, "total": 1}
            if found.get("id") not in self._ids or progress["done"] * 2 <= progress["total"]:
                route.send(message)

        route.on_message(ask)
        server.on_message(answer)

    def hold(self, file: Route) -> None:
        """Hold a file back that the page asked for."""
        self._files.append(file)

    def end(self) -> None:
        """Let go of what is held."""
        for file in self._files:
            file.abort()

    def lose(self) -> None:
        """Close the connection; it does not come back."""
        self._lost = True
        for route in self._routes:
            route.close()


def _nothing(page: Page, wire: Wire) -> None:
    del page, wire


def _palette(text: str) -> Callable[[Page, Wire], None]:
    def act(page: Page, wire: Wire) -> None:
        del wire
        page.locator(".tr .name").first.wait_for()
        page.keyboard.press("Control+k")
        page.keyboard.type(text)

    return act


def _keys(page: Page, wire: Wire) -> None:
    del wire
    page.locator(".kpis").wait_for()
    page.keyboard.press("?")


def _try(page: Page, wire: Wire) -> None:
    del wire
    page.locator(".lever").first.get_by_role("button", name="Try").click()


def _undo(page: Page, wire: Wire) -> None:
    _try(page, wire)
    page.locator(".toast").get_by_role("button", name="Undo").click()


def _open_nothing(page: Page, wire: Wire) -> None:
    del wire
    page.locator(".kpis").wait_for()
    page.evaluate("location.hash = '#/overview?open=not-there.yaml'")


def _lose(page: Page, wire: Wire) -> None:
    page.locator(".kpis").wait_for()
    wire.lose()


def _open_long(page: Page, wire: Wire) -> None:
    del wire
    page.locator(".example").first.wait_for()
    page.locator("input[type='file']").set_input_files(
        {
            "name": "long.yaml",
            "mimeType": "application/yaml",
            "buffer": long_scenario(900).encode(),
        }
    )


def _skim(page: Page, wire: Wire) -> None:
    _open_long(page, wire)
    page.locator(".kpis").wait_for()
    page.evaluate("location.hash = location.hash.replace('/overview', '/steps')")
    page.locator(".decision b").first.wait_for()
    wire.held.add("decisions")
    page.locator(".strip-line").evaluate("line => { line.scrollLeft = line.scrollWidth / 2; }")


def _begin(page: Page, wire: Wire) -> None:
    del wire
    page.locator(".shape", has_text="Teams that share").click()
    page.locator(".objects li").first.wait_for()
    page.locator(".editor .cm-content").wait_for()


def _plan(page: Page, wire: Wire) -> None:
    _begin(page, wire)
    page.get_by_label("Run while typing").uncheck()
    page.get_by_role("button", name="Add a job to team-b-jobs").click()


def _add_job(page: Page, wire: Wire) -> None:
    _begin(page, wire)
    page.get_by_role("button", name="Add a job to team-b-jobs").click()
    page.locator(".lanes li", has_text="job-1").wait_for()
    requests = page.get_by_label("Each pod requests")
    requests.fill("cpu: 12")
    requests.press("Enter")
    page.locator(".form .calm", has_text="12 cpu").wait_for()
    page.locator(".objects .borrowed").first.wait_for()


def _add_jobs(page: Page, wire: Wire) -> None:
    _add_job(page, wire)
    page.get_by_role("button", name="Add a job to team-a-jobs").click()
    page.locator(".result .say", has_text="preempted by").wait_for()


def _rename(page: Page, wire: Wire) -> None:
    _begin(page, wire)
    page.locator(".objects li", has_text="team-a").first.focus()
    page.keyboard.press("F2")


def _drag(page: Page, wire: Wire) -> None:
    _begin(page, wire)
    page.locator(".objects li b", has_text="team-a-jobs").hover()
    page.mouse.down()
    over = page.locator(".objects li b", has_text="team-b").first.bounding_box()
    assert over is not None
    # The first movements begin the drag, the last are over the object.
    page.mouse.move(over["x"] + 10, over["y"] + 5, steps=8)


def _write_wrong(page: Page, wire: Wire) -> None:
    _begin(page, wire)
    page.locator(".cm-line", has_text="withinClusterQueue").first.click()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.type("borrowWithinCohort: {policy: Sometimes}", delay=30)


def _complete(page: Page, wire: Wire) -> None:
    _begin(page, wire)
    page.locator(".cm-line", has_text="kind: ResourceFlavor").first.click()
    page.keyboard.press("End")
    page.keyboard.press("Control+Backspace")
    page.keyboard.press("Control+ ")


def _without_editor(page: Page, wire: Wire) -> None:
    page.route("**/codemirror.js", wire.hold)
    page.locator(".shape", has_text="Teams that share").click()


class Picture(NamedTuple):
    """A picture of what is seen at an address: what is done before, and what is held."""

    name: str
    address: str
    seen: str
    act: Callable[[Page, Wire], None] = _nothing
    held: frozenset[str] = frozenset()
    width: int = 1200
    around: int = 0
    """Pixels around what is seen, where it has no edge of its own."""


PICTURES: Final = (
    Picture("navigation-nothing-open", "/home", ".nav:has(.nav-hint)"),
    Picture("navigation", "/workloads?open=two-teams", ".nav:has([aria-label])"),
    Picture("top-bar", "/workloads?open=two-teams", ".top:has(.file)"),
    Picture("palette", "/workloads?open=two-teams", ".palette:has(li + li)", _palette("team-b")),
    Picture("palette-key", "/workloads?open=two-teams", ".palette", _palette("search the")),
    Picture(
        "palette-more",
        "/workloads?open=two-teams",
        ".palette:has(.palette-more)",
        _palette("e"),
    ),
    Picture(
        "palette-nothing-found", "/workloads?open=two-teams", ".palette:has(.none)", _palette("xyz")
    ),
    Picture("keys", "/overview?open=two-teams", ".keys-dialog", _keys),
    Picture("example", "/home", ".example:has(.still-row)"),
    Picture(
        "example-loading", "/home", ".example:has(.still.waiting)", held=frozenset({"preview"})
    ),
    Picture("table", "/workloads?open=two-teams", ".main .page:has(.tr .name)"),
    Picture(
        "table-loading",
        "/workloads?open=two-teams",
        ".main .page:has(.tr.waiting)",
        held=frozenset({"workloads"}),
    ),
    Picture("table-nothing-matches", "/workloads?open=two-teams&q=xyz", ".empty"),
    Picture("drawer", f"/workloads?open=two-teams&w={WORKLOAD}", ".drawer:has(.lever)"),
    Picture(
        "drawer-loading",
        f"/workloads?open=two-teams&w={WORKLOAD}",
        ".drawer:has(.skeleton)",
        held=frozenset({"workload"}),
    ),
    Picture("bar-use", "/overview?open=two-teams", ".map:has(.borrowed):has(.lent)"),
    Picture(
        "bar-request",
        f"/workloads?open=two-teams&w={WORKLOAD}",
        ".drawer section:has(.missing)",
        around=12,
    ),
    Picture("lever", f"/workloads?open=two-teams&w={WORKLOAD}", ".lever"),
    Picture("lever-card", f"/levers?open=two-teams&w={WORKLOAD}", ".lever-card:has(.cost-part)"),
    Picture(
        "lever-card-loading",
        f"/levers?open=two-teams&w={WORKLOAD}",
        ".lever-card:has(.cost .skeleton)",
        held=frozenset({"cost"}),
    ),
    Picture("tree", "/build", ".canvas:has(.borrowed)", _add_job, width=1600),
    Picture("tree-renaming", "/build", ".canvas:has(li input)", _rename, width=1600),
    Picture("tree-dragged-over", "/build", ".canvas:has(li.over)", _drag, width=1600),
    Picture("tree-problem", "/build", ".canvas:has(.wrong)", _write_wrong, width=1600),
    Picture("axis-planned", "/build", ".card.jobs:has(.planned)", _plan, width=1600),
    Picture("axis", "/build", ".card.jobs:has(.evicted)", _add_jobs, width=1600),
    Picture("editor-loading", "/build", ".card.text:has(.skeleton)", _without_editor, width=1600),
    Picture(
        "editor-problems",
        "/build",
        ".card.text:has(.cm-lint-marker-error)",
        _write_wrong,
        width=1600,
    ),
    Picture(
        "editor-completion",
        "/build",
        ".card.text:has(.cm-tooltip-autocomplete)",
        _complete,
        width=1600,
    ),
    Picture("strip", "/steps?open=reclaim-1-take-back", ".strip:has(.on)", around=12),
    Picture(
        "strip-filtered",
        "/steps?open=reclaim-1-take-back&outcomes=admitted",
        ".strip:has(.on):has([aria-pressed=true])",
        around=12,
    ),
    Picture("strip-loading", "/home", ".strip:has(.waiting)", _skim, around=12),
    Picture(
        "notice-busy", "/home", ".busy:has(progress):has(button)", _open_long, frozenset({"open"})
    ),
    Picture("notice-away", "/overview?open=two-teams", ".busy.away", _lose),
    Picture("toast", f"/workloads?open=two-teams&w={WORKLOAD}", ".toast:has(.link)", _try),
    Picture(
        "toast-note", f"/workloads?open=two-teams&w={WORKLOAD}", ".toast:not(:has(.link))", _undo
    ),
    Picture("toast-error", "/overview?open=two-teams", ".toast.tone-bad", _open_nothing),
    Picture("empty", "/compare?open=reclaim-1-take-back", ".empty"),
    Picture("error", "/workloads?open=two-teams&w=team-b%2Fnot-there", ".trouble"),
)


def draw(browser: Browser, address: str, picture: Picture, theme: str) -> None:
    """Draw a picture, in a browser that has nothing open."""
    context = browser.new_context(
        viewport={"width": picture.width, "height": 760},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.set_default_timeout(20_000)
    wire = Wire(page, picture.held)
    page.goto(f"{address.partition('#')[0]}#{picture.address}")
    page.locator(".app").wait_for()
    picture.act(page, wire)
    seen = page.locator(picture.seen).first
    seen.wait_for()
    # What is not in the picture may still be loading.
    isolated = "skeleton" in picture.seen or "waiting" in picture.seen
    if not isolated:
        seen.locator(".skeleton, .tr.waiting").first.wait_for(state="detached")
    seen.scroll_into_view_if_needed()
    box = seen.bounding_box()
    assert box is not None
    around = picture.around
    page.screenshot(
        path=FOLDER / f"{picture.name}-{theme}.png",
        animations="disabled",
        style="" if ".busy" in picture.seen else WITHOUT_NOTICES,
        clip={
            "x": box["x"] - around,
            "y": box["y"] - around,
            "width": box["width"] + 2 * around,
            "height": box["height"] + 2 * around,
        },
    )
    wire.end()
    context.close()


def main() -> None:
    """Serve the app, and draw it; of pictures that are named only those."""
    from playwright.sync_api import sync_playwright

    named = sys.argv[1:]
    FOLDER.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "kueuelab", "studio", "--port", "0", "--no-browser", "--json"]
    server = subprocess.Popen(command, cwd=FOLDER.parent, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = json.loads("".join(next(server.stdout) for _ in range(3)))["url"]
    executable = os.environ.get("CHROMIUM") or shutil.which("chromium") or "chromium"
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable, args=arguments)
            for picture in PICTURES:
                if named and picture.name not in named:
                    continue
                for theme in ("light", "dark"):
                    draw(browser, address, picture, theme)
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
