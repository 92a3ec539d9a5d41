"""Running other programs: they can be printed instead, replaced, and have a time limit."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from kueuelab.live.errors import LiveError
from kueuelab.messages import Message

__all__ = ["Command", "Done", "DryRun", "Runner", "Subprocess"]


@dataclass(frozen=True, slots=True)
class Command:
    """A command to run.

    Attributes
    ----------
    args
        The program and its arguments.
    stdin
        What it reads.
    secret
        Whether what it reads or writes holds credentials, and is never shown.
    reads
        Whether it only looks.
    seconds
        For how long it may run.
    environment
        Variables that are set for it, besides those that are there.

    Examples
    --------
    >>> print(Command(("kubectl", "apply", "-f", "-"), stdin="kind: Namespace"))
    kubectl apply -f - <<EOF
    kind: Namespace
    EOF
    >>> print(Command(("kubectl", "apply", "-f", "-"), stdin="token: abc", secret=True))
    kubectl apply -f - <<EOF
    (credentials are not shown)
    EOF
    """

    args: tuple[str, ...]
    stdin: str = field(default="", repr=False)
    secret: bool = False
    reads: bool = False
    seconds: float = 60.0
    environment: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        variables = (f"{name}={shlex.quote(value)}" for name, value in self.environment.items())
        line = " ".join([*variables, shlex.join(self.args)])
        if not self.stdin:
            return line
        text = Message("live.command.credentials") if self.secret else self.stdin.rstrip("\n")
        return f"{line} <<EOF\n{text}\nEOF"


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended, and what it said."""

    code: int
    stdout: str = field(default="", repr=False)
    stderr: str = ""

    @property
    def ok(self) -> bool:
        """Whether it succeeded."""
        return self.code == 0


class Runner(Protocol):
    """Runs commands, or only prints them."""

    @property
    def is_dry(self) -> bool:
        """Whether nothing is really run."""
        ...

    def run(self, command: Command) -> Done:
        """Run a command to its end; a program that is missing is a :class:`LiveError`."""
        ...

    def pause(self, seconds: float) -> None:
        """Wait."""
        ...


class Subprocess:
    """Runs commands as processes."""

    is_dry = False

    def run(self, command: Command) -> Done:
        """Run a command to its end, or until its time is over."""
        try:
            done = subprocess.run(
                command.args,
                input=command.stdin,
                capture_output=True,
                text=True,
                timeout=command.seconds,
                check=False,
                env={**os.environ, **command.environment},
            )
        except FileNotFoundError as error:
            raise missing(command.args[0]) from error
        except subprocess.TimeoutExpired as error:
            program = " ".join(command.args[:3])
            message = Message(
                "live.command.timeout", program=program, seconds=f"{command.seconds:g}"
            )
            raise LiveError(
                message, "timeout", hint=Message("live.command.timeout.hint")
            ) from error
        return Done(done.returncode, done.stdout, done.stderr)

    def pause(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


class DryRun:
    """Prints every command instead of running it.

    Parameters
    ----------
    tell
        Called with each command, and with its input if it would change something.
    """

    is_dry = True

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    def run(self, command: Command) -> Done:
        """Print the command; nothing exists yet, and everything else succeeds."""
        if command.reads:
            self._tell(Message("live.command.reads", args=shlex.join(command.args)))
            return Done(1)
        self._tell(str(command))
        return Done(0)

    def pause(self, seconds: float) -> None:
        """Nothing has to be waited for."""


_WHERE = {
    "kind": "https://kind.sigs.k8s.io/docs/user/quick-start/",
    "kubectl": "https://kubernetes.io/docs/tasks/tools/",
    "docker": "https://docs.docker.com/engine/install/",
    "podman": "https://podman.io/docs/installation",
}


def missing(program: str) -> LiveError:
    """Return the error for a program that is not installed."""
    hint = Message("live.command.missing.hint", where=_WHERE[program]) if program in _WHERE else ""
    return LiveError(Message("live.command.missing", program=program), "command", hint=hint)
