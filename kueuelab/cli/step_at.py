"""Which step of a run ``--at`` means: a number, a cycle, or a time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kueuelab.errors import KueueLabError
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.trace.trace import Trace

__all__ = ["CYCLE", "At", "step_at"]

#: How a cycle is written.
CYCLE: Final = re.compile(r"c(?:ycle)?\s*(\d+)", re.IGNORECASE)

At = Annotated[str, typer.Option(metavar="TIME_OR_STEP", help="cli.option.at", show_default=False)]


def step_at(trace: Trace, start: int, at: str) -> int:
    """Return the index of the step that is meant.

    Parameters
    ----------
    trace
        The record of the run.
    start
        The clock at the start of the run.
    at
        A step, counted from 1 (``14``), a cycle (``c4``, or ``c 4``), which means its last step
        with what follows from it at once, or a time since the start (``12s``, or ``0``), which
        means the last step that was taken by then.

    Raises
    ------
    KueueLabError
        If it is none of these, or there is no such step.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> run = scenarios.load("reclaim-1-take-back").run()
    >>> step_at(run.trace, run.start, "14")
    13
    >>> [run.trace[step_at(run.trace, run.start, "c 3") + each].cycle for each in (0, 1)]
    [3, 0]
    >>> run.trace[step_at(run.trace, run.start, "4s") + 1].time > run.start + 4 * 10**9
    True
    """
    from kueuelab.model.times import parse_duration

    if at.isdecimal() and (number := int(at)):
        if number > len(trace):
            raise KueueLabError(
                Message("cli.step.no-step", step=number),
                hint=Message("cli.step.no-step.hint", last=len(trace)),
            )
        return number - 1
    if matched := CYCLE.fullmatch(at.strip()):
        if len(trace.clusters) > 1:
            raise KueueLabError(
                Message("cli.at.cycle-of-which", cycle=at),
                hint=Message("cli.at.cycle-of-which.hint"),
            )
        return _end_of(trace, int(matched[1]))
    try:
        due = start + parse_duration(at)
    except ValueError as error:
        raise KueueLabError(Message("cli.at.bad-time", error=error)) from error
    steps = [step.index for step in trace.steps if step.time <= due]
    if not steps:
        raise KueueLabError(Message("cli.at.too-early", at=at))
    return steps[-1]


def _end_of(trace: Trace, number: int) -> int:
    """Return the last step of a cycle, with what its decisions set off at once."""
    found = [cycle for cycle in trace.cycles if cycle.number == number]
    if not found:
        last = trace.cycles[-1].number if trace.cycles else 0
        raise KueueLabError(
            Message("cli.at.no-cycle", number=number),
            hint=Message("cli.at.no-cycle.hint", last=last),
        )
    index = found[-1].last
    while index + 1 < len(trace) and trace[index + 1].cycle == number:
        index += 1
    return index
