"""``kueuelab diff``: two runs side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuelab.cli.completing import files
from kueuelab.cli.loading import AllowOutside, trace_at
from kueuelab.cli.output import AsJson, speaker
from kueuelab.cli.standard_input import check_once
from kueuelab.messages import Message


def command(
    ctx: typer.Context,
    before: Annotated[
        str, typer.Argument(metavar="A", help="cli.diff.before.help", autocompletion=files)
    ],
    after: Annotated[
        str, typer.Argument(metavar="B", help="cli.diff.after.help", autocompletion=files)
    ],
    table: Annotated[bool, typer.Option("--table", help="cli.diff.table.help")] = False,
    as_json: AsJson = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Run two scenarios, and say which decisions differ first and what comes of it."""
    from kueuelab.trace.diff import diff
    from kueuelab.trace.text_table import text_table

    out = speaker(ctx)
    check_once((before, after))
    first = trace_at(before, out, allow_outside=allow_outside)
    second = trace_at(after, out, allow_outside=allow_outside)
    with out.progress(Message("cli.diff.comparing")):
        found = diff(first, second, out.words)
    if as_json:
        out.say_json(found.as_data())
    elif table:
        rows = found.as_table()
        names = ("queue", "what", "before", "after")
        header = [out.text(f"cli.diff.column.{name}") for name in names]
        out.say([text_table(header, [[row[name] for name in names] for row in rows])])
    else:
        head = (
            Message("cli.diff.before", file=before),
            Message("cli.diff.after", file=after),
        )
        out.say([*head, "", found.as_text()])
