"""How commands speak: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Final, Protocol

import typer

__all__ = ["AsJson", "Progress", "complain", "progress", "say", "say_json"]

#: Exit codes.
CHECK_FAILED: Final = 1
BAD_INPUT: Final = 2

AsJson = Annotated[bool, typer.Option("--json", help="Write JSON instead of text.")]


def say(lines: Iterable[str]) -> None:
    """Write lines of the result."""
    for line in lines:
        typer.echo(line)


def say_json(value: Any) -> None:
    """Write the result as JSON."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))


def complain(message: str) -> None:
    """Say what is wrong, apart from the result."""
    typer.echo(f"kueuelab: {message}", err=True)


class Progress(Protocol):
    """Told of each thing that is done."""

    def __call__(self, done: object = None) -> None:
        """Count one more."""


@contextmanager
def progress(label: str, total: int | None = None) -> Iterator[Progress]:
    """Show how far long work is, where somebody watches."""
    if not sys.stderr.isatty():
        yield lambda done=None: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    # Lines of the result appear above the bar, or where they were sent to.
    shared = sys.stdout.isatty()
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, redirect_stdout=shared) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done=None: bar.advance(task)
