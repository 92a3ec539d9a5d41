"""``kueuelab gates``: the feature gates of Kueue, and what flipping one would change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.completing import files
from kueuelab.cli.loading import AllowOutside, spec_at
from kueuelab.cli.output import AsJson, KueueVersion, speaker
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.manifests import ScenarioSpec
    from kueuelab.model import Release
    from kueuelab.whatif.gates import Flip

__all__ = ["command"]


def command(
    ctx: typer.Context,
    file: Annotated[
        str,
        typer.Option("--diff", metavar="FILE", help="cli.gates.diff.help", autocompletion=files),
    ] = "",
    kueue_version: KueueVersion = "",
    as_json: AsJson = False,
    allow_outside: AllowOutside = False,
) -> None:
    """List the feature gates of Kueue; or say what each would change in a scenario."""
    from kueuelab.model import RELEASE, release_named
    from kueuelab.whatif.gates import flips

    out = speaker(ctx)
    release = release_named(kueue_version) if kueue_version else RELEASE
    if not file:
        if as_json:
            out.say_json(list(_rows(release)))
        else:
            out.say(_table(release))
        return

    def load(variant: Release) -> ScenarioSpec:
        return spec_at(file, allow_outside=allow_outside, release=variant)

    with out.progress(Message("cli.running")):
        found = list(flips(load, release, out.words))
    if as_json:
        out.say_json([_flip_data(each) for each in found])
        return
    out.say(_flip_lines(found))


def _flip_data(flip: Flip) -> dict[str, object]:
    found: dict[str, object] = {"gate": flip.gate.name, "value": flip.value}
    if flip.decisions is not None:
        return {**found, "diff": flip.decisions.as_data()}
    return {**found, "refused": [str(problem) for problem in flip.refused]}


def _rows(release: Release) -> Iterator[dict[str, object]]:
    from kueuelab.whatif.gates import treatment, why

    for gate in release.gates.values():
        yield {
            "name": gate.name,
            "default": gate.default,
            "stage": gate.stage,
            "locked": gate.locked,
            "needs": list(gate.needs),
            "modelled": treatment(gate),
            "why": str(why(gate)),
        }


def _table(release: Release) -> Iterator[str]:
    from kueuelab.whatif.gates import treatment, why

    width = max(len(name) for name in release.gates)
    for gate in release.gates.values():
        default = Message(f"cli.gates.{'on' if gate.default else 'off'}")
        reason = why(gate) or Message(f"cli.gates.{treatment(gate)}")
        values = {"name": f"{gate.name:{width}}", "stage": f"{gate.stage:10}", "reason": reason}
        yield Message("cli.gates.row", default=default, **values)


def _flip_lines(found: list[Flip]) -> Iterator[str]:
    if not found:
        yield Message("cli.gates.same")
    for each in found:
        value = Message(f"cli.gates.{'on' if each.value else 'off'}")
        yield Message("cli.gates.flip", name=each.gate.name, value=value.strip())
        lines = each.decisions.first_lines if each.decisions else map(str, each.refused)
        yield from (Message("cli.upgrade.row", text=line) for line in lines)
        yield ""
