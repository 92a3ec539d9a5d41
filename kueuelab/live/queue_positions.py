"""Where a pending workload stands in its queue, as Kueue's visibility API says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kueuelab.live.api import ClusterApi
from kueuelab.live.errors import LiveError
from kueuelab.live.resources import VISIBILITY_GROUP
from kueuelab.messages import Message
from kueuelab.model import RELEASE

__all__ = ["Position", "positions_in"]

#: Errors after which the positions are only unknown.
_PASSED_OVER: Final = ("missing", "forbidden", "unavailable", "timeout", "throttled", "refused")


@dataclass(frozen=True, slots=True)
class Position:
    """Places in queues, counted from 1, and how many workloads are pending in the ClusterQueue.

    Examples
    --------
    >>> print(Position("team-a", 2, 3, "main", 1))
    number 2 of 3 in ClusterQueue team-a, number 1 in LocalQueue main
    """

    cluster_queue: str
    place: int
    pending: int
    local_queue: str
    local_place: int

    def __str__(self) -> str:
        return str(self.as_text())

    def as_text(self) -> str:
        """Return the position as text."""
        return Message(
            "live.position",
            place=self.place,
            pending=self.pending,
            cluster_queue=self.cluster_queue,
            local_place=self.local_place,
            local_queue=self.local_queue,
        )


def positions_in(api: ClusterApi, cluster_queue: str, notes: list[str]) -> dict[str, Position]:
    """Return where the pending workloads of a ClusterQueue stand, by ``namespace/name``.

    Parameters
    ----------
    api
        The cluster.
    cluster_queue
        The name of the ClusterQueue.
    notes
        Gets a note if it can't be known.

    Raises
    ------
    LiveError
        If the cluster itself does not answer.
    """
    for version in RELEASE.api_versions:
        path = f"/apis/{VISIBILITY_GROUP}/{version}/clusterqueues/{cluster_queue}/pendingworkloads"
        try:
            items = api.get(path).get("items") or ()
        except LiveError as error:
            if error.trouble == "missing" and version != RELEASE.api_versions[-1]:
                continue
            if error.trouble not in _PASSED_OVER:
                raise
            notes.append(Message("live.left-out.positions", error=error))
            return {}
        return {
            f"{item['metadata']['namespace']}/{item['metadata']['name']}": Position(
                cluster_queue,
                int(item["positionInClusterQueue"]) + 1,
                len(items),
                str(item["localQueueName"]),
                int(item["positionInLocalQueue"]) + 1,
            )
            for item in items
        }
    raise AssertionError("the last version returns or raises")
