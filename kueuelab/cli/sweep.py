"""``kueuelab sweep``: a scenario with many values and seeds, and a table of measures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from kueuelab.errors import InputError, Problem
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.sweeps.designs import Design


def command(
    ctx: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="cli.option.file", autocompletion=files)
    ],
    vary: Annotated[
        list[str] | None,
        typer.Option("--vary", metavar="PATH=A,B,…", help="cli.sweep.vary.help"),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="cli.sweep.seeds.help")] = 1,
    jobs: Annotated[int, typer.Option(min=1, help="cli.sweep.jobs.help")] = 1,
    design: Annotated[str, typer.Option(help="cli.sweep.design.help")] = "grid",
    samples: Annotated[int | None, typer.Option(min=1, help="cli.sweep.samples.help")] = None,
    workloads: WorkloadsFile = None,
    by: JobFieldOption = "queue",
    queue: QueueOption = None,
    flavor: FlavorOption = None,
    measure: Annotated[
        list[str] | None, typer.Option("--measure", metavar="NAME", help="cli.sweep.measure.help")
    ] = None,
    until: Annotated[float | None, typer.Option(min=0, help="cli.run.until.help")] = None,
    out_file: Annotated[
        Path | None, typer.Option("--out", metavar="OUT", help="cli.sweep.out.help")
    ] = None,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="cli.sweep.dask.help")] = None,
    as_json: AsJson = False,
    kueue_version: KueueVersion = "",
    allow_outside: AllowOutside = False,
) -> None:
    """Run a scenario with many values and seeds, and print what came of it."""
    from kueuelab.sweeps.sweeping import plan_of, run_plan

    out = speaker(ctx)
    check_once((file, workloads))
    spec = spec_at(file, out, allow_outside=allow_outside, release=chosen_release(kueue_version))
    factors = dict(map(factor_of, vary or ()))
    source = source_of(workloads, by, queue, flavor, out)
    plan = plan_of(spec, factors, seeds, _design(design), samples, source, until)
    label = Message("cli.sweep.running", name=spec.name or file)
    with out.progress(label, total=len(plan), estimate=True) as advance:
        found = run_plan(plan, jobs=jobs, out=out_file, dask=dask, progress=advance)
    if as_json:
        out.say_json(list(found.rows))
    else:
        out.say([found.summary(*(measure or ())).as_text(out.words)])
    out.complain(
        *(Message("cli.sweep.failed", run=r["run"], error=r["error"]) for r in found.failed)
    )
    if found.failed:
        raise typer.Exit(CHECK_FAILED)


def factor_of(text: str) -> tuple[str, Any]:
    """Return the name and the values of a factor: ``PATH=a,b,c`` or ``PATH=1..64``.

    Raises
    ------
    InputError
        If it has no values, or they are no YAML.

    Examples
    --------
    >>> factor_of("cluster-queue/a:spec.preemption.reclaimWithinCohort=Never,Any")
    ('cluster-queue/a:spec.preemption.reclaimWithinCohort', ['Never', 'Any'])
    >>> factor_of("workloads:per_hour=10..20")
    ('workloads:per_hour', Range(low=10, high=20, logarithmic=False))
    """
    import yaml

    from kueuelab.sweeps.factors import Range

    name, _, values = text.partition("=")
    low, dots, high = values.partition("..")
    try:
        if dots:
            bounds = yaml.safe_load(low), yaml.safe_load(high)
            if all(isinstance(each, int | float) for each in bounds):
                return name, Range(*bounds)
        found = yaml.safe_load(f"[{values}]")
    except yaml.YAMLError:
        found = None
    if not found:
        hint = Message("cli.sweep.vary.hint")
        raise InputError(Problem(Message("cli.sweep.vary.wrong", text=repr(text)), hint=hint))
    return name, found


def _design(name: str) -> Design:
    from kueuelab.sweeps.designs import DESIGNS

    for each in DESIGNS:
        if each == name:
            return each
    raise InputError(Problem(Message("cli.sweep.design.wrong", name=name)))
