"""What the message of a pending workload tells of the attempt before it.

Kueue keeps in memory where its search for flavors ended, and the next attempt resumes there. No
object has that, but a message that names later flavors only tells of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

__all__ = ["NO_FLAVOR", "PREEMPTS", "SKIPPED", "names_flavor", "resumed_after", "was_skipped"]

#: How Kueue's message begins where a workload was nominated and then skipped.
SKIPPED: Final = (
    "Workload no longer fits after processing another workload",
    "Workload has overlapping preemption targets with another workload",
)
#: What it contains where flavors were found for no pod set.
NO_FLAVOR: Final = "couldn't assign flavors to pod set"
#: What it contains where targets are being preempted.
PREEMPTS: Final = "Pending the preemption of"
#: How a message ends whose attempt leaves no progress.
_DEFERRED: Final = "but will fit after these preemptions complete"


def was_skipped(message: str) -> bool:
    """Tell whether a workload was nominated and skipped, so that its search may be resumed.

    Examples
    --------
    >>> was_skipped("Workload no longer fits after processing another workload")
    True
    >>> was_skipped("couldn't assign flavors to pod set main: flavor a not found")
    False
    """
    return message.startswith(SKIPPED) and not message.endswith(_DEFERRED)


def names_flavor(message: str, flavor: str) -> bool:
    """Tell whether a message names a flavor.

    Examples
    --------
    >>> names_flavor("insufficient unused quota for cpu in flavor b, 1 more needed", "b")
    True
    """
    ends = (" ", ",", ".", ";")
    return f"flavor {flavor}" in (message[-len(flavor) - 7 :],) or any(
        f"flavor {flavor}{end}" in message for end in ends
    )


def resumed_after(message: str, groups: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the flavors that the attempt with a message did not try, empty if it tried all.

    Parameters
    ----------
    message
        Why the workload is pending.
    groups
        The flavors of each resource group of its ClusterQueue, in their order.

    Examples
    --------
    >>> message = (
    ...     "couldn't assign flavors to pod set main: "
    ...     "insufficient unused quota for cpu in flavor b, 1 more needed"
    ... )
    >>> resumed_after(message, [["a", "b"]])
    ('a',)
    >>> resumed_after(message, [["b", "c"]])
    ()
    """
    if NO_FLAVOR not in message:
        return ()
    found: dict[str, None] = {}
    for group in groups:
        named = [index for index, flavor in enumerate(group) if names_flavor(message, flavor)]
        if named:
            found |= dict.fromkeys(group[: named[0]])
    return tuple(found)
