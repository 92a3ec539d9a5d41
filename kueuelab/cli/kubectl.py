"""``kubectl kueuelab``: what the lab says about the cluster that kubectl talks to."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuelab.cli.app import Commands, every_command
from kueuelab.cli.live import Context, snapshot, why
from kueuelab.cli.output import AsJson, speaker
from kueuelab.cli.pending import Levers, Queue, say_pending_in_cluster
from kueuelab.cli.try_job import NowOnly, Runs, Seeds, TryOptions, WaitAtMost, Watch, try_jobs

__all__ = ["kubectl", "main"]

kubectl = typer.Typer(
    name="kubectl-kueuelab",
    cls=Commands,
    help="cli.kubectl.help",
    epilog="cli.epilog",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
kubectl.callback()(every_command)
kubectl.command("why", help="cli.live.why.help")(why)
kubectl.command("snapshot", help="cli.live.snapshot.help")(snapshot)


@kubectl.command("pending", help="cli.pending.help")
def pending(
    ctx: typer.Context,
    context: Context = "",
    queue: Queue = "",
    levers: Levers = None,
    as_json: AsJson = False,
) -> None:
    """List every pending workload of the cluster."""
    say_pending_in_cluster(context, speaker(ctx), queue, levers, as_json=as_json)


@kubectl.command("try", help="cli.try.help")
def try_command(
    ctx: typer.Context,
    files: Annotated[
        list[str], typer.Option("--filename", "-f", metavar="FILE", help="cli.try.jobs.help")
    ],
    context: Context = "",
    runs: Runs = "",
    seeds: Seeds = 50,
    now_only: NowOnly = False,
    wait_at_most: WaitAtMost = "",
    watch: Watch = False,
    as_json: AsJson = False,
) -> None:
    """Say what would happen if jobs were submitted to the cluster."""
    options = TryOptions.of("", runs, seeds, now_only, wait_at_most, as_json)
    try_jobs(files, context, speaker(ctx), options, watch=watch)


def main() -> int:
    """Run the plugin of kubectl.

    Returns
    -------
    int
        The exit code. Usage errors and interrupts leave through ``SystemExit``.
    """
    kubectl(prog_name="kubectl kueuelab")
    return 0
