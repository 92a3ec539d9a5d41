"""In which language a command speaks, and its help."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from kueuelab import KUEUE_VERSION
from kueuelab.messages import Catalog, english, messages_in

__all__ = ["LANGUAGE", "show_help_in", "words_for"]

#: The variable that chooses the language where no option does.
LANGUAGE: Final = "KUEUELAB_LANGUAGE"


def words_for(ctx: Any) -> Catalog:
    """Return the sentences for a command: of the language that is asked for, or English.

    Raises
    ------
    KueueLabError
        If there is no such language.
    """
    chosen = ctx.params.get("language") or os.environ.get(LANGUAGE) or "en"
    if Path(chosen).suffix in (".yaml", ".yml", ".json"):
        from kueuelab.files.languages import load_catalog

        return load_catalog(chosen)
    return messages_in(chosen)


def show_help_in(words: Catalog, command: Any) -> None:
    """Put sentences into the places of the ids that a command, and those in it, have as help."""
    for holder in (command, *command.params):
        for name in ("help", "short_help", "epilog"):
            id_ = getattr(holder, name, None)
            if isinstance(id_, str) and id_.startswith("cli.") and id_ in english():
                setattr(holder, name, words.text(id_, version=KUEUE_VERSION))
    for inner in getattr(command, "commands", {}).values():
        show_help_in(words, inner)
