"""What MultiKueue's controllers do when an object on the manager changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kueuelab.model import (
    AdmissionCheck,
    ClusterObject,
    ClusterQueue,
    MultiKueueCluster,
    MultiKueueConfig,
)
from kueuelab.multikueue.jobs import MULTIKUEUE_CONTROLLER

if TYPE_CHECKING:
    from kueuelab.multikueue.manager import Manager

__all__ = ["object_applied", "object_removed"]


def object_applied(manager: Manager, obj: ClusterObject, old: object) -> None:
    """An object was created, or changed from what it was before."""
    if isinstance(obj, MultiKueueCluster):
        manager.connections.queue.add(obj.metadata.name)
        manager.checks.add_all()
    elif isinstance(obj, MultiKueueConfig):
        manager.checks.add_all()
        # Only a change of the clusters matters to workloads, and a new config to none.
        if isinstance(old, MultiKueueConfig) and old.clusters != obj.clusters:
            manager.config_changed(_checks_with(manager, obj.metadata.name))
    elif isinstance(obj, AdmissionCheck):
        manager.checks.queue.add(obj.metadata.name)
        if manager.member.plane.configuration.release.follows_check_parameters:
            _follow_parameters(manager, obj, old)
    elif isinstance(obj, ClusterQueue):
        manager.quota_automation.spec_changed(obj.metadata.name)


def _follow_parameters(manager: Manager, check: AdmissionCheck, old: object) -> None:
    """Reconcile the Workloads of a check that is new, or that refers to another config."""
    if check.controller_name != MULTIKUEUE_CONTROLLER:
        return
    if isinstance(old, AdmissionCheck) and old.parameters == check.parameters:
        return
    manager.notice_workloads_of((check.metadata.name,))


def object_removed(manager: Manager, kind: str, name: str) -> None:
    """An object was deleted."""
    if kind == "MultiKueueCluster":
        manager.connections.queue.add(name)
        manager.connections.by_name.pop(name, None)
        manager.connections.conditions.pop(name, None)
    if kind in ("MultiKueueCluster", "MultiKueueConfig"):
        manager.checks.add_all()
    if kind == "MultiKueueConfig":
        manager.config_changed(_checks_with(manager, name))


def _checks_with(manager: Manager, config: str) -> tuple[str, ...]:
    """Return the checks that refer to a config."""
    checks = manager.member.cluster.objects.admission_checks.values()
    return tuple(
        check.metadata.name
        for check in checks
        if check.parameters is not None and check.parameters.name == config
    )
