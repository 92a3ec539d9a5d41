"""How soon the app is there: in the page, with no server of kueuelab, and on this machine.

Run ``python benchmarks/app.py [RUNS]``; it prints figures and checks nothing. It needs what the
browser tests need, and what ``make site`` fetched. Files come from 127.0.0.1.

A *cold* start has a browser that has never seen the site. A *warm* start has its files, as the
service worker keeps them, and a new browser process. *Home* is when the browser has painted the
page with its examples, *ready* is when the engine takes commands, and *first answer* is when the
overview of a dump is painted, which is clicked as soon as Home is there. Each is counted from when
the page is asked for. The least of all runs is printed, and the median.
"""

from __future__ import annotations

import gzip
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

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

#: Goals in seconds, and in bytes.
GOALS = {
    "cold: Home": 0.6,
    "cold: ready": 2.5,
    "cold: first answer": 3.5,
    "warm: ready": 1.0,
    "machine: Home": 0.6,
}
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
def browser(profile: Path) -> Iterator[BrowserContext]:
    """Start Chromium with a profile, in which a browser keeps what it knows of sites."""
    from playwright.sync_api import sync_playwright

    executable = os.environ.get("CHROMIUM") or shutil.which("chromium") or "chromium"
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=executable, args=arguments, headless=True
        )
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
    command = [sys.executable, "-m", "kueuelab", "app", "--port", "0", "--no-browser"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        yield next(word for word in line.split() if word.startswith("http"))
    finally:
        server.terminate()
        server.wait()


def main(runs: int) -> None:
    """Print the figures."""
    from static_site import PYODIDE, obstacle, serving

    from kueuelab.app.site import write_site
    from kueuelab.messages import english

    if reason := obstacle():
        sys.exit(reason)
    times: dict[str, list[float]] = defaultdict(list)
    size = 0
    with tempfile.TemporaryDirectory() as folder:
        site = write_site(Path(folder), PYODIDE, english())
        with serving(Path(folder)) as address:
            for _ in range(runs):
                *both, size = visits(address)
                for kind, found in zip(("cold", "warm"), both, strict=True):
                    note(times, kind, found)
    for _ in range(runs):
        with (
            machine() as address,
            tempfile.TemporaryDirectory() as folder,
            browser(Path(folder)) as context,
        ):
            note(times, "machine", start(context.new_page(), address))
    print(f"{'':22}    least   median     goal")
    for name, values in times.items():
        goal = f"{GOALS[name]:6.2f} s" if name in GOALS else ""
        print(f"{name:22} {min(values):6.2f} s {statistics.median(values):6.2f} s {goal}")
    print(f"Home, compressed       {size:,} bytes of {LARGEST_HOME:,}")
    print(f"site                   {site.files} files, {site.size / 1e6:.1f} MB")
    print(f"load of the machine    {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {runs} runs")


def note(times: dict[str, list[float]], kind: str, found: dict[str, Any]) -> None:
    """Add what one start took."""
    for name, key in (("Home", "home"), ("ready", "ready"), ("first answer", "answer")):
        times[f"{kind}: {name}"].append(found[key])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
