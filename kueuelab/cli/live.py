"""``kueuelab live …``: real clusters, beside the lab."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.output import CHECK_FAILED, AsJson, complain, say, say_json

if TYPE_CHECKING:
    from kueuelab.live.api import ClusterApi
    from kueuelab.live.mirror import Mirror
    from kueuelab.manifests import ScenarioSpec

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


Allowed = Annotated[
    list[str] | None,
    typer.Option("--allow-context", metavar="NAME", help="A context that may be written."),
]
Seconds = Annotated[float, typer.Option("--timeout", min=1, help="How many seconds it may take.")]


@live.command("run")
def run(
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="A scenario.")],
    context: Context = "",
    allow: Allowed = None,
    timeout: Seconds = 600,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Where to write the record.")
    ] = "",
    dry_run: DryRunning = False,
) -> None:
    """Play a scenario's timeline on a cluster, record what happens, and clean up."""
    from kueuelab.cli.loading import scenario_at
    from kueuelab.whatif.table import Timeline

    spec = scenario_at(scenario).spec
    if dry_run:
        from kueuelab.live.clusters.layout import documents
        from kueuelab.live.requests import requests_of, setup_of

        jobs = [request.job for request in requests_of(spec) if not request.deletes]
        typer.echo(documents([*setup_of(spec), *jobs]), nl=False)
        return
    mirror = _played(spec, context, allow, timeout)
    say([Timeline.of(mirror.trace).as_text()])
    if output:
        from kueuelab.trace.export import write_trace

        write_trace(mirror.trace, output)


@live.command("verify")
def verify(
    scenarios: Annotated[
        list[str],
        typer.Argument(metavar="SCENARIO...", help="Scenarios, or folders of recorded runs."),
    ],
    context: Context = "",
    allow: Allowed = None,
    timeout: Seconds = 600,
) -> None:
    """Run scenarios in the lab and on a cluster, and compare decision by decision."""
    from kueuelab.cli.loading import scenario_at
    from kueuelab.live.verify import compare, is_recording, mirror_of

    agree = differ = 0
    for name in scenarios:
        if is_recording(Path(name)):
            spec, mirror = mirror_of(Path(name))
        else:
            spec = scenario_at(name).spec
            mirror = _played(spec, context, allow, timeout)
        found = compare(spec, mirror)
        say(found.lines())
        agree, differ = agree + found.agree, differ + found.differ
    typer.echo(f"{agree} agree, {differ} differ")
    if differ:
        raise typer.Exit(CHECK_FAILED)


@live.command("clean")
def clean(context: Context = "", allow: Allowed = None) -> None:
    """Remove what runs left behind on a cluster, and nothing else; twice does no harm."""
    from kueuelab.live.access import open_cluster
    from kueuelab.live.playing import clean

    api = open_cluster(context, writable=True, allowed=allow or ())
    try:
        removed = clean(api)
    finally:
        api.close()
    say([*removed, f"{len(removed)} objects are removed"])


def _played(spec: ScenarioSpec, context: str, allow: list[str] | None, seconds: float) -> Mirror:
    from kueuelab.live.access import open_cluster
    from kueuelab.live.playing import play

    api = open_cluster(context, writable=True, allowed=allow or ())
    return play(api, spec, seconds=seconds, tell=complain)
