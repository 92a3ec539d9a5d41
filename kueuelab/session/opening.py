"""Which files the address of the studio may open: a link can come from anywhere.

These are packaged scenarios and dumps, files below the folder that is served, and the files that
the command named. Nothing of another path is asked for, not even whether it is there: on Windows
that would be a request to another machine.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.messages import Message

__all__ = ["FILES", "named_files", "require_openable"]

#: The environment variable with the files that the command named, as JSON.
FILES: Final = "KUEUELAB_STUDIO_FILES"


def named_files(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the files that the command named."""
    try:
        found = json.loads(environment.get(FILES, "[]"))
    except ValueError:
        return ()
    return tuple(map(str, found)) if isinstance(found, list) else ()


def require_openable(file: str, folder: Path, named: Collection[str]) -> None:
    """Refuse a file that an address must not open.

    Parameters
    ----------
    file
        A path, or the name of a packaged scenario or dump.
    folder
        The folder that is served.
    named
        The files that the command named.

    Raises
    ------
    InputError
        If it is none of them.

    Examples
    --------
    >>> require_openable("reclaim-1-take-back", Path("/work"), ())
    >>> require_openable("/etc/hosts", Path("/work"), ())
    Traceback (most recent call last):
    kueuelab.errors.InputError: ...
    """
    from kueuelab import scenarios

    packaged = (*scenarios.dumps(), *scenarios.names(), *scenarios.names("multikueue"))
    if file in packaged or file in named or _is_below(file, folder):
        return
    hint = Message("session.open.outside.hint")
    raise InputError(Problem(Message("session.open.outside", file=file), hint=hint))


def _is_below(file: str, folder: Path) -> bool:
    if file.startswith("~"):  # the studio takes it for a home folder
        return False
    whole = os.path.abspath(folder)
    # First by its name alone, and only then by where its links lead.
    if not _holds(whole, os.path.normpath(os.path.join(whole, file))):
        return False
    try:
        return _holds(os.path.realpath(whole), os.path.realpath(os.path.join(whole, file)))
    except ValueError:  # a NUL character
        return False


def _holds(folder: str, file: str) -> bool:
    try:
        return os.path.commonpath([folder, file]) == folder
    except ValueError:  # another drive
        return False
