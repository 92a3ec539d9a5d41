"""What Kueue's webhooks refuse in the annotations that ask for a topology."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Final, TypeAlias

from kueuelab.manifests.jobs.constants import (
    POD_SET_GROUP,
    PREFERRED_TOPOLOGY,
    REQUIRED_TOPOLOGY,
    SLICE_CONSTRAINTS,
    SLICE_REQUIRED_TOPOLOGY,
    SLICE_SIZE,
    UNCONSTRAINED_TOPOLOGY,
)
from kueuelab.manifests.server.names import label_key_errors
from kueuelab.manifests.server.problems import (
    OMITTED,
    FieldError,
    FieldPath,
    Key,
    duplicate,
    forbidden,
    invalid,
    required,
)

__all__ = [
    "LAYERS_GATE",
    "go_atoi_error",
    "go_boolean",
    "go_integer",
    "slice_size_errors",
    "topology_errors",
]

_Annotations: TypeAlias = Mapping[str, str]

_BOOLEANS: Final = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}
_MOST_LAYERS: Final = 3
#: The feature gate without which slices within slices can't be asked for.
LAYERS_GATE: Final = "TASMultiLayerTopology"
_WITH: Final = "may not be set when '{}' is specified"
_WITHOUT: Final = "may not be set when '{}' is not specified"


def go_boolean(text: str) -> bool | None:
    """Return what Go takes a text for, ``None`` if it is no boolean.

    Examples
    --------
    >>> [go_boolean(text) for text in ("T", "0", "yes")]
    [True, False, None]
    """
    return _BOOLEANS.get(text)


def go_integer(text: str, bits: int = 64) -> int | None:
    """Return the whole number that Go reads, ``None`` if it is none.

    Examples
    --------
    >>> [go_integer(text) for text in ("+3", "1h", "007")]
    [3, None, 7]
    """
    if not re.fullmatch("[+-]?[0-9]+", text, re.ASCII) or len(text) > 30:
        return None
    number = int(text)
    return number if -(2 ** (bits - 1)) <= number < 2 ** (bits - 1) else None


def go_atoi_error(text: str) -> str:
    """Return what Go says of a text that is no whole number of 64 bits."""
    digits = re.fullmatch("[+-]?[0-9]+", text, re.ASCII)
    what = "value out of range" if digits else "invalid syntax"
    return f'strconv.Atoi: parsing "{text}": {what}'


def topology_errors(
    annotations: _Annotations, path: FieldPath, *, layers: bool = True
) -> Iterator[FieldError]:
    """Yield what is wrong with annotations that ask for a topology.

    Parameters
    ----------
    annotations : mapping
        All annotations.
    path : tuple
        What leads to them.
    layers : bool, optional
        Whether slices within slices may be asked for.
    """
    ways = (REQUIRED_TOPOLOGY, PREFERRED_TOPOLOGY, UNCONSTRAINED_TOPOLOGY)
    if sum(name in annotations for name in ways) > 1:
        shown = ", ".join(f'"{name}"' for name in ways)
        words = f"must not contain more than one topology annotation: [{shown}]"
        yield invalid(path, OMITTED, words)
    for name in (REQUIRED_TOPOLOGY, PREFERRED_TOPOLOGY, SLICE_REQUIRED_TOPOLOGY):
        if name in annotations:
            yield from label_key_errors(annotations[name], (*path, Key(name)))
    yield from _group_errors(annotations, path)
    text = annotations.get(UNCONSTRAINED_TOPOLOGY)
    if text is not None and go_boolean(text) is None:
        yield invalid((*path, Key(UNCONSTRAINED_TOPOLOGY)), text, "must be a boolean value")
    yield from _size_errors(annotations, (*path, Key(SLICE_SIZE)))
    if SLICE_CONSTRAINTS in annotations:
        if layers:
            yield from _layer_errors(annotations, path)
        else:
            words = f"the {LAYERS_GATE} feature gate must be enabled to use this annotation"
            yield forbidden((*path, Key(SLICE_CONSTRAINTS)), words)


def _group_errors(annotations: _Annotations, path: FieldPath) -> Iterator[FieldError]:
    name = annotations.get(POD_SET_GROUP)
    if name is None:
        return
    where = (*path, Key(POD_SET_GROUP))
    if re.fullmatch("[0-9]{1,19}", name, re.ASCII):
        yield invalid(where, name, "must not be a number")
    for other in (SLICE_SIZE, SLICE_REQUIRED_TOPOLOGY):
        if other in annotations:
            yield forbidden(where, _WITH.format(other))
    if PREFERRED_TOPOLOGY not in annotations and REQUIRED_TOPOLOGY not in annotations:
        words = (
            f"may not be set when neither '{PREFERRED_TOPOLOGY}' nor '{REQUIRED_TOPOLOGY}' is "
            "specified"
        )
        yield forbidden(where, words)


def _size_errors(annotations: _Annotations, path: FieldPath) -> Iterator[FieldError]:
    size = annotations.get(SLICE_SIZE)
    if size is not None:
        number = go_integer(size, 32)
        if number is None:
            yield invalid(path, size, "must be a numeric value")
        elif number < 1:
            yield invalid(path, size, "must be greater than or equal to 1")
    if SLICE_REQUIRED_TOPOLOGY in annotations and size is None:
        yield required(path, f"must be set when '{SLICE_REQUIRED_TOPOLOGY}' is specified")
    elif SLICE_REQUIRED_TOPOLOGY not in annotations and size is not None:
        yield forbidden(path, _WITHOUT.format(SLICE_REQUIRED_TOPOLOGY))


def _layer_errors(annotations: _Annotations, path: FieldPath) -> Iterator[FieldError]:
    where, text = (*path, Key(SLICE_CONSTRAINTS)), annotations[SLICE_CONSTRAINTS]
    for other in (SLICE_REQUIRED_TOPOLOGY, SLICE_SIZE):
        if other in annotations:
            yield forbidden(where, _WITH.format(other))
    if POD_SET_GROUP in annotations:
        yield forbidden((*path, Key(POD_SET_GROUP)), _WITH.format(SLICE_CONSTRAINTS))
    layers = _layers(text)
    if layers is None:
        yield invalid(where, text, "must be a valid JSON array")
        return
    if not 1 <= len(layers) <= _MOST_LAYERS:
        yield invalid(where, text, "topology constraints must contain between 1 and 3 entries")
        return
    for index, (topology, size) in enumerate(layers):
        yield from label_key_errors(topology, (*where, index, "topology"))
        if size < 1:
            yield invalid((*where, index, "size"), size, "must be greater than or equal to 1")
    seen: dict[str, int] = {}
    for index, (topology, _) in enumerate(layers):
        if topology in seen:
            shown = f"{topology} (also at index {seen[topology]})"
            yield duplicate((*where, index, "topology"), shown)
        seen.setdefault(topology, index)
    for index, ((_, above), (_, below)) in enumerate(pairwise(layers), 1):
        if below > 0 and above % below:
            words = f"must evenly divide the parent layer size {above}"
            yield invalid((*where, index, "size"), below, words)


def _layers(text: str) -> list[tuple[str, int]] | None:
    """Return levels and sizes of slices within slices, ``None`` if the text has none."""
    try:
        layers: Any = json.loads(text)
    except ValueError:
        return None
    if layers is None:
        return []
    if not isinstance(layers, list) or not all(isinstance(layer, dict) for layer in layers):
        return None
    found = []
    for layer in layers:
        topology, size = layer.get("topology", ""), layer.get("size", 0)
        if not isinstance(topology, str) or type(size) is not int:
            return None
        found.append((topology, size))
    return found


def slice_size_errors(
    annotations: _Annotations, count: int, path: FieldPath
) -> Iterator[FieldError]:
    """Yield an error if slices are larger than the pod set that has ``count`` pods."""
    words = f"must not be greater than pod set count {count}"
    size = annotations.get(SLICE_SIZE)
    if size is not None and (go_integer(size, 32) or 0) > count:
        yield invalid((*path, Key(SLICE_SIZE)), size, words)
    layers = _layers(annotations.get(SLICE_CONSTRAINTS, "[]"))
    if layers and layers[0][1] > count:
        yield invalid((*path, Key(SLICE_CONSTRAINTS)), layers[0][1], words)
