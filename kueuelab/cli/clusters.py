"""``kueuelab live up``, ``status`` and ``down``: kind clusters, or any others, connected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.output import CHECK_FAILED, progress, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from kueuelab.live.clusters import Runner, Wiring

__all__ = ["Allowed", "DryRunning", "Manager", "WorkerContexts", "register"]

Allowed = Annotated[
    list[str] | None,
    typer.Option("--allow-context", metavar="NAME", help="A context that may be written."),
]
DryRunning = Annotated[
    bool, typer.Option("--dry-run", help="Print every command and manifest; do nothing.")
]
Manager = Annotated[
    str, typer.Option(metavar="NAME", help="The manager's context, where there are several.")
]
WorkerContexts = Annotated[
    list[str] | None,
    typer.Option("--worker", metavar="WORKER=NAME", help="A worker's context; may be repeated."),
]
_Name = Annotated[
    str, typer.Option(metavar="NAME", help="What the clusters, or their connections, are called.")
]
_Workers = Annotated[
    int,
    typer.Option(min=0, help="How many workers kind makes; 0 is one cluster without MultiKueue."),
]
_Context = Annotated[
    str, typer.Option("--context", metavar="NAME", help="A cluster that is there, instead of kind.")
]
_Servers = Annotated[
    list[str] | None,
    typer.Option(
        "--server",
        metavar="WORKER=URL",
        help="Where the manager reaches a worker, if not where the kubeconfig says.",
    ),
]


def register(commands: typer.Typer) -> None:
    """Add the commands."""
    commands.command("up")(up)
    commands.command("status")(status)
    commands.command("down")(down)


def up(
    workers: _Workers = 0,
    kueue: Annotated[str, typer.Option(help="The Kueue release.")] = "v0.19.2",
    name: _Name = "lab",
    configuration: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Kueue's Configuration, as a file."),
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

    runner = _runner(dry_run)
    # A single cluster is only looked at.
    writes = bool(worker) and not dry_run
    wiring = _wiring(name, context, manager, worker, server, allow, writes, workers)
    if wiring is not None:
        if configuration is not None:
            raise typer.BadParameter(
                "Kueue's Configuration is changed on kind clusters only",
                param_hint="--configuration",
            )
        connect(wiring, runner, _tell, kueue=kueue, watch=unwatched if dry_run else _bar)
        if wiring.workers and not dry_run:
            say([f"A ClusterQueue that names the AdmissionCheck {wiring.check} sends jobs there."])
        return
    text = ""
    if configuration is not None:
        from kueuelab.files import read_bytes
        from kueuelab.manifests import load_configuration

        content = read_bytes(configuration)
        load_configuration(content, name=str(configuration))
        text = content.decode("utf-8-sig")
    layout = Layout(name, workers, kueue)
    watch = unwatched if dry_run else _bar
    up(layout, runner, _tell, configuration=text, watch=watch)
    if not dry_run:
        say(f"kueuelab live why WORKLOAD --context kind-{each}" for each in layout.clusters[:1])


def status(
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

    wiring = _wiring(name, context, manager, worker, None, None, False, workers)
    runner = _runner(False)
    layout = Layout(name, workers)
    found = list(status(layout, runner) if wiring is None else connections(wiring, runner))
    say(health.text for health in found)
    if not all(health.is_well for health in found):
        raise typer.Exit(CHECK_FAILED)


def down(
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

    wiring = _wiring(name, context, manager, worker, None, allow, not dry_run, workers)
    runner = _runner(dry_run)
    if wiring is None:
        down(Layout(name, workers), runner, _tell)
    else:
        disconnect(wiring, runner, _tell)


def _tell(sentence: str) -> None:
    say([f"# {sentence}"])


@contextmanager
def _bar(steps: int) -> Iterator[Callable[[], None]]:
    with progress("clusters", steps) as passed:
        yield lambda: passed()


def _runner(dry: bool) -> Runner:
    from kueuelab.live.clusters import DryRun, Subprocess

    return DryRun(lambda line: say([line])) if dry else Subprocess()


def _wiring(
    name: str,
    context: str,
    manager: str,
    worker: Sequence[str] | None,
    server: Sequence[str] | None,
    allow: Sequence[str] | None,
    writes: bool,
    workers: int,
) -> Wiring | None:
    """Return what contexts are meant, ``None`` for kind's; refuse to write where nobody said."""
    from kueuelab.live.access import guard
    from kueuelab.live.clusters import Wiring

    if not (context or manager or worker or server):
        return None
    if workers:
        raise typer.BadParameter("it is for kind; give each --worker", param_hint="--workers")
    if context and manager:
        raise typer.BadParameter("give one of the two", param_hint="--context, --manager")
    if bool(manager) != bool(worker) or (server and not worker):
        raise typer.BadParameter("give both", param_hint="--manager, --worker")
    named = [_named(each, "--worker") for each in worker or ()]
    twice = [alias for alias, _ in named if [each for each, _ in named].count(alias) > 1]
    if twice:
        raise typer.BadParameter(f"'{twice[0]}' is given twice", param_hint="--worker")
    servers = dict(_named(each, "--server") for each in server or ())
    found = Wiring.of(name, manager or context, dict(named), servers)
    if writes:
        for site in found.sites:
            guard(site.context, allow or ())
    return found


def _named(text: str, option: str) -> tuple[str, str]:
    alias, is_there, value = text.partition("=")
    if not is_there or not alias or not value:
        raise typer.BadParameter(f"'{text}' is not WORKER=...", param_hint=option)
    return alias, value
