"""Changes that let pods find a place: another level, another slice size, one node more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from kueuelab.manifests.scenario import Apply
from kueuelab.model import Node
from kueuelab.whatif.change_sets import Adjustment
from kueuelab.whatif.proposals import adjustment, edit_workload
from kueuelab.whatif.subject import Subject

__all__ = ["other_places", "slice_sizes"]

#: More domains than this are not tried one by one.
_MANY: Final = 4


def other_places(subject: Subject) -> Iterator[Adjustment]:
    """Yield changes of what each pod set asks of a topology, and a node more where it may go."""
    objects, queue = subject.cluster.objects, subject.queue
    if queue is None:
        return
    names = [each.name for group in queue.resource_groups for each in group.flavors]
    flavors = [objects.flavors[name] for name in names if name in objects.flavors]
    topologies = [each.topology_name for each in flavors if each.topology_name]
    found = (objects.topologies[name] for name in topologies if name in objects.topologies)
    levels = next((each.levels for each in found), ())
    required = [
        (ps, each.required) for ps, each in subject.topology_requests if each.required is not None
    ]
    if not required or not levels:
        return
    paths = {f"spec.podSets[{ps.name}].topologyRequest": ps for ps, _ in required}
    level = required[0][1]
    assert level is not None
    relaxed = {
        path: {**_without_required(ps.topology_request), "preferred": level}
        for path, ps in paths.items()
    }
    yield adjustment("preferred", edit_workload(subject, relaxed), level=level)
    for wider in reversed(levels[: levels.index(level)] if level in levels else levels):
        values = {
            path: {**_without_required(ps.topology_request), "required": wider}
            for path, ps in paths.items()
        }
        yield adjustment("level", edit_workload(subject, values), level=wider)
    yield from _one_node_more(subject, levels, level)


def slice_sizes(subject: Subject, *, larger: bool = False) -> Iterator[Adjustment]:
    """Yield smaller or larger slices, layer by layer, those first that are most like before.

    They divide what is around them, the pods of the pod set or the slices of the layer above, and
    the slices of the layer below divide them. Larger slices may fill a domain better.
    """
    for pod_set, request in subject.topology_requests:
        sizes = [pod_set.count, *(layer.size for layer in request.slices), 1]
        for number, layer in enumerate(request.slices):
            around, inner = sizes[number], max(sizes[number + 2], 1)
            for size in _other_sizes(layer.size, around, inner, larger=larger):
                written = _with_size(pod_set.topology_request or {}, number, size)
                path = f"spec.podSets[{pod_set.name}].topologyRequest"
                kind = "sliceSize" if len(request.slices) == 1 else "sliceLayer"
                values: dict[str, Any] = {
                    "podSet": pod_set.name,
                    "before": layer.size,
                    "after": size,
                    "level": layer.level,
                    "count": size,
                }
                yield adjustment(kind, edit_workload(subject, {path: written}), **values)


def _other_sizes(size: int, around: int, inner: int, *, larger: bool) -> list[int]:
    candidates = range(size + 1, around + 1) if larger else range(size - 1, 0, -1)
    return [n for n in candidates if around % n == 0 and n % inner == 0][:_MANY]


def _with_size(request: Mapping[str, Any], number: int, size: int) -> dict[str, Any]:
    """Return a topology request whose layer of slices of that number has another size."""
    layers = request.get("podsetSliceRequiredTopologyConstraints")
    if not layers:
        return {**request, "podSetSliceSize": size}
    changed = [
        {**layer, "size": size} if index == number else layer for index, layer in enumerate(layers)
    ]
    return {**request, "podsetSliceRequiredTopologyConstraints": changed}


def _without_required(request: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (request or {}).items() if name != "required"}


def _one_node_more(subject: Subject, levels: tuple[str, ...], level: str) -> Iterator[Adjustment]:
    """Yield for each domain of a level a node like one that it has."""
    if level not in levels[:-1]:
        return
    nodes = subject.cluster.objects.nodes
    first: dict[str, Node] = {}
    for name in sorted(nodes):
        labels = nodes[name].metadata.labels
        if all(each in labels for each in levels):
            first.setdefault(labels[level], nodes[name])
    for domain, node in list(first.items())[:_MANY]:
        name = f"{node.metadata.name}-more"
        labels = {**node.metadata.labels, levels[-1]: name}
        meta = replace(node.metadata, name=name, labels=labels, uid="")
        added = replace(node, metadata=meta, taints=(), unschedulable=False)
        yield adjustment("node", Apply((added,)), domain=domain, node=node.metadata.name)
