"""A simulated cluster that only repeats what a real cluster did."""

from __future__ import annotations

from kueuelab.model import Configuration
from kueuelab.simulation import Cluster
from kueuelab.trace.recorder import Recorder

__all__ = ["passive_cluster"]


def passive_cluster(
    configuration: Configuration, start: int, recorder: Recorder | None = None
) -> Cluster:
    """Return a cluster whose controllers do nothing: Kueue's own controllers did the work.

    Parameters
    ----------
    configuration
        Kueue's Configuration.
    start
        The time, in nanoseconds since 1970.
    recorder
        Records its steps; omit it to record none.
    """
    cluster = Cluster(configuration, start=start, recorder=recorder)
    cluster.on_work = _do_nothing
    return cluster


def _do_nothing() -> None:
    """Ignore that a controller has work."""
