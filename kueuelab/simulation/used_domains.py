"""What an admitted workload uses of the domains of topologies."""

from __future__ import annotations

from kueuelab.topology import DomainUsage, FlavorUsage, domain_usage
from kueuelab.workload import WorkloadState

__all__ = ["used_domains"]


def used_domains(state: WorkloadState) -> FlavorUsage:
    """Return what the pods of a workload use, by flavor; empty if they have no domains."""
    if state.admission is None or not state.topology_assignments:
        return {}
    found: dict[str, tuple[DomainUsage, ...]] = {}
    for each in state.admission.pod_set_assignments:
        assignment = state.topology_assignments.get(each.name)
        if assignment is not None:
            usage = domain_usage(assignment, state.pod_amounts.get(each.name, {}))
            for flavor in sorted(set(each.flavors.values())):
                found[flavor] = (*found.get(flavor, ()), *usage)
    return found
