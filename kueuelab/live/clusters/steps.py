"""Steps, each with a title, and with advice if it fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TypeAlias

from kueuelab.live.errors import LiveError
from kueuelab.messages import Message

__all__ = ["Step", "Tell", "Watch", "carry_out", "unwatched"]

#: Called with what is being done.
Tell: TypeAlias = Callable[[str], None]
#: Shows the progress: given the number of steps, and called at the end of each.
Watch: TypeAlias = Callable[[int], AbstractContextManager[Callable[[], None]]]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do.

    Attributes
    ----------
    title
        What it does.
    is_done
        Tells whether it is done already.
    do
        Does it.
    advice
        What to do if it fails.
    """

    title: str
    is_done: Callable[[], bool]
    do: Callable[[], None]
    advice: str


def unwatched(steps: int) -> AbstractContextManager[Callable[[], None]]:
    """Show no progress."""
    return nullcontext(lambda: None)


def carry_out(steps: Sequence[Step], tell: Tell, watch: Watch = unwatched) -> None:
    """Do the steps that are not done yet, in order.

    Raises
    ------
    LiveError
        If a step fails; it says what to do. Completed steps stay completed.
    """
    with watch(len(steps)) as passed:
        for number, step in enumerate(steps, start=1):
            tell(Message("live.step", number=number, count=len(steps), title=step.title))
            try:
                if step.is_done():
                    tell(Message("live.step.done"))
                else:
                    step.do()
            except LiveError as error:
                if error.problem.hint:
                    raise
                message = Message("live.step.failed", title=step.title, error=error.problem.message)
                raise LiveError(message, error.trouble, hint=step.advice) from error
            passed()
