"""What the lab takes for granted where a scenario or a dump doesn't say."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.manifests.result import Manifests
from kueuelab.model import AdmissionCheck, Configuration, LimitRange, RuntimeClass, Workload
from kueuelab.simulation.adjust import adjusted
from kueuelab.simulation.overheads import needs_runtime_class, runtime_classes_from_status

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
            yield f"AdmissionCheck {name} has no status: it is assumed to be active"
        elif not check.conditions:
            yield (
                f"AdmissionCheck {name} has no status in the cluster that it was read from: "
                "it is inactive, and ClusterQueues with it can't admit"
            )


def _runtime_classes(configuration: Configuration, manifests: Manifests) -> Iterator[str]:
    objects = manifests.objects
    classes = [obj for obj in objects.get("RuntimeClass", ()) if isinstance(obj, RuntimeClass)]
    ranges = [obj for obj in objects.get("LimitRange", ()) if isinstance(obj, LimitRange)]
    known = {obj.metadata.name: obj for obj in classes}

    def without_overhead(workload: Workload) -> Workload:
        own = [each for each in ranges if each.metadata.namespace == workload.namespace]
        return adjusted(workload, own, known)

    texts = dict.fromkeys(known, "")
    for runtime_class, workload in runtime_classes_from_status(
        manifests.workloads, known, configuration.resources, without_overhead
    ):
        name = runtime_class.metadata.name
        overhead = ", ".join(f"{amount} {each}" for each, amount in runtime_class.overhead.items())
        texts[name] = (
            f"RuntimeClass {name} is missing: its overhead, {overhead} for each pod, is what "
            f"Kueue counted for {workload.key} (status.resourceRequests)"
        )
    for workload in manifests.workloads:
        for pod_set in workload.pod_sets:
            spec = pod_set.template.spec
            if needs_runtime_class(spec, texts):
                name = spec.runtime_class_name
                texts[name] = (
                    f"RuntimeClass {name} is missing, {workload.key} names it: "
                    "its overhead is not counted"
                )
    yield from filter(None, texts.values())
