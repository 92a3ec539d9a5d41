"""Nothing flows back up: the contracts in pyproject.toml hold."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import grimp

ROOT = Path(__file__).parent.parent


def test_the_import_contracts_are_kept() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as m; m()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_on_the_architecture_lists_the_rooms() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `kueuelab/([\w.]+)/?` \|", page, re.MULTILINE))
    beside = {"__init__.py", "__main__.py", "pytest_plugin.py"}
    package = ROOT / "kueuelab"
    there = {path.parent.name for path in package.glob("*/__init__.py")}
    there |= {path.name for path in package.glob("*.py")} - beside
    assert listed == there


def test_a_view_reads_the_trace_and_never_asks_the_scheduler() -> None:
    # Only direct imports: a view may start a what-if, and that runs the scheduler.
    deciders = ("scheduler", "queues", "quota", "topology")
    graph = grimp.build_graph("kueuelab", cache_dir=None)
    asked = [
        (importer, imported)
        for importer in graph.modules
        if importer.startswith(("kueuelab.views", "kueuelab.widgets"))
        for imported in graph.find_modules_directly_imported_by(importer)
        if imported.split(".")[1:2] and imported.split(".")[1] in deciders
    ]
    assert asked == []


def test_importing_the_package_stays_light() -> None:
    heavy = {"typer", "rich", "IPython", "ipywidgets", "networkx", "plotly", "lightkube"}
    code = f"import kueuelab, sys; print(*sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
