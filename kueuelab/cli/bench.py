"""``kueuelab bench``: Kueue's scalability scenarios, in virtual time."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.output import AsJson, progress, say, say_json

if TYPE_CHECKING:
    from kueuelab.bench import GrowthRow, Profile, Result


class Scenario(StrEnum):
    """What can be measured."""

    BASELINE = "baseline"
    LARGE_SCALE = "large-scale"
    GROWTH = "growth"


def command(
    scenario: Annotated[
        Scenario,
        typer.Argument(
            help="baseline: 15,000 workloads in 30 queues; large-scale: 50,000 in 1,000; "
            "growth: what a cycle costs with 1k, 10k and 100k workloads admitted."
        ),
    ],
    profile: Annotated[
        bool, typer.Option("--profile", help="Show where the time goes, by room and function.")
    ] = False,
    fair_sharing: Annotated[
        bool, typer.Option("--fair-sharing", help="Turn fair sharing on.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure the scheduler on Kueue's own scalability scenarios."""
    from kueuelab.bench import SHAPES, run_growth, run_shape

    if scenario is Scenario.GROWTH:
        if fair_sharing:
            raise typer.BadParameter("growth is measured without fair sharing")
        with progress(scenario, total=9) as advance:
            rows = run_growth(progress=advance)
        if as_json:
            say_json([row.as_json() for row in rows])
        else:
            say(_growth_lines(rows))
        return
    shape = SHAPES[scenario]
    with progress(scenario, total=shape.workloads) as advance:
        result = run_shape(shape, fair_sharing=fair_sharing, profile=profile, progress=advance)
    if as_json:
        say_json(result.as_json())
    else:
        say(_result_lines(result))


def _result_lines(result: Result) -> Iterator[str]:
    tally = result.tally
    yield f"{result.name}: {tally.finished:,} of {tally.created:,} workloads finished"
    yield f"  workloads      {tally.created:>12,}"
    yield f"  cycles         {tally.cycles:>12,}"
    yield f"  heads          {tally.heads:>12,}  considered in all cycles"
    yield f"  admissions     {tally.admissions:>12,}"
    yield f"  evictions      {tally.evictions:>12,}"
    yield f"  virtual time   {result.virtual_seconds:>12,.1f}  seconds"
    yield f"  wall time      {result.wall_seconds:>12,.2f}  seconds"
    yield f"  processor time {result.cpu_seconds:>12,.2f}  seconds"
    yield f"  per head       {result.microseconds_per_head:>12,.1f}  microseconds"
    if result.peak_memory is not None:
        yield f"  peak memory    {result.peak_memory / 2**20:>12,.0f}  MiB"
    if result.profile is not None:
        yield from _profile_lines(result.profile)


def _profile_lines(profile: Profile) -> Iterator[str]:
    total = sum(profile.rooms.values())
    yield "where the time goes (the profiler slows calls down)"
    for room, seconds in profile.rooms.items():
        yield f"  {seconds / total:>6.1%} {seconds:>8.2f} s  {room}"
    yield "functions"
    for name, calls, seconds in profile.functions:
        yield f"  {seconds / total:>6.1%} {seconds:>8.2f} s {calls:>11,} calls  {name}"


def _growth_lines(rows: list[GrowthRow]) -> Iterator[str]:
    yield "microseconds per head of a cycle, by what the heads come to"
    yield f"{'admitted':>10}  " + "".join(f"{kind:>10}" for kind in ("admit", "preempt", "wait"))
    for size in dict.fromkeys(row.admitted for row in rows):
        costs = [row.microseconds_per_head for row in rows if row.admitted == size]
        yield f"{size:>10,}  " + "".join(f"{cost:>10.1f}" for cost in costs)
