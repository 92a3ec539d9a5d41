"""What the lab assumes where a scenario or a dump does not say it."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.manifests.result import Manifests
from kueuelab.messages import Message
from kueuelab.model import AdmissionCheck, Configuration, LimitRange, RuntimeClass, Workload
from kueuelab.simulation.adjust import adjusted
from kueuelab.simulation.pod_overhead import needs_runtime_class, runtime_classes_from_status

__all__ = ["assumptions"]


def assumptions(configuration: Configuration, manifests: Manifests) -> tuple[str, ...]:
    """Return a sentence for each thing that is assumed because the objects don't say it.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta
    >>> check = AdmissionCheck(ObjectMeta("budget"), "example.com/budget")
    >>> print(*assumptions(Configuration(), Manifests({"AdmissionCheck": (check,)})))
    AdmissionCheck budget has no status: it is assumed to be active
    """
    return (*_checks(manifests), *_runtime_classes(configuration, manifests))


def _checks(manifests: Manifests) -> Iterator[str]:
    for check in manifests.objects.get("AdmissionCheck", ()):
        if not isinstance(check, AdmissionCheck):
            continue
        name = check.metadata.name
        if check.conditions is None:
            yield Message("simulation.assumed.check-active", check=name)
        elif not check.conditions:
            yield Message("simulation.assumed.check-inactive", check=name)


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
