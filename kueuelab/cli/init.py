"""``kueuelab init``: notebooks, exercises and scenarios in a folder of one's own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from kueuelab.cli.output import AsJson, speaker
from kueuelab.messages import Message


def command(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="cli.init.folder.help")],
    as_json: AsJson = False,
) -> None:
    """Copy notebooks, exercises and scenarios to a folder, or update unchanged copies.

    A file that you changed is never overwritten.
    """
    from kueuelab.workshop.starter import init_folder

    out = speaker(ctx)
    written = init_folder(folder)
    if as_json:
        out.say_json({"folder": str(folder), "files": [each.as_data() for each in written]})
        return
    out.say(each.text for each in written if each.outcome == "kept")
    counts = Counter(each.outcome for each in written)
    shown = [
        out.text(
            "cli.init.count", count=count, outcome=out.text(f"workshop.copy.outcome.{outcome}")
        )
        for outcome, count in counts.items()
    ]
    out.say([Message("cli.init.written", folder=folder, counts=", ".join(shown))])
