"""``kueuelab live …``: real clusters, beside the lab."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from inspect import Parameter, Signature, signature
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from kueuelab.cli.clusters import Allowed, DryRunning, Manager, WorkerContexts, register
from kueuelab.cli.completing import contexts, files
from kueuelab.cli.follow import register as register_follow
from kueuelab.cli.loading import AllowOutside, spec_at
from kueuelab.cli.output import BAD_INPUT, CHECK_FAILED, AsJson, Speaker, speaker
from kueuelab.cli.play_progress import played_progress
from kueuelab.cli.terminating import terminable
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.live.api import ClusterApi
    from kueuelab.live.job_player import JobsMode
    from kueuelab.live.play_options import PlayOptions
    from kueuelab.live.playing import PlayedScenario
    from kueuelab.live.verifying import Verified
    from kueuelab.manifests import ScenarioSpec

__all__ = ["Context", "live", "snapshot", "why"]

live = typer.Typer(
    help="cli.live.help",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

Context = Annotated[
    str,
    typer.Option(metavar="NAME", help="cli.option.context", autocompletion=contexts),
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


@live.command("snapshot", help="cli.live.snapshot.help")
def snapshot(
    ctx: typer.Context,
    context: Context = "",
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="cli.option.output")
    ] = "-",
    redact: Annotated[bool, typer.Option(help="cli.live.snapshot.redact.help")] = False,
    rbac: Annotated[bool, typer.Option("--rbac", help="cli.live.snapshot.rbac.help")] = False,
) -> None:
    """Read everything that decides, as a dump that loads; secrets never, nothing is written."""
    out = speaker(ctx)
    if rbac:
        from kueuelab.live.rbac import reader_role

        out.say_text([reader_role()])
        return
    from kueuelab.files import check_ending, write_text
    from kueuelab.live.snapshot import take

    if output != "-":
        check_ending(output, (".yaml", ".yml"))
    with _reading(context) as api, out.progress(Message("cli.reading", context=context)):
        found = take(api)
    if redact:
        found = found.without_names()
    out.complain(*found.notes)
    if output == "-":
        out.say_text([found.as_yaml()])
    else:
        write_text(output, found.as_yaml())
        count = len(found.objects)
        out.complain(Message("cli.live.snapshot.saved", count=count, file=output))


@live.command("why", help="cli.live.why.help")
def why(
    ctx: typer.Context,
    workload: Annotated[
        str,
        typer.Argument(help="cli.option.workload"),
    ],
    context: Context = "",
    as_json: AsJson = False,
) -> None:
    """Explain why a workload is pending or evicted, and what would help."""
    from kueuelab import KUEUE_VERSION
    from kueuelab.live.why import why as ask

    out = speaker(ctx)
    with (
        _reading(context) as api,
        out.progress(Message("cli.explain.searching", workload=workload)),
    ):
        answer = ask(api, workload, out.words)
    if as_json:
        out.say_json({"kueueVersion": KUEUE_VERSION, **answer.as_data()})
    else:
        kueue = Message("cli.kueue", version=KUEUE_VERSION)
        out.say([answer.as_text(out.words), "", kueue])


register(live)
register_follow(live)


def _finite(ctx: typer.Context, value: float | None) -> float | None:
    """Refuse infinity and NaN; a range lets them pass."""
    if value is not None and not isfinite(value):
        raise typer.BadParameter(speaker(ctx).text("cli.live.not-finite", value=value))
    return value


Seconds = Annotated[
    float,
    typer.Option("--timeout", min=1, callback=_finite, help="cli.live.timeout.help"),
]


Jobs = Annotated[
    str,
    typer.Option(
        metavar="auto|pods|played",
        help="cli.live.jobs.help",
    ),
]
Speed = Annotated[
    float | None,
    typer.Option(min=0.1, callback=_finite, help="cli.live.speed.help", show_default=False),
]
ToTheEnd = Annotated[bool, typer.Option("--to-the-end", help="cli.live.to-the-end.help")]
Rounds = Annotated[int, typer.Option(min=1, help="cli.live.rounds.help")]


@dataclass(frozen=True, slots=True)
class Played:
    """Plays scenarios on clusters, as the options that several commands share say."""

    out: Speaker
    context: str
    workers: Mapping[str, str]
    allowed: Sequence[str]
    options: PlayOptions
    allow_outside: bool

    def spec(self, name: str) -> ScenarioSpec:
        """Return the scenario of a name."""
        return spec_at(name, allow_outside=self.allow_outside)

    def on_clusters(self, spec: ScenarioSpec, *, keep: bool = False) -> PlayedScenario:
        """Play a scenario."""
        from kueuelab.live.live_run import play_on

        with played_progress(self.out, spec.name) as watch:
            options: PlayOptions = {**self.options, "keep": keep, "watch": watch}
            return play_on(
                spec, self.context, workers=self.workers, allowed=self.allowed, **options
            )


def _play(
    ctx: typer.Context,
    context: Context = "",
    manager: Manager = "",
    worker: WorkerContexts = None,
    allow: Allowed = None,
    timeout: Seconds = 600,
    jobs: Jobs = "auto",
    speed: Speed = None,
    to_the_end: ToTheEnd = False,
    rounds: Rounds = 3,
    allow_outside: AllowOutside = False,
) -> Played:
    out = speaker(ctx)
    if jobs not in ("auto", "pods", "played"):
        raise typer.BadParameter(out.text("cli.live.jobs.unknown", jobs=jobs), param_hint="--jobs")
    from kueuelab.live.worker_contexts import given_workers

    workers = given_workers(worker or [])
    options: PlayOptions = {
        "seconds": timeout,
        "jobs": cast("JobsMode", jobs),
        "speed": speed,
        "to_the_end": to_the_end,
        "rounds": rounds,
        "tell": out.complain,
    }
    return Played(out, manager or context, workers, allow or (), options, allow_outside)


def _plays(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `_play`, whose result it takes as ``play``."""
    shared = signature(_play, eval_str=True).parameters
    own = signature(command, eval_str=True).parameters

    def called(**given: Any) -> None:
        play = _play(**{name: given[name] for name in shared})
        with terminable():
            command(play=play, **{name: given[name] for name in own if name != "play"})

    parameters = {**own, **shared}
    del parameters["play"]
    # Those without a default come first.
    ordered = sorted(parameters.values(), key=lambda each: each.default is not Parameter.empty)
    called.__signature__ = Signature(ordered)  # type: ignore[attr-defined]
    return called


@live.command("run", help="cli.live.run.help")
@_plays
def run(
    scenario: Annotated[
        str, typer.Argument(metavar="SCENARIO", help="cli.live.scenario.help", autocompletion=files)
    ],
    play: Played,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="cli.option.output")
    ] = "",
    dry_run: DryRunning = False,
) -> None:
    """Play a scenario's timeline on a cluster, record what happens, and clean up."""
    out, spec, options = play.out, play.spec(scenario), play.options
    if dry_run:
        from kueuelab.live.expected_course import expected_course, suitable_speed
        from kueuelab.live.requests import requests_of, setup_of
        from kueuelab.manifests.writing import write_yaml

        speed = options["speed"]
        if speed is None:
            to_the_end = options["to_the_end"]
            course = expected_course(spec)
            speed = suitable_speed(spec, course, options["seconds"], to_the_end=to_the_end)
        requests = requests_of(spec, played=options["jobs"] == "played", speed=speed)
        for name in ("", *(each.name for each in spec.workers)):
            bodies = [body for each in requests if each.cluster == name for body in each.bodies]
            out.say_text([write_yaml([*setup_of(spec, name), *bodies])])
        return
    from kueuelab.live.live_run import LiveRun
    from kueuelab.views.saving import check_name

    if output:
        check_name(output)
    found = LiveRun(play.on_clusters(spec))
    out.say([found.as_text(out.words)])
    if output:
        found.save(output, out.words)
    if not found.passed:
        raise typer.Exit(CHECK_FAILED)


@live.command("verify", help="cli.live.verify.help")
@_plays
def verify(
    scenarios: Annotated[
        list[str],
        typer.Argument(
            metavar="SCENARIO...", help="cli.live.verify.scenarios.help", autocompletion=files
        ),
    ],
    play: Played,
    configure: Annotated[
        bool, typer.Option("--configure", help="cli.live.verify.configure.help")
    ] = False,
) -> None:
    """Run scenarios in the lab and on a cluster, and compare decision by decision."""
    from kueuelab.live.verifying import summary

    out = play.out
    found = []
    with ExitStack() as stack:
        if configure:
            from kueuelab.live.clusters import Subprocess
            from kueuelab.live.configuring import KueueConfigurer

            configurer = stack.enter_context(KueueConfigurer(Subprocess(), out.complain))
            play = replace(play, options={**play.options, "configurer": configurer})
        for name in scenarios:
            each = _verified(name, play)
            found.append(each)
            if each.comparison is not None:
                out.say(each.comparison.lines())
            for why in each.problems:
                # Errors of files name them already.
                is_named = each.verdict == "error" and why.startswith(f"{name}:")
                said = Message(f"cli.live.verify.{each.verdict}", name=name, why=why)
                out.complain(why if is_named else said)
            if each.hint:
                out.complain(each.hint)
    if len(found) > 1:
        out.say(["", summary(found, out.words), ""])
    compared = [each.comparison for each in found if each.comparison is not None]
    agree, differ = sum(each.agree for each in compared), sum(each.differ for each in compared)
    if compared:
        out.say([Message("cli.live.verify.result", agree=agree, differ=differ)])
    if differ:
        raise typer.Exit(CHECK_FAILED)
    failed = any(each.verdict == "error" for each in found)
    if not compared and not failed:
        out.complain(Message("cli.live.verify.nothing"))
    if failed or not compared:
        raise typer.Exit(BAD_INPUT)


def _verified(name: str, play: Played) -> Verified:
    from kueuelab.live.recordings import is_recording, played_from, scenario_of
    from kueuelab.live.verifying import verified

    path = Path(name)
    if is_recording(path):
        return verified(name, lambda: scenario_of(path), lambda _: played_from(path))
    return verified(name, lambda: play.spec(name), play.on_clusters)


@live.command("record", help="cli.live.record.help")
@_plays
def record(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO", help="cli.live.record.scenario.help", autocompletion=files
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="cli.option.output")
    ],
    play: Played,
) -> None:
    """Write a cluster's decisions as cases that `kueuelab conformance` judges."""
    from kueuelab.files import check_ending
    from kueuelab.live.conformance_cases import ENDINGS, cases_of, write_cases
    from kueuelab.live.recordings import is_recording, played_from

    check_ending(output, ENDINGS)
    if is_recording(Path(scenario)):
        played = played_from(Path(scenario), keep=True)
    else:
        played = play.on_clusters(play.spec(scenario), keep=True)
    cases = cases_of(played)
    write_cases(cases, output)
    play.out.complain(Message("cli.live.record.saved", count=len(cases), file=output))


@live.command("clean", help="cli.live.clean.help")
def clean(
    ctx: typer.Context,
    context: Context = "",
    allow: Allowed = None,
    force: Annotated[bool, typer.Option("--force", help="cli.live.clean.force.help")] = False,
) -> None:
    """Remove what runs left behind on a cluster, and nothing else; twice does no harm."""
    from kueuelab.live.access import open_cluster
    from kueuelab.live.cleaning import clean
    from kueuelab.live.clusters import Subprocess
    from kueuelab.live.configuring import KueueConfigurer, is_of_scenario

    out = speaker(ctx)
    api = open_cluster(context, writable=True, allowed=allow or ())
    try:
        with terminable():
            found = clean(api, force=force)
            if not found.going and is_of_scenario(api):
                KueueConfigurer(Subprocess(), out.complain).restore(api.context)
    finally:
        api.close()
    out.say(
        [
            *found.removed,
            *found.going,
            Message("cli.live.clean.removed", count=len(found.removed)),
        ]
    )
