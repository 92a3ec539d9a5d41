"""``kueuelab diff``: two runs side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuelab.cli.loading import AllowOutside, trace_at
from kueuelab.cli.output import AsJson, say, say_json


def command(
    before: Annotated[
        str, typer.Argument(metavar="A", help="A scenario, manifests, or the trace of a run.")
    ],
    after: Annotated[str, typer.Argument(metavar="B", help="The same, to compare with A.")],
    table: Annotated[
        bool, typer.Option("--table", help="Write the numbers of all queues as a table.")
    ] = False,
    as_json: AsJson = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Run two scenarios, and say which decisions differ first and what comes of it."""
    from kueuelab.trace.diff import diff
    from kueuelab.whatif.table import columns

    first = trace_at(before, allow_outside=allow_outside)
    found = diff(first, trace_at(after, allow_outside=allow_outside))
    if as_json:
        say_json(found.as_data())
    elif table:
        rows = found.as_table()
        header = ("queue", "what", "before", "after")
        say([columns(header, [[row[name] for name in header] for row in rows])])
    else:
        say([f"before: {before}", f"after: {after}", "", found.as_text()])
