"""Topology requests: what the annotations of a pod template ask of placement."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.reading import Field, parse_bool

__all__ = ["topology_request"]

_EXCLUSIVE: Final = (
    constants.REQUIRED_TOPOLOGY,
    constants.PREFERRED_TOPOLOGY,
    constants.UNCONSTRAINED_TOPOLOGY,
)


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
    _check(annotations, metadata["annotations"])
    slice_topology = annotations.get(constants.SLICE_REQUIRED_TOPOLOGY)
    slice_size = annotations.get(constants.SLICE_SIZE)
    constraints = annotations.get(constants.SLICE_CONSTRAINTS)
    request: dict[str, Any] = {}
    if constants.REQUIRED_TOPOLOGY in annotations:
        request["required"] = annotations[constants.REQUIRED_TOPOLOGY]
    elif constants.PREFERRED_TOPOLOGY in annotations:
        request["preferred"] = annotations[constants.PREFERRED_TOPOLOGY]
    elif constants.UNCONSTRAINED_TOPOLOGY in annotations:
        request["unconstrained"] = bool(parse_bool(annotations[constants.UNCONSTRAINED_TOPOLOGY]))
    elif (
        (slice_topology is None or slice_size is None)
        and constraints is None
        and pod_index_label is None
        and sub_group_index_label is None
        and sub_group_count is None
    ):
        return None
    if multi_layer and constraints is not None:
        request["podsetSliceRequiredTopologyConstraints"] = _constraints(constraints, metadata)
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


def _constraints(text: str, metadata: Field) -> list[dict[str, Any]]:
    """Read the layers of a slice from their annotation."""
    field = metadata["annotations"].key(constants.SLICE_CONSTRAINTS)
    try:
        layers = json.loads(text)
    except ValueError as error:
        field.problem(f"failed to parse multi-layer topology constraints annotation: {error}")
        return []
    if not isinstance(layers, list) or not all(isinstance(layer, dict) for layer in layers):
        field.problem("failed to parse multi-layer topology constraints annotation: not a list")
        return []
    if not 1 <= len(layers) <= 3:
        field.problem(
            f"topology constraints must contain between 1 and 3 entries: got {len(layers)}"
        )
    return layers


def _check(annotations: Mapping[str, str], field: Field) -> None:
    """Report what Kueue's webhooks reject."""
    if sum(name in annotations for name in _EXCLUSIVE) > 1:
        names = ", ".join(f'"{name}"' for name in _EXCLUSIVE)
        field.problem(
            f"Invalid value: must not contain more than one topology annotation: [{names}]"
        )
    unconstrained = annotations.get(constants.UNCONSTRAINED_TOPOLOGY)
    if unconstrained is not None and parse_bool(unconstrained) is None:
        field.key(constants.UNCONSTRAINED_TOPOLOGY).problem(
            f'Invalid value: "{unconstrained}": must be a boolean value'
        )
    size = annotations.get(constants.SLICE_SIZE)
    if size is not None and not size.lstrip("+-").isdecimal():
        field.key(constants.SLICE_SIZE).problem(f'Invalid value: "{size}": must be a numeric value')
    elif size is not None and int(size) < 1:
        field.key(constants.SLICE_SIZE).problem(
            f'Invalid value: "{size}": must be greater than or equal to 1'
        )
    topology = annotations.get(constants.SLICE_REQUIRED_TOPOLOGY)
    if topology is not None and size is None:
        field.key(constants.SLICE_SIZE).problem(
            f"Required value: must be set when '{constants.SLICE_REQUIRED_TOPOLOGY}' is specified"
        )
    if topology is None and size is not None:
        field.key(constants.SLICE_SIZE).problem(
            f"Forbidden: may not be set when '{constants.SLICE_REQUIRED_TOPOLOGY}' is not specified"
        )
