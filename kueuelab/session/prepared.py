"""A handler that has answered already: what it imports later, and its sentences, are in memory.

Where a process starts from an image of the memory of another one, as in a browser, that is what the
image holds.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from kueuelab import scenarios
from kueuelab.messages.languages import messages_in
from kueuelab.session.exercise_desk import ExerciseDesk
from kueuelab.session.handler import Handler

__all__ = ["prepared"]

#: A scenario with a workload that is pending and one that is evicted.
_SCENARIO: Final = "reclaim-1-take-back"
_COMMANDS: Final = ("overview", "pending", "workloads", "frames")
_OF_A_WORKLOAD: Final = ("workload", "why", "levers")


def prepared(language: str = "en") -> Handler:
    """Return a new handler, after another one has answered each kind of question.

    Parameters
    ----------
    language
        The language of the answers.

    Examples
    --------
    >>> prepared().answer({"do": "hello"})["opened"]["branches"]
    []
    """
    words = messages_in(language)
    rehearsing = Handler(words)
    # They are in memory from now on: in a zip, a file is found slowly.
    scenarios.entries()
    scenarios.dumps()
    _ask(rehearsing, "open", {"source": _SCENARIO})
    for command in _COMMANDS:
        _ask(rehearsing, command)
    for workload in (row["workload"] for row in _ask(rehearsing, "workloads")["rows"]):
        for command in _OF_A_WORKLOAD:
            _ask(rehearsing, command, {"workload": workload})
    ExerciseDesk(words, None).read()
    del rehearsing
    gc.collect()
    return Handler(words)


def _ask(handler: Handler, command: str, fields: Mapping[str, Any] = MappingProxyType({})) -> Any:
    return handler.answer({"do": command, **fields})
