"""What Lighthouse says of the app's pages: accessibility, and what it calls best practices.

Run ``make lighthouse``, or ``python benchmarks/lighthouse.py [COMMAND]``, where the command is the
one of an installed ``lighthouse``. It needs Node.js and Chromium. Each page is judged as a desktop
and as a phone shows it, as ``kueuelab studio`` serves it. The command fails if a page has less than
95 of 100.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
#: The least of 100 that a page has.
GOAL = 95
CATEGORIES = ("accessibility", "best-practices")
#: Pages with something in them.
PAGES = {
    "Home": "#/home",
    "Overview": "#/overview?open=two-teams",
    "Workloads": "#/workloads?open=two-teams&w=team-b/job-b-cpu-2-71f14",
    "Steps": "#/steps?open=reclaim-1-take-back&step=63",
    "Build": "#/build",
    "Levers": "#/levers?open=two-teams&w=team-b/job-b-cpu-2-71f14",
}


@contextmanager
def machine(folder: str) -> Iterator[str]:
    """Serve the app on this machine; yields its address."""
    studio = [sys.executable, "-m", "kueuelab", "studio", "--port", "0", "--no-browser"]
    server = subprocess.Popen(
        studio,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        yield next(word for word in line.split() if word.startswith("http"))
    finally:
        server.terminate()
        server.wait()


def judge(lighthouse: list[str], address: str, *options: str) -> dict[str, Any]:
    """Return the report on a page."""
    sandbox = " --no-sandbox" if os.geteuid() == 0 else ""
    command = [
        *lighthouse,
        address,
        *options,
        "--quiet",
        "--output=json",
        f"--only-categories={','.join(CATEGORIES)}",
        f"--chrome-flags=--headless=new{sandbox}",
    ]
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or "chromium"
    done = subprocess.run(
        command, env=os.environ | {"CHROME_PATH": chromium}, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(done.stderr)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def failed(report: dict[str, Any]) -> Iterator[str]:
    """Yield the audits in which a page loses points, with the elements."""
    for name in CATEGORIES:
        for each in report["categories"][name]["auditRefs"]:
            audit = report["audits"][each["id"]]
            if not each["weight"] or audit["score"] in (None, 1):
                continue
            yield f"{audit['id']}: {audit['title']}"
            for item in audit.get("details", {}).get("items", [])[:5]:
                yield f"  {item.get('node', {}).get('snippet') or json.dumps(item)[:160]}"


def main(lighthouse: list[str]) -> None:
    """Print the points of each page, and what it loses them for."""
    print(f"{'':22}{CATEGORIES[0]:>15}{CATEGORIES[1]:>16}")
    least = 100
    with tempfile.TemporaryDirectory() as folder, machine(folder) as address:
        for name, part in PAGES.items():
            for kind, options in (("desktop", ["--preset=desktop"]), ("phone", [])):
                report = judge(lighthouse, address + part, *options)
                points = [round(100 * report["categories"][each]["score"]) for each in CATEGORIES]
                least = min(least, *points)
                print(f"{name:12}{kind:10}{points[0]:15}{points[1]:16}", flush=True)
                for line in failed(report):
                    print(f"    {line}")
    if least < GOAL:
        sys.exit(f"{least} is less than {GOAL}")


if __name__ == "__main__":
    main(sys.argv[1:] or ["lighthouse"])
