"""``-`` where a command takes a file: what another program writes (``kubectl kustomize``)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from kueuelab.errors import KueueLabError
from kueuelab.files import read_stream
from kueuelab.messages import Message

__all__ = ["NAME", "STANDARD_INPUT", "check_once", "files_for", "read_standard_input"]

#: What stands for standard input; a file of this name is ``./-``.
STANDARD_INPUT: Final = "-"
#: What standard input is called where something is wrong in it.
NAME: Final = "<stdin>"


def read_standard_input() -> bytes:
    """Return all of standard input, unpacked if it is compressed.

    Raises
    ------
    InputError
        If it is too large, or damaged.
    """
    return read_stream(sys.stdin.buffer, NAME)


def check_once(names: Iterable[object]) -> None:
    """Refuse a call that would read standard input twice.

    Raises
    ------
    KueueLabError
        If ``-`` is named more than once.
    """
    if sum(str(name) == STANDARD_INPUT for name in names) > 1:
        raise KueueLabError(Message("cli.stdin.twice"), hint=Message("cli.stdin.twice.hint"))


@contextmanager
def files_for(names: Iterable[Path], ending: str = ".yaml") -> Iterator[list[Path]]:
    """Give files that can be opened again: standard input is copied into one.

    Parameters
    ----------
    names
        Files, ``-`` among them at most once.
    ending
        How the name of the copy ends, where its format depends on that.
    """
    names = list(names)
    check_once(names)
    with ExitStack() as stack:
        files = []
        for name in names:
            if str(name) != STANDARD_INPUT:
                files.append(name)
                continue
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="kueuelab-")))
            copy = folder / f"stdin{ending}"
            copy.write_bytes(read_standard_input())
            files.append(copy)
        yield files
