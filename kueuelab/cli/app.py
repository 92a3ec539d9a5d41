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
from kueuelab.cli.gates import command as gates
from kueuelab.cli.init import command as init
from kueuelab.cli.lab import command as lab
from kueuelab.cli.language import LANGUAGE, show_help_in, words_asked_for, words_for
from kueuelab.cli.lint import command as lint
from kueuelab.cli.live import live
from kueuelab.cli.loading import SAVED
from kueuelab.cli.mcp import command as mcp
from kueuelab.cli.output import BAD_INPUT, INTERRUPTED, STANDARD_OUTPUT, Speaker
from kueuelab.cli.pending import command as pending
from kueuelab.cli.policies import command as test
from kueuelab.cli.review import command as review
from kueuelab.cli.run import command as run
from kueuelab.cli.scenarios import command as scenarios
from kueuelab.cli.seek import command as seek
from kueuelab.cli.serve import command as serve
from kueuelab.cli.step import command as step
from kueuelab.cli.studio import command as studio
from kueuelab.cli.sweep import command as sweep
from kueuelab.cli.terminating import TerminatedError
from kueuelab.cli.try_job import command as try_job
from kueuelab.cli.upgrade import bisect, upgrade, versions
from kueuelab.cli.usage_errors import usage_errors_in
from kueuelab.cli.validate import command as validate
from kueuelab.cli.workshop import commands as workshop
from kueuelab.errors import KueueLabError
from kueuelab.messages import english

__all__ = ["Commands", "app", "every_command", "main"]


class Commands(TyperGroup):
    """All commands, in the order of their registration, without tracebacks for bad input."""

    def make_context(self, *arguments: Any, **more: Any) -> Any:
        """Say what is wrong with a call, and show help to a shell, in the language."""
        words = words_asked_for(more["args"] if "args" in more else arguments[1])
        if words.language != "en":
            show_help_in(words, self)
        with usage_errors_in(words):
            ctx = super().make_context(*arguments, **more)
        if ctx.resilient_parsing:  # a shell completes, and shows help beside the words
            show_help_in(english(), self)
        return ctx

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the help in the language that is asked for."""
        show_help_in(words_for(ctx), self)
        super().format_help(ctx, formatter)

    def invoke(self, ctx: Any) -> Any:
        """Call a command, and say in one line what is wrong with its input."""
        SAVED.set(())
        out = Speaker(english())
        try:
            ctx.obj = out = Speaker(words_for(ctx))
            show_help_in(out.words, self)
            with usage_errors_in(out.words):
                return super().invoke(ctx)
        except TerminatedError as error:
            out.complain(out.text("cli.terminated"))
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            out.complain(out.text("cli.interrupted"))
            raise typer.Exit(INTERRUPTED) from None
        except KueueLabError as error:
            out.complain(error.render(out.words))
        except OSError as error:
            # A reader that closed the pipe has seen enough; typer knows what to do.
            if isinstance(error, BrokenPipeError):
                raise
            place = error.filename
            if place == STANDARD_OUTPUT:
                place = out.text("cli.standard-output")
            named = f"{place}: " if place else ""
            out.complain(f"{named}{error.strerror or error}")
            if error.filename == STANDARD_OUTPUT:
                # What could not be written is not tried once more when Python ends.
                with suppress(OSError, ValueError):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            # What a stranger's file says may be of the right types and make no sense.
            if not (saved := SAVED.get()):
                raise
            values = {"files": ", ".join(saved), "error": type(error).__name__}
            out.complain(out.text("cli.damaged", **values))
        raise typer.Exit(BAD_INPUT)


app = typer.Typer(
    name="kueuelab",
    cls=Commands,
    help="cli.help",
    epilog="cli.epilog",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(ctx: typer.Context, asked: bool) -> None:
    if asked:
        out = Speaker(words_for(ctx))
        out.say([out.text("cli.version", version=__version__, kueue=KUEUE_VERSION)])
        raise typer.Exit


def every_command(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help="cli.version.help",
        ),
    ] = False,
    language: Annotated[
        str,
        typer.Option(
            metavar="LANGUAGE",
            envvar=LANGUAGE,
            is_eager=True,
            show_default=False,
            help="cli.language.help",
        ),
    ] = "",
) -> None:
    """Take the options that come before the name of a command."""


app.callback()(every_command)
app.command("lab", help="cli.lab.help")(lab)
app.command("studio", help="cli.studio.help")(studio)
app.command("scenarios", help="cli.scenarios.help")(scenarios)
app.command("versions", help="cli.versions.help")(versions)
app.command("gates", help="cli.gates.help")(gates)
app.command("upgrade", help="cli.upgrade.help")(upgrade)
app.command("bisect-version", help="cli.bisect.help")(bisect)
app.command("run", help="cli.run.help")(run)
app.command("pending", help="cli.pending.help")(pending)
app.command("try", help="cli.try.help")(try_job)
app.command("serve", help="cli.serve.help")(serve)
app.command("mcp", help="cli.mcp.help")(mcp)
app.command("explain", help="cli.explain.help")(explain)
app.command("step", help="cli.step.help")(step)
app.command("diff", help="cli.diff.help")(diff)
app.command("validate", help="cli.validate.help")(validate)
app.command("lint", help="cli.lint.help")(lint)
app.command("review", help="cli.review.help")(review)
app.command("test", help="cli.test.help")(test)
app.command("conformance", help="cli.conformance.help")(conformance)
app.command("sweep", help="cli.sweep.help")(sweep)
app.command("seek", help="cli.seek.help")(seek)
app.command("bench", help="cli.bench.help")(bench)
app.add_typer(live, name="live")
app.add_typer(exercise, name="exercise")
app.add_typer(workshop, name="workshop")
app.command("init", help="cli.init.help")(init)


def main() -> int:
    """Run the command line.

    Returns
    -------
    int
        The exit code. Usage errors and interrupts leave through ``SystemExit``.
    """
    app(prog_name="kueuelab")
    return 0
