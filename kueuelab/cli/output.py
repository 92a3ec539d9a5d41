"""How commands speak: results on standard output, everything else on standard error.

This is the one place that writes to a terminal, and escapes what could steer it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Final, Protocol

import typer

from kueuelab.printable import escaped

__all__ = ["AsJson", "Progress", "complain", "progress", "say", "say_json", "say_text"]

#: Exit codes.
CHECK_FAILED: Final = 1
BAD_INPUT: Final = 2

#: What it is called in errors.
STANDARD_OUTPUT: Final = "standard output"

AsJson = Annotated[bool, typer.Option("--json", help="Write JSON instead of text.")]


def say(lines: Iterable[str]) -> None:
    """Write lines of the result."""
    for line in lines:
        _write(line)


def say_text(parts: Iterable[str]) -> None:
    """Write a text of the result as it is, part by part."""
    for part in parts:
        _write(part, end="")


def say_json(value: Any) -> None:
    """Write the result as JSON."""
    _write(json.dumps(value, indent=2, ensure_ascii=False))


def complain(*messages: str) -> None:
    """Say what is wrong, apart from the result; what is wrong many times is said once."""
    for message, count in Counter(messages).items():
        times = f" ({count} times)" if count > 1 else ""
        typer.echo(f"kueuelab: {escaped(message)}{times}", err=True)


def _write(text: str, end: str = "\n") -> None:
    """Write to standard output; nothing that a file says steers the terminal."""
    try:
        typer.echo(f"{escaped(text)}{end}", nl=False)
    except OSError as error:
        if isinstance(error, BrokenPipeError) or error.filename is not None:
            raise
        raise type(error)(error.errno, error.strerror, STANDARD_OUTPUT) from error


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
        task = bar.add_task(escaped(label), total=total)
        yield lambda done=None: bar.advance(task)
