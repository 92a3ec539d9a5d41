"""What a scenario depends on and the simulator does not decide yet."""

from __future__ import annotations

from kueuelab.manifests.result import Manifests
from kueuelab.messages import Message
from kueuelab.model import Configuration, ResourceFlavor, TopologyRequest, Workload

__all__ = ["not_modelled"]


def not_modelled(configuration: Configuration, manifests: Manifests) -> tuple[str, ...]:
    """Return a sentence for each part of Kueue that matters here and is not modelled.

    Examples
    --------
    >>> not_modelled(Configuration(), Manifests())
    ()
    """
    gates = configuration.gates
    found: list[str] = []
    if gates["SchedulerLibraryIntegration"] and (flavors := _placing_flavors(manifests)):
        found.append(
            Message("simulation.not-modelled.scheduler-library", flavors=", ".join(flavors))
        )
    if gates["TASBalancedPlacement"] and gates["PartialAdmission"]:
        for workload in manifests.workloads:
            if (pod_set := _stops_kueue(workload)) is not None:
                found.append(
                    Message(
                        "simulation.not-modelled.balanced-placement",
                        workload=workload.key,
                        pod_set=pod_set,
                    )
                )
    return tuple(found)


def _stops_kueue(workload: Workload) -> str | None:
    """Return the pod set for which balanced placement may divide by zero, if there is one.

    Partial admission tries fewer pods than make up a slice: then there are no slices to place.
    """
    for pod_set in workload.pod_sets:
        request = TopologyRequest.of(pod_set.topology_request)
        if pod_set.min_count is None or request.preferred is None:
            continue
        if request.slices and pod_set.min_count < request.slices[0].size:
            return pod_set.name
    return None


def _placing_flavors(manifests: Manifests) -> list[str]:
    """Return the flavors with a topology."""
    flavors = manifests.objects.get("ResourceFlavor", ())
    return sorted(
        flavor.metadata.name
        for flavor in flavors
        if isinstance(flavor, ResourceFlavor) and flavor.topology_name is not None
    )
