"""Where Kueue's search for flavors may have ended in a workload's last attempt.

Kueue keeps that in memory only, and the next attempt resumes the search after it. The message of
the last attempt tells whether there is any such progress: it is kept where a workload was
nominated and then skipped, and where the search ended before the last flavor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Final, TypeAlias

from kueuelab.model.configuration import Configuration
from kueuelab.quota import ClusterQueueNode
from kueuelab.trace.attempt_message import NO_FLAVOR, PREEMPTS, names_flavor, was_skipped
from kueuelab.workload import WorkloadState

__all__ = ["Progress", "flavors_before", "keeps_progress", "possible_progress"]

#: Per pod set and resource, the index of the last flavor tried; -1 where the search begins anew.
Progress: TypeAlias = tuple[Mapping[str, int], ...]

#: How Kueue's message begins where the admission could not be written.
_FAILED: Final = "Failed to admit workload"
#: How it ends where Kueue forgets the progress.
_FORGETS: Final = (
    PREEMPTS,
    "failed, will retry.",
)
#: So many combinations of pod sets and resource groups are considered.
_MOST: Final = 16


def keeps_progress(message: str, queue: ClusterQueueNode, configuration: Configuration) -> bool:
    """Tell whether Kueue may remember where the attempt with this message ended its search.

    Parameters
    ----------
    message
        Why the workload is pending, as the last attempt wrote it.
    queue
        Its ClusterQueue.
    configuration
        Kueue's Configuration.

    Examples
    --------
    >>> from kueuelab.model import FlavorQuotas, ResourceGroup, ResourceQuota
    >>> queue = ClusterQueueNode("team")
    >>> one, two = (FlavorQuotas(each, (ResourceQuota("cpu", 1000),)) for each in ("a", "b"))
    >>> queue.resource_groups = (ResourceGroup(("cpu",), (one, two)),)
    >>> after = "Workload no longer fits after processing another workload"
    >>> keeps_progress(after, queue, Configuration())
    True
    >>> scarce = "insufficient unused quota for cpu in flavor {}, 1 more needed"
    >>> message = "couldn't assign flavors to pod set main: " + scarce
    >>> keeps_progress(message.format("a"), queue, Configuration())
    True
    >>> keeps_progress(message.format("b"), queue, Configuration())
    False
    """
    gates = configuration.gates
    if not gates["FlavorFungibility"] or any(text in message for text in _FORGETS):
        return False
    if was_skipped(message):
        return gates["FlavorFungibilityPreserveScanProgress"]
    if message.startswith(_FAILED):
        return True
    if NO_FLAVOR not in message:
        return False
    # A search that ends early does not name the last flavor.
    last = {group.flavors[-1].name for group in queue.resource_groups if len(group.flavors) > 1}
    return any(not names_flavor(message, name) for name in last)


def possible_progress(workload: WorkloadState, queue: ClusterQueueNode) -> Iterator[Progress]:
    """Yield where the last search for a workload's flavors may have ended before the last one.

    Parameters
    ----------
    workload
        The workload.
    queue
        Its ClusterQueue.
    """
    ends: dict[tuple[int, tuple[str, ...]], range] = {}
    for index, requests in enumerate(workload.requests):
        for resource in requests.requests:
            group = queue.resource_group(resource)
            if group is not None:
                ends[index, group.covered_resources] = range(-1, len(group.flavors) - 1)
    everything_anew = (-1,) * len(ends)
    for found in islice(product(*ends.values()), _MOST + 1):
        if found == everything_anew:
            continue
        tried: list[dict[str, int]] = [{} for _ in workload.requests]
        for (index, resources), end in zip(ends, found, strict=True):
            wanted = workload.requests[index].requests
            tried[index].update({each: end for each in resources if each in wanted})
        yield tuple(tried)


def flavors_before(progress: Progress, queue: ClusterQueueNode) -> tuple[str, ...]:
    """Return the flavors that a search is past, in their order.

    Parameters
    ----------
    progress
        Where the search ended.
    queue
        The ClusterQueue.
    """
    found: dict[str, None] = {}
    for tried in progress:
        for resource, end in tried.items():
            group = queue.resource_group(resource)
            if group is not None:
                found |= dict.fromkeys(each.name for each in group.flavors[: end + 1])
    return tuple(found)
