"""Whether a ClusterQueue can admit, and if not, why: its ``Active`` condition."""

from __future__ import annotations

from typing import Final, Literal

from kueuelab.model import ClusterQueue, FeatureGates
from kueuelab.simulation.events import truncated_for_condition
from kueuelab.simulation.objects import ObjectStore

__all__ = ["QueueStatus"]

_MULTIKUEUE: Final = "kueue.x-k8s.io/multikueue"
_PROVISIONING: Final = "kueue.x-k8s.io/provisioning-request"


class QueueStatus:
    """What the controllers know of one ClusterQueue.

    Attributes
    ----------
    spec
        The ClusterQueue that the scheduler and the queues go by.
    written
        The ClusterQueue as it is written, by which the controller of workloads goes. It differs
        from ``spec`` only if it was edited while it was being deleted.
    checks
        Admission check name to the flavors that it is for.
    all_flavors
        All flavors of the ClusterQueue.
    status
        ``active``, ``pending`` (it can't admit now) or ``terminating``.
    active
        Whether it can admit: that is its status.
    reason, message
        Of the condition ``Active``.
    """

    __slots__ = (
        "active",
        "all_flavors",
        "checks",
        "message",
        "reason",
        "spec",
        "status",
        "written",
    )

    def __init__(self, spec: ClusterQueue) -> None:
        self.status: Literal["active", "pending", "terminating"] = "pending"
        self.active = False
        self.reason = ""
        self.message = ""
        self.set_spec(spec)

    def set_spec(self, spec: ClusterQueue) -> None:
        """Take a new spec; :meth:`refresh` tells what follows from it."""
        self.spec = spec
        self.write(spec)

    def write(self, spec: ClusterQueue) -> None:
        """Take a spec that only the controller of workloads sees."""
        self.written = spec
        self.all_flavors = frozenset(
            flavor.name for group in spec.resource_groups for flavor in group.flavors
        )
        self.checks: dict[str, frozenset[str]] = {
            rule.name: frozenset(rule.on_flavors) or self.all_flavors
            for rule in spec.admission_checks
        }

    @property
    def stopped(self) -> bool:
        """Whether its stop policy is ``Hold`` or ``HoldAndDrain``."""
        return self.written.stop_policy != "None"

    def checks_of(self, flavors: frozenset[str] | None) -> list[str]:
        """Return the names of the checks for a workload with these flavors, sorted.

        Without quota (``None``) only those count that are for all flavors.
        """
        if not self.checks:
            return []
        if flavors is None:
            return sorted(name for name, on in self.checks.items() if on >= self.all_flavors)
        return sorted(name for name, on in self.checks.items() if on & flavors)

    def refresh(self, objects: ObjectStore, gates: FeatureGates) -> bool:
        """Find out anew whether it can admit; tell whether it became active."""
        before = self.status
        if self.status == "terminating":
            self.reason = "Terminating"
            self.message = "Can't admit new workloads; clusterQueue is terminating"
            return False
        problems = self._problems(objects, gates)
        self.active = not problems
        if problems:
            self.status = "pending"
            self.reason = problems[0][0]
            listed = ", ".join(message for _, message in problems)
            self.message = truncated_for_condition(f"Can't admit new workloads: {listed}.")
        else:
            self.status = "active"
            self.reason = "Ready"
            self.message = "Can admit new workloads"
        return before == "pending" and self.active

    def terminate(self) -> None:
        """Note that the ClusterQueue is being deleted."""
        self.status, self.active = "terminating", False
        self.reason = "Terminating"
        self.message = "Can't admit new workloads; clusterQueue is terminating"

    def _problems(self, objects: ObjectStore, gates: FeatureGates) -> list[tuple[str, str]]:
        problems: list[tuple[str, str]] = []
        if self.stopped:
            problems.append(("Stopped", "is stopped"))
        missing = [
            flavor.name
            for group in self.spec.resource_groups
            for flavor in group.flavors
            if flavor.name not in objects.flavors
        ]
        if missing:
            text = f"references missing ResourceFlavor(s): {','.join(missing)}"
            problems.append(("FlavorNotFound", text))
        if self.checks:
            problems += self._check_problems(objects)
        if gates["TopologyAwareScheduling"]:
            problems += self._topology_problems(objects)
        return problems

    def _check_problems(self, objects: ObjectStore) -> list[tuple[str, str]]:
        names = sorted(self.checks)
        known = {name: objects.admission_checks.get(name) for name in names}
        missing = [name for name, check in known.items() if check is None]
        found = {name: check for name, check in known.items() if check is not None}
        inactive = [
            name
            for name, check in found.items()
            if check.conditions is not None
            and not any(c.type == "Active" and c.status == "True" for c in check.conditions)
        ]
        multi = [name for name, check in found.items() if check.controller_name == _MULTIKUEUE]
        per_flavor = [name for name in multi if self.checks[name] != self.all_flavors]
        provisioning = [
            name for name, check in found.items() if check.controller_name == _PROVISIONING
        ]
        problems: list[tuple[str, str]] = []
        if missing:
            text = f"references missing AdmissionCheck(s): {','.join(missing)}"
            problems.append(("AdmissionCheckNotFound", text))
        if inactive:
            text = f"references inactive AdmissionCheck(s): {','.join(inactive)}"
            problems.append(("AdmissionCheckInactive", text))
        if len(multi) > 1:
            text = (
                "Cannot use multiple MultiKueue AdmissionChecks on the same ClusterQueue, "
                f"found: {','.join(multi)}"
            )
            problems.append(("MultipleMultiKueueAdmissionChecks", text))
        if per_flavor:
            listed = ",".join(per_flavor)
            text = f"Cannot specify MultiKueue AdmissionCheck per flavor, found: {listed}"
            problems.append(("MultiKueueAdmissionCheckAppliedPerFlavor", text))
        if multi and provisioning:
            text = (
                "Cannot use both MultiKueue and ProvisioningRequest AdmissionChecks together, "
                f"found: {','.join(multi)}, {','.join(provisioning)}"
            )
            problems.append(("MultiKueueWithProvisioningRequest", text))
        return problems

    def _topology_problems(self, objects: ObjectStore) -> list[tuple[str, str]]:
        if self._uses_multikueue(objects):
            return []
        problems: list[tuple[str, str]] = []
        for name in sorted(self.all_flavors):
            flavor = objects.flavors.get(name)
            topology = None if flavor is None else flavor.topology_name
            if topology is not None and topology not in objects.topologies:
                text = f'there is no Topology "{topology}" for TAS flavor "{name}"'
                problems.append(("TopologyNotFound", text))
        return problems

    def delays_topology(self, objects: ObjectStore, flavor: str, *, first_pass: bool) -> bool:
        """Tell whether domains of a flavor are assigned later, or by a worker cluster.

        A provisioning check adds the nodes first; with MultiKueue the worker has them.
        """
        if not self.checks:
            return False
        if self._uses_multikueue(objects):
            return True
        return first_pass and any(
            flavor in flavors
            and (check := objects.admission_checks.get(name)) is not None
            and check.controller_name == _PROVISIONING
            for name, flavors in self.checks.items()
        )

    def _uses_multikueue(self, objects: ObjectStore) -> bool:
        checks = (objects.admission_checks.get(name) for name in self.checks)
        return any(c is not None and c.controller_name == _MULTIKUEUE for c in checks)
