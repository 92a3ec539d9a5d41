"""Whether MultiKueue's admission checks can be used: their condition ``Active``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from kueuelab.model import AdmissionCheck, Condition, MultiKueueConfig
from kueuelab.multikueue.jobs import MULTIKUEUE_CONTROLLER
from kueuelab.multikueue.workqueue import WorkQueue

if TYPE_CHECKING:
    from kueuelab.multikueue.manager import Manager

__all__ = ["Checks", "config_of"]


def config_of(manager: Manager, check: str) -> MultiKueueConfig | None:
    """Return the MultiKueueConfig that a check refers to, ``None`` if there is none."""
    objects = manager.member.plane.objects
    found = objects.admission_checks.get(check)
    if found is None or _wrong_reference(found):
        return None
    assert found.parameters is not None
    config = objects.get("MultiKueueConfig", found.parameters.name)
    return config if isinstance(config, MultiKueueConfig) else None


def _wrong_reference(check: AdmissionCheck) -> str:
    ref = check.parameters
    if ref is None:
        return "missing parameters reference"
    if not ref.name:
        return "empty name: bad parameters reference"
    if ref.api_group != "kueue.x-k8s.io":
        return (
            f'wrong group "{ref.api_group}", expecting "kueue.x-k8s.io": bad parameters reference'
        )
    if ref.kind != "MultiKueueConfig":
        return f'wrong kind "{ref.kind}", expecting "MultiKueueConfig": bad parameters reference'
    return ""


class Checks:
    """The reconciler of AdmissionChecks that MultiKueue controls.

    ClusterQueues are updated one batch later.
    """

    __slots__ = ("_manager", "conditions", "queue")

    def __init__(self, manager: Manager) -> None:
        self._manager = manager
        self.conditions: dict[str, Condition] = {}
        member = manager.member
        self.queue = WorkQueue(
            member.loop, member.timing, member.timing.multikueue, self._reconcile
        )

    def names(self) -> tuple[str, ...]:
        """Return the names of MultiKueue's checks, sorted."""
        checks = self._manager.member.cluster.objects.admission_checks
        return tuple(
            sorted(n for n, c in checks.items() if c.controller_name == MULTIKUEUE_CONTROLLER)
        )

    def add_all(self) -> None:
        """Reconcile all of them."""
        for name in self.names():
            self.queue.add(name)

    def settle(self) -> None:
        """Start in the state in which the reconciler has settled."""
        for name in self.names():
            condition = self.condition_of(name)
            self.conditions[name] = condition
            if condition.reason != "Active":
                self._manager.check_changed(name)
            self._tell_queues(name)

    def leave_inactive(self) -> None:
        """Report that it is unknown whether the checks are active."""
        member = self._manager.member
        for name in self.names():
            check = member.cluster.objects.admission_checks[name]
            unknown = Condition("Active", "Unknown", "", "", member.now)
            member.apply(replace(check, conditions=(unknown,)))

    def _reconcile(self, name: str) -> None:
        manager = self._manager
        if name not in self.names():
            self.conditions.pop(name, None)
            return
        new, old = self.condition_of(name), self.conditions.get(name)
        if old is not None and (old.status, old.reason, old.message) == (
            new.status,
            new.reason,
            new.message,
        ):
            return
        self.conditions[name] = new
        manager.check_changed(name)
        manager.member.loop.after(manager.member.timing.batch, lambda: self._tell_queues(name))

    def _tell_queues(self, name: str) -> None:
        member = self._manager.member
        check = member.cluster.objects.admission_checks.get(name)
        condition = self.conditions.get(name)
        if check is not None and condition is not None:
            member.apply(replace(check, conditions=(condition,)))

    def condition_of(self, name: str) -> Condition:
        """Return the condition ``Active`` as it should be."""
        manager = self._manager
        check = manager.member.cluster.objects.admission_checks[name]
        config = config_of(manager, name)
        status: Literal["True", "False"] = "True"
        reason, message = "Active", "The admission check is active"
        if config is None:
            status, reason = "False", "BadConfig"
            missing = check.parameters.name if check.parameters is not None else ""
            why = _wrong_reference(check) or (
                f'MultiKueueConfig.kueue.x-k8s.io "{missing}" not found'
            )
            message = f"Cannot load the AdmissionChecks parameters: {why}"
        else:
            conditions = manager.connections.conditions
            known = manager.member.cluster.objects
            missing_ones = [c for c in config.clusters if known.get("MultiKueueCluster", c) is None]
            inactive = [
                c
                for c in config.clusters
                if c not in missing_ones and (c not in conditions or conditions[c].status != "True")
            ]
            if missing_ones or inactive:
                some = len(missing_ones) + len(inactive) < len(config.clusters)
                status = "True" if some else "False"
                reason = "SomeActiveClusters" if some else "NoUsableClusters"
                parts = []
                if missing_ones:
                    parts.append(f"Missing clusters: [{' '.join(missing_ones)}]")
                if inactive:
                    parts.append(f"Inactive clusters: [{' '.join(inactive)}]")
                message = ", ".join(parts)
        return Condition("Active", status, reason, message, manager.member.now)
