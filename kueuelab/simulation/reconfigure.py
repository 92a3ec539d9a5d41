"""Kueue is started again with another Configuration, in the middle of a run."""

from __future__ import annotations

from dataclasses import replace

from kueuelab.errors import NotModelledError
from kueuelab.messages import Message
from kueuelab.model import Configuration
from kueuelab.simulation.control_plane import ControlPlane

__all__ = ["reconfigure"]


def reconfigure(plane: ControlPlane, configuration: Configuration) -> None:
    """Take another Configuration; all that is pending is counted anew and tried again.

    What an admission says of usage stays: Kueue reads it from the Workload's status when it
    starts.

    Raises
    ------
    NotModelledError
        If more is different than which resources count and whether admission blocks.
    """
    if _comparable(configuration) != _comparable(plane.configuration):
        raise NotModelledError(Message("simulation.configuration-changed"))
    plane.configuration = configuration
    if plane.wait_for_pods_ready is not None:
        plane.wait_for_pods_ready = configuration.wait_for_pods_ready
        wait = configuration.wait_for_pods_ready
        if wait is None or not wait.block_admission:
            plane.block_admission = None
    for state in plane.workloads.values():
        state.count_by(configuration.resources)
        if not (state.is_finished or state.has_quota_reservation):
            plane.changed(state.key)
    plane.wake(list(plane.statuses))


def _comparable(configuration: Configuration) -> Configuration:
    """Return a Configuration without what may be different."""
    wait = configuration.wait_for_pods_ready
    resources = replace(
        configuration.resources,
        exclude_resource_prefixes=(),
        quota_check_strategy="BlockUndeclared",
    )
    return replace(
        configuration,
        resources=resources,
        wait_for_pods_ready=None if wait is None else replace(wait, block_admission=False),
    )
