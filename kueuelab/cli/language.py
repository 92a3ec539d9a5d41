"""In which language a command speaks, and its help."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from kueuelab import KUEUE_VERSION
from kueuelab.errors import KueueLabError
from kueuelab.messages import Catalog, english, messages_in

__all__ = ["LANGUAGE", "show_help_in", "words_asked_for", "words_for"]

#: The variable that chooses the language where no option does.
LANGUAGE: Final = "KUEUELAB_LANGUAGE"

#: Typer's headings and marks in a help, which are variables of its module ``rich_utils``.
_HEADINGS: Final = {
    "ARGUMENTS_PANEL_TITLE": "cli.help.arguments",
    "OPTIONS_PANEL_TITLE": "cli.help.options",
    "COMMANDS_PANEL_TITLE": "cli.help.commands",
    "ERRORS_PANEL_TITLE": "cli.help.error",
    "DEFAULT_STRING": "cli.help.default",
    "ENVVAR_STRING": "cli.help.variable",
    "REQUIRED_LONG_STRING": "cli.help.required",
}
#: Options that Typer adds.
_OWN_HELP: Final = {
    "install_completion": "cli.help.install-completion",
    "show_completion": "cli.help.show-completion",
}


def words_for(ctx: Any) -> Catalog:
    """Return the sentences for a command: of the language that is asked for, or English.

    Raises
    ------
    KueueLabError
        If there is no such language.
    """
    return _words_of(ctx.params.get("language"))


def words_asked_for(arguments: Sequence[str]) -> Catalog:
    """Return the sentences for a call that cannot be read, as far as it says in which language."""
    named = [each for option, each in pairwise(arguments) if option == "--language"]
    named += [each.partition("=")[2] for each in arguments if each.startswith("--language=")]
    try:
        return _words_of(named[0] if named else None)
    except KueueLabError:
        return messages_in("en")


def _words_of(named: str | None) -> Catalog:
    chosen = named or os.environ.get(LANGUAGE) or "en"
    if Path(chosen).suffix in (".yaml", ".yml", ".json"):
        from kueuelab.files.languages import load_catalog

        return load_catalog(chosen)
    return messages_in(chosen)


def show_help_in(words: Catalog, command: Any) -> None:
    """Put sentences into the places of the ids that a command, and those in it, have as help.

    What Typer itself says in a help, it says in the same language.
    """
    if words.language != "en" or "typer.rich_utils" in sys.modules:
        from typer import rich_utils

        for name, id_ in _HEADINGS.items():
            # Typer fills in values itself, at a pair of braces.
            setattr(rich_utils, name, words.text(id_, value="{}"))
        call = "[blue]'{command_path} {help_option}'[/]"
        rich_utils.RICH_HELP = words.text("cli.help.try", command=call)
    _show_help_in(words, command)


def _show_help_in(words: Catalog, command: Any) -> None:
    for holder in (command, *command.params):
        holder.help = _OWN_HELP.get(holder.name, getattr(holder, "help", None))
        for name in ("help", "short_help", "epilog"):
            id_ = getattr(holder, name, None)
            if isinstance(id_, str) and id_.startswith("cli.") and id_ in english():
                setattr(holder, name, words.text(id_, version=KUEUE_VERSION))
    command.format_usage = partial(_format_usage, words, command)
    for inner in getattr(command, "commands", {}).values():
        _show_help_in(words, inner)


def _format_usage(words: Catalog, command: Any, ctx: Any, formatter: Any) -> None:
    """Write the first line of a help; the option that shows it exists only then."""
    option = command.get_help_option(ctx)
    if option is not None:
        option.help = words.text("cli.help.option")
    pieces = " ".join(command.collect_usage_pieces(ctx))
    formatter.write_usage(ctx.command_path, pieces, prefix=f"{words.text('cli.help.usage')} ")
