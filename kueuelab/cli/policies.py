"""``kueuelab test``: policies under test, scenarios with expectations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.loading import AllowOutside
from kueuelab.cli.output import BAD_INPUT, CHECK_FAILED, AsJson, Speaker, speaker
from kueuelab.cli.standard_input import NAME, STANDARD_INPUT, check_once, read_standard_input
from kueuelab.errors import KueueLabError
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.policytests import PolicyFile, Verdict


def command(
    ctx: typer.Context,
    places: Annotated[
        list[Path] | None, typer.Argument(metavar="[DIR...]", help="cli.test.places.help")
    ] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="cli.test.junit.help")] = None,
    update: Annotated[bool, typer.Option("--update", help="cli.test.update.help")] = False,
    as_json: AsJson = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Run scenarios with expectations, and say which are met."""
    from kueuelab.policytests import PolicyFile, find

    out = speaker(ctx)
    named = places or [Path()]
    check_once(named)
    piped = Path(STANDARD_INPUT) in named
    if update and piped:
        raise typer.BadParameter(out.text("cli.test.update-stdin"))
    files = list(
        find((each for each in named if each != Path(STANDARD_INPUT)), allow_outside=allow_outside)
    )
    if piped:
        files.append(PolicyFile(Path(NAME), allow_outside, read_standard_input()))
    _test(files, out, junit, update=update, as_json=as_json)


def _test(
    files: list[PolicyFile], out: Speaker, junit: Path | None, *, update: bool, as_json: bool
) -> None:
    from kueuelab.files import write_text
    from kueuelab.policytests import junit_xml
    from kueuelab.policytests import update as updated

    cautions: dict[str, None] = {}
    verdicts: dict[str, tuple[Verdict, ...]] = {}
    errors: dict[str, str] = {}
    with out.progress(Message("cli.test.running"), total=len(files)) as advance:
        for file in files:
            try:
                verdicts[str(file.path)] = file.run()
                cautions.update(dict.fromkeys(file.cautions()))
            except KueueLabError as error:
                errors[str(file.path)] = error.render(out.words)
            advance()
    if junit is not None:
        write_text(junit, junit_xml(verdicts, errors, out.words) + "\n")
    flat = [verdict for each in verdicts.values() for verdict in each]
    passed = sum(verdict.passed for verdict in flat)
    if as_json:
        out.say_json({"expectations": [each.as_data() for each in flat], "errors": errors})
    elif not update:
        out.say([verdict.as_text(out.words) for verdict in flat])
    out.complain(*cautions, *errors.values())
    if update:
        changed = [line for file, found in verdicts.items() for line in updated(Path(file), found)]
        out.say([*changed, Message("cli.test.updated", count=len(changed))])
        # What was found can't be stated in every field: the rest is for its author.
        flat = [verdict for file in files if str(file.path) in verdicts for verdict in file.run()]
        passed = sum(verdict.passed for verdict in flat)
        out.say([verdict.as_text(out.words) for verdict in flat if not verdict.passed])
    elif not as_json:
        out.say([Message("cli.test.result", passed=passed, count=len(flat), files=len(files))])
    if errors:
        raise typer.Exit(BAD_INPUT)
    if passed < len(flat):
        raise typer.Exit(CHECK_FAILED)
