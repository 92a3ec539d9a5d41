"""What Kueue does to a workload's requests before it counts them, and which it refuses.

A RuntimeClass adds its overhead, LimitRanges fill in defaults, and limits stand in for
requests that are missing. See https://kueue.sigs.k8s.io/docs/concepts/workload/.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from kueuelab.model import (
    Container,
    LimitRange,
    PodSpec,
    ResourceRequirements,
    RuntimeClass,
    Workload,
)
from kueuelab.simulation import limit_ranges as bounds

__all__ = ["LIMIT_RANGE_PROBLEM", "adjusted", "limit_range_problem", "resources_problem"]

#: How Kueue begins to say that a LimitRange refuses a pod.
LIMIT_RANGE_PROBLEM: Final = "resources didn't satisfy LimitRange constraints"

_ABOVE_LIMITS: Final = "requests must not exceed its limits"


def adjusted(
    workload: Workload,
    limit_ranges: Iterable[LimitRange],
    runtime_classes: Mapping[str, RuntimeClass],
) -> Workload:
    """Return ``workload`` with the requests that its pods would really have."""
    summary = bounds.summarize(limit_ranges)
    specs = []
    changed = False
    for pod_set in workload.pod_sets:
        spec = pod_set.template.spec
        new = _with_overhead(spec, runtime_classes)
        if summary:
            new = bounds.with_defaults(new, summary)
        if _lacks_requests(new):
            new = _limits_as_requests(new)
        changed = changed or new is not spec
        specs.append(new)
    if not changed:
        return workload
    pod_sets = tuple(
        replace(pod_set, template=replace(pod_set.template, spec=spec))
        for pod_set, spec in zip(workload.pod_sets, specs, strict=True)
    )
    return replace(workload, pod_sets=pod_sets)


def _with_overhead(spec: PodSpec, runtime_classes: Mapping[str, RuntimeClass]) -> PodSpec:
    if not spec.runtime_class_name or spec.overhead:
        return spec
    runtime_class = runtime_classes.get(spec.runtime_class_name)
    if runtime_class is None or not runtime_class.overhead:
        return spec
    return replace(spec, overhead=runtime_class.overhead)


def _with_limits(spec: PodSpec) -> list[ResourceRequirements]:
    return [resources for resources in spec.all_resources if resources.limits]


def _lacks_requests(spec: PodSpec) -> bool:
    for resources in spec.all_resources:
        if resources.limits and resources.limits.keys() - resources.requests.keys():
            return True
    return False


def _limits_as_requests(spec: PodSpec) -> PodSpec:
    return replace(
        spec,
        init_containers=tuple(_completed(c) for c in spec.init_containers),
        containers=tuple(_completed(c) for c in spec.containers),
        resources=None if spec.resources is None else _requested(spec.resources),
    )


def _completed(container: Container) -> Container:
    return replace(container, resources=_requested(container.resources))


def _requested(resources: ResourceRequirements) -> ResourceRequirements:
    return replace(resources, requests=bounds.kept_first(resources.requests, resources.limits))


def _aggregate(errors: list[str]) -> str:
    unique = list(dict.fromkeys(errors))
    return unique[0] if len(unique) == 1 else "[" + ", ".join(unique) + "]"


def resources_problem(workload: Workload) -> str | None:
    """Return what is wrong with requests above their limits, in Kueue's words."""
    errors: list[str] = []
    for index, pod_set in enumerate(workload.pod_sets):
        spec = pod_set.template.spec
        if not _with_limits(spec):
            continue
        path = f"spec.podSets[{index}].template.spec"
        places = [(f"{path}.initContainers[{i}]", c) for i, c in enumerate(spec.init_containers)]
        places += [(f"{path}.containers[{i}]", c) for i, c in enumerate(spec.containers)]
        checked = [(place, container.resources) for place, container in places]
        if spec.resources is not None:
            checked.append((f"{path}.resources", spec.resources))
        for place, resources in checked:
            if resources.limits:
                above = bounds.exceeding(resources.requests, resources.limits)
                if above:
                    errors.append(bounds.invalid_value(place, above, _ABOVE_LIMITS))
    return f"resources validation failed: {_aggregate(errors)}" if errors else None


def limit_range_problem(workload: Workload, limit_ranges: Iterable[LimitRange]) -> str | None:
    """Return how a workload breaks its namespace's LimitRanges, in Kueue's words."""
    summary = bounds.summarize(limit_ranges)
    if not summary:
        return None
    errors: list[str] = []
    for index, pod_set in enumerate(workload.pod_sets):
        path = f"spec.podSets[{index}].template.spec"
        errors += bounds.violations(pod_set.template.spec, path, summary)
    if not errors:
        return None
    return f"{LIMIT_RANGE_PROBLEM}: {_aggregate(errors)}"
