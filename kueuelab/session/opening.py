"""What the address of the app may open: a link can come from anywhere.

These are packaged scenarios and dumps, files below the folder that is served, the files that the
command named, and clusters of the kubeconfig, which are only read. Nothing of another path is asked
for, not even whether it is there: on Windows that would be a request to another machine.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Final

from kueuelab.errors import InputError, Problem, UnknownObjectError
from kueuelab.messages import Message

__all__ = ["CONTEXT", "known_context", "nothing_may_be_read", "require_openable", "require_there"]

#: Before the name of a context, where something to open is named.
CONTEXT: Final = "context:"


def known_context(source: str, contexts: Collection[str]) -> str:
    """Return the context that a source names.

    Raises
    ------
    UnknownObjectError
        If the kubeconfig does not have it.

    Examples
    --------
    >>> known_context("context:kind-a", ("kind-a",))
    'kind-a'
    """
    name = source.removeprefix(CONTEXT)
    if name not in contexts:
        raise UnknownObjectError("context", name, contexts)
    return name


def nothing_may_be_read(file: str) -> None:
    """Refuse every path: what an engine allows that has no files.

    Raises
    ------
    InputError
        Unless it is the name of a packaged scenario or dump.
    """
    if not _is_packaged(file):
        raise InputError(_no_file(file))


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
    if file in named or _is_packaged(file) or _is_below(file, folder):
        return
    hint = Message("session.open.outside.hint")
    raise InputError(Problem(Message("session.open.outside", file=file), hint=hint))


def require_there(file: str) -> None:
    """Refuse what is neither there nor a packaged name.

    Raises
    ------
    InputError
        If it does not exist.

    Examples
    --------
    >>> require_there("two-teams")
    >>> require_there("no-such-file.yaml")
    Traceback (most recent call last):
    kueuelab.errors.InputError: ...
    """
    # A text with a line break would be read as YAML; this is a path.
    if not ((file and Path(file).expanduser().exists()) or _is_packaged(file)):
        raise InputError(_no_file(file))


def _no_file(file: str) -> Problem:
    hint = Message("session.open.no-file.hint")
    return Problem(Message("session.open.no-file", file=file), hint=hint)


def _is_packaged(file: str) -> bool:
    from kueuelab import scenarios

    return file in (*scenarios.dumps(), *scenarios.names(), *scenarios.names("multikueue"))


def _is_below(file: str, folder: Path) -> bool:
    if file.startswith("~"):  # it would be taken for a home folder
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
