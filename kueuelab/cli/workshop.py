"""``kueuelab workshop``: what an instructor needs before, during and after a class."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuelab.cli.output import CHECK_FAILED, AsJson, speaker
from kueuelab.messages import Message, separated

__all__ = ["commands"]

commands = typer.Typer(
    help="cli.workshop.help",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@commands.command(help="cli.workshop.preflight.help")
def preflight(
    ctx: typer.Context,
    port: Annotated[int, typer.Option(min=0, max=65535, help="cli.workshop.port.help")] = 8888,
    seconds: Annotated[float, typer.Option(min=0, help="cli.workshop.seconds.help")] = 20,
    browser: Annotated[bool, typer.Option(help="cli.workshop.browser.help")] = True,
    as_json: AsJson = False,
) -> None:
    """Check that this machine is ready for the workshop."""
    from kueuelab.workshop.preflight import preflight as checks_of

    out = speaker(ctx)
    with out.progress(Message("cli.workshop.checking")) as count:
        found = []
        for each in checks_of(port, seconds, browser=browser):
            found.append(each)
            count()
    failed = [each for each in found if not each.passed]
    if as_json:
        out.say_json({"ready": not failed, "checks": [each.as_data() for each in found]})
    elif failed:
        out.say(
            Message("cli.workshop.not-ready", found=each.found, hint=each.hint) for each in failed
        )
    else:
        out.say([Message("cli.workshop.ready", found=separated(each.found for each in found))])
    if failed:
        raise typer.Exit(CHECK_FAILED)
