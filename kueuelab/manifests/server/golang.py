"""How Go reads and writes JSON: webhooks see objects only after that.

Reading stops at the first quantity or time that is none. A value of the wrong type is
passed over, and the first of them is reported at the end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from kueuelab.errors import QuantityError
from kueuelab.manifests.server.copying import plain_copy
from kueuelab.manifests.server.gotext import time_error
from kueuelab.manifests.server.problems import FieldPath
from kueuelab.manifests.shapes.shape import Shape
from kueuelab.model.times import format_time, parse_time, to_seconds
from kueuelab.quantity import Quantity

__all__ = ["GoError", "go_error", "go_number", "go_quantity", "go_write"]

_NAMES: Final = {str: "string", bool: "bool", int: "number", float: "number", list: "array"}
_LIMITS: Final = {"int32": 2**31, "int64": 2**63}
#: Quantities without a single digit before their suffix.
_NO_DIGITS: Final = re.compile(r"[+-]?+\.?+(?![0-9])(?P<suffix>[eEinumkKMGTP]*[-+]?[0-9]*)\Z")


_INT32: Final = Shape("integer", "int32")


@dataclass(frozen=True, slots=True)
class GoError:
    """What Go's decoder says, and the field it is about."""

    words: str
    path: FieldPath

    def __str__(self) -> str:
        return self.words


class _FatalError(Exception):
    """What ends the reading at once."""


def go_error(value: Any, shape: Shape, *, sort: bool = True) -> GoError | None:
    """Return what Go's decoder says of a value, ``None`` if it can read it.

    Parameters
    ----------
    value : object
        The object, as it came out of JSON.
    shape : Shape
        What Go expects it to be.
    sort : bool, optional
        Whether the fields come in the order of their names, as the server writes
        custom resources, or as they stand.

    Examples
    --------
    >>> from kueuelab.manifests.shapes.tables import shape_of
    >>> queue = shape_of("kueue.x-k8s.io/v1beta2", "ClusterQueue")
    >>> print(go_error({"spec": {"cohortName": 7}}, queue))
    json: cannot unmarshal number into Go struct field ClusterQueueSpec.spec.cohortName of type \
v1beta2.CohortReference
    >>> go_error({"spec": {"cohortName": "research"}}, queue)
    """
    reader = _Reader(sort)
    try:
        reader.read(value, shape, "", ())
    except _FatalError as error:
        return GoError(str(error), reader.place)
    return reader.first


class _Reader:
    def __init__(self, sort: bool) -> None:
        self._sort = sort
        self.first: GoError | None = None
        self.place: FieldPath = ()

    def read(self, value: Any, shape: Shape, struct: str, path: tuple[str, ...]) -> None:
        """Read a value that is the field at ``path`` of a struct; Go counts no list's items."""
        if value is None or shape.kind in ("any", "meta"):
            return
        match shape.kind:
            case "quantity":
                _read_quantity(value)
            case "time":
                self._time(value, struct, path)
            case "port":
                if not isinstance(value, str):
                    self._port(value, struct, path)
            case "integer":
                self._integer(value, shape, struct, path)
            case "text" if not isinstance(value, str):
                self._wrong(value, shape.go, struct, path)
            case "boolean" if not isinstance(value, bool):
                self._wrong(value, shape.go, struct, path)
            case "list" | "map" | "record":
                self._container(value, shape, struct, path)

    def _container(self, value: Any, shape: Shape, struct: str, path: tuple[str, ...]) -> None:
        wanted = list if shape.kind == "list" else Mapping
        if not isinstance(value, wanted):
            self._wrong(value, shape.go, struct, path)
            return
        parts = dict(enumerate(value)) if shape.kind == "list" else self._ordered(value)
        outer = self.place
        for name, item in parts.items():
            field = shape.fields.get(str(name))
            self.place = (*outer, name)
            if shape.item is not None:
                self.read(item, shape.item, struct, path)
            elif field is not None:
                self.read(item, field.shape, shape.struct, (*path, *field.inside, field.name))
        self.place = outer

    def _ordered(self, value: Any) -> Mapping[str, Any]:
        return dict(sorted(value.items())) if self._sort else dict(value)

    def _integer(self, value: Any, shape: Shape, struct: str, path: tuple[str, ...]) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._wrong(value, shape.go, struct, path)
            return
        limit = _LIMITS.get(shape.go, 2**31)
        if not float(value).is_integer() or not -limit <= value < limit:
            self._say(f"number {go_number(value)}", shape.go, struct, path)

    def _port(self, value: Any, struct: str, path: tuple[str, ...]) -> None:
        """Read a number that could be text, which ends the reading if it is none."""
        self._integer(value, _INT32, struct, path)
        if self.first is not None and self.first.path == self.place:
            raise _FatalError(str(self.first))

    def _time(self, value: Any, struct: str, path: tuple[str, ...]) -> None:
        if not isinstance(value, str):
            kind = _NAMES.get(type(value), "object")
            raise _FatalError(_mismatch(kind, "string", struct, path))
        words = time_error(value)
        if words:
            raise _FatalError(words)

    def _wrong(self, value: Any, go: str, struct: str, path: tuple[str, ...]) -> None:
        self._say(_NAMES.get(type(value), "object"), go, struct, path)

    def _say(self, what: str, go: str, struct: str, path: tuple[str, ...]) -> None:
        self.first = self.first or GoError(_mismatch(what, go, struct, path), self.place)


def _mismatch(what: str, go: str, struct: str, path: tuple[str, ...]) -> str:
    where = f"struct field {struct}.{'.'.join(path)}" if path else "value"
    return f"json: cannot unmarshal {what} into Go {where} of type {go}"


def _read_quantity(value: Any) -> None:
    try:
        go_quantity(value)
    except QuantityError as error:
        raise _FatalError(error.reason) from None


def go_number(value: float) -> str:
    """Return a number as Go writes it in JSON.

    Examples
    --------
    >>> [go_number(number) for number in (3, 1.5, 2.0, 1e21, 2**63)]
    ['3', '1.5', '2', '1e+21', '9223372036854776000']
    """
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return str(value)
    number = Decimal(repr(float(value))).normalize()
    if -7 < number.adjusted() < 21:
        return f"{number:f}"
    return repr(float(value))


def go_quantity(value: Any) -> str:
    """Return a quantity as Go writes it after reading it.

    Examples
    --------
    >>> [go_quantity(value) for value in (9, 1.5, " 1 ", "0.5Gi", "007", ".", "1e3")]
    ['9', '1500m', '1', '512Mi', '007', '0', '1e3']
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        value = str(value)
    if not isinstance(value, str):
        value = go_number(value)
    text = value.strip()
    bare = _NO_DIGITS.match(text)
    if bare is None or not text:
        return str(Quantity.parse(text))
    # No digits count as none: 'e3' is nothing times a thousand.
    Quantity.parse(f"0{bare['suffix']}")
    return "0"


def go_write(value: Any, shape: Shape, *, omit_empty: bool = False) -> Any:
    """Return a value as Go writes it after reading it.

    Parameters
    ----------
    value : object
        A value that Go can read.
    shape : Shape
        What it is.
    omit_empty : bool, optional
        Whether what is empty goes. It stays when a webhook's changes are applied to what
        was sent, and goes when an object is converted.
    """
    if value is None:
        return _zero(shape)
    match shape.kind:
        case "quantity":
            return go_quantity(value)
        case "time":
            return format_time(to_seconds(parse_time(value)))
        case "integer":
            return int(value)
        case "list":
            assert shape.item is not None
            return [go_write(item, shape.item, omit_empty=omit_empty) for item in value]
        case "map":
            assert shape.item is not None
            return {
                name: go_write(part, shape.item, omit_empty=omit_empty)
                for name, part in sorted(value.items())
            }
        case "record":
            return _write_record(value, shape, omit_empty)
    return plain_copy(value)


def _write_record(value: Mapping[str, Any], shape: Shape, omit_empty: bool) -> dict[str, Any]:
    written = {}
    for name, field in shape.fields.items():
        part = value.get(name)
        empty = part is None or (omit_empty and not field.always and _goes(part, field.shape))
        if not empty:
            written[name] = go_write(part, field.shape, omit_empty=omit_empty)
        elif field.always:
            written[name] = _zero(field.shape)
    return written


def _goes(value: Any, shape: Shape) -> bool:
    """Tell whether Go leaves a value out because it is empty."""
    return shape.kind in ("text", "list", "map") and not value and not shape.pointer


def _zero(shape: Shape) -> Any:
    """Return what Go writes for a field that nothing was read into."""
    match shape.kind:
        case "text":
            return ""
        case "integer":
            return 0
        case "boolean":
            return False
        case "quantity":
            return "0"
        case "record":
            return {name: _zero(f.shape) for name, f in shape.fields.items() if f.always}
    return None
