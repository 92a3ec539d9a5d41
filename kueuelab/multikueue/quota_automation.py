"""The manager's quota as the sum of the workers': gate MultiKueueManagerQuotaAutomation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from kueuelab.model import ClusterQueue, Condition, FlavorQuotas, ResourceGroup, ResourceQuota
from kueuelab.multikueue.checks import config_of
from kueuelab.multikueue.workqueue import WorkQueue

if TYPE_CHECKING:
    from kueuelab.multikueue.manager import Manager
    from kueuelab.multikueue.member_cluster import MemberCluster

__all__ = ["QuotaAutomation"]

_TYPE: Final = "MultiKueueManagerQuotaAutomation"


class QuotaAutomation:
    """Sets nominal quotas of ClusterQueues whose MultiKueueConfig asks for that.

    Attributes
    ----------
    conditions
        The condition ``MultiKueueManagerQuotaAutomation`` by ClusterQueue.
    """

    __slots__ = ("_manager", "conditions", "queue")

    def __init__(self, manager: Manager) -> None:
        self._manager = manager
        self.conditions: dict[str, Condition] = {}
        member = manager.member
        self.queue = WorkQueue(
            member.loop, member.timing, member.timing.multikueue, self._reconcile
        )

    @property
    def _enabled(self) -> bool:
        return self._manager.member.plane.gates["MultiKueueManagerQuotaAutomation"]

    def settle(self) -> None:
        """Start in the state in which the controller has settled."""
        if self._enabled:
            for name in tuple(self._manager.member.cluster.objects.cluster_queues):
                self._reconcile(name)

    def start(self) -> None:
        """Reconcile all ClusterQueues now, as Kueue does when it is started.

        No worker is connected then, so the sum is 0.
        """
        for name in self._manager.member.cluster.objects.cluster_queues:
            self.spec_changed(name)
        self.add_all()

    def spec_changed(self, name: str) -> None:
        """Reconcile a ClusterQueue that was changed."""
        if self._enabled and self._manager.member.kueue_up:
            self.queue.add(name)

    def add_all(self) -> None:
        """Reconcile all ClusterQueues one batch later."""
        if self._enabled and self._manager.member.kueue_up:
            for name in self._manager.member.cluster.objects.cluster_queues:
                self.queue.add_after(name, self._manager.member.timing.batch)

    def _reconcile(self, name: str) -> None:
        member = self._manager.member
        queue = member.cluster.objects.cluster_queues.get(name)
        if queue is None:
            return
        checks = [rule.name for rule in queue.admission_checks]
        multikueue_checks = [check for check in self._manager.checks.names() if check in checks]
        if not multikueue_checks:
            if self.conditions.pop(name, None) is not None:
                self._manager.cluster_set.status_removed(member, "ClusterQueue", name, _TYPE)
            return
        config = config_of(self._manager, multikueue_checks[0])
        if config is None:
            self._say(
                name, "UnsupportedConfiguration", "The referenced MultiKueueConfig was not found."
            )
        elif (config.quota_management or "Manual") == "Manual":
            text = "MultiKueue manager quota automation has not been requested."
            self._say(name, "NotRequested", text)
        elif len(queue.resource_groups) != 1 or len(queue.resource_groups[0].flavors) != 1:
            text = (
                "Quota automation requires that the manager-side ClusterQueue has "
                "exactly one ResourceFlavor"
            )
            self._say(name, "UnsupportedConfiguration", text)
        else:
            self._automate(queue, config.clusters)

    def _automate(self, queue: ClusterQueue, workers: tuple[str, ...]) -> None:
        total = self._sum_of(queue, workers)
        group = queue.resource_groups[0]
        missing = sorted(set(total) - set(group.covered_resources))
        if missing:
            text = (
                "manager-side coveredResources is missing resources configured on workers: "
                f"[{' '.join(missing)}]"
            )
            self._say(queue.name, "UnsupportedConfiguration", text)
            return
        flavor = group.flavors[0]
        quotas = tuple(ResourceQuota(r, total.get(r, 0)) for r in group.covered_resources)
        if quotas != flavor.resources:
            group = ResourceGroup(group.covered_resources, (FlavorQuotas(flavor.name, quotas),))
            self._manager.member.apply(replace(queue, resource_groups=(group,)))
        text = "ClusterQueue quota is automatically managed based on MultiKueue workers."
        self._say(queue.name, "QuotaAutomated", text)

    def _sum_of(self, queue: ClusterQueue, workers: tuple[str, ...]) -> dict[str, int]:
        """Add up the quotas of the workers' ClusterQueues of the same LocalQueues."""
        local = self._manager.member.cluster.objects
        keys = {lq.key for lq in local.local_queues_of(queue.name)}
        total: dict[str, int] = {}
        for name in workers:
            worker = self._manager.connections.connected.get(name)
            for remote in () if worker is None else _queues_behind(worker, keys):
                for group in remote.resource_groups:
                    for flavor in group.flavors:
                        for quota in flavor.resources:
                            total[quota.name] = total.get(quota.name, 0) + quota.nominal
        return total

    def _say(self, name: str, reason: str, message: str) -> None:
        status: Literal["True", "False"] = "True" if reason == "QuotaAutomated" else "False"
        new = Condition(_TYPE, status, reason, message, self._manager.member.now)
        old = self.conditions.get(name)
        if old is None or (old.status, old.reason, old.message) != (status, reason, message):
            self.conditions[name] = new
            self._manager.cluster_set.status_written(
                self._manager.member, "ClusterQueue", name, new
            )


def _queues_behind(worker: MemberCluster, local_queues: set[str]) -> list[ClusterQueue]:
    objects = worker.cluster.objects
    names = {lq.cluster_queue for key, lq in objects.local_queues.items() if key in local_queues}
    return [queue for name, queue in sorted(objects.cluster_queues.items()) if name in names]
