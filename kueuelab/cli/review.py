"""``kueuelab review``: what a change of the configuration would have done to workloads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kueuelab.cli.completing import files
from kueuelab.cli.output import CHECK_FAILED, AsJson, speaker
from kueuelab.messages import Message

__all__ = ["command"]


def command(
    ctx: typer.Context,
    before: Annotated[
        Path,
        typer.Option(
            metavar="PATH", exists=True, help="cli.review.before.help", show_default=False
        ),
    ],
    after: Annotated[
        Path,
        typer.Option(metavar="PATH", exists=True, help="cli.review.after.help", show_default=False),
    ],
    run: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="cli.review.run.help",
            autocompletion=files,
            show_default=False,
        ),
    ],
    runs: Annotated[str, typer.Option(metavar="DURATION", help="cli.review.runs.help")] = "",
    fail: Annotated[bool, typer.Option("--fail-if-worse", help="cli.review.fail.help")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a comment for a pull request: which workloads would have gone another way."""
    from kueuelab.review import comment, read_history, review
    from kueuelab.review.submissions import run_time

    out = speaker(ctx)
    known = run_time(runs) if runs else None
    with out.progress(Message("cli.reading", context=run)):
        found = review(before, after, read_history(run), runs=known)
    if as_json:
        out.say_json(found.as_data())
    else:
        out.say_text([comment(found, out.words)])
    if fail and found.is_worse:
        raise typer.Exit(CHECK_FAILED)
