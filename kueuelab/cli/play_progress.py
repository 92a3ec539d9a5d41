"""How far a scenario on a cluster is, as one line on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kueuelab.cli.output import Speaker
from kueuelab.messages import Message
from kueuelab.printable import escaped

if TYPE_CHECKING:
    from kueuelab.live.play_options import PlayProgress

__all__ = ["played_progress", "progress_line"]


def progress_line(name: str, progress: PlayProgress) -> Message:
    """Return the line: how many seconds of how many, or what is waited for.

    Examples
    --------
    >>> from kueuelab.live.play_options import PlayProgress
    >>> str(progress_line("racks", PlayProgress(12.3, 31.0)))
    'racks: 12 s of about 31 s'
    >>> str(progress_line("racks", PlayProgress(33, 31, ("the end of a", "the end of b"))))
    'racks: 33 s, waits for the end of a'
    """
    seconds = f"{progress.elapsed:.0f}"
    if progress.waiting_for:
        first = progress.waiting_for[0]
        return Message("cli.live.progress.waits", name=name, seconds=seconds, waiting=first)
    expected = f"{max(progress.expected, progress.elapsed):.0f}"
    return Message("cli.live.progress", name=name, seconds=seconds, expected=expected)


@contextmanager
def played_progress(out: Speaker, name: str) -> Iterator[Callable[[PlayProgress], None]]:
    """Show how far it is on a terminal; nothing where there is none."""
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(escaped(name), total=None)

        def shown(progress: PlayProgress) -> None:
            line = escaped(out.words.render(progress_line(name, progress)))
            done = min(progress.elapsed, progress.expected)
            total = max(progress.expected, 1)
            bar.update(task, description=line, completed=done, total=total)

        yield shown
