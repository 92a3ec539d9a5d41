"""What stands at a path: files are read and written, and nothing else is."""

from __future__ import annotations

import stat
from typing import Final

from kueuelab.errors import InputError, Location, Problem
from kueuelab.messages import Message

__all__ = ["refuse_special"]

_KINDS: Final = (
    (stat.S_ISDIR, "folder"),
    (stat.S_ISFIFO, "pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
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
    kind = next((name for is_of, name in _KINDS if is_of(mode)), "other")
    message, hint = Message(f"files.kind.{kind}"), Message("files.kind.hint")
    raise InputError(Problem(message, location=Location(path), hint=hint))
