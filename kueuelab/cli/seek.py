"""``kueuelab seek``: the least value that is enough, or the best values under conditions."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuelab.cli.completing import files
from kueuelab.cli.jobs_file import (
    FlavorOption,
    JobFieldOption,
    QueueOption,
    WorkloadsFile,
    source_of,
)
from kueuelab.cli.loading import AllowOutside, chosen_release, spec_at
from kueuelab.cli.output import CHECK_FAILED, AsJson, KueueVersion, speaker
from kueuelab.cli.standard_input import check_once
from kueuelab.cli.sweep import factor_of
from kueuelab.messages import Message


def command(
    ctx: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="cli.option.file", autocompletion=files)
    ],
    vary: Annotated[
        list[str], typer.Option("--vary", metavar="PATH=A,B,…", help="cli.sweep.vary.help")
    ],
    so_that: Annotated[
        list[str] | None,
        typer.Option("--so-that", metavar="CONDITION", help="cli.seek.so-that.help"),
    ] = None,
    minimise: Annotated[
        str | None, typer.Option(metavar="NAME", help="cli.seek.minimise.help")
    ] = None,
    maximise: Annotated[
        str | None, typer.Option(metavar="NAME", help="cli.seek.maximise.help")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="cli.sweep.seeds.help")] = 1,
    in_seeds: Annotated[float, typer.Option(min=0, max=1, help="cli.seek.in-seeds.help")] = 1.0,
    jobs: Annotated[int, typer.Option(min=1, help="cli.sweep.jobs.help")] = 1,
    trials: Annotated[int, typer.Option(min=1, help="cli.seek.trials.help")] = 60,
    workloads: WorkloadsFile = None,
    by: JobFieldOption = "queue",
    queue: QueueOption = None,
    flavor: FlavorOption = None,
    until: Annotated[float | None, typer.Option(min=0, help="cli.run.until.help")] = None,
    as_json: AsJson = False,
    kueue_version: KueueVersion = "",
    allow_outside: AllowOutside = False,
) -> None:
    """Search for the least value that is enough, or the best values under conditions."""
    from kueuelab.sweeps import seek

    out = speaker(ctx)
    check_once((file, workloads))
    spec = spec_at(file, out, allow_outside=allow_outside, release=chosen_release(kueue_version))
    source = source_of(workloads, by, queue, flavor, out)
    with out.progress(Message("cli.sweep.running", name=spec.name or file)) as advance:
        found = seek(
            spec,
            dict(map(factor_of, vary)),
            so_that=so_that or (),
            minimise=minimise,
            maximise=maximise,
            seeds=seeds,
            in_seeds=in_seeds,
            jobs=jobs,
            workloads=source,
            until=until,
            trials=trials,
            progress=advance,
        )
    if as_json:
        out.say_json(found.as_data())
    else:
        out.say([found.as_text(out.words)])
    if found.values is None:
        raise typer.Exit(CHECK_FAILED)
