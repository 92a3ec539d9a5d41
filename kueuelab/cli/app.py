"""The command as a whole: its commands, its version, and what errors look like."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from kueuelab import KUEUE_VERSION, __version__
from kueuelab.cli.bench import command as bench
from kueuelab.cli.conformance import command as conformance
from kueuelab.cli.diff import command as diff
from kueuelab.cli.exercise import commands as exercise
from kueuelab.cli.explain import command as explain
from kueuelab.cli.init import command as init
from kueuelab.cli.lab import command as lab
from kueuelab.cli.live import live
from kueuelab.cli.loading import SAVED
from kueuelab.cli.output import BAD_INPUT, STANDARD_OUTPUT, complain, say
from kueuelab.cli.run import command as run
from kueuelab.cli.step import command as step
from kueuelab.cli.validate import command as validate
from kueuelab.errors import KueueLabError

__all__ = ["app", "main"]


class _Commands(TyperGroup):
    """All commands, in the order of their registration, without tracebacks for bad input."""

    def invoke(self, ctx: Any) -> Any:
        SAVED.set(())
        try:
            return super().invoke(ctx)
        except KueueLabError as error:
            complain(str(error))
        except OSError as error:
            # A reader that closed the pipe has seen enough; typer knows what to do.
            if isinstance(error, BrokenPipeError):
                raise
            named = f"{error.filename}: " if error.filename else ""
            complain(f"{named}{error.strerror or error}")
            if error.filename == STANDARD_OUTPUT:
                # What could not be written is not tried once more when Python ends.
                with suppress(OSError, ValueError):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            # What a stranger's file says may be of the right types and make no sense.
            if not (saved := SAVED.get()):
                raise
            what = type(error).__name__
            complain(f"{', '.join(saved)}: the run can't be shown, it is damaged ({what})")
        raise typer.Exit(BAD_INPUT)


app = typer.Typer(
    name="kueuelab",
    cls=_Commands,
    help=f"Decide what Kueue {KUEUE_VERSION} would decide, see why, and change your mind.",
    epilog="Exit codes: 0 all is well, 1 a check failed, 2 the input cannot be used.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        say([f"kueuelab {__version__} (models Kueue {KUEUE_VERSION})"])
        raise typer.Exit


@app.callback()
def _every_command(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help="Show the version, and the version of Kueue that is modelled.",
        ),
    ] = False,
) -> None:
    pass


app.command("lab")(lab)
app.command("run")(run)
app.command("explain")(explain)
app.command("step")(step)
app.command("diff")(diff)
app.command("validate")(validate)
app.command("conformance")(conformance)
app.command("bench")(bench)
app.add_typer(live, name="live")
app.add_typer(exercise, name="exercise")
app.command("init")(init)


def main() -> int:
    """Run the command line.

    Returns
    -------
    int
        The exit code. Usage errors and interrupts leave through ``SystemExit``.
    """
    app(prog_name="kueuelab")
    return 0
