"""Devices whose ResourceClaimTemplates a dump doesn't have.

``kubectl get workloads,clusterqueues,…`` leaves them out, but a pending Workload's
``status.resourceRequests`` says what Kueue counted, devices included.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kueuelab.model import Resources, Workload
from kueuelab.simulation.pod_overhead import difference, reported
from kueuelab.workload import DeviceCharges, requests_from_pod_sets

__all__ = ["charges_from_status", "missing_templates"]


def missing_templates(workload: Workload, known: Collection[str]) -> Iterator[str]:
    """Yield the keys of the templates that a workload names and that are not ``known``."""
    for pod_set in workload.pod_sets:
        for claim in pod_set.template.spec.extra.get("resourceClaims") or ():
            name = claim.get("resourceClaimTemplateName")
            if name is not None and (key := f"{workload.namespace}/{name}") not in known:
                yield key


def charges_from_status(workload: Workload, resources: Resources) -> DeviceCharges | None:
    """Return what Kueue counted beside the requests of the pods; ``None`` if it says nothing.

    ``workload`` has the requests that its pods really have. Transformations hide what was
    counted for what, so with them nothing is concluded.
    """
    said = reported(workload)
    if not said or resources.transformations:
        return None
    counted = requests_from_pod_sets(workload, workload.status.reclaimable_pods, resources)
    added = {each.name: difference(said.get(each.name, {}), each) for each in counted}
    added = {name: found for name, found in added.items() if found}
    return DeviceCharges(added) if added else None
