"""``kueuelab live …``: real clusters, beside the lab."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.clusters import Allowed, DryRunning, Manager, WorkerContexts, register
from kueuelab.cli.loading import AllowOutside, spec_at
from kueuelab.cli.output import CHECK_FAILED, AsJson, complain, say, say_json, say_text

if TYPE_CHECKING:
    from kueuelab.live.api import ClusterApi
    from kueuelab.live.playing import PlayedScenario
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

        say_text([reader_role()])
        return
    from kueuelab.files import check_ending, write_text
    from kueuelab.live.snapshot import take

    if output != "-":
        check_ending(output, (".yaml", ".yml"))
    with _reading(context) as api:
        found = take(api)
    if redact:
        found = found.without_names()
    complain(*found.notes)
    if output == "-":
        say_text([found.as_yaml()])
    else:
        write_text(output, found.as_yaml())
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


register(live)


def _finite(value: float) -> float:
    """Refuse what is no number of anything; a range lets it pass."""
    if not isfinite(value):
        raise typer.BadParameter(f"{value} is not finite")
    return value


Seconds = Annotated[
    float,
    typer.Option("--timeout", min=1, callback=_finite, help="How many seconds it may take."),
]


Jobs = Annotated[
    str,
    typer.Option(
        metavar="auto|pods|played",
        help="Who makes jobs start and end: their pods, or kueuelab, which then writes the status "
        "of its own jobs; auto: kueuelab where no node is ready.",
    ),
]
Speed = Annotated[
    float,
    typer.Option(min=0.1, callback=_finite, help="How many seconds of the scenario pass in one."),
]


@live.command("run")
def run(
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="A scenario.")],
    context: Context = "",
    manager: Manager = "",
    worker: WorkerContexts = None,
    allow: Allowed = None,
    timeout: Seconds = 600,
    jobs: Jobs = "auto",
    speed: Speed = 1,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Where to write the record.")
    ] = "",
    dry_run: DryRunning = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Play a scenario's timeline on a cluster, record what happens, and clean up."""
    spec = spec_at(scenario, allow_outside=allow_outside)
    if dry_run:
        from kueuelab.live.requests import requests_of, setup_of
        from kueuelab.manifests.writing import write_yaml

        requests = requests_of(spec, played=jobs == "played", speed=speed)
        for name in ("", *(each.name for each in spec.workers)):
            bodies = [body for each in requests if each.cluster == name for body in each.bodies]
            say_text([write_yaml([*setup_of(spec, name), *bodies])])
        return
    from kueuelab.live.live_run import LiveRun
    from kueuelab.trace.saving import check_name

    if output:
        check_name(output)
    found = LiveRun(_played(spec, manager or context, worker, allow, timeout, jobs, speed))
    say([found.as_text()])
    if output:
        found.save(output)
    if not found.passed:
        raise typer.Exit(CHECK_FAILED)


@live.command("verify")
def verify(
    scenarios: Annotated[
        list[str],
        typer.Argument(metavar="SCENARIO...", help="Scenarios, or folders of recorded runs."),
    ],
    context: Context = "",
    manager: Manager = "",
    worker: WorkerContexts = None,
    allow: Allowed = None,
    timeout: Seconds = 600,
    jobs: Jobs = "auto",
    speed: Speed = 1,
    allow_outside: AllowOutside = False,
) -> None:
    """Run scenarios in the lab and on a cluster, and compare decision by decision."""
    from kueuelab.live.recordings import is_recording, played_from
    from kueuelab.live.verify import compare

    agree = differ = 0
    for name in scenarios:
        if is_recording(Path(name)):
            played = played_from(Path(name))
        else:
            context_ = manager or context
            played = _played(
                spec_at(name, allow_outside=allow_outside),
                context_,
                worker,
                allow,
                timeout,
                jobs,
                speed,
            )
        found = compare(played)
        say(found.lines())
        agree, differ = agree + found.agree, differ + found.differ
    say([f"{agree} decisions agree, {differ} differ"])
    if differ:
        raise typer.Exit(CHECK_FAILED)


@live.command("record")
def record(
    scenario: Annotated[
        str, typer.Argument(metavar="SCENARIO", help="A scenario, or the folder of a recorded run.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Where to write the cases.")
    ],
    context: Context = "",
    manager: Manager = "",
    worker: WorkerContexts = None,
    allow: Allowed = None,
    timeout: Seconds = 600,
    jobs: Jobs = "auto",
    speed: Speed = 1,
    allow_outside: AllowOutside = False,
) -> None:
    """Write a cluster's decisions as cases that `kueuelab conformance` judges."""
    from kueuelab.files import check_ending
    from kueuelab.live.conformance_cases import ENDINGS, cases_of, write_cases
    from kueuelab.live.recordings import is_recording, played_from

    check_ending(output, ENDINGS)
    if is_recording(Path(scenario)):
        played = played_from(Path(scenario), keep=True)
    else:
        spec = spec_at(scenario, allow_outside=allow_outside)
        played = _played(spec, manager or context, worker, allow, timeout, jobs, speed, keep=True)
    cases = cases_of(played)
    write_cases(cases, output)
    complain(f"{len(cases)} cases are in {output}; judge them: kueuelab conformance {output}")


@live.command("clean")
def clean(
    context: Context = "",
    allow: Allowed = None,
    force: Annotated[
        bool, typer.Option("--force", help="Remove the objects of runs that are still going, too.")
    ] = False,
) -> None:
    """Remove what runs left behind on a cluster, and nothing else; twice does no harm."""
    from kueuelab.live.access import open_cluster
    from kueuelab.live.cleaning import clean

    api = open_cluster(context, writable=True, allowed=allow or ())
    try:
        found = clean(api, force=force)
    finally:
        api.close()
    say([*found.removed, *found.going, f"{len(found.removed)} objects are removed"])


def _played(
    spec: ScenarioSpec,
    context: str,
    workers: list[str] | None,
    allow: list[str] | None,
    seconds: float,
    jobs: str,
    speed: float,
    *,
    keep: bool = False,
) -> PlayedScenario:
    from kueuelab.live.live_run import play_on

    if jobs not in ("auto", "pods", "played"):
        raise typer.BadParameter(f"'{jobs}' is none of auto, pods, played", param_hint="--jobs")
    return play_on(
        spec,
        context,
        workers=dict(each.partition("=")[::2] for each in workers or ()),
        allowed=allow or (),
        seconds=seconds,
        jobs=jobs,  # type: ignore[arg-type]
        speed=speed,
        keep=keep,
        tell=complain,
    )
