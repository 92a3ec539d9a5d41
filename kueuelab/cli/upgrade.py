"""``kueuelab versions``, ``upgrade`` and ``bisect-version``: what another Kueue decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.completing import files
from kueuelab.cli.jobs_file import (
    FlavorOption,
    JobFieldOption,
    QueueOption,
    WorkloadsFile,
    source_of,
)
from kueuelab.cli.loading import AllowOutside, spec_at
from kueuelab.cli.output import CHECK_FAILED, AsJson, Speaker, speaker
from kueuelab.cli.standard_input import check_once
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.manifests import ScenarioSpec
    from kueuelab.model import Release
    from kueuelab.sweeps import JobTrace, WorkloadModel
    from kueuelab.sweeps.upgrade_runs import UpgradeRuns
    from kueuelab.whatif.upgrade import Upgrade

__all__ = ["bisect", "upgrade", "versions"]

_File = Annotated[
    str, typer.Argument(metavar="FILE", help="cli.upgrade.file.help", autocompletion=files)
]


def versions(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the versions of Kueue that the lab models."""
    from kueuelab.model import RELEASE, RELEASES

    out = speaker(ctx)
    rows = [
        {
            "version": release.version,
            "kubernetes": release.kubernetes,
            "gates": len(release.gates),
            "api": ", ".join(release.api_versions),
            "default": release is RELEASE,
        }
        for release in RELEASES.values()
    ]
    if as_json:
        out.say_json(rows)
        return
    for row in rows:
        mark = Message("cli.versions.default") if row.pop("default") else ""
        out.say([Message("cli.versions.row", mark=mark, **row)])


def upgrade(
    ctx: typer.Context,
    file: _File,
    before: Annotated[str, typer.Option("--from", metavar="VERSION", help="cli.upgrade.from.help")],
    after: Annotated[str, typer.Option("--to", metavar="VERSION", help="cli.upgrade.to.help")],
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT", help="cli.upgrade.html.help")
    ] = None,
    seeds: Annotated[int, typer.Option(min=0, help="cli.upgrade.seeds.help")] = 0,
    workloads: WorkloadsFile = None,
    by: JobFieldOption = "queue",
    queue: QueueOption = None,
    flavor: FlavorOption = None,
    as_json: AsJson = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Play a scenario or dump under two versions of Kueue, and say what changes."""
    from kueuelab.files import replacing
    from kueuelab.model import release_named
    from kueuelab.whatif.upgrade import upgrade as compare

    out = speaker(ctx)
    check_once((file, workloads))
    load = _loader(file, allow_outside=allow_outside)
    source = source_of(workloads, by, queue, flavor, out)
    one, other = release_named(before), release_named(after)
    with out.progress(Message("cli.running")):
        found = compare(load, one, other, out.words)
    runs = None
    if seeds := seeds or int(source is not None):
        runs = _histories(load, one, other, seeds, source, out)
    lines = [out.words.render(line) for line in _lines(found, file, out, runs)]
    if html is not None:
        with replacing(html) as stream:
            stream.write(_page(lines).encode("utf-8"))
    if as_json:
        histories = {} if runs is None else {"histories": runs.as_data()}
        out.say_json({**found.as_data(), **histories})
    else:
        out.say(lines)
    if not found.is_safe or (runs is not None and runs.differing):
        raise typer.Exit(CHECK_FAILED)


def bisect(ctx: typer.Context, file: _File, allow_outside: AllowOutside = False) -> None:
    """Say which version of Kueue first decides a scenario as the last one does."""
    from kueuelab.model import RELEASES
    from kueuelab.trace.diff import diff
    from kueuelab.whatif.upgrade import played

    out = speaker(ctx)
    load = _loader(file, allow_outside=allow_outside)
    with out.progress(Message("cli.running")):
        runs = {version: played(load(release)) for version, release in RELEASES.items()}
    names = list(runs)
    for before, version in zip(names[-2::-1], names[:0:-1], strict=True):
        found = diff(runs[before], runs[names[-1]], out.words)
        if found.decides_otherwise:
            values = {"version": version, "last": names[-1], "before": before}
            out.say([Message("cli.bisect.first", **values), "", found.as_text()])
            raise typer.Exit(CHECK_FAILED)
    out.say([Message("cli.bisect.same", versions=", ".join(names))])


def _loader(file: str, *, allow_outside: bool) -> Callable[[Release], ScenarioSpec]:
    return lambda release: spec_at(file, allow_outside=allow_outside, release=release)


def _histories(
    load: Callable[[Release], ScenarioSpec],
    before: Release,
    after: Release,
    seeds: int,
    source: WorkloadModel | JobTrace | None,
    out: Speaker,
) -> UpgradeRuns:
    from kueuelab.sweeps.upgrade_runs import upgrade_runs
    from kueuelab.whatif.upgrade import read_as

    spec = load(before)
    other, _ = read_as(load, after, spec)
    with out.progress(Message("cli.running"), total=seeds) as advance:
        return upgrade_runs(spec, other, seeds, source, out.words, advance)


def _lines(found: Upgrade, file: str, out: Speaker, runs: UpgradeRuns | None) -> Iterator[str]:
    before, after = found.before.version, found.after.version
    yield Message("cli.upgrade.title", before=before, after=after, file=file)
    yield from _section(Message("cli.upgrade.refused"), (each.text for each in found.refused))
    api = found.after.api_versions[0]
    yield from _section(Message("cli.upgrade.objects", after=after, api=api), found.objects)
    yield from _section(Message("cli.upgrade.rejected", after=after), found.rejected)
    gates = [each.text for each in found.notable]
    stages = sum(each.kind == "stage" for each in found.gates)
    if stages:
        gates.append(Message("cli.upgrade.stages", count=stages))
    yield from _section(Message("cli.upgrade.gates"), gates)
    if found.after.announced:
        names = ", ".join(gate.name for gate in found.after.announced)
        yield ""
        yield Message("cli.upgrade.announced", names=names)
    yield ""
    yield Message("cli.upgrade.decisions")
    yield found.decisions.as_text()
    if found.causes:
        yield Message("cli.upgrade.causes", names=", ".join(found.causes))
    if runs is not None:
        yield from ("", Message("cli.upgrade.runs"), *runs.lines)
    yield from _section(Message("cli.upgrade.fixed"), found.fixed)
    yield from _section(Message("cli.upgrade.brought"), found.brought)


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    rows = list(lines)
    if rows:
        yield from ("", title)
        yield from (Message("cli.upgrade.row", text=row) for row in rows)


def _page(lines: list[str]) -> str:
    """Return the lines as a page that needs nothing else."""
    from html import escape

    text = escape("\n".join(lines[1:]).strip())
    title = escape(lines[0])
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>\n'
        f"<h1>{title}</h1>\n<pre>{text}</pre>\n</html>\n"
    )
