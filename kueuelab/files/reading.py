"""Files of strangers: regular ones only, unpacked if they are compressed, up to a size.

A device never ends, a pipe may never begin, and a small file can be packed to fill the memory.
What the caller's shell opened already (``/dev/stdin``, ``<(command)``) is read as it comes, up to
the same size.
"""

from __future__ import annotations

import gzip
import os
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, BytesIO, RawIOBase
from pathlib import Path
from typing import IO, Any, Final, cast

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files.kinds import refuse_special
from kueuelab.messages import Message

__all__ = ["LARGEST", "check_regular", "read_bytes", "read_stream", "reading"]

#: No file is larger: a run of 15,000 workloads has about 600 MiB.
LARGEST: Final = 2 * 2**30

_GZIP_MAGIC: Final = b"\x1f\x8b"
#: What any compressed file may unpack to; a larger one, so many times its size. A run of 15,000
#: workloads unpacks to some 40 times its size; what is packed to fill the memory grows a
#: thousandfold.
_UNPACKED: Final = 256 * 2**20
_TIMES: Final = 200

_BUFFER: Final = 2**20
_OPENED_BY_THE_SHELL: Final = re.compile(r"/dev/stdin|(/dev|/proc/self)/fd/\d+")


@contextmanager
def reading(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file to read it, unpacked if its first bytes say that it is compressed.

    Raises
    ------
    InputError
        If it is no regular file, too large, or damaged.
    OSError
        If it can't be opened or read; the error names the file.

    Examples
    --------
    >>> with reading("/dev/zero") as stream:
    ...     stream.read()
    Traceback (most recent call last):
    kueuelab.errors.InputError: /dev/zero: this is a device, not a file. Give a regular file
    """
    file = str(path)
    try:
        with _opened(path) as packed:
            if packed.peek(2)[:2] != _GZIP_MAGIC:
                yield packed
                return
            size = os.fstat(packed.fileno()).st_size
            most = min(LARGEST, max(_UNPACKED, _TIMES * size))
            with gzip.GzipFile(fileobj=packed) as unpacked:
                counted = _Counted(cast(Any, unpacked), most, file, "files.too-large.unpacked")
                yield cast(IO[bytes], BufferedReader(counted, _BUFFER))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        message, hint = Message("files.cut-off", error=error), Message("files.cut-off.hint")
        problem = Problem(message, location=Location(file), hint=hint)
        raise InputError(problem) from error
    except OSError as error:
        if error.filename is None:
            raise type(error)(error.errno, error.strerror or str(error), file) from error
        raise


def check_regular(path: str | Path) -> None:
    """Refuse what can't be read, before anything is read of it; a folder is left to its reader.

    Raises
    ------
    InputError, OSError
        As for `reading`.
    """
    if not _OPENED_BY_THE_SHELL.fullmatch(str(path)):
        mode = os.stat(path).st_mode
        if not stat.S_ISDIR(mode):
            refuse_special(str(path), mode)


def _opened(path: str | Path) -> Any:
    """Open a file; nothing is waited for, and nothing but a file is touched."""
    file = str(path)
    if _OPENED_BY_THE_SHELL.fullmatch(file):
        return BufferedReader(
            _Counted(open(path, "rb", 0), LARGEST, file, "files.too-large"), _BUFFER
        )
    refuse_special(file, os.stat(path).st_mode)
    # Something else may stand there by now.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    raw = os.fdopen(handle, "rb", 0)
    try:
        found = os.fstat(handle)
        refuse_special(file, found.st_mode)
        if found.st_size > LARGEST:
            raise _too_large(file, "files.too-large", LARGEST)
    except BaseException:
        raw.close()
        raise
    # A file may grow while it is read, and some that the kernel makes up have no size.
    return BufferedReader(_Counted(raw, LARGEST, file, "files.too-large"), _BUFFER)


def read_bytes(path: str | Path) -> bytes:
    """Return all of a file, as `reading` gives it.

    Raises
    ------
    InputError, OSError
        As for `reading`.
    """
    with reading(path) as stream:
        return stream.read()


def read_stream(stream: IO[bytes], name: str) -> bytes:
    """Return all of an open stream, unpacked if it is compressed, up to the same sizes.

    Raises
    ------
    InputError
        If it is too large, or damaged.

    Examples
    --------
    >>> from io import BytesIO
    >>> read_stream(BytesIO(gzip.compress(b"kind: Cohort")), "<stdin>")
    b'kind: Cohort'
    """
    content = _Counted(cast(Any, stream), LARGEST, name, "files.too-large").readall()
    if not content.startswith(_GZIP_MAGIC):
        return content
    most = min(LARGEST, max(_UNPACKED, _TIMES * len(content)))
    try:
        with gzip.GzipFile(fileobj=BytesIO(content)) as unpacked:
            return _Counted(cast(Any, unpacked), most, name, "files.too-large.unpacked").readall()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        message, hint = Message("files.cut-off", error=error), Message("files.cut-off.hint")
        raise InputError(Problem(message, location=Location(name), hint=hint)) from error


class _Counted(RawIOBase):
    """A stream that ends in an error where it has more than it may have."""

    def __init__(self, raw: RawIOBase, most: int, file: str, message: str) -> None:
        self._raw = raw
        self._left = most
        self._most = most
        self._file = file
        self._message = message

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def readinto(self, buffer: Any) -> int | None:
        count = self._raw.readinto(buffer)
        self._left -= count or 0
        if self._left < 0:
            raise _too_large(self._file, self._message, self._most)
        return count

    def readall(self) -> bytes:
        parts = []
        while part := self.read(_BUFFER):  # Python's own reads 8 KiB at a time.
            parts.append(part)
        return b"".join(parts)

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
            super().close()


def _too_large(file: str, message: str, most: int) -> InputError:
    return InputError(Problem(Message(message, size=most // 2**20), location=Location(file)))
