"""Where in a run a step is: its number, cycle and time."""

from __future__ import annotations

from dataclasses import dataclass

from kueuelab.messages import Message
from kueuelab.model.times import format_duration
from kueuelab.trace.trace import Trace

__all__ = ["Moment", "moment_at"]


@dataclass(frozen=True, slots=True)
class Moment:
    """A place in a run. ``elapsed`` is the virtual time since its start."""

    index: int
    count: int
    cycle: int
    cycles: int
    elapsed: str

    def as_text(self) -> str:
        """Return the position as text; steps count from 1 here.

        Examples
        --------
        >>> Moment(4, 20, 2, 3, "1s").as_text()
        'Step 5 of 20, cycle 2 of 3, at 1s'
        """
        if not self.cycle:
            return Message("views.moment", step=self.index + 1, steps=self.count, time=self.elapsed)
        return Message(
            "views.moment.in-cycle",
            step=self.index + 1,
            steps=self.count,
            cycle=self.cycle,
            cycles=self.cycles,
            time=self.elapsed,
        )


def moment_at(trace: Trace, index: int) -> Moment:
    """Return where a step is."""
    step = trace[index]
    elapsed = format_duration(step.time - trace[0].time)
    return Moment(index, len(trace), step.cycle, len(trace.cycles), elapsed)
