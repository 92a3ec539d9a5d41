"""What the API server adds to a custom resource and takes away before it looks at it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from kueuelab.manifests.shapes.shape import ABSENT, Shape

__all__ = ["drop_nulls", "set_defaults"]


def set_defaults(value: Any, shape: Shape) -> None:
    """Set the defaults of fields that are missing or ``null``, in place.

    Examples
    --------
    >>> from kueuelab.manifests.shapes.tables import shape_of
    >>> queue = {"spec": {"clusterQueue": "research", "stopPolicy": None}}
    >>> set_defaults(queue, shape_of("kueue.x-k8s.io/v1beta2", "LocalQueue"))
    >>> queue
    {'spec': {'clusterQueue': 'research', 'stopPolicy': 'None'}}
    """
    if isinstance(value, dict):
        for name, field in shape.fields.items():
            if field.default is not ABSENT and value.get(name) is None:
                value[name] = deepcopy(field.default)
        for name, part in value.items():
            inner = shape.fields[name].shape if name in shape.fields else shape.item
            if inner is not None:
                set_defaults(part, inner)
    elif isinstance(value, list) and shape.item is not None:
        for part in value:
            set_defaults(part, shape.item)


def drop_nulls(value: Any, shape: Shape) -> None:
    """Take away what is ``null``, in place: it counts as if it weren't there."""
    if isinstance(value, dict) and shape.kind in ("record", "map"):
        for name in [name for name, part in value.items() if part is None]:
            if name in shape.fields or shape.kind == "map":
                del value[name]
        for name, part in value.items():
            inner = shape.fields[name].shape if name in shape.fields else shape.item
            if inner is not None:
                drop_nulls(part, inner)
    elif isinstance(value, list) and shape.item is not None:
        for part in value:
            drop_nulls(part, shape.item)
