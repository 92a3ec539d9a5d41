"""What stands at a path: files are read and written, and nothing else is."""

from __future__ import annotations

import stat
from typing import Final

from kueuelab.errors import InputError, Location, Problem

__all__ = ["refuse_special"]

_KINDS: Final = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def refuse_special(path: str, mode: int) -> None:
    """Refuse what is no regular file.

    Raises
    ------
    InputError
        If it is a folder, a device, a pipe or a socket.

    Examples
    --------
    >>> refuse_special("/dev/zero", stat.S_IFCHR)
    Traceback (most recent call last):
    kueuelab.errors.InputError: /dev/zero: this is a device, not a file...
    """
    if stat.S_ISREG(mode):
        return
    kind = next((name for is_of, name in _KINDS if is_of(mode)), "something else")
    raise InputError(
        Problem(f"this is {kind}, not a file", location=Location(path), hint="Give a regular file")
    )
