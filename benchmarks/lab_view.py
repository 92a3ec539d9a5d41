"""How long a step takes to be seen: click to paint in headless Chromium, without a kernel.

Run ``python benchmarks/lab_view.py [QUEUES WORKLOADS | board] [--beside CHECKOUT]``; it prints
figures and checks nothing. It needs what the browser tests need: playwright and Chromium. With
``--beside`` the front end of another checkout of this repository shows the same frames, in turns
with this one: what else the machine does meets both. First pictures are compared in the same way.

A step begins with the click on "Next" in the page, which moves over one step. It ends when the
browser has painted the frame. The steps are taken at three places of the run, 500 in all. Beside
it stands the processor time of the page's main thread, which other work on the machine does not
lengthen as much. Before
the front end, each step went to the kernel and back: those figures are kept here, under that name.

The first picture is measured in the page: of a saved page from when it was read, of a cell from
when its output is put into a notebook's page, each until the browser has painted the first frame.
"""

from __future__ import annotations

import gzip
import json
import os
import runpy
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: ClusterQueues and workloads, with the limits of the median and of 99 in 100, in milliseconds.
SIZES = ((30, 500, 25, 50), (100, 5_000, 35, 80), (1_000, 30_000, 60, 150))
BOARD = (8, 40, 30, 60)
#: Figures of two quiet cores when plotly drew what the kernel sent at each step (version 0.1.0):
#: the medians and the longest of 45 steps with each of four pages beside the graph.
BEFORE = {
    (30, 500): "53 to 69 ms, most 84 to 172 ms",
    (100, 5_000): "57 to 70 ms, most 79 to 173 ms",
}
#: Where in the run the steps are taken, and how many in all.
PLACES = (0.25, 0.5, 0.75)
STEPS = 500

#: Clicks, and waits for the paint after each; returns milliseconds.
CLICKS = """
async (count) => {
  const next = document.querySelector('.kl-moves .kl-primary');
  const view = document.querySelector('.kl-view');
  const painted = () => new Promise(done => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  }));
  const taken = [];
  for (let each = 0; each < count; each += 1) {
    const before = view.dataset.step;
    const start = performance.now();
    next.click();
    await painted();
    while (view.dataset.step === before) await painted();
    taken.push(performance.now() - start);
  }
  return taken;
}
"""

#: Makes a page and a cell of a document with the checkout that it runs in. Of a run as long as
#: these a notebook keeps the chunk that is shown.
PAGE = """
import json, pathlib, sys
from kueuelab import frontend
document = json.loads(pathlib.Path(sys.argv[1]).read_text("utf-8"))
pathlib.Path(sys.argv[2]).write_text(frontend.page(document), "utf-8")
number = str(document["start"] // document["chunk"])
kept = document | {"chunks": {number: document["chunks"][number]}}
pathlib.Path(sys.argv[3]).write_text(frontend.fragment(kept, "<p>still</p>", "board"), "utf-8")
"""

#: Notes in the page when the first frame was painted.
PAINTED = """
new MutationObserver((_, seen) => {
  if (!document.querySelector('.kl-view[data-step]')) return;
  seen.disconnect();
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => { window.paintedFirst = performance.now(); };
    channel.port2.postMessage(0);
  });
}).observe(document, {subtree: true, attributes: true, attributeFilter: ['data-step']});
"""
#: Puts the output of a cell into the page, as notebooks do: its scripts run.
SHOWN = """
markup => {
  window.shown = performance.now();
  const range = document.createRange();
  range.selectNode(document.body);
  document.body.append(range.createContextualFragment(markup));
}
"""
#: Openings of which the median is taken, and its limit in milliseconds.
OPENINGS, FIRST = 7, 300


def scenario(queues: int, workloads: int) -> dict[str, Any]:
    """Return a scenario: cohorts of six queues that borrow and preempt, crowded all the time."""
    api = "kueue.x-k8s.io/v1beta2"
    objects: list[dict[str, Any]] = [
        {"apiVersion": api, "kind": "ResourceFlavor", "metadata": {"name": "default"}}
    ]
    for number in range(queues):
        name = f"team-{number}"
        resource = {"name": "cpu", "nominalQuota": 40, "borrowingLimit": 100}
        flavors = [{"name": "default", "resources": [resource]}]
        objects += [
            {
                "apiVersion": api,
                "kind": "ClusterQueue",
                "metadata": {"name": name},
                "spec": {
                    "cohortName": f"department-{number // 6}",
                    "namespaceSelector": {},
                    "preemption": {
                        "reclaimWithinCohort": "Any",
                        "withinClusterQueue": "LowerPriority",
                    },
                    "resourceGroups": [{"coveredResources": ["cpu"], "flavors": flavors}],
                },
            },
            {
                "apiVersion": api,
                "kind": "LocalQueue",
                "metadata": {"name": name, "namespace": "default"},
                "spec": {"clusterQueue": name},
            },
        ]
    sizes = ((1, 50), (5, 100), (1, 50), (20, 200), (1, 50))
    # Very many arrive in few instants: what is measured is how they are shown.
    apart = queues if workloads <= 5_000 else workloads
    timeline = []
    for number in range(workloads):
        cpu, priority = sizes[number % 5]
        job = {
            "job": f"job-{number}",
            "queue": f"team-{number * 7 % queues}",
            "requests": {"cpu": cpu},
        }
        timeline.append({"at": f"{number // apart}s", "submit": job | {"priority": priority}})
    return {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": f"{queues} queues, {workloads} workloads"},
        "spec": {"manifests": objects, "timeline": timeline},
    }


@dataclass
class Made:
    """A document of a run with the chunks around the places where steps are taken."""

    data: dict[str, Any]
    places: list[int]
    seconds: float

    @property
    def size(self) -> str:
        """How large it is: kilobytes for the browser, packed."""
        packed = gzip.compress(json.dumps(self.data, separators=(",", ":")).encode(), 6)
        return f"{len(packed) / 1000:.0f} kB packed"


def made(document: Any) -> Made:
    """Make the chunks of a document where steps are taken."""
    start = time.perf_counter()
    count = len(document.trace)
    chunk = document.as_data(())["chunk"]
    each = -(-STEPS // len(PLACES)) + 10
    last = max(0, count - each - 1)
    # From the beginning of a chunk, and with all chunks that follow: none has to be fetched.
    places = [min(int(count * place) // chunk * chunk, last) for place in PLACES]
    numbers = {
        number
        for place in places
        for number in range(place // chunk, min(place + each, count - 1) // chunk + 1)
    }
    data = document.as_data(sorted(numbers))
    return Made(data, places, time.perf_counter() - start)


def lab_of(queues: int, workloads: int, folder: Path) -> Made:
    """Run a scenario and make its document."""
    import kueuelab as kl
    from kueuelab.views import Document

    file = folder / f"scenario-{queues}.yaml"
    file.write_text(json.dumps(scenario(queues, workloads)), "utf-8")
    return made(Document(kl.load(file).run()))


def board_of(workers: int, jobs: int) -> Made:
    """Run a fleet and make the document of its board."""
    from kueuelab.views.frame.multikueue_document import MultiKueueDocument

    fleet = runpy.run_path(str(Path(__file__).parent / "multikueue_board.py"))["fleet"]
    return made(MultiKueueDocument(fleet(workers, jobs).run()))


class Opened:
    """A page in a tab of its own, and what its steps took."""

    def __init__(self, browser: Any, file: Path) -> None:
        self.page = browser.new_page(viewport={"width": 1440, "height": 900})
        self.page.set_default_timeout(600_000)
        self.page.goto(file.as_uri())
        self.page.locator(".kl-view[data-step]").wait_for()
        self.page.locator(".kl-line select").select_option("step")
        self._session = self.page.context.new_cdp_session(self.page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self.taken: list[float] = []
        self.held = 0.0
        self.busy = 0.0

    def walk(self, place: int, count: int) -> None:
        """Go to a step, and click as often from there."""
        self.page.bring_to_front()
        self.page.evaluate("step => { location.hash = `#step=${step}`; }", place + 1)
        self.page.locator(f".kl-view[data-step='{place}']").wait_for()
        self.page.evaluate(CLICKS, 5)
        before = _worked(self._session)
        self.taken += self.page.evaluate(CLICKS, count)
        self.busy += 1000 * (_worked(self._session) - before)
        self._session.send("HeapProfiler.collectGarbage")
        self.held = self._session.send("Runtime.getHeapUsage")["usedSize"] / 1e6


def first_picture(browser: Any, file: Path, cell: str = "") -> tuple[float, float]:
    """Open a page, and show a cell there if one is given; return how long it took, and its work."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script(PAINTED)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(file.as_uri())
    before = _worked(session) if cell else 0.0
    if cell:
        page.evaluate(SHOWN, cell)
    while not page.evaluate("window.paintedFirst ?? 0"):
        page.evaluate("() => new Promise(requestAnimationFrame)")
    start = "performance.getEntriesByType('navigation')[0].responseEnd"
    taken = page.evaluate(f"paintedFirst - (window.shown ?? {start})")
    busy = 1000 * (_worked(session) - before)
    page.close()
    return taken, busy


def first_pictures(browser: Any, folder: Path, beside: Path | None) -> str:
    """Return how long the first picture takes: of a saved page, and of a cell of a notebook."""
    empty = folder / "notebook.html"
    empty.write_text("<!doctype html><meta charset=utf-8><title>notebook</title><body>", "utf-8")
    names = ["here"] if beside is None else ["beside", "here"]
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for _ in range(OPENINGS):
        for number, name in enumerate(names):
            saved = first_picture(browser, folder / f"page-{number}.html")
            cell = (folder / f"cell-{number}.html").read_text("utf-8")
            found.setdefault((name, "saved page"), []).append(saved)
            found.setdefault((name, "cell"), []).append(first_picture(browser, empty, cell))
    said = []
    for (name, what), each in found.items():
        taken, busy = (statistics.median(figures) for figures in zip(*each, strict=True))
        said.append(f"{what} {name} {taken:.0f} ms (processor {busy:.0f} ms)")
    return f"first picture: {', '.join(said)}, at most {FIRST} ms each"


def _worked(session: Any) -> float:
    """Return the seconds that the page's main thread worked so far."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(sum(each["value"] for each in metrics if each["name"] == "TaskDuration"))


def measure(browser: Any, found: Made, folder: Path, beside: Path | None) -> list[Opened]:
    """Open a document as a page of each checkout, and step through the pages in turns."""
    document = folder / "document.json"
    pages: list[Opened] = []
    document.write_text(json.dumps(found.data | {"start": found.places[0]}), "utf-8")
    for checkout in (beside, Path(__file__).parents[1]):
        if checkout is None:
            continue
        file, cell = (folder / f"{what}-{len(pages)}.html" for what in ("page", "cell"))
        command = [sys.executable, "-c", PAGE, str(document), str(file), str(cell)]
        here = os.environ | {"PYTHONPATH": str(checkout)}
        subprocess.run(command, env=here, cwd=checkout, check=True)
        pages.append(Opened(browser, file))
    for place in found.places:
        count = min(-(-STEPS // len(PLACES)), found.data["steps"] - place - 8)
        for page in pages:
            page.walk(place, count)
    for page in pages:
        page.page.close()
    return pages


def line(name: str, page: Opened, limits: tuple[int, int] | None) -> str:
    """Return what steps took as a line of the table."""
    ordered = sorted(page.taken)
    nearly_all = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    goal = f"  (at most {limits[0]} / {limits[1]} ms)" if limits else ""
    return (
        f"{name:42} median {statistics.median(ordered):5.1f} ms, 99 in 100 within"
        f" {nearly_all:5.1f} ms, most {ordered[-1]:5.1f} ms of {len(ordered)};"
        f" processor {page.busy / len(ordered):4.1f} ms a step{goal}"
    )


def lines(name: str, pages: list[Opened], limits: tuple[int, int] | None) -> str:
    """Return the lines of a world: of the other checkout, if there is one, and of this one."""
    names = [name] if len(pages) == 1 else [f"{name}, beside", f"{name}, here"]
    return "\n".join(line(each, page, limits) for each, page in zip(names, pages, strict=True))


def main(arguments: list[str]) -> None:
    """Measure one scenario, the board, or all of them."""
    from playwright.sync_api import sync_playwright

    beside = None
    if "--beside" in arguments:
        at = arguments.index("--beside")
        beside = Path(arguments[at + 1]).resolve()
        arguments = arguments[:at] + arguments[at + 2 :]
    boards = not arguments or arguments == ["board"]
    sizes = [] if arguments == ["board"] else list(SIZES)
    if arguments and arguments != ["board"]:
        queues, workloads = map(int, arguments)
        limits = {each[:2]: each[2:] for each in SIZES}
        sizes = [(queues, workloads, *limits.get((queues, workloads), (0, 0)))]
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM") or shutil.which("chromium"),
            args=["--no-sandbox"] if os.geteuid() == 0 else [],
        )
        for queues, workloads, median, nearly_all in sizes:
            title = f"{queues} queues, {workloads} workloads"
            before = BEFORE.get((queues, workloads))
            if before:
                print(f"{title:42} before the front end (kept figures): {before}", flush=True)
            found = lab_of(queues, workloads, folder)
            pages = measure(browser, found, folder, beside)
            print(lines(title, pages, (median, nearly_all) if median else None))
            print(
                f"{'':42} run of {found.data['steps']} steps; frames of"
                f" {len(found.data['chunks'])} chunks made in {found.seconds:.1f} s, {found.size};"
                f" the page holds {pages[-1].held:.0f} MB, at most 100\n"
                f"{'':42} {first_pictures(browser, folder, beside)}",
                flush=True,
            )
        if boards:
            workers, jobs, *limit = BOARD
            found = board_of(workers, jobs)
            pages = measure(browser, found, folder, beside)
            title = f"board of {workers} workers, {jobs} jobs"
            print(lines(title, pages, (limit[0], limit[1])))
            print(f"{'':42} {first_pictures(browser, folder, beside)}", flush=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
