"""What Kueue remembers of a workload, as far as the decisions that were seen tell.

None of it is in an object, and it is gone when Kueue restarts. What was before the first decision
that was seen is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from kueuelab.messages import Message
from kueuelab.model.times import format_time

__all__ = ["Remembered"]


@dataclass(frozen=True, slots=True)
class Remembered:
    """What Kueue has in memory about one workload.

    Attributes
    ----------
    workload
        ``namespace/name``.
    set_aside
        When Kueue set it aside as inadmissible, in nanoseconds since 1970: it is not tried again
        until something changes in its cohort. 0 if it is in its queue, or if that is unknown.
    resumes_after
        The flavors at which the search of its next attempt does not begin.
    is_preempting
        Whether it waits for its targets to stop: it is a head again in each cycle.
    is_charged
        Whether its LocalQueue was charged an entry penalty for it that no object shows.

    Examples
    --------
    >>> print(Remembered("default/a", resumes_after=("spot",)))
    Kueue's next search for its flavors begins after spot.
    >>> print(Remembered("default/a"))
    No decision was seen from which Kueue remembers anything of it.
    """

    workload: str
    set_aside: int = 0
    resumes_after: tuple[str, ...] = ()
    is_preempting: bool = False
    is_charged: bool = False

    def __bool__(self) -> bool:
        return bool(self.set_aside or self.resumes_after or self.is_preempting or self.is_charged)

    def __str__(self) -> str:
        return self.as_text()

    def as_text(self) -> str:
        """Return it as sentences, one a line."""
        lines = []
        if self.set_aside:
            lines.append(Message("live.memory.set-aside", time=format_time(self.set_aside)))
        if self.resumes_after:
            lines.append(Message("live.memory.resumes", flavors=", ".join(self.resumes_after)))
        if self.is_preempting:
            lines.append(Message("live.memory.preempting"))
        if self.is_charged:
            lines.append(Message("live.memory.charged"))
        return "\n".join(lines) or Message("live.memory.nothing")
