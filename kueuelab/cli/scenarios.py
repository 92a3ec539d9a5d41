"""``kueuelab scenarios``: the scenarios that come with the package."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kueuelab.cli.output import CHECK_FAILED, AsJson, Speaker, speaker
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.scenarios import ScenarioEntry

#: How wide descriptions are where no terminal says it.
_WIDTH: Final = 100


def command(
    ctx: typer.Context,
    search: Annotated[
        list[str] | None,
        typer.Argument(metavar="WORD", help="cli.scenarios.search.help", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the packaged scenarios, or describe those with some words in them."""
    from kueuelab.scenarios import dumps, entries

    out = speaker(ctx)
    found = entries(*(search or ()))
    named = [name for name in dumps() if name in (search or dumps())]
    if as_json:
        out.say_json([entry.as_data() for entry in found])
    elif found:
        out.say(_lines(found, out, described=bool(search)))
    if named and not as_json:
        out.say([Message("cli.scenarios.dumps", names=", ".join(named), name=named[0])])
    elif not found:
        out.complain(Message("cli.scenarios.none", words=" ".join(search or ())))
        raise typer.Exit(CHECK_FAILED)


def _lines(found: tuple[ScenarioEntry, ...], out: Speaker, *, described: bool) -> Iterator[str]:
    width = max(len(entry.name) for entry in found)
    for folder, group in groupby(found, key=lambda entry: entry.folder):
        yield Message(f"session.gallery.{folder}")
        for entry in group:
            yield f"  {entry.name:{width}}  {entry.title}"
            if described and entry.description:
                yield textwrap.indent(textwrap.fill(entry.description, out.width or _WIDTH), "    ")
        yield ""
    if described:
        yield Message("cli.scenarios.next", name=found[0].name)
    else:
        yield Message("cli.scenarios.count", count=len(found))
