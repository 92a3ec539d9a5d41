"""A learner's dispatcher in a process of its own, with limits.

Code that others wrote never runs in the process that judges it. The other process is handed a view
as plain JSON and answers with names of clusters; cases are played and judged here, so that the
code cannot change a verdict. Limits are set for processor time, memory, files that are written, and
for how long an answer may take. They do not keep the code from reading files or using the network.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from types import TracebackType
from typing import Any, Final, Self

from kueuelab.manifests import dump, load
from kueuelab.messages import Message
from kueuelab.multikueue import DispatchView, Nomination
from kueuelab.workshop.scripts import DispatcherError, dispatcher_in, guarded

__all__ = ["ConfinedDispatcher", "answer_views"]

_MEMORY: Final = 2**31
_FILES: Final = 64
_LONGEST: Final = 2**16
_PACKAGE_PARENT: Final = str(Path(__file__).resolve().parents[2])


class ConfinedDispatcher:
    """Calls the function ``dispatch`` of a script in another process; a context manager.

    Parameters
    ----------
    text
        The script.
    cpu_seconds
        How much processor time all its answers may take.
    seconds
        How long one answer may take.
    """

    def __init__(self, text: str, cpu_seconds: int = 20, seconds: float = 120) -> None:
        self._text, self._cpu_seconds, self._seconds = text, cpu_seconds, seconds

    def __enter__(self) -> Self:
        """Start the process."""
        self._folder = TemporaryDirectory()
        script = Path(self._folder.name) / "answer.py"
        script.write_text(self._text, "utf-8")
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-B", "-m", __name__, str(script), str(self._cpu_seconds)],
            cwd=self._folder.name,
            env={
                **{name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ},
                "PYTHONPATH": _PACKAGE_PARENT,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()

    def __call__(self, view: DispatchView) -> Nomination:
        """Return the nomination for a view.

        Raises
        ------
        DispatcherError
            If the script fails, or exceeds a limit.
        """
        asked, answered = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answered is not None
        timer = Timer(self._seconds, self._process.kill)
        timer.start()
        line = b""
        # Writing to a process that has ended is the same as having no answer.
        with suppress(OSError):
            asked.write(f"{json.dumps(_view_data(view))}\n".encode())
            asked.flush()
            line = answered.readline(_LONGEST)
        timer.cancel()
        if not line:
            raise DispatcherError(Message("workshop.report.limits"))
        try:
            given: Any = json.loads(line)
            if "error" in given:
                raise DispatcherError(str(given["error"]))
            clusters, after = given["clusters"], given["ask_after"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise DispatcherError(Message("workshop.report.limits")) from error
        return Nomination(None if clusters is None else tuple(clusters), after)


def _view_data(view: DispatchView) -> dict[str, Any]:
    return {
        "workload": dump([view.workload]),
        "clusters": view.clusters,
        "connected": view.connected,
        "nominated": view.nominated,
        "waited": view.waited,
        "round": view.round,
        "now": view.now,
    }


def _view(data: dict[str, Any]) -> DispatchView:
    (workload,) = load(data["workload"]).workloads
    return DispatchView(
        workload,
        tuple(data["clusters"]),
        tuple(data["connected"]),
        tuple(data["nominated"]),
        data["waited"],
        data["round"],
        data["now"],
    )


def answer_views(script: Path, cpu_seconds: int) -> None:
    """Answer views from standard input with nominations; what the script prints is dropped."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    views = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    _set_limits(cpu_seconds)
    dispatcher = None
    for line in views:
        try:
            # The script may fail as a whole: that is an answer, too.
            dispatcher = dispatcher or guarded(dispatcher_in(script))
            given = dispatcher(_view(json.loads(line)))
            data: dict[str, Any] = {"clusters": given.clusters, "ask_after": given.ask_after}
        except Exception as error:
            data = {"error": str(error)[:1000]}
        print(json.dumps(data), file=answers, flush=True)


def _set_limits(cpu_seconds: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has none; how long an answer may take holds there, too
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime) + 1 + cpu_seconds
    limits = {
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: _FILES,
        resource.RLIMIT_CORE: 0,
    }
    if sys.platform == "linux":
        limits[resource.RLIMIT_AS] = _MEMORY
    for limit, value in limits.items():
        _, hard = resource.getrlimit(limit)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (most, most))


if __name__ == "__main__":
    answer_views(Path(sys.argv[1]), int(sys.argv[2]))
