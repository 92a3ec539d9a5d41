"""SIGTERM as Ctrl-C: a command that made objects on a cluster removes them before it ends.

A cancelled job of a CI and ``timeout`` send SIGTERM, a terminal that is closed sends SIGHUP.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

__all__ = ["TerminatedError", "terminable"]

_SIGNALS: Final = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class TerminatedError(KeyboardInterrupt):
    """The process was asked to end; whatever cleans up after Ctrl-C cleans up after this, too.

    Parameters
    ----------
    number
        The number of the signal.

    Attributes
    ----------
    exit_code
        The exit code of a process that a signal ended, as shells have it.

    Examples
    --------
    >>> TerminatedError(15).exit_code
    143
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


@contextmanager
def terminable() -> Iterator[None]:
    """Raise `TerminatedError` in this thread when the process is asked to end.

    While that is being answered, further requests are ignored: ``timeout`` sends its signal twice,
    and the second one would stop the removal of objects. Ctrl-C still stops it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[int, Any] = {}

    def ended(number: int, _frame: FrameType | None) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise TerminatedError(number)

    for each in _SIGNALS:
        # A signal that is ignored from the start (by nohup) stays ignored.
        if signal.getsignal(each) != signal.SIG_IGN:
            before[each] = signal.getsignal(each)
    try:
        for each in before:
            signal.signal(each, ended)
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
