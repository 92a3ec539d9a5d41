"""One cluster of a run of several, with the answers that a run of one cluster has."""

from __future__ import annotations

from typing import Final

from kueuelab.multikueue import ClusterSetRun
from kueuelab.simulation import Cluster
from kueuelab.trace.recorded_run import RecordedClusterRun
from kueuelab.trace.trace import Trace

__all__ = ["MemberRun"]


class MemberRun(RecordedClusterRun):
    """What one cluster of several recorded.

    Parameters
    ----------
    whole
        The run of all clusters.
    name
        The cluster.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> member = MemberRun(scenarios.load("lost-worker").run(), "w1")
    >>> [view.phase for view in member.workloads.values()]
    ['Finished']
    >>> member.why("default/train").workload
    'default/train'
    """

    #: Loops are looked for in runs of one cluster only.
    loop_report: Final = None

    def __init__(self, whole: ClusterSetRun, name: str) -> None:
        self.whole = whole
        self.name = name

    @property
    def trace(self) -> Trace:
        """The record of this cluster."""
        return self.whole.traces[self.name]

    @property
    def cluster(self) -> Cluster:
        """The cluster in its last state."""
        return self.whole.cluster_set.member(self.name).cluster
