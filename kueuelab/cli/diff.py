"""``kueuelab diff``: two runs side by side."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.output import AsJson, progress, say, say_json

if TYPE_CHECKING:
    from kueuelab.trace.trace import Trace


def command(
    before: Annotated[
        str, typer.Argument(metavar="A", help="A scenario, manifests, or the trace of a run.")
    ],
    after: Annotated[str, typer.Argument(metavar="B", help="The same, to compare with A.")],
    table: Annotated[
        bool, typer.Option("--table", help="Write the numbers of all queues as a table.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run two scenarios, and say which decisions differ first and what comes of it."""
    from kueuelab.trace.diff import diff
    from kueuelab.whatif.table import columns

    found = diff(_trace(before), _trace(after))
    if as_json:
        say_json(found.as_data())
    elif table:
        rows = found.as_table()
        header = ("queue", "what", "before", "after")
        say([columns(header, [[row[name] for name in header] for row in rows])])
    else:
        say([f"before: {before}", f"after: {after}", "", found.as_text()])


def _trace(name: str) -> Trace:
    """Read the trace of a run, or run a scenario."""
    from kueuelab.cli.loading import scenario_at
    from kueuelab.trace.export import load_trace

    path = Path(name)
    if path.is_file() and _holds_trace(path):
        return load_trace(path)
    scenario = scenario_at(name)
    with progress(scenario.name or "running"):
        return scenario.run().trace


def _holds_trace(path: Path) -> bool:
    """Tell a trace from a scenario by its first words."""
    with path.open("rb") as file:
        head = file.read(64)
    if head[:2] == b"\x1f\x8b":
        with gzip.open(path) as file:
            head = file.read(64)
    return head.lstrip().startswith(b'{"format":"kueuelab-trace"')
