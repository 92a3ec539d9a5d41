"""A process of its own with limits, which answers lines with lines.

What may run too long, take too much memory, or fail altogether ends there and nowhere else. The
limits are set by the process itself, before it reads what it is asked: see `set_limits`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kueuelab.workshop.isolation import Isolation

__all__ = ["LimitedProcess", "asked_and_answered", "set_limits"]

_LONGEST: Final = 2**20
_MEMORY: Final = 2**31
_PACKAGE_PARENT: Final = str(Path(__file__).resolve().parents[2])


class LimitedProcess:
    """Runs a module of this package, and asks it line by line.

    Parameters
    ----------
    module
        The module; it reads questions and writes answers as `asked_and_answered` says.
    arguments
        Its arguments.
    folder
        Its working folder.
    own_session
        Whether it has a session of its own, so that all processes that it started end with it.
    isolation
        What denies it the files of this machine but the folder, the network and other processes.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        folder: str,
        *,
        own_session: bool = True,
        isolation: Isolation | None = None,
    ) -> None:
        kept = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP")
        self._own_session = own_session and os.name == "posix"
        command = [sys.executable, "-s", "-B", "-m", module, *arguments]
        self._process = subprocess.Popen(
            command if isolation is None else isolation.command(module, arguments, folder),
            cwd=folder,
            env={
                **{name: os.environ[name] for name in kept if name in os.environ},
                "PYTHONPATH": _PACKAGE_PARENT,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=self._own_session,
        )

    def ask(self, question: str, seconds: float) -> bytes:
        """Return the answer to a line; empty if there is none in time, or no process any more."""
        asked, answered = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answered is not None
        timer = Timer(seconds, self._kill)
        timer.daemon = True
        timer.start()
        line = b""
        # Writing to a process that has ended is the same as having no answer.
        with suppress(OSError):
            asked.write(f"{question}\n".encode())
            asked.flush()
            line = answered.readline(_LONGEST)
        timer.cancel()
        return line if line.endswith(b"\n") else b""

    def end(self) -> None:
        """End the process, and what it started."""
        self._kill()
        with suppress(OSError):  # what was not written yet is of no use any more
            self._process.communicate()

    def _kill(self) -> None:
        with suppress(OSError):
            if self._own_session:
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()


def asked_and_answered() -> tuple[IO[str], IO[str]]:
    """Return where questions come from and where answers go; nothing else can use the two."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    return questions, answers


def set_limits(
    cpu_seconds: int, largest_file: int, open_files: int | None = None, *, forever: bool = True
) -> None:
    """Limit this process from now on.

    Parameters
    ----------
    cpu_seconds
        How much more processor time it may take.
    largest_file
        How many bytes a file may have that it writes.
    open_files
        How many files it may have open.
    forever
        Whether it can set the limits anew, as a process does that is asked many times.
    """
    try:
        import resource
    except ImportError:  # Windows has none; how long an answer may take holds there, too
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    limits = {
        resource.RLIMIT_CPU: int(used.ru_utime + used.ru_stime) + 1 + cpu_seconds,
        resource.RLIMIT_FSIZE: largest_file,
        resource.RLIMIT_CORE: 0,
    }
    if open_files is not None:
        limits[resource.RLIMIT_NOFILE] = open_files
    if sys.platform == "linux":
        limits[resource.RLIMIT_AS] = _MEMORY
    for limit, value in limits.items():
        _, hard = resource.getrlimit(limit)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (most, most if forever else hard))
