"""``kueuelab live …``: real clusters, beside the lab."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.output import AsJson, complain, say, say_json

if TYPE_CHECKING:
    from kueuelab.live.api import ClusterApi

__all__ = ["live"]

live = typer.Typer(
    help="Look at real clusters, and hold the lab's decisions against Kueue's.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

Context = Annotated[
    str,
    typer.Option(metavar="NAME", help="The context of the kubeconfig; the current one if absent."),
]


@contextmanager
def _reading(context: str) -> Iterator[ClusterApi]:
    """Open a cluster to read, and close it whatever happens."""
    from kueuelab.live.access import open_cluster

    api = open_cluster(context)
    try:
        yield api
    finally:
        api.close()


@live.command("snapshot")
def snapshot(
    context: Context = "",
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Where to write it.")
    ] = "-",
    redact: Annotated[bool, typer.Option(help="Replace all names, the same by the same.")] = False,
    rbac: Annotated[
        bool, typer.Option("--rbac", help="Print the least rights that reading takes, and stop.")
    ] = False,
) -> None:
    """Read everything that decides, as a dump that loads; secrets never, nothing is written."""
    if rbac:
        from kueuelab.live.rbac import reader_role

        typer.echo(reader_role(), nl=False)
        return
    from kueuelab.live.snapshot import take

    with _reading(context) as api:
        found = take(api)
    if redact:
        found = found.without_names()
    for note in found.notes:
        complain(note)
    if output == "-":
        typer.echo(found.as_yaml(), nl=False)
    else:
        Path(output).write_text(found.as_yaml(), "utf-8")
        complain(f"{len(found.objects)} objects are in {output}")


@live.command("why")
def why(
    workload: Annotated[
        str,
        typer.Argument(help="namespace/name of the workload, or of its job; the name may do."),
    ],
    context: Context = "",
    as_json: AsJson = False,
) -> None:
    """Tell why a workload waits or was evicted: Kueue's words, the lab's, and what would help."""
    from kueuelab import KUEUE_VERSION
    from kueuelab.live.why import why as ask

    with _reading(context) as api:
        answer = ask(api, workload)
    if as_json:
        say_json({"kueueVersion": KUEUE_VERSION, **answer.as_data()})
    else:
        say([answer.as_text(), "", f"(Kueue {KUEUE_VERSION})"])


Name = Annotated[str, typer.Option(metavar="NAME", help="What the clusters are named after.")]
Workers = Annotated[
    int, typer.Option(min=0, help="How many MultiKueue workers; 0 is one cluster without any.")
]
DryRunning = Annotated[
    bool, typer.Option("--dry-run", help="Print every command and manifest; do nothing.")
]


@live.command("up")
def up(
    workers: Workers = 0,
    kueue: Annotated[str, typer.Option(help="The Kueue release.")] = "v0.19.2",
    name: Name = "lab",
    configuration: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Kueue's Configuration, as a file."),
    ] = None,
    dry_run: DryRunning = False,
) -> None:
    """Create kind clusters with Kueue; running it again goes on where it stopped."""
    from kueuelab.live.clusters import DryRun, Layout, Subprocess, up

    layout = Layout(name, workers, kueue)
    text = ""
    if configuration is not None:
        from kueuelab.manifests import load_configuration

        text = configuration.read_text("utf-8")
        load_configuration(text, name=str(configuration))
    runner = DryRun(typer.echo) if dry_run else Subprocess()
    up(layout, runner, lambda sentence: typer.echo(f"# {sentence}"), configuration=text)
    if not dry_run:
        say(f"kueuelab live why WORKLOAD --context kind-{each}" for each in layout.clusters[:1])


@live.command("status")
def status(workers: Workers = 0, name: Name = "lab") -> None:
    """Tell which clusters are there, and whether Kueue is ready and workers are connected."""
    from kueuelab.live.clusters import Layout, Subprocess, status

    say(status(Layout(name, workers), Subprocess()))


@live.command("down")
def down(workers: Workers = 0, name: Name = "lab", dry_run: DryRunning = False) -> None:
    """Delete the kind clusters that `up` created, and no other; twice does no harm."""
    from kueuelab.live.clusters import DryRun, Layout, Subprocess, down

    runner = DryRun(typer.echo) if dry_run else Subprocess()
    down(Layout(name, workers), runner, lambda sentence: typer.echo(f"# {sentence}"))
