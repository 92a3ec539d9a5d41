"""``kueuelab step``: step through a run in a terminal, forwards and backwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kueuelab.cli.loading import AllowOutside, trace_at
from kueuelab.cli.output import Speaker, speaker
from kueuelab.errors import KueueLabError
from kueuelab.messages import Message
from kueuelab.printable import escaped

if TYPE_CHECKING:
    from kueuelab.trace.trace import Trace
    from kueuelab.views import Document

#: What a key does, and its name in the help line; several keys may do the same.
_KEYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "\x1b[C": "forward",
        "\x1bOC": "forward",
        "n": "forward",
        "\x1b[D": "back",
        "\x1bOD": "back",
        "b": "back",
        "\x1b[B": "next_cycle",
        "\x1bOB": "next_cycle",
        "c": "next_cycle",
        "\x1b[A": "previous_cycle",
        "\x1bOA": "previous_cycle",
        "C": "previous_cycle",
        "e": "next_entry",
        "E": "previous_entry",
        "p": "next_preemption",
        "P": "previous_preemption",
        "w": "next_about",
        "W": "previous_about",
        "\x1b[H": "start",
        "\x1bOH": "start",
        "g": "start",
        "\x1b[F": "end",
        "\x1bOF": "end",
        "G": "end",
    }
)
_QUIT: Final = ("q", "\x1b", "\x03", "\x04")

Followed = Annotated[str, typer.Option("--workload", "-w", help="cli.step.workload.help")]
Place = Annotated[
    int | None,
    typer.Option("--at", metavar="N", min=1, help="cli.step.at.help", show_default=False),
]
Keys = Annotated[
    str,
    typer.Option(help="cli.step.keys.help"),
]


def command(
    ctx: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="cli.step.file.help",
        ),
    ],
    workload: Followed = "",
    at: Place = None,
    keys: Keys = "",
    allow_outside: AllowOutside = False,
) -> None:
    """Step through a run in the terminal: what is decided, the queues, the quota."""
    out = speaker(ctx)
    trace = trace_at(file, out, allow_outside=allow_outside)
    if len(trace.clusters) > 1:
        hint = Message("cli.several-clusters.hint")
        raise KueueLabError(Message("cli.several-clusters", file=file), hint=hint)
    step_through(trace, out, workload, at, keys)


def step_through(
    trace: Trace, out: Speaker, workload: str = "", at: int | None = None, keys: str = ""
) -> None:
    """Open the stepper on a trace.

    Parameters
    ----------
    trace
        What is stepped through.
    out
        What writes it.
    workload
        The workload that some keys follow.
    at
        The step to begin with, counted from 1; by default where something happens first.
    keys
        Keys to press instead of reading them from the terminal.

    Raises
    ------
    KueueLabError
        If there is no such step.
    """
    from kueuelab.views import Document

    if not len(trace):
        out.say([Message("cli.step.empty")])
        return
    if at is not None and at > len(trace):
        raise KueueLabError(
            Message("cli.step.no-step", step=at),
            hint=Message("cli.step.no-step.hint", last=len(trace)),
        )
    stepper = _Stepper(Document(trace), workload, at)
    if keys:
        out.say(stepper.played(keys))
    else:
        _interact(stepper, out)


class _Stepper:
    """A cursor over a run, moved by keys, and what there is to see at each place."""

    def __init__(self, document: Document, workload: str, at: int | None) -> None:
        from kueuelab.trace.timetravel import Cursor

        self._document = document
        self._workload = workload if "/" in workload or not workload else f"default/{workload}"
        # People count steps from 1.
        self._cursor = Cursor(document.trace, document.start if at is None else at - 1)

    def press(self, key: str) -> bool:
        """Do what a key says; tell whether the place changed."""
        name = _KEYS.get(key, "")
        if name.endswith("_about"):
            about: Callable[[str], bool] = getattr(self._cursor, name)
            return bool(self._workload) and about(self._workload)
        move: Callable[[], bool] | None = getattr(self._cursor, name, None) if name else None
        return move() if move is not None else False

    def played(self, keys: str) -> Iterator[str]:
        """Press keys one after another; yield what is to be seen at first and after each."""
        yield self.text()
        for key in keys:
            if key in _QUIT:
                return
            moved = self.press(key)
            yield ""
            yield self.text() if moved else Message("cli.step.end", key=key)

    def text(self) -> str:
        """Return what is to be seen at this place."""
        from kueuelab.views.frame.text import decision_text, picture_text, queues_text

        trace, frame = self._cursor.trace, self._document.frame(self._cursor.index)
        parts = (
            decision_text(frame, len(trace), len(trace.cycles)),
            picture_text(frame),
            queues_text(frame),
        )
        return "\n\n".join(part for part in parts if part)


def _interact(stepper: _Stepper, out: Speaker) -> None:
    """Show a place at a time, and wait for a key."""
    import click
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        out.say(stepper.played(""))
        return
    with console.screen(hide_cursor=True):
        while True:
            console.clear()
            console.print(escaped(stepper.text()), markup=False, overflow="fold")
            console.print(f"\n{out.text('cli.step.keys')}", style="dim", markup=False)
            key = click.getchar()
            if key in _QUIT:
                return
            stepper.press(key)
