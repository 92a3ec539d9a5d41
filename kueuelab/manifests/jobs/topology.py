"""Topology requests: what the annotations of a pod template ask of placement."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.reading import Field
from kueuelab.manifests.jobs.validation import report_errors
from kueuelab.manifests.reading.paths import parse_path
from kueuelab.manifests.server.webhooks.topology import go_boolean, topology_errors

__all__ = ["topology_annotations", "topology_request"]


def topology_request(
    annotations: Mapping[str, str],
    metadata: Field,
    *,
    pod_index_label: str | None = None,
    sub_group_index_label: str | None = None,
    sub_group_count: int | None = None,
    multi_layer: bool = True,
) -> dict[str, Any] | None:
    """Return ``topologyRequest`` of a pod set, ``None`` where nothing asks for one.

    Parameters
    ----------
    annotations : mapping
        Those of the pod template.
    metadata : Field
        The template's metadata, where mistakes are reported.
    pod_index_label, sub_group_index_label, sub_group_count : optional
        What the kind of job says about its pods' ranks.
    multi_layer : bool, optional
        The feature gate ``TASMultiLayerTopology``.
    """
    path = (*parse_path(metadata.path), "annotations")
    report_errors(metadata.report, topology_errors(annotations, path, layers=multi_layer))
    slice_topology = annotations.get(constants.SLICE_REQUIRED_TOPOLOGY)
    slice_size = annotations.get(constants.SLICE_SIZE)
    constraints = annotations.get(constants.SLICE_CONSTRAINTS)
    request: dict[str, Any] = {}
    if constants.REQUIRED_TOPOLOGY in annotations:
        request["required"] = annotations[constants.REQUIRED_TOPOLOGY]
    elif constants.PREFERRED_TOPOLOGY in annotations:
        request["preferred"] = annotations[constants.PREFERRED_TOPOLOGY]
    elif constants.UNCONSTRAINED_TOPOLOGY in annotations:
        request["unconstrained"] = bool(go_boolean(annotations[constants.UNCONSTRAINED_TOPOLOGY]))
    elif (
        (slice_topology is None or slice_size is None)
        and constraints is None
        and pod_index_label is None
        and sub_group_index_label is None
        and sub_group_count is None
    ):
        return None
    if multi_layer and constraints is not None:
        request["podsetSliceRequiredTopologyConstraints"] = _constraints(constraints)
    elif slice_topology is not None and slice_size is not None and slice_size.isdecimal():
        request["podSetSliceRequiredTopology"] = slice_topology
        request["podSetSliceSize"] = int(slice_size)
    if pod_index_label is not None:
        request["podIndexLabel"] = pod_index_label
    if sub_group_index_label is not None:
        request["subGroupIndexLabel"] = sub_group_index_label
    if sub_group_count is not None:
        request["subGroupCount"] = sub_group_count
    if constants.POD_SET_GROUP in annotations and ("required" in request or "preferred" in request):
        request["podSetGroupName"] = annotations[constants.POD_SET_GROUP]
    return request


def topology_annotations(request: Mapping[str, Any]) -> dict[str, str]:
    """Return the annotations of a pod template that ask for what a topology request has.

    Examples
    --------
    >>> topology_annotations({"required": "rack", "podSetGroupName": "ring"})
    {'kueue.x-k8s.io/podset-required-topology': 'rack', 'kueue.x-k8s.io/podset-group-name': 'ring'}
    """
    texts = {
        constants.REQUIRED_TOPOLOGY: "required",
        constants.PREFERRED_TOPOLOGY: "preferred",
        constants.SLICE_REQUIRED_TOPOLOGY: "podSetSliceRequiredTopology",
        constants.SLICE_SIZE: "podSetSliceSize",
        constants.POD_SET_GROUP: "podSetGroupName",
    }
    found = {
        name: str(request[field]) for name, field in texts.items() if request.get(field) is not None
    }
    if request.get("unconstrained") is not None:
        found[constants.UNCONSTRAINED_TOPOLOGY] = str(bool(request["unconstrained"])).lower()
    layers = request.get("podsetSliceRequiredTopologyConstraints")
    if layers:
        found[constants.SLICE_CONSTRAINTS] = json.dumps(layers, separators=(",", ":"))
    return found


def _constraints(text: str) -> list[dict[str, Any]]:
    """Read the layers of a slice from their annotation; what is wrong was reported."""
    try:
        layers = json.loads(text)
    except ValueError:
        return []
    if not isinstance(layers, list) or not all(isinstance(layer, dict) for layer in layers):
        return []
    return layers
