"""A learner's dispatcher: arbitrary code, so every result is checked."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from types import TracebackType
from typing import Any, Final

from kueuelab.errors import InputError, Location, Problem
from kueuelab.messages import Message
from kueuelab.multikueue import Dispatcher, DispatchView, Nomination

__all__ = ["DispatcherError", "checked", "dispatcher_in", "guarded"]

#: The clock of a run counts nanoseconds in 64 bits, as Kubernetes does.
_LONGEST: Final = 2**63
_PACKAGE: Final = str(Path(__file__).resolve().parent.parent)


class DispatcherError(Exception):
    """A dispatcher failed, or returned no nomination; the message says which."""


def guarded(dispatcher: Callable[..., Any]) -> Dispatcher:
    """Return a dispatcher that only nominates, or says what is wrong.

    Examples
    --------
    >>> guarded(lambda view: ["campus"])(DispatchView(None, (), (), (), None, 0, 0))
    Traceback (most recent call last):
    kueuelab.workshop.scripts.DispatcherError: ...
    """

    def dispatch(view: DispatchView) -> Nomination:
        try:
            given = dispatcher(view)
        except (Exception, SystemExit) as error:
            line = _line_of(error.__traceback__)
            said = repr(error)
            if line:
                said = Message("workshop.dispatcher.line", error=said, line=line)
            raise DispatcherError(said) from error
        return checked(given)

    return dispatch


def _line_of(trace: TracebackType | None) -> int:
    """Return the last line of the learner's own code on the way to an error."""
    frames = [f for f in traceback.extract_tb(trace) if not f.filename.startswith(_PACKAGE)]
    return frames[-1].lineno or 0 if frames else 0


def checked(given: Any) -> Nomination:
    """Return what a dispatcher gave, if it is a nomination.

    Raises
    ------
    DispatcherError
        If it is something else, or holds something else.
    """
    if not isinstance(given, Nomination):
        raise DispatcherError(Message("workshop.script.no-nomination", given=repr(given)))
    clusters, seconds = given.clusters, given.ask_after
    are_names = isinstance(clusters, tuple | list) and all(isinstance(it, str) for it in clusters)
    if clusters is not None and not are_names:
        raise DispatcherError(Message("workshop.script.no-names", given=repr(given)))
    if seconds is not None and not _is_duration(seconds):
        raise DispatcherError(Message("workshop.script.no-time", given=repr(given)))
    if clusters is None:
        return Nomination(None, None if seconds is None else round(seconds))
    return Nomination(tuple(clusters), None if seconds is None else round(seconds))


def _is_duration(given: Any) -> bool:
    """Tell whether it is a number of nanoseconds: not negative, infinite, or longer than ever."""
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    return is_number and 0 <= given < _LONGEST


def dispatcher_in(script: Path) -> Dispatcher:
    """Return the function ``dispatch`` of a learner's script.

    Raises
    ------
    InputError
        If the script fails, or has no such function.
    """
    try:
        found = run_path(str(script)).get("dispatch")
    except SyntaxError as error:
        place = Location(str(script), error.lineno or 0)
        message = Message("workshop.script.not-python", error=error.msg)
        raise InputError(Problem(message, location=place)) from error
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        line = next((f.lineno for f in frames[::-1] if f.filename == str(script)), 0)
        place = Location(str(script), line or 0)
        message = Message("workshop.script.fails", error=repr(error))
        raise InputError(Problem(message, location=place)) from error
    if not callable(found):
        hint = Message("workshop.script.no-function.hint")
        problem = Problem(
            Message("workshop.script.no-function"), location=Location(str(script)), hint=hint
        )
        raise InputError(problem)
    dispatch: Dispatcher = found
    return dispatch
