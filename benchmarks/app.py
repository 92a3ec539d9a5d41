"""How soon the app is there, and how fast it is with a dump: in the page, and on this machine.

Run ``python benchmarks/app.py [RUNS] [QUEUES]``; it prints figures and their goals, and checks
nothing. It needs what the browser tests need, and what ``make site`` fetched. Files come from
127.0.0.1. Without QUEUES, a dump of 1,000 ClusterQueues and 30,000 workloads is opened once on
each engine; 0 leaves it out.

A *cold* start has a browser that has never seen the site. A *warm* start has its files, as the
service worker keeps them, and a new browser process. *Home* is when the browser has painted the
page with its examples, *ready* is when the engine takes commands, and *first answer* is when the
overview of a dump is painted, which is clicked as soon as Home is there. Each is counted from when
the page is asked for. The least of all runs is printed, and the median.

Of the dump: *table* is from the choice of the file until its workloads are painted, *checked* until
they are checked and loaded, *run* is what their decisions take after that, *a keystroke* from a
letter in the search until the rows that match are painted, *drawer* from a click on a row until the
drawer has the sentence about its workload, *frames* are the intervals between pictures while the
table is scrolled, and *memory* is that of the page's process, its engine included.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from plain_browser import plain_page  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

#: Goals in seconds, and in bytes.
GOALS = {
    "cold: Home": 0.6,
    "cold: ready": 2.5,
    "cold: first answer": 3.5,
    "warm: ready": 1.0,
    "machine: Home": 0.6,
    "page: dump, table": 20.0,
    "page: dump, a keystroke": 0.05,
    "page: dump, drawer": 0.15,
    "page: dump, frames, 99 of 100": 0.02,
    "machine: dump, table": 4.0,
    "machine: dump, a keystroke": 0.05,
    "machine: dump, drawer": 0.15,
    "machine: dump, frames, 99 of 100": 0.02,
}
LARGEST_PAGE = 400_000_000
LARGEST_HOME = 250_000
#: Notes when something is painted; the click is the reader's.
WATCH = """
(() => {
  const seen = window.seen = {};
  const painted = (name) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => { seen[name] ??= performance.now() / 1000; };
    channel.port2.postMessage(0);
  });
  const look = () => {
    const home = document.querySelector('.example');
    if (home && !seen.home) {
      painted('home');
      if (!window.clicked) {
        window.clicked = true;
        setTimeout(() => home.click());
      }
    }
    if (document.querySelector('.app') && !document.querySelector('.pill.engine')) painted('ready');
    if (document.querySelector('.kpis')) painted('answer');
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
})();
"""
#: What the page itself asked for until Home was there: Python is asked for by a worker.
ASKED = "() => performance.getEntriesByType('resource').map((each) => each.name)"


@contextmanager
def browser(profile: Path, *, watch: bool = True) -> Iterator[BrowserContext]:
    """Start Chromium with a profile, in which a browser keeps what it knows of sites."""
    from playwright.sync_api import sync_playwright

    executable = os.environ.get("CHROMIUM") or shutil.which("chromium") or "chromium"
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=executable, args=arguments, headless=True
        )
        if watch:
            context.add_init_script(WATCH)
        yield context
        context.close()


def start(page: Page, address: str) -> dict[str, float]:
    """Open the app, and return when what was there, in seconds."""
    page.goto(address)
    page.wait_for_function("() => window.seen?.answer && window.seen?.ready", timeout=120_000)
    found: dict[str, float] = page.evaluate("() => window.seen")
    return found


def visits(address: str) -> tuple[dict[str, float], dict[str, float], int]:
    """Visit a site for the first and for the second time; return the bytes of Home, too."""
    with tempfile.TemporaryDirectory() as folder:
        with browser(Path(folder)) as context:
            page = context.new_page()
            cold = start(page, address)
            names = [name for name in page.evaluate(ASKED) if "/python/" not in name]
            size = sum(
                len(gzip.compress(page.request.get(name).body(), 6)) for name in [address, *names]
            )
            page.evaluate("() => navigator.serviceWorker?.ready.then(() => true)")
        with browser(Path(folder)) as context:
            warm = start(context.new_page(), address)
    return cold, warm, size


@contextmanager
def machine() -> Iterator[str]:
    """Serve the app on this machine; yields its address."""
    command = [sys.executable, "-m", "kueuelab", "studio", "--port", "0", "--no-browser", "--json"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        lines = [next(server.stdout) for _ in range(3)]
        yield json.loads("".join(lines))["url"]
    finally:
        server.terminate()
        server.wait()


#: ``window.dropped`` is when a file was chosen: a text of 100 MB is too long to be dropped here.
CHOSEN = """
() => document.querySelector("input[type=file]").addEventListener(
  "change", () => { window.dropped = performance.now(); }, true)
"""
#: Seconds from an action until a condition holds and is painted.
UNTIL_PAINTED = """
([act, holds]) => new Promise((resolve) => {
  const begun = performance.now(), done = new Function(`return ${holds}`);
  const look = () => requestAnimationFrame(() => {
    if (!done()) return look();
    const channel = new MessageChannel();
    channel.port1.onmessage = () => resolve((performance.now() - begun) / 1000);
    channel.port2.postMessage(0);
  });
  new Function(act)();
  look();
})
"""
TYPE = """
const input = document.querySelector(".search input");
window.asked = window.engine.count;
input.value = VALUE;
input.dispatchEvent(new Event("input", { bubbles: true }));
"""
#: The front end is asked whether the last question has its answer.
ENGINE = """
() => import("/front.js").then(({ modules }) => {
  window.engine = modules["app/store.js"].engine;
})
"""
ANSWERED = """window.engine.count > window.asked
  && ![...window.engine.open.values()].some(({ command }) => command === "workloads")"""
#: The dump is checked and loaded.
LOADED = "() => document.querySelector('.top .file small').innerText.includes('as read')"
SINCE_CHOSEN = "() => (performance.now() - window.dropped) / 1000"
#: All rows match and are there, and no answer is under way.
ROWS = """() => {
  const [found, all] = document.querySelector(".title p").innerText.match(/[\\d,]+/g);
  return found === all && document.querySelectorAll(".tr .name").length > 5
    && !window.engine.open.size;
}"""
#: Scrolls the table for 300 pictures, and returns the intervals between them in seconds.
SCROLL = """
() => new Promise((resolve) => {
  const table = document.querySelector(".table"), found = [];
  let last = performance.now();
  const next = (now) => {
    found.push((now - last) / 1000);
    last = now;
    table.scrollTop += 90;
    if (found.length < 300) requestAnimationFrame(next);
    else resolve(found.slice(2));
  };
  requestAnimationFrame(next);
})
"""


async def page_memory(address: str, file: Path) -> int:
    """Return the bytes of the page's process with a dump that is loaded, and a drawer open."""
    async with plain_page(address) as page:
        await page.until("!!document.querySelector('.app')")
        await page.until("!document.querySelector('.pill.engine')")
        await page.choose("input[type=file]", file)
        await page.until("!!document.querySelector('.tr .name')")
        await page.until(f"({LOADED})() && !document.querySelector('.busy')")
        await page.evaluate("document.querySelector('.tr .name').click()")
        await page.until("!!document.querySelector('.drawer .say')")
        return await page.memory()


def with_dump(address: str, file: Path, kind: str, times: dict[str, list[float]]) -> None:
    """Open a dump, and use the table."""
    with tempfile.TemporaryDirectory() as folder, browser(Path(folder), watch=False) as context:
        page = context.new_page()
        page.set_default_timeout(1_200_000)
        page.goto(address)
        page.wait_for_function(
            "() => document.querySelector('.app') && !document.querySelector('.pill.engine')"
        )
        page.evaluate(CHOSEN)
        page.locator("input[type=file]").set_input_files(file)
        page.locator(".tr .name").first.wait_for()
        times[f"{kind}: dump, table"].append(page.evaluate(SINCE_CHOSEN))
        page.evaluate(ENGINE)
        for when in (", as it is checked", ""):
            for typed in ("g", "gp", "gpu", "gpu ", "gpu 1"):
                act = TYPE.replace("VALUE", json.dumps(typed))
                took = page.evaluate(UNTIL_PAINTED, [act, ANSWERED])
                times[f"{kind}: dump, a keystroke{when}"].append(took)
            page.wait_for_function(LOADED)
            if when:
                times[f"{kind}: dump, checked"].append(page.evaluate(SINCE_CHOSEN))
        page.evaluate("() => { location.hash = location.hash.replace(/[?&]q=[^&]*/, ''); }")
        for row in range(5):
            page.wait_for_function(ROWS)
            act = f"document.querySelectorAll('.tr .name')[{row}].click()"
            holds = (
                f"document.querySelector('.drawer .say') && document.querySelector('.drawer h1')"
                f".innerText.includes(document.querySelectorAll('.tr .name b')[{row}].innerText)"
            )
            times[f"{kind}: dump, drawer"].append(page.evaluate(UNTIL_PAINTED, [act, holds]))
        page.keyboard.press("Escape")
        page.locator(".drawer").wait_for(state="detached")
        frames = sorted(page.evaluate(SCROLL))
        times[f"{kind}: dump, frames, median"].append(statistics.median(frames))
        times[f"{kind}: dump, frames, 99 of 100"].append(frames[len(frames) * 99 // 100])
        if kind == "machine":
            page.evaluate(
                "() => { location.hash = location.hash.replace('workloads', 'overview'); }"
            )
            page.locator(".kpis").wait_for()
            act = "document.querySelector('.as-read button').click()"
            holds = "!document.querySelector('.as-read')"
            times[f"{kind}: dump, run"].append(page.evaluate(UNTIL_PAINTED, [act, holds]))


def dumped(queues: int, folder: Path) -> Path:
    """Write a dump as ``kubectl get -o json`` does."""
    from kueuelab.bench.cluster_dump import DumpShape, write_dump

    file = folder / "dump.json"
    with file.open("w", encoding="utf-8") as stream:
        write_dump(DumpShape(queues=queues), stream)
    return file


def main(runs: int, queues: int) -> None:
    """Print the figures."""
    from static_site import NODE, PYODIDE, obstacle, serving

    from kueuelab.app.site import write_site
    from kueuelab.messages import english

    if reason := obstacle():
        sys.exit(reason)
    times: dict[str, list[float]] = defaultdict(list)
    size = 0
    memory: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as place:
        file = dumped(queues, Path(folder)) if queues else None
        length = file.stat().st_size if file else 0
        site = write_site(Path(place), PYODIDE, english(), NODE)
        with serving(Path(place)) as address:
            for _ in range(runs):
                *both, size = visits(address)
                for kind, found in zip(("cold", "warm"), both, strict=True):
                    note(times, kind, found)
            if file:
                with_dump(address, file, "page", times)
                memory["page"] = asyncio.run(page_memory(address, file))
        if file:
            with machine() as address:
                with_dump(address, file, "machine", times)
            with machine() as address:
                memory["machine"] = asyncio.run(page_memory(address, file))
    for _ in range(runs):
        with (
            machine() as address,
            tempfile.TemporaryDirectory() as folder,
            browser(Path(folder)) as context,
        ):
            note(times, "machine", start(context.new_page(), address))
    print(f"{'':32}     least    median      goal")
    for name, values in times.items():
        goal = f"{GOALS[name]:7.3f} s" if name in GOALS else ""
        print(f"{name:32} {min(values):7.3f} s {statistics.median(values):7.3f} s {goal}")
    for kind, held in memory.items():
        print(
            f"{kind}: dump, memory of the page: {held / 1e6:,.0f} MB of {LARGEST_PAGE / 1e6:,.0f}"
        )
    if length:
        print(f"the dump               {length / 1e6:.0f} MB, {30 * queues:,} workloads")
    print(f"Home, compressed       {size:,} bytes of {LARGEST_HOME:,}")
    print(f"site                   {site.files} files, {site.size / 1e6:.1f} MB")
    print(f"load of the machine    {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {runs} runs")


def note(times: dict[str, list[float]], kind: str, found: dict[str, Any]) -> None:
    """Add what one start took."""
    for name, key in (("Home", "home"), ("ready", "ready"), ("first answer", "answer")):
        times[f"{kind}: {name}"].append(found[key])


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    main(*(given + [5, 1000][len(given) :]))
