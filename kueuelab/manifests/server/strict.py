"""Decoding as strictly as the API server does when it is asked to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kueuelab.manifests.server.golang import GoError, go_error
from kueuelab.manifests.server.problems import FieldPath, print_path
from kueuelab.manifests.shapes.shape import Shape
from kueuelab.manifests.shapes.tables import shape_of

__all__ = ["metadata_error", "metadata_shape", "unknown_fields"]

_HEAD = ("apiVersion", "kind")


def metadata_shape() -> Shape:
    """Return the shape of an object's metadata."""
    job = shape_of("batch/v1", "Job")
    assert job is not None
    return job.fields["metadata"].shape


def metadata_error(metadata: Any) -> GoError | None:
    """Return what makes metadata unreadable, ``None`` if it can be read.

    Examples
    --------
    >>> print(metadata_error({"labels": {"team": 1}}))
    json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string
    """
    return go_error(metadata, metadata_shape())


def unknown_fields(obj: Mapping[str, Any], shape: Shape, *, typed: bool) -> list[FieldPath]:
    """Return the unknown fields.

    Parameters
    ----------
    obj : mapping
        The object.
    shape : Shape
        What is known of it.
    typed : bool
        Whether it is of a kind that is built into the server, which sees fields in the
        order in which they are written; those of a custom resource come sorted, and what
        a list holds by mistake counts, too.
    """
    body = {name: part for name, part in obj.items() if name not in _HEAD}
    if typed:
        return list(_unknown(body, shape, ()))
    metadata = body.get("metadata")
    found = [] if metadata is None else list(_unknown(metadata, metadata_shape(), ("metadata",)))
    return [*sorted(found, key=print_path), *sorted(_unknown(body, shape, ()), key=print_path)]


def _unknown(value: Any, shape: Shape | None, path: FieldPath) -> Iterator[FieldPath]:
    if shape is not None and shape.kind in ("any", "meta"):
        return
    if isinstance(value, Mapping):
        for name, part in value.items():
            if shape is not None and name in shape.fields:
                yield from _unknown(part, shape.fields[name].shape, (*path, name))
            elif shape is not None and shape.kind == "map":
                yield from _unknown(part, shape.item, (*path, name))
            else:
                yield (*path, name)
    elif isinstance(value, list):
        item = shape.item if shape is not None else None
        for index, part in enumerate(value):
            yield from _unknown(part, item, (*path, index))
