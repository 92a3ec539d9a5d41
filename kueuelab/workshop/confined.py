"""A learner's dispatcher in a process of its own, with limits.

Code that others wrote never runs in the process that judges it. The other process is handed a view
as plain JSON and answers with names of clusters; cases are played and judged here, so that the
code cannot change a verdict. Limits are set for processor time, memory, files that are written, and
for how long an answer may take. They do not keep the code from reading files or using the network:
code that was received runs with an `Isolation` only.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from kueuelab.manifests import dump, load
from kueuelab.messages import Message
from kueuelab.multikueue import DispatchView, Nomination
from kueuelab.workshop.limited_process import LimitedProcess, asked_and_answered, set_limits
from kueuelab.workshop.scripts import DispatcherError, checked, dispatcher_in, guarded

if TYPE_CHECKING:
    from kueuelab.workshop.isolation import Isolation

__all__ = ["ConfinedDispatcher", "answer_views"]

_FILES: Final = 64
_ISOLATED: Final = "isolated"
#: A workload that no decision depends on, for code that does not look at it.
_ANY_WORKLOAD: Final = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: any}
spec: {podSets: [{name: main, count: 1, template: {spec: {containers: [{name: main}]}}}]}
"""


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
    own_session
        Whether all processes that it starts end with it; without, they end with the caller's.
    isolation
        What keeps the script from files, network and processes; without, only limits are set.

    Attributes
    ----------
    text
        The script.
    """

    def __init__(
        self,
        text: str,
        cpu_seconds: int = 20,
        seconds: float = 120,
        *,
        own_session: bool = True,
        isolation: Isolation | None = None,
    ) -> None:
        self.text, self._cpu_seconds, self._seconds = text, cpu_seconds, seconds
        self._own_session, self._isolation = own_session, isolation

    def __enter__(self) -> Self:
        """Start the process."""
        self._folder = TemporaryDirectory()
        script = Path(self._folder.name) / "answer.py"
        script.write_text(self.text, "utf-8")
        self._process = LimitedProcess(
            __name__,
            (
                str(script),
                str(self._cpu_seconds),
                *(() if self._isolation is None else (_ISOLATED,)),
            ),
            self._folder.name,
            own_session=self._own_session,
            isolation=self._isolation,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process."""
        self._process.end()
        self._folder.cleanup()

    def __call__(self, view: DispatchView) -> Nomination:
        """Return the nomination for a view.

        Raises
        ------
        DispatcherError
            If the script fails, or exceeds a limit.
        """
        return self._nomination(_view_data(view))

    def asked_blindly(self) -> Nomination:
        """Return the nomination for a view that has nothing in it.

        Raises
        ------
        DispatcherError
            If the script fails, or exceeds a limit.
        """
        (workload,) = load(_ANY_WORKLOAD).workloads
        return self(DispatchView(workload, (), (), (), None, 0, 0))

    def _nomination(self, view: dict[str, Any]) -> Nomination:
        line = self._process.ask(json.dumps(view), self._seconds)
        if not line:
            raise DispatcherError(Message("workshop.report.limits"))
        try:
            given: Any = json.loads(line)
            if "error" in given:
                raise DispatcherError(str(given["error"]))
            found = Nomination(given["clusters"], given["ask_after"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise DispatcherError(Message("workshop.report.limits")) from error
        # The script can write to where answers go: what comes from there is checked here, too.
        return checked(found)


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


def answer_views(script: Path, cpu_seconds: int, *, isolated: bool = False) -> None:
    """Answer views from standard input with nominations; what the script prints is dropped."""
    views, answers = asked_and_answered()
    set_limits(cpu_seconds, largest_file=0, open_files=_FILES)
    if isolated:
        from kueuelab.workshop.system_calls import forbid_system_calls

        forbid_system_calls()
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


if __name__ == "__main__":
    answer_views(Path(sys.argv[1]), int(sys.argv[2]), isolated=_ISOLATED in sys.argv[3:])
