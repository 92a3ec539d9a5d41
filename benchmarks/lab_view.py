"""How long a step takes to be seen: the lab view in a JupyterLab in headless Chromium.

Run ``python benchmarks/lab_view.py [QUEUES WORKLOADS]``; it prints figures and checks nothing.
It needs what the browser tests need: JupyterLab, playwright and Chromium.

A step begins with the click on "Next ▶" in the page. It ends when the browser has painted after
the last change that came of it, in whichever view: until then the click travelled to the kernel,
Python looked up the step and built the pictures, the messages travelled back, and Plotly drew.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError

#: ClusterQueues and workloads, and how many milliseconds a step may take.
WORLDS = ((30, 500, 100), (100, 5_000, 250))
#: Where in the run the steps are taken, and how many of them at each place.
PLACES = (0.25, 0.5, 0.75)
STEPS = 15
TABS = ("Decision", "Why", "Queues", "Timeline")

SETUP = """
import kueuelab as kl
lab = kl.widgets.lab(kl.load(r"{file}").run())
lab
"""

#: Clicks, and waits until nothing has changed in the view for a while.
CLICK = """
async (name) => {
  const view = document.querySelector('.kl-view');
  const buttons = [...view.querySelectorAll('button')];
  const button = buttons.find(each => each.textContent.includes(name));
  let shown = 0, pending = 0;
  const start = performance.now();
  const watch = new MutationObserver(() => {
    pending += 1;
    requestAnimationFrame(() => setTimeout(() => { shown = performance.now(); pending -= 1; }));
  });
  watch.observe(view, {subtree: true, childList: true, characterData: true, attributes: true});
  button.click();
  await new Promise(done => {
    const check = setInterval(() => {
      const now = performance.now();
      const quiet = shown && !pending && now - shown > 400;
      if (quiet || now - start > 20000) { clearInterval(check); done(); }
    }, 50);
  });
  watch.disconnect();
  return shown - start;
}
"""


def world(queues: int, workloads: int) -> dict[str, Any]:
    """Return a scenario: cohorts of six queues that borrow and preempt, crowded all the time."""
    objects: list[dict[str, Any]] = [
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "ResourceFlavor",
            "metadata": {"name": "default"},
        }
    ]
    for number in range(queues):
        name = f"team-{number}"
        resource = {"name": "cpu", "nominalQuota": 40, "borrowingLimit": 100}
        flavors = [{"name": "default", "resources": [resource]}]
        objects += [
            {
                "apiVersion": "kueue.x-k8s.io/v1beta2",
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
                "apiVersion": "kueue.x-k8s.io/v1beta2",
                "kind": "LocalQueue",
                "metadata": {"name": name, "namespace": "default"},
                "spec": {"clusterQueue": name},
            },
        ]
    sizes = ((1, 50), (5, 100), (1, 50), (20, 200), (1, 50))
    timeline = []
    for number in range(workloads):
        cpu, priority = sizes[number % 5]
        job = {
            "job": f"job-{number}",
            "queue": f"team-{number * 7 % queues}",
            "requests": {"cpu": cpu},
        }
        timeline.append({"at": f"{number // queues}s", "submit": job | {"priority": priority}})
    return {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": f"{queues} queues, {workloads} workloads"},
        "spec": {"manifests": objects, "timeline": timeline},
    }


@contextmanager
def jupyterlab(home: Path) -> Iterator[tuple[str, int]]:
    """Run a JupyterLab on this machine only; yield its address and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTER_PLATFORM_DIRS": "1",
    }
    command = [
        *(sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root"),
        *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
        *("--IdentityProvider.token=", "--ServerApp.password=", "--expose-app-in-browser"),
        *(f"--ServerApp.root_dir={home}", "--LabApp.news_url=", "--log-level=ERROR"),
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        for _ in range(300):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=5):
                    break
            except (URLError, OSError):
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}", server.pid
    finally:
        server.terminate()
        server.wait(timeout=30)


def notebook(home: Path, queues: int, workloads: int) -> Path:
    """Write a notebook with the lab view of a world."""
    import nbformat

    file = home / f"world-{queues}.yaml"
    file.write_text(json.dumps(world(queues, workloads)), "utf-8")
    made = nbformat.v4.new_notebook()
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    made.cells = [nbformat.v4.new_code_cell(SETUP.format(file=file))]
    path = home / f"world-{queues}.ipynb"
    nbformat.write(made, path)
    return path


@dataclass
class Taken:
    """What steps took, in milliseconds: by the clock, and of the processor on either side."""

    wall: list[float] = field(default_factory=list)
    python: float = 0.0
    page: float = 0.0

    def within(self, limit: float) -> str:
        """Return how many of the steps took no longer than a limit."""
        return f"{sum(each <= limit for each in self.wall)} of {len(self.wall)}"

    def __str__(self) -> str:
        ordered, count = sorted(self.wall), len(self.wall)
        return (
            f"median {statistics.median(ordered):4.0f} ms, nine in ten within"
            f" {ordered[int(count * 0.9)]:4.0f} ms, most {ordered[-1]:4.0f} ms;"
            f" processor time a step: {self.python / count:3.0f} ms Python,"
            f" {self.page / count:3.0f} ms page"
        )


def open_world(page: Any, url: str, file: Path) -> None:
    """Open a notebook, run its cell, and wait until the view is there."""
    page.goto(f"{url}/lab/tree/{file.name}?reset")
    page.wait_for_function(
        """() => {
            const session = window.jupyterapp?.shell.currentWidget?.sessionContext;
            return session?.isReady && session.session?.kernel?.status === 'idle';
        }""",
        timeout=120_000,
    )
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
    page.wait_for_selector(".kl-view .main-svg", timeout=300_000)
    page.wait_for_timeout(3_000)


def measure(page: Any, tabs: Iterable[str], kernel: int) -> Iterator[tuple[str, Taken]]:
    """Step in the view that is open; yield what it took with each page beside the graph."""
    view = page.locator(".kl-view").first
    slider = view.get_by_role("slider", name="Step")
    count = int(slider.get_attribute("max"))
    metrics = page.context.new_cdp_session(page)
    # Processor time of the page's own thread, whatever else the machine is busy with.
    metrics.send("Performance.enable", {"timeDomain": "threadTicks"})
    for tab in tabs:
        view.get_by_role("tab", name=tab, exact=True).click()
        taken = Taken()
        for place in PLACES:
            slider.evaluate(
                "(slider, at) => { slider.value = at;"
                " slider.dispatchEvent(new Event('input', {bubbles: true})); }",
                int(count * place),
            )
            page.wait_for_timeout(3_000)
            page.evaluate(CLICK, "Next")
            before = processor_time(kernel), page_time(metrics)
            taken.wall += [page.evaluate(CLICK, "Next") for _ in range(STEPS)]
            taken.python += processor_time(kernel) - before[0]
            taken.page += page_time(metrics) - before[1]
        yield tab, taken


def page_time(metrics: Any) -> float:
    """Return the milliseconds that the page's thread has worked."""
    found = metrics.send("Performance.getMetrics")["metrics"]
    return 1000 * next(each["value"] for each in found if each["name"] == "TaskDuration")


def kernels(server: int) -> list[int]:
    """Return the processes that a server started, the newest last."""
    found = Path(f"/proc/{server}/task/{server}/children").read_text("ascii").split()
    return list(map(int, found))


def processor_time(process: int) -> float:
    """Return the milliseconds of processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(arguments: list[str]) -> None:
    """Measure one world, or all of them."""
    from playwright.sync_api import sync_playwright

    worlds = WORLDS
    if arguments:
        queues, workloads = map(int, arguments)
        worlds = ((queues, workloads, 0),)
    with (
        tempfile.TemporaryDirectory() as folder,
        jupyterlab(Path(folder)) as (url, server),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM") or shutil.which("chromium"),
            args=["--no-sandbox"] if os.geteuid() == 0 else [],
        )
        for queues, workloads, limit in worlds:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            open_world(page, url, notebook(Path(folder), queues, workloads))
            goal = f" (at most {limit} ms)" if limit else ""
            print(f"{queues} ClusterQueues, {workloads} workloads{goal}", flush=True)
            for tab, taken in measure(page, TABS, kernels(server)[-1]):
                within = f"; within the limit: {taken.within(limit)}" if limit else ""
                print(f"  {tab:9} {taken}{within}", flush=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
