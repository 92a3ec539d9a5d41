"""A class that is served by a process of its own, as an instructor serves it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx


@dataclass
class Server:
    """A running server."""

    process: subprocess.Popen[str]
    board: str
    address: str

    def kill(self) -> None:
        """End it as a machine does that loses its power."""
        ended(self.process)

    def rows(self) -> str:
        """Return the rows of the board."""
        answer = httpx.get(f"{self.board}rows", trust_env=False, timeout=120)
        return answer.raise_for_status().text

    def judged(self) -> str:
        """Return the rows once all answers were checked again."""
        while "data-judging" in (rows := self.rows()):
            assert self.process.poll() is None, "the server ended"
            time.sleep(0.1)  # fewer requests than the server allows
        return rows


def ended(process: subprocess.Popen[str]) -> None:
    """End a process, if it has not ended yet."""
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


Start = Callable[[Path], Server]


@contextmanager
def servers() -> Iterator[Start]:
    """Start servers of classes; they end with the block."""
    running: list[subprocess.Popen[str]] = []

    def start(folder: Path) -> Server:
        command = ("-m", "kueuelab", "workshop", "serve", str(folder), "--port", "0", "--json")
        process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True)
        running.append(process)
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if line.startswith("}"):
                break
        found = json.loads(said)
        return Server(process, found["board"], found["class"])

    yield start
    for process in running:
        ended(process)
