"""Files that are always whole: all of the new one, or the old one.

Only regular files are written; a link is followed to one. A device, a pipe or a socket stays
what it is.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import IO

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files.kinds import refuse_special
from kueuelab.messages import Message

__all__ = ["check_ending", "put_aside", "replacing", "write_text"]


@contextmanager
def replacing(path: str | Path) -> Iterator[IO[bytes]]:
    """Write a file that takes the place of an old one only when all of it is there.

    Raises
    ------
    InputError
        If what stands there is no regular file.
    OSError
        If it can't be written; the error names the file.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> with replacing(file) as stream:
    ...     _ = stream.write(b"all of it")
    >>> file.read_bytes()
    b'all of it'
    """
    temporary = ""
    try:
        target, mode = _target(path)
        handle, temporary = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name:.40}-", suffix=".tmp"
        )
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException as error:
        if temporary:
            with suppress(OSError):
                os.unlink(temporary)
        if isinstance(error, OSError) and (not temporary or error.filename in (None, temporary)):
            # The name that the caller knows says more than that of a file in between, or none.
            raise type(error)(error.errno, error.strerror or str(error), str(path)) from error
        raise


def _target(path: str | Path) -> tuple[Path, int]:
    """Return the file that a path means, and the permissions that it has or any new one gets."""
    target = Path(os.path.realpath(path))
    try:
        found = target.stat()
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return target, 0o666 & ~mask
    refuse_special(str(path), found.st_mode)
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return target, found.st_mode & 0o777


def check_ending(path: str | Path, endings: Sequence[str]) -> None:
    """Refuse a name that does not say what to write.

    Raises
    ------
    InputError
        If it has none of the endings.

    Examples
    --------
    >>> check_ending("a.txt", (".html", ".json"))
    Traceback (most recent call last):
    kueuelab.errors.InputError: a.txt: the ending does not say what to write. End it in ...
    """
    if not str(path).endswith(tuple(endings)):
        others = ", ".join(endings[:-1])
        hint = Message("files.ending.hint", endings=others, last=endings[-1])
        message = Message("files.ending")
        raise InputError(Problem(message, location=Location(str(path)), hint=hint))


def write_text(path: str | Path, text: str) -> None:
    """Write a text, all of it or nothing, in UTF-8 with plain line ends."""
    with replacing(path) as stream:
        stream.write(text.encode("utf-8"))


def put_aside(path: Path, why: str) -> Path:
    """Give a file a name of its own beside its place, and return that name.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "answer.yaml"
    >>> write_text(file, "mine")
    >>> put_aside(file, "before-reset").name
    'answer.before-reset.yaml'
    """
    for number in count(1):
        ending = "" if number == 1 else f"-{number}"
        kept = path.with_name(f"{path.stem}.{why}{ending}{path.suffix}")
        if not os.path.lexists(kept):
            break
    os.rename(path, kept)
    return kept
