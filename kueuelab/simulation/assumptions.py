"""What the lab assumes where a scenario or a dump does not say it."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from kueuelab.manifests.result import Manifests
from kueuelab.manifests.scenario import Action, Apply, PodsReady
from kueuelab.messages import Message
from kueuelab.model import (
    AdmissionCheck,
    Configuration,
    LimitRange,
    Node,
    ResourceClaimTemplate,
    ResourceFlavor,
    RuntimeClass,
    Topology,
    Workload,
)
from kueuelab.simulation.adjust import adjusted
from kueuelab.simulation.devices.assumed import charges_from_status, missing_templates
from kueuelab.simulation.pod_overhead import needs_runtime_class, runtime_classes_from_status

__all__ = ["assumptions"]


def assumptions(
    configuration: Configuration,
    manifests: Manifests,
    timeline: Sequence[Action] = (),
    *,
    controllers: Container[str] = (),
) -> tuple[str, ...]:
    """Return a sentence for each thing that is assumed because the objects don't say it.

    Parameters
    ----------
    configuration, manifests
        What a cluster has at the start.
    timeline
        What happens to it later.
    controllers
        The controllers of AdmissionChecks whose status is simulated.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta
    >>> check = AdmissionCheck(ObjectMeta("budget"), "example.com/budget")
    >>> print(*assumptions(Configuration(), Manifests({"AdmissionCheck": (check,)})))
    AdmissionCheck budget has no status: it is assumed to be active
    """
    return (
        *_checks(manifests, controllers),
        *_runtime_classes(configuration, manifests),
        *_devices(configuration, manifests, timeline),
        *_nodes(manifests, timeline),
        *_pods_ready(configuration, manifests, timeline),
        *_gates(configuration),
    )


def _gates(configuration: Configuration) -> Iterator[str]:
    """Name the gates that are set and that this release of Kueue does not have, or has locked."""
    release = configuration.release
    for name in configuration.gates.left_out:
        if name in release.gates:
            value = str(configuration.gates[name]).lower()
            names = {"name": name, "version": release.version, "value": value}
            yield Message("simulation.assumed.locked-gate", **names)
        else:
            yield Message("simulation.assumed.no-gate", name=name, version=release.version)


def _checks(manifests: Manifests, simulated: Container[str]) -> Iterator[str]:
    for check in manifests.objects.get("AdmissionCheck", ()):
        if not isinstance(check, AdmissionCheck) or check.controller_name in simulated:
            continue
        name = check.metadata.name
        if check.conditions is None:
            yield Message("simulation.assumed.check-active", check=name)
        elif not check.conditions:
            yield Message("simulation.assumed.check-inactive", check=name)


def _devices(
    configuration: Configuration, manifests: Manifests, timeline: Sequence[Action]
) -> Iterator[str]:
    """Say which templates of claims are missing in a dump, and what is counted instead."""
    if not configuration.gates["KueueDRAIntegration"]:
        return
    later = (obj for action in timeline if isinstance(action, Apply) for obj in action.objects)
    known = {
        obj.metadata.key
        for obj in (*manifests.objects.get("ResourceClaimTemplate", ()), *later)
        if isinstance(obj, ResourceClaimTemplate)
    }
    for workload in manifests.workloads:
        if not workload.metadata.uid or workload.status.admission is not None:
            continue  # Only an API server leaves out what it has.
        charges = charges_from_status(workload, configuration.resources)
        added = charges.added.values() if charges is not None else ()
        amounts = ", ".join(f"{amount} {each}" for one in added for each, amount in one.items())
        for name in missing_templates(workload, known):
            known.add(name)
            form = "simulation.assumed.devices" if amounts else "simulation.assumed.no-devices"
            yield Message(form, name=name, workload=workload.key, amounts=amounts)


def _nodes(manifests: Manifests, timeline: Sequence[Action]) -> Iterator[str]:
    """Say which flavors place pods on nodes that are not there."""
    later = (obj for action in timeline if isinstance(action, Apply) for obj in action.objects)
    nodes = [obj for obj in (*manifests.objects.get("Node", ()), *later) if isinstance(obj, Node)]
    topologies = {
        obj.metadata.name: obj
        for obj in manifests.objects.get("Topology", ())
        if isinstance(obj, Topology)
    }
    for flavor in manifests.objects.get("ResourceFlavor", ()):
        if not isinstance(flavor, ResourceFlavor) or flavor.topology_name not in topologies:
            continue
        levels = topologies[flavor.topology_name].levels
        if any(_is_of(node, flavor, levels) for node in nodes):
            continue
        labels = ", ".join(
            [*(f"{name}={value}" for name, value in flavor.node_labels.items()), *levels]
        )
        yield Message(
            "simulation.assumed.no-matching-node" if nodes else "simulation.assumed.no-nodes",
            flavor=flavor.metadata.name,
            topology=flavor.topology_name,
            count=len(nodes),
            labels=labels,
        )


def _is_of(node: Node, flavor: ResourceFlavor, levels: Sequence[str]) -> bool:
    labels = node.metadata.labels
    return flavor.node_labels.items() <= labels.items() and all(each in labels for each in levels)


def _pods_ready(
    configuration: Configuration, manifests: Manifests, timeline: Sequence[Action]
) -> Iterator[str]:
    """Say which default of ``waitForPodsReady`` holds, where pods are not ready."""
    if configuration.wait_for_pods_ready is not None:
        return
    late = [each.workload for each in timeline if isinstance(each, PodsReady) and not each.ready]
    late += [workload.key for workload in manifests.workloads if _waits_for_pods(workload)]
    if late:
        release = configuration.release
        yield Message(
            "simulation.assumed.pods-ready-off",
            workload=late[0],
            version=release.version,
            timeout=release.installed["waitForPodsReady"]["timeout"],
        )


def _waits_for_pods(workload: Workload) -> bool:
    found = {each.type: each.status for each in workload.status.conditions}
    return found.get("PodsReady") == "False" and found.get("Admitted") == "True"


def _runtime_classes(configuration: Configuration, manifests: Manifests) -> Iterator[str]:
    objects = manifests.objects
    classes = [obj for obj in objects.get("RuntimeClass", ()) if isinstance(obj, RuntimeClass)]
    ranges = [obj for obj in objects.get("LimitRange", ()) if isinstance(obj, LimitRange)]
    known = {obj.metadata.name: obj for obj in classes}

    def without_overhead(workload: Workload) -> Workload:
        own = [each for each in ranges if each.metadata.namespace == workload.namespace]
        return adjusted(workload, own, known)

    missing = dict.fromkeys(known, "")
    for runtime_class, workload in runtime_classes_from_status(
        manifests.workloads, known, configuration.resources, without_overhead
    ):
        name = runtime_class.metadata.name
        overhead = ", ".join(f"{amount} {each}" for each, amount in runtime_class.overhead.items())
        missing[name] = Message(
            "simulation.assumed.overhead", name=name, overhead=overhead, workload=workload.key
        )
    for workload in manifests.workloads:
        for pod_set in workload.pod_sets:
            spec = pod_set.template.spec
            if needs_runtime_class(spec, missing):
                name = spec.runtime_class_name
                missing[name] = Message(
                    "simulation.assumed.no-overhead", name=name, workload=workload.key
                )
    yield from filter(None, missing.values())
