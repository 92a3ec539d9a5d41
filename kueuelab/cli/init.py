"""``kueuelab init``: notebooks, exercises and scenarios in a folder of one's own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from kueuelab.cli.output import AsJson, say, say_json


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to put everything.")],
    as_json: AsJson = False,
) -> None:
    """Copy notebooks, exercises and scenarios to a folder; again, to update what you left as is.

    A file that you changed is never overwritten.
    """
    from kueuelab.workshop.starter import init_folder

    written = init_folder(folder)
    if as_json:
        say_json({"folder": str(folder), "files": [each.as_data() for each in written]})
        return
    say(each.text for each in written if each.outcome == "kept")
    counts = Counter(each.outcome for each in written)
    told = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    say([f"{folder}: {told}"])
