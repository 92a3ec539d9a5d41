"""Feeding damaged files to the loader, with limits on time and memory.

``python -m kueuelab.testing.loader_fuzz NUMBER SEED FOLDER...`` feeds so many of them, made
from the valid files of the folders, and says what went wrong.
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.manifests import load_scenario
from kueuelab.testing.mutations import Mutator

__all__ = ["feed", "main"]

SECONDS: Final = 2.0
BYTES: Final = 2**30


class _TookTooLong(BaseException):
    """Not an Exception, so that it is not taken for a mistake in a file."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Limit the processor's time: a machine that is busy with other things proves nothing."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise _TookTooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def feed(content: bytes, seconds: float = SECONDS) -> str:
    """Load a file; return what is wrong with how the loader took it, nothing if it took it well.

    Parameters
    ----------
    content : bytes
        The file.
    seconds : float, optional
        The time that it may take.

    Examples
    --------
    >>> feed(b"kind: Nonsense")
    ''
    """
    try:
        with _limited(seconds):
            load_scenario(content, name="fed.yaml")
    except InputError as error:
        lost = [problem for problem in error.problems if not _has_place(problem)]
        return f"no place: {lost[0]}" if lost else ""
    except _TookTooLong:
        return f"took longer than {seconds:g}s"
    except Exception:
        return traceback.format_exc()
    return ""


def _has_place(problem: Problem) -> bool:
    # It may be in another file: what is fed may be a scenario that names a folder.
    return problem.location is not None and bool(problem.location.file)


def main(arguments: list[str]) -> int:
    """Feed damaged files and report; the memory of the process is limited.

    Parameters
    ----------
    arguments : list of str
        How many files, the seed, and the folders with valid files.

    Returns
    -------
    int
        0 if the loader took all of them well.
    """
    import resource  # not everywhere; only this command needs it

    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    number, seed, *folders = int(arguments[0]), int(arguments[1]), *map(Path, arguments[2:])
    found = [file for folder in folders for file in sorted(folder.glob("*.yaml"))]
    files = [file.read_text("utf-8") for file in found]
    mutator = Mutator(files, seed)
    for count in range(number):
        content = mutator.one()
        wrong = feed(content)
        if wrong:
            print(f"input {count} of seed {seed}: {content!r:.2000}\n{wrong}")
            return 1
    print(f"{number} inputs of seed {seed} taken")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
