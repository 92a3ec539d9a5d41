"""``kueuelab step``: step through a run in a terminal, forwards and backwards."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.completing import files, workloads
from kueuelab.cli.loading import AllowOutside, trace_at
from kueuelab.cli.output import KueueVersion, Speaker, speaker
from kueuelab.cli.step_at import step_at
from kueuelab.errors import KueueLabError
from kueuelab.messages import Message
from kueuelab.printable import escaped

if TYPE_CHECKING:
    from kueuelab.cli.stepper import Stepper
    from kueuelab.trace.trace import Trace

Followed = Annotated[
    str, typer.Option("--workload", "-w", help="cli.step.workload.help", autocompletion=workloads)
]
Place = Annotated[
    str,
    typer.Option("--at", metavar="TIME_OR_STEP", help="cli.step.at.help", show_default=False),
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
            autocompletion=files,
        ),
    ],
    workload: Followed = "",
    at: Place = "",
    keys: Keys = "",
    kueue_version: KueueVersion = "",
    allow_outside: AllowOutside = False,
) -> None:
    """Step through a run in the terminal: what is decided, the queues, the quota."""
    out = speaker(ctx)
    trace = trace_at(file, out, allow_outside=allow_outside, kueue_version=kueue_version)
    if len(trace.clusters) > 1:
        hint = Message("cli.several-clusters.hint")
        raise KueueLabError(Message("cli.several-clusters", file=file), hint=hint)
    step_through(trace, out, workload, at, keys)


def step_through(
    trace: Trace, out: Speaker, workload: str = "", at: str = "", keys: str = ""
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
        Where to begin: a step counted from 1, a cycle or a time; by default where something
        happens first.
    keys
        Keys to press instead of reading them from the terminal.

    Raises
    ------
    KueueLabError
        If there is no such step.
    """
    from kueuelab.cli.stepper import Stepper
    from kueuelab.views import Document

    if not len(trace):
        out.say([Message("cli.step.empty")])
        return
    step = step_at(trace, trace[0].time, at) + 1 if at else None
    stepper = Stepper(Document(trace, language=out.words), workload, step, out.words)
    if keys:
        out.say(stepper.played(keys))
    else:
        _interact(stepper, out)


def _interact(stepper: Stepper, out: Speaker) -> None:
    """Show a place at a time, and wait for a key."""
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        out.say(stepper.played(""))
        return
    if find_spec("textual") is None:
        _interact_without_textual(stepper, out)
        return
    from kueuelab.cli.step_app import StepApp

    StepApp(stepper).run()


def _interact_without_textual(stepper: Stepper, out: Speaker) -> None:
    """Show all of a place one below the other."""
    import click
    from rich.console import Console

    from kueuelab.cli.stepper import QUIT

    console = Console(highlight=False)
    with console.screen(hide_cursor=True):
        while True:
            console.clear()
            console.print(escaped(stepper.text()), markup=False, overflow="fold")
            console.print(f"\n{out.text('cli.step.keys')}", style="dim", markup=False)
            key = click.getchar()
            if key in QUIT:
                return
            stepper.press(key)
