"""Scheduling equivalence: which workloads get the same decision (KEP-8743)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kueuelab.model import Container, PodSpec, Workload
from kueuelab.workload.requests import PodSetRequests

__all__ = ["scheduling_hash"]

#: Pod spec fields that count although the lab models them only as written.
_EXTRA_FIELDS = ("affinity", "topologySpreadConstraints", "resourceClaims")

_NO_EXTRA = tuple(repr(None) for _ in _EXTRA_FIELDS)


def _sorted(mapping: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted((name, str(value)) for name, value in mapping.items())) if mapping else ()


def _containers(containers: Iterable[Container]) -> tuple[Any, ...]:
    return tuple((_sorted(c.resources.requests), repr(c.extra.get("ports"))) for c in containers)


def _spec_shape(spec: PodSpec) -> tuple[Any, ...]:
    return (
        _containers(spec.init_containers),
        _containers(spec.containers),
        _sorted(spec.node_selector),
        spec.required_node_affinity,
        spec.tolerations,
        spec.runtime_class_name,
        spec.priority,
        _sorted(spec.overhead),
        _sorted(spec.resources.requests) if spec.resources is not None else None,
        tuple([repr(spec.extra.get(field)) for field in _EXTRA_FIELDS])
        if spec.extra
        else _NO_EXTRA,
    )


def scheduling_hash(
    workload: Workload,
    requests: tuple[PodSetRequests, ...],
    priority: int,
    flavors: str | None = None,
) -> str:
    """Return a text that is equal for workloads with the same scheduling shape.

    The shape is the effective priority and, per pod set, the name, the pod spec's
    scheduling fields, the count, the requests, ``minCount`` and the topology request;
    besides, with concurrent admission, the ``flavors`` that are allowed.
    """
    pod_sets = tuple(
        (
            ps.name,
            _spec_shape(ps.template.spec),
            total.count,
            _sorted(total.requests),
            ps.min_count,
            repr(ps.topology_request),
        )
        for ps, total in zip(workload.pod_sets, requests, strict=True)
    )
    return repr((priority, pod_sets) if flavors is None else (priority, pod_sets, flavors))
