"""How commands speak: results on standard output, everything else on standard error.

This is the one place that writes to a terminal, and escapes what could steer it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from threading import Timer
from typing import Annotated, Any, Final, Protocol

import typer

from kueuelab.messages import Catalog
from kueuelab.printable import escaped

__all__ = ["AsJson", "KueueVersion", "Progress", "Speaker", "speaker"]

#: Exit codes.
CHECK_FAILED: Final = 1
BAD_INPUT: Final = 2
#: As shells have it: 128 and the number of SIGINT.
INTERRUPTED: Final = 130

#: Work that takes less than this has no progress bar.
_SECONDS_UNTIL_SHOWN: Final = 2.0

#: The name of standard output in errors of the operating system.
STANDARD_OUTPUT: Final = "<stdout>"

AsJson = Annotated[bool, typer.Option("--json", help="cli.option.json")]

KueueVersion = Annotated[
    str,
    typer.Option(
        metavar="VERSION",
        envvar="KUEUELAB_KUEUE_VERSION",
        show_default=False,
        help="cli.option.kueue-version",
    ),
]


class Progress(Protocol):
    """Counts what is done."""

    def __call__(self, done: object = None) -> None:
        """Count one more."""


class Speaker:
    """Writes what a command has to say, in a language.

    Attributes
    ----------
    words
        The sentences in that language; messages are rendered in it.
    """

    __slots__ = ("words",)

    def __init__(self, words: Catalog) -> None:
        self.words = words

    def text(self, message: str, /, **values: Any) -> str:
        """Return a sentence."""
        return self.words.text(message, **values)

    def say(self, lines: Iterable[str]) -> None:
        """Write lines of the result."""
        for line in lines:
            _write(self.words.render(line))

    def say_text(self, parts: Iterable[str]) -> None:
        """Write a text of the result as it is, part by part."""
        for part in parts:
            _write(part, end="")

    def say_json(self, value: Any) -> None:
        """Write the result as JSON."""
        _write(json.dumps(value, indent=2, ensure_ascii=False))

    def complain(self, *messages: str) -> None:
        """Say what is wrong, apart from the result; what is wrong many times is said once."""
        for message, count in Counter(map(self.words.render, messages)).items():
            text = escaped(message)
            if count > 1:
                text = self.text("errors.repeated", text=text, count=count)
            typer.echo(f"kueuelab: {text}", err=True)

    def complain_lines(self, lines: Iterable[str]) -> None:
        """Write lines of a text apart from the result, as they are."""
        for line in lines:
            typer.echo(escaped(line), err=True)

    @property
    def width(self) -> int | None:
        """How wide the terminal is that shows the result; ``None`` if no terminal does."""
        return get_terminal_size().columns if sys.stdout.isatty() else None

    @contextmanager
    def progress(
        self, label: str, total: int | None = None, *, estimate: bool = False
    ) -> Iterator[Progress]:
        """Show how far work is that takes longer than two seconds, on a terminal.

        With ``estimate`` it shows how long the rest takes, too.
        """
        if not sys.stderr.isatty():
            yield lambda done=None: None
            return
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as Bar

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            *([TimeRemainingColumn()] if estimate else []),
        )
        # Lines of the result appear above the bar, or where they were sent to.
        shared = sys.stdout.isatty()
        console = Console(stderr=True)
        bar = Bar(*columns, console=console, transient=True, redirect_stdout=shared)
        task = bar.add_task(escaped(self.words.render(label)), total=total)
        shown = Timer(_SECONDS_UNTIL_SHOWN, bar.start)
        shown.daemon = True
        shown.start()
        try:
            yield lambda done=None: bar.advance(task)
        finally:
            shown.cancel()
            shown.join()
            bar.stop()


def speaker(ctx: typer.Context) -> Speaker:
    """Return what speaks for a command; the command as a whole has chosen its language."""
    found = ctx.find_object(Speaker)
    assert found is not None
    return found


def _write(text: str, end: str = "\n") -> None:
    """Write to standard output; nothing that a file says steers the terminal."""
    try:
        typer.echo(f"{escaped(text)}{end}", nl=False)
    except OSError as error:
        if isinstance(error, BrokenPipeError) or error.filename is not None:
            raise
        raise type(error)(error.errno, error.strerror, STANDARD_OUTPUT) from error
