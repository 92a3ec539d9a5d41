"""``kueuelab bench``: Kueue's scalability scenarios, in virtual time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.output import AsJson, Speaker, speaker
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.bench import DumpRow, GrowthRow, PlacingResult, Profile, Result


class Scenario(StrEnum):
    """What can be measured."""

    BASELINE = "baseline"
    LARGE_SCALE = "large-scale"
    ONE_COHORT = "one-cohort"
    TAS = "tas"
    TAS_CYCLE = "tas-cycle"
    GROWTH = "growth"
    DUMP = "dump"


def command(
    ctx: typer.Context,
    scenario: Annotated[
        Scenario,
        typer.Argument(help="cli.bench.scenario.help"),
    ],
    profile: Annotated[bool, typer.Option("--profile", help="cli.bench.profile.help")] = False,
    fair_sharing: Annotated[
        bool, typer.Option("--fair-sharing", help="cli.bench.fair-sharing.help")
    ] = False,
    record: Annotated[bool, typer.Option("--record", help="cli.bench.record.help")] = False,
    queues: Annotated[int, typer.Option("--queues", min=1, help="cli.bench.queues.help")] = 1000,
    as_json: AsJson = False,
) -> None:
    """Measure the scheduler on Kueue's own scalability scenarios."""
    from kueuelab.bench import SHAPES, run_growth, run_placing, run_shape

    out = speaker(ctx)
    if fair_sharing and scenario is Scenario.DUMP:
        raise typer.BadParameter(out.text("cli.bench.no-fair-sharing", name=scenario))
    if record and scenario.value not in SHAPES:
        raise typer.BadParameter(out.text("cli.bench.no-record", name=scenario))
    if scenario is Scenario.DUMP:
        _dump(queues, out, as_json=as_json)
        return
    if scenario is Scenario.TAS_CYCLE:
        placing = run_placing(fair_sharing=fair_sharing)
        if as_json:
            out.say_json(placing.as_json())
        else:
            out.say([_placing_line(placing)])
        return
    if scenario is Scenario.GROWTH:
        with out.progress(scenario, total=12) as advance:
            rows = run_growth(progress=advance, fair_sharing=fair_sharing)
        if as_json:
            out.say_json([row.as_json() for row in rows])
        else:
            out.say(_growth_lines(rows, out))
        return
    shape = SHAPES[scenario]
    plain: Result | None = None
    with out.progress(scenario, total=shape.workloads * (1 + record)) as advance:
        if record:
            plain = run_shape(shape, fair_sharing=fair_sharing, progress=advance)
        result = run_shape(
            shape, fair_sharing=fair_sharing, profile=profile, record=record, progress=advance
        )
    if as_json:
        without = {} if plain is None else {"withoutRecord": plain.as_json()}
        out.say_json({**result.as_json(), **without})
    else:
        out.say(_result_lines(result, plain))


def _dump(queues: int, out: Speaker, *, as_json: bool) -> None:
    """Measure half the size too, since costs must not grow faster than the cluster."""
    from kueuelab.bench import DUMP_FACTOR, MEASURES, DumpShape, run_dumps

    shape, half = DumpShape(queues), DumpShape(max(queues // 2, 1))
    with out.progress(Scenario.DUMP, total=2 * len(MEASURES)) as advance:
        smaller, rows = run_dumps((half, shape), progress=advance)
    halves = {row.measure: row for row in smaller}
    if as_json:
        out.say_json(
            {
                "queues": shape.queues,
                "workloads": shape.workloads,
                "goalQueues": 1000,
                "goalFactor": DUMP_FACTOR,
                "rows": [row.as_json(halves.get(row.measure)) for row in rows],
            }
        )
    else:
        numbers = {"queues": f"{shape.queues:,}", "workloads": f"{shape.workloads:,}"}
        out.say([Message("cli.bench.dump", **numbers), *_dump_lines(rows, halves, out)])


def _dump_lines(rows: list[DumpRow], halves: Mapping[str, DumpRow], out: Speaker) -> Iterator[str]:
    from kueuelab.bench import DUMP_FACTOR

    names = ("seconds", "goal", "memory", "goal", "factor", "goal")
    yield " " * 36 + "".join(out.text(f"cli.bench.column.{name}").rjust(9) for name in names)
    for row in rows:
        goal, factor = row.goal, row.factor(halves.get(row.measure))
        cells = (
            f"{row.cpu_seconds:.3f}",
            f"{goal.cpu_seconds:g}",
            "" if row.peak_memory is None else f"{row.peak_memory / 2**20:,.0f}",
            "" if goal.peak_memory is None else f"{goal.peak_memory / 2**20:,.0f}",
            "" if factor is None else f"{factor:.2f}",
            f"{DUMP_FACTOR:g}",
        )
        yield Message(
            "cli.bench.dump.row",
            name=out.text(f"cli.bench.dump.{row.measure}").ljust(34),
            cells="".join(cell.rjust(9) for cell in cells),
            detail=row.detail,
        )


def _result_lines(result: Result, plain: Result | None) -> Iterator[str]:
    """Return the numbers of a run; ``plain`` is the same one without a record, if it has one."""
    tally = result.tally
    finished, created = f"{tally.finished:,}", f"{tally.created:,}"
    yield Message("cli.bench.result", name=result.name, finished=finished, created=created)
    yield Message("cli.bench.workloads", number=f"{tally.created:>12,}")
    yield Message("cli.bench.cycles", number=f"{tally.cycles:>12,}")
    yield Message("cli.bench.heads", number=f"{tally.heads:>12,}")
    yield Message("cli.bench.admissions", number=f"{tally.admissions:>12,}")
    yield Message("cli.bench.evictions", number=f"{tally.evictions:>12,}")
    yield Message("cli.bench.virtual-time", number=f"{result.virtual_seconds:>12,.1f}")
    yield Message("cli.bench.wall-time", number=f"{result.wall_seconds:>12,.2f}")
    yield Message("cli.bench.processor-time", number=f"{result.cpu_seconds:>12,.2f}")
    yield Message("cli.bench.per-head", number=f"{result.microseconds_per_head:>12,.1f}")
    if result.peak_memory is not None:
        yield Message("cli.bench.peak-memory", number=f"{result.peak_memory / 2**20:>12,.0f}")
    if plain is not None:
        yield Message("cli.bench.steps", number=f"{result.steps:>12,}")
        yield Message("cli.bench.without-record", number=f"{plain.cpu_seconds:>12,.2f}")
        times = result.cpu_seconds / plain.cpu_seconds
        yield Message("cli.bench.times", number=f"{times:>12,.2f}")
    if result.profile is not None:
        yield from _profile_lines(result.profile)


def _placing_line(result: PlacingResult) -> str:
    return Message(
        "cli.bench.placing",
        heads=result.heads,
        nodes=f"{result.nodes:,}",
        pods=f"{result.pods:,}",
        milliseconds=f"{result.milliseconds:.1f}",
        most=f"{result.most:.1f}",
    )


def _profile_lines(profile: Profile) -> Iterator[str]:
    total = sum(profile.rooms.values())
    yield Message("cli.bench.profile")
    for room, seconds in profile.rooms.items():
        share = f"{seconds / total:>6.1%}"
        yield Message("cli.bench.room", share=share, seconds=f"{seconds:>8.2f}", room=room)
    yield Message("cli.bench.functions")
    for name, calls, seconds in profile.functions:
        yield Message(
            "cli.bench.function",
            share=f"{seconds / total:>6.1%}",
            seconds=f"{seconds:>8.2f}",
            calls=f"{calls:>11,}",
            name=name,
        )


def _growth_lines(rows: list[GrowthRow], out: Speaker) -> Iterator[str]:
    yield Message("cli.bench.growth")
    columns = [
        out.text(f"cli.bench.column.{kind}") for kind in ("admitted", "admit", "preempt", "wait")
    ]
    yield f"{columns[0]:>10}  " + "".join(f"{column:>10}" for column in columns[1:])
    for size in dict.fromkeys(row.admitted for row in rows):
        costs = [row.microseconds_per_head for row in rows if row.admitted == size]
        yield f"{size:>10,}  " + "".join(f"{cost:>10.1f}" for cost in costs)
