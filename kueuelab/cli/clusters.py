"""``kueuelab live up``, ``status`` and ``down``: kind clusters, or any others, connected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab import KUEUE_VERSION
from kueuelab.cli.completing import contexts
from kueuelab.cli.output import CHECK_FAILED, Speaker, speaker
from kueuelab.cli.standard_input import NAME, STANDARD_INPUT, read_standard_input
from kueuelab.cli.terminating import terminable
from kueuelab.messages import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from kueuelab.live.clusters import Runner, Wiring

__all__ = ["Allowed", "DryRunning", "Manager", "WorkerContexts", "register"]

Allowed = Annotated[
    list[str] | None,
    typer.Option("--allow-context", metavar="NAME", help="cli.option.allow-context"),
]
DryRunning = Annotated[bool, typer.Option("--dry-run", help="cli.clusters.dry-run.help")]
Manager = Annotated[
    str, typer.Option(metavar="NAME", help="cli.clusters.manager.help", autocompletion=contexts)
]
WorkerContexts = Annotated[
    list[str] | None,
    typer.Option("--worker", metavar="WORKER=NAME", help="cli.clusters.worker.help"),
]
_Name = Annotated[str, typer.Option(metavar="NAME", help="cli.clusters.name.help")]
_Workers = Annotated[
    int,
    typer.Option(min=0, help="cli.clusters.workers.help"),
]
_Context = Annotated[
    str, typer.Option("--context", metavar="NAME", help="cli.clusters.context.help")
]
_Servers = Annotated[
    list[str] | None,
    typer.Option(
        "--server",
        metavar="WORKER=URL",
        help="cli.clusters.server.help",
    ),
]


def register(commands: typer.Typer) -> None:
    """Add the commands."""
    commands.command("up", help="cli.clusters.up.help")(up)
    commands.command("status", help="cli.clusters.status.help")(status)
    commands.command("down", help="cli.clusters.down.help")(down)


def up(
    ctx: typer.Context,
    workers: _Workers = 0,
    kueue: Annotated[str, typer.Option(help="cli.clusters.kueue.help")] = KUEUE_VERSION,
    name: _Name = "lab",
    configuration: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="cli.clusters.configuration.help"),
    ] = None,
    context: _Context = "",
    manager: Manager = "",
    worker: WorkerContexts = None,
    server: _Servers = None,
    allow: Allowed = None,
    dry_run: DryRunning = False,
) -> None:
    """Create kind clusters with Kueue, or connect clusters that are there and have it.

    Running it again goes on where it stopped.
    """
    from kueuelab.live.clusters import Layout, connect, up
    from kueuelab.live.clusters.steps import unwatched

    out = speaker(ctx)
    runner = _runner(dry_run, out)
    # A single cluster is only looked at.
    writes = bool(worker) and not dry_run
    wiring = _wiring(out, name, context, manager, worker, server, allow, writes, workers)
    watch = unwatched if dry_run else partial(_bar, out)
    if wiring is not None:
        if configuration is not None:
            raise typer.BadParameter(
                out.text("cli.clusters.kind-only"),
                param_hint="--configuration",
            )
        with terminable():
            connect(wiring, runner, _teller(out), kueue=kueue, watch=watch)
        if wiring.workers and not dry_run:
            out.say([Message("cli.clusters.check", check=wiring.check)])
        return
    text = ""
    if configuration is not None:
        from kueuelab.files import read_bytes
        from kueuelab.manifests import load_configuration

        from_stdin = str(configuration) == STANDARD_INPUT
        content = read_standard_input() if from_stdin else read_bytes(configuration)
        load_configuration(content, name=NAME if from_stdin else str(configuration))
        text = content.decode("utf-8-sig")
    layout = Layout(name, workers, kueue)
    with terminable():
        up(layout, runner, _teller(out), configuration=text, watch=watch)
    if not dry_run:
        contexts = [f"kind-{each}" for each in layout.clusters[:1]]
        out.say(Message("cli.clusters.next", context=context) for context in contexts)


def status(
    ctx: typer.Context,
    workers: _Workers = 0,
    name: _Name = "lab",
    context: _Context = "",
    manager: Manager = "",
    worker: WorkerContexts = None,
) -> None:
    """Tell which clusters are there, and whether Kueue is ready and workers are connected.

    The exit code is 1 if one of them is not.
    """
    from kueuelab.live.clusters import Layout, connections, status

    out = speaker(ctx)
    wiring = _wiring(out, name, context, manager, worker, None, None, False, workers)
    runner = _runner(False, out)
    layout = Layout(name, workers)
    found = list(status(layout, runner) if wiring is None else connections(wiring, runner))
    out.say(health.text for health in found)
    if not all(health.is_well for health in found):
        raise typer.Exit(CHECK_FAILED)


def down(
    ctx: typer.Context,
    workers: _Workers = 0,
    name: _Name = "lab",
    context: _Context = "",
    manager: Manager = "",
    worker: WorkerContexts = None,
    allow: Allowed = None,
    dry_run: DryRunning = False,
) -> None:
    """Delete the kind clusters that `up` created, or take away what it put into others.

    Nothing else is touched, and twice does no harm.
    """
    from kueuelab.live.clusters import Layout, disconnect, down

    out = speaker(ctx)
    wiring = _wiring(out, name, context, manager, worker, None, allow, not dry_run, workers)
    runner = _runner(dry_run, out)
    with terminable():
        if wiring is None:
            down(Layout(name, workers), runner, _teller(out))
        else:
            disconnect(wiring, runner, _teller(out))


def _teller(out: Speaker) -> Callable[[str], None]:
    return lambda sentence: out.say([Message("cli.clusters.says", sentence=sentence)])


@contextmanager
def _bar(out: Speaker, steps: int) -> Iterator[Callable[[], None]]:
    with out.progress(Message("cli.clusters.progress"), steps) as passed:
        yield lambda: passed()


def _runner(dry: bool, out: Speaker) -> Runner:
    from kueuelab.live.clusters import DryRun, Subprocess

    return DryRun(lambda line: out.say([line])) if dry else Subprocess()


def _wiring(
    out: Speaker,
    name: str,
    context: str,
    manager: str,
    worker: Sequence[str] | None,
    server: Sequence[str] | None,
    allow: Sequence[str] | None,
    writes: bool,
    workers: int,
) -> Wiring | None:
    """Return the contexts, ``None`` for kind's; refuse to write to one that is not allowed."""
    from kueuelab.live.access import guard
    from kueuelab.live.clusters import Wiring

    if not (context or manager or worker or server):
        return None
    if workers:
        raise typer.BadParameter(out.text("cli.clusters.only-kind"), param_hint="--workers")
    if context and manager:
        raise typer.BadParameter(
            out.text("cli.clusters.one-of-two"), param_hint="--context, --manager"
        )
    if bool(manager) != bool(worker) or (server and not worker):
        raise typer.BadParameter(
            out.text("cli.clusters.give-both"), param_hint="--manager, --worker"
        )
    named = [_named(each, "--worker", out) for each in worker or ()]
    twice = [alias for alias, _ in named if [each for each, _ in named].count(alias) > 1]
    if twice:
        raise typer.BadParameter(
            out.text("cli.clusters.twice", name=twice[0]), param_hint="--worker"
        )
    servers = dict(_named(each, "--server", out) for each in server or ())
    found = Wiring.of(name, manager or context, dict(named), servers)
    if writes:
        for cluster in found.clusters:
            guard(cluster.context, allow or ())
    return found


def _named(text: str, option: str, out: Speaker) -> tuple[str, str]:
    alias, is_there, value = text.partition("=")
    if not is_there or not alias or not value:
        raise typer.BadParameter(out.text("cli.clusters.no-worker", text=text), param_hint=option)
    return alias, value
