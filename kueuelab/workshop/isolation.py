"""Runs code that others wrote where it reaches no files, no network and no other process.

The process that runs the code is started by bubblewrap (``bwrap``): it sees Python and this package
read-only, and nothing else of the machine; it has no network, no environment and no other process.
Then it takes from itself the system calls that would start a process (`system_calls`). Nothing runs
before an attack on all of this has failed: see `Isolation.tested`.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Self

from kueuelab.errors import KueueLabError
from kueuelab.messages import Message

__all__ = ["Isolation", "NoIsolationError", "attack_script"]

_PACKAGE: Final = Path(__file__).resolve().parents[1]
#: Where the package and what it needs are inside.
_INSIDE: Final = "/kueuelab"
_LIBRARIES: Final = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")
_START: Final = (
    "import sys; sys.path.insert(0, {inside!r}); sys.argv[:] = sys.argv[1:];"
    " from runpy import run_module; run_module(sys.argv[0], run_name='__main__', alter_sys=True)"
)

_ATTACK: Final = """\
import os
from kueuelab.multikueue import Nomination

SECRET, FOLDER, PID = {secret!r}, {folder!r}, {pid!r}
# The shell and Python set these themselves.
OWN = {{"LC_CTYPE", "PWD"}}

def read():
    for name in (SECRET, "/etc/passwd", "/proc/self/environ", "/proc/1/environ"):
        try:
            open(name, "rb").read()
        except OSError:
            continue
        return True
    return False

def write():
    beside = os.path.dirname(os.path.abspath(__file__))
    for folder in (FOLDER, "/", "/tmp", os.getcwd(), beside, "/dev/shm", {inside!r}):
        try:
            open(os.path.join(folder, "written"), "w").close()
        except OSError:
            continue
        return True
    return False

def connect():
    import socket
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            try:
                socket.socket(family, kind).close()
            except OSError:
                continue
            return True
    try:
        socket.socketpair()
    except OSError:
        return False
    return True

def start():
    import subprocess, sys
    try:
        if os.fork() == 0:
            os._exit(0)
        return True
    except OSError:
        pass
    for attempt in (
        lambda: subprocess.run([sys.executable, "-c", ""]),
        lambda: os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {{}}),
        lambda: os.execv(sys.executable, [sys.executable, "-c", ""]),
    ):
        try:
            attempt()
        except OSError:
            continue
        return True
    return False

def signal():
    try:
        os.kill(PID, 0)
    except OSError:
        return False
    return True

def environment():
    return bool(set(os.environ) - OWN)

def dispatch(view):
    tried = (read, write, connect, start, signal, environment)
    return Nomination(tuple(each.__name__ for each in tried if each()))
"""


def attack_script(secret: Path, folder: Path) -> str:
    """Return a dispatcher that tries to break out; it nominates the names of what it could do.

    Parameters
    ----------
    secret
        A file that it tries to read.
    folder
        A folder in which it tries to write.
    """
    return _ATTACK.format(secret=str(secret), folder=str(folder), pid=os.getpid(), inside=_INSIDE)


class NoIsolationError(KueueLabError):
    """Code of others cannot be isolated on this machine; the message says why."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """Starts Python so that it reaches nothing of this machine.

    Attributes
    ----------
    program
        The path of bubblewrap.
    """

    program: str

    @classmethod
    def tested(cls) -> Self:
        """Return the isolation of this machine, after an attack on it has failed.

        Raises
        ------
        NoIsolationError
            If bubblewrap is not installed, does not work here, or lets the attack do something.
        """
        program = shutil.which("bwrap")
        if program is None:
            raise NoIsolationError(
                Message("workshop.isolation.none"), hint=Message("workshop.isolation.none.hint")
            )
        found = cls(program)
        found.check()
        return found

    def check(self) -> None:
        """Attack what is isolated.

        Raises
        ------
        NoIsolationError
            If it does not work, or the attack can do something.
        """
        from kueuelab.workshop.confined import ConfinedDispatcher
        from kueuelab.workshop.scripts import DispatcherError

        hint = Message("workshop.isolation.fails.hint")
        with TemporaryDirectory() as name:
            secret = Path(name) / "secret"
            secret.write_text("secret", "utf-8")
            script = attack_script(secret, Path(name))
            try:
                with ConfinedDispatcher(script, isolation=self) as confined:
                    done = confined.asked_blindly().clusters
            except DispatcherError as error:
                raise NoIsolationError(
                    Message("workshop.isolation.fails", error=error), hint=hint
                ) from error
        if done:
            raise NoIsolationError(
                Message("workshop.isolation.broken", done=", ".join(done)), hint=hint
            )

    def command(self, module: str, arguments: Sequence[str], folder: str) -> list[str]:
        """Return the command that runs a module of this package; it sees one folder, read-only.

        Raises
        ------
        NoIsolationError
            If the folder of Python is that of the user.
        """
        inside = _START.format(inside=_INSIDE)
        python = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
        return [
            self.program,
            *("--unshare-all", "--die-with-parent", "--new-session", "--clearenv"),
            *("--cap-drop", "ALL", "--hostname", "kueuelab"),
            *_binds(python, folder),
            *("--dev-bind", "/dev/null", "/dev/null", "--remount-ro", "/", "--chdir", "/"),
            *("--", python, "-I", "-S", "-B", "-c", inside, module, *arguments),
        ]


def _binds(python: str, folder: str) -> Iterator[str]:
    """Yield what is visible inside, read-only: Python, the libraries, the package, a folder."""
    home = Path.home().resolve()
    libraries = {str(Path(sysconfig.get_path(name)).parent) for name in ("stdlib", "platstdlib")}
    for place in sorted({*libraries, *_LIBRARIES}):
        if Path(place).exists():
            if home.is_relative_to(Path(place).resolve()):
                raise NoIsolationError(
                    Message("workshop.isolation.python-at-home", folder=place),
                    hint=Message("workshop.isolation.fails.hint"),
                )
            yield from ("--ro-bind", place, place)
    yield from ("--ro-bind", python, python)
    yield from ("--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache")
    yield from ("--ro-bind", str(_PACKAGE), f"{_INSIDE}/{_PACKAGE.name}")
    import yaml

    yield from ("--ro-bind", str(Path(yaml.__file__).resolve().parent), f"{_INSIDE}/yaml")
    yield from ("--ro-bind", folder, folder)
