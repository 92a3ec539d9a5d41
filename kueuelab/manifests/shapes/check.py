"""The lab's own check of a value against its shape: what no API server judges.

These are scenarios, Kueue's Configuration, statuses, old API versions and Kubernetes' own kinds.
The check finds all mistakes, each with its path; the place in the file is found later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

from kueuelab.errors import QuantityError
from kueuelab.manifests.reading.paths import Path, format_path
from kueuelab.manifests.server.names import dns_label, dns_subdomain, label_key, label_value
from kueuelab.manifests.shapes.mistake import Mistake, closest, describe, unsupported
from kueuelab.manifests.shapes.readers import Standard, UncertainError, reader
from kueuelab.manifests.shapes.rules import RULES
from kueuelab.manifests.shapes.shape import PATTERNS, Shape, compiled
from kueuelab.messages import Message, verbatim
from kueuelab.model.times import SECOND, parse_duration, parse_time
from kueuelab.quantity import Quantity

__all__ = ["is_certainly_sound", "mistakes"]

_Found: TypeAlias = list[Mistake]
_Check: TypeAlias = Callable[[Any, Shape, Path, _Found], None]

_LIMITS: Final = {"int32": 2**31, "int64": 2**63}
#: The longest duration that Go has, in nanoseconds: 292 years.
_LONGEST: Final = 2**63 - 1
_WHOLE: Final = re.compile(r"-?[0-9]+\Z").match
#: What says what is wrong with a text that must match one of these patterns.
_NAMES: Final[Mapping[str, Callable[[str], list[str]]]] = {
    PATTERNS["subdomain"]: dns_subdomain,
    PATTERNS["label"]: dns_label,
    PATTERNS["label-key"]: label_key,
    PATTERNS["label-value"]: label_value,
}
_compiled = lru_cache(compiled)


def mistakes(value: Any, shape: Shape, path: Path = ()) -> list[Mistake]:
    """Return what is wrong with a value that must have this shape.

    Examples
    --------
    >>> from kueuelab.manifests.shapes.tables import record_of
    >>> submit = {"job": "a", "queue": "team-a", "cout": 2}
    >>> for mistake in mistakes(submit, record_of("kueuelab/v1", "Submit")):
    ...     print(mistake.message, mistake.hint)
    unknown field "cout" Did you mean 'count'?
    """
    found: _Found = []
    _check(value, shape, path, found)
    return found


def is_certainly_sound(value: Any, shape: Shape) -> bool:
    """Tell whether it is certain, at a glance, that there are no `mistakes` in a value.

    Examples
    --------
    >>> from kueuelab.manifests.shapes.tables import status_shape
    >>> is_certainly_sound({"clusterName": "east"}, status_shape("Workload"))
    True
    >>> is_certainly_sound({"clusterName": 2}, status_shape("Workload"))
    False
    """
    try:
        reader(shape, _LAB)(value)
    except (UncertainError, TypeError):  # what has no hash is no key of anything
        return False
    return True


def _accepts(value: Any, shape: Shape) -> bool:
    return not mistakes(value, shape)


def _leave(*_: Any) -> bool:
    """Leave it to the careful check."""
    return False


_LAB: Final = Standard(_accepts, lambda _: (_leave,), _leave, fills_in=False)


def _check(value: Any, shape: Shape, path: Path, found: _Found) -> None:
    before = len(found)
    _CHECKS[shape.kind](value, shape, path, found)
    if shape.rules and len(found) == before:
        for name in shape.rules:
            found.extend(RULES[name](value, path))


def _check_record(value: Any, shape: Shape, path: Path, found: _Found) -> None:
    """Look at each field; ``null`` is the same as leaving the field out."""
    if not isinstance(value, Mapping):
        found.append(
            Mistake(path, Message("manifests.jobs.not-a-mapping", describe=describe(value)))
        )
        return
    for name, part in value.items():
        field = shape.fields.get(name)
        if field is not None:
            if part is not None:
                _check(part, field.shape, (*path, name), found)
        elif not shape.open:
            words = verbatim(f'unknown field "{format_path((*path, name))}"')
            hint = closest(name, tuple(shape.fields))
            found.append(Mistake((*path, name), words, hint, at_name=True))
    for name in shape.required:
        if value.get(name) is None:
            found.append(
                Mistake(
                    (*path, name), "Required value", Message("manifests.shapes.add", field=name)
                )
            )


def _check_map(value: Any, shape: Shape, path: Path, found: _Found) -> None:
    if not isinstance(value, Mapping):
        found.append(
            Mistake(path, Message("manifests.jobs.not-a-mapping", describe=describe(value)))
        )
        return
    assert shape.item is not None
    for name, part in value.items():
        _check(part, shape.item, (*path, name), found)


def _check_list(value: Any, shape: Shape, path: Path, found: _Found) -> None:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        hint = "" if isinstance(value, Mapping) else Message("manifests.check.not-a-list.hint")
        found.append(
            Mistake(path, Message("manifests.check.not-a-list", describe=describe(value)), hint)
        )
        return
    if shape.least is not None and len(value) < shape.least:
        wanted = Message("manifests.check.too-few-items", count=shape.least)
        found.append(Mistake(path, wanted))
    if shape.most is not None and len(value) > shape.most:
        words = f"Too many: {len(value)}: must have at most {shape.most} items"
        found.append(Mistake(path, words))
        return
    assert shape.item is not None
    for index, item in enumerate(value):
        _check(item, shape.item, (*path, index), found)
    if len(shape.keys) == 1:
        name = shape.keys[0]
        default = shape.item.fields[name].default
        items = [item if isinstance(item, Mapping) else {} for item in value]
        keys = [default if item.get(name) is None else item[name] for item in items]
        _check_unique(keys, [(name,) if name in item else () for item in items], path, found)
    elif shape.distinct:
        _check_unique(value, [()] * len(value), path, found)


def _check_unique(keys: Sequence[Any], names: Sequence[Path], path: Path, found: _Found) -> None:
    seen = set()
    for index, (key, name) in enumerate(zip(keys, names, strict=True)):
        if isinstance(key, str | int):
            if key in seen:
                words = f'Duplicate value: "{key!s:.80}"'
                found.append(Mistake((*path, index, *name), words))
            seen.add(key)


def _check_text(value: Any, shape: Shape, path: Path, found: _Found) -> None:
    if shape.choices:
        found.extend(unsupported(value, shape.choices, path))
    elif not isinstance(value, str):
        hint = (
            Message("manifests.documents.field-name-not-text.hint")
            if isinstance(value, bool | int | float)
            else ""
        )
        found.append(
            Mistake(path, Message("manifests.check.not-text", describe=describe(value)), hint)
        )
    elif shape.shortest is not None and len(value) < shape.shortest:
        found.append(Mistake(path, Message("manifests.check.empty")))
    elif shape.longest is not None and len(value) > shape.longest:
        found.append(Mistake(path, f"Too long: may not be more than {shape.longest} characters"))
    elif shape.like and value and (wrong := _wrong_name(value, shape.like)):
        found.append(Mistake(path, f'Invalid value: "{value:.80}": {wrong}'))


@lru_cache(maxsize=4096)
def _wrong_name(value: str, pattern: str) -> str:
    if pattern in _NAMES:
        return next(iter(_NAMES[pattern](value)), "")
    return "" if _compiled(pattern).match(value) else verbatim(f"should match '{pattern}'")


def _check_integer(value: Any, shape: Shape, path: Path, found: _Found) -> None:
    if type(value) is float and value.is_integer():
        value = int(value)
    limit = _LIMITS[shape.go]
    least = -limit if shape.minimum is None else shape.minimum
    if type(value) is not int:
        hint = (
            Message("manifests.check.quoted.hint")
            if isinstance(value, str) and _WHOLE(value)
            else ""
        )
        found.append(
            Mistake(
                path,
                Message("manifests.check.not-an-integer", describe=describe(value)),
                hint,
            )
        )
    elif value < least:
        words = f"Invalid value: {value}: should be greater than or equal to {least}"
        found.append(Mistake(path, words))
    elif value >= limit:
        words = f"Invalid value: {value}: should be less than or equal to {limit - 1}"
        found.append(Mistake(path, words))


def _check_number(value: Any, shape: Shape, path: Path, found: _Found) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        found.append(
            Mistake(path, Message("manifests.check.not-a-number", describe=describe(value)))
        )


def _check_boolean(value: Any, shape: Shape, path: Path, found: _Found) -> None:
    if not isinstance(value, bool):
        quoted = isinstance(value, str) and value.lower() in ("true", "false")
        hint = Message("manifests.check.quoted.hint") if quoted else ""
        found.append(
            Mistake(path, Message("manifests.check.not-a-boolean", describe=describe(value)), hint)
        )


def _check_quantity(value: Any, shape: Shape, path: Path, found: _Found) -> None:
    """Check a quantity; the minimum is in whole units."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        hint = Message("manifests.check.not-a-quantity.hint")
        found.append(
            Mistake(path, Message("manifests.check.not-a-quantity", describe=describe(value)), hint)
        )
        return
    try:
        quantity = Quantity.parse(value)
    except QuantityError as error:
        found.append(Mistake(path, f"'{value!s:.80}': {error.reason}", error.problem.hint))
        return
    if shape.minimum is not None and quantity.nano < shape.minimum * 10**9:
        words = f'Invalid value: "{quantity}": must be greater than or equal to {shape.minimum}'
        found.append(Mistake(path, words))


def _check_port(value: Any, shape: Shape, path: Path, found: _Found) -> None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        found.append(
            Mistake(path, Message("manifests.check.not-text-or-integer", describe=describe(value)))
        )


def _parsed(value: Any, parse: Callable[[str], int], what: str) -> int | Mistake:
    """Return what a text means, or the mistake at no path that it means nothing."""
    if isinstance(value, str):
        try:
            return parse(value)
        except (ValueError, OverflowError):
            message = Message(f"manifests.check.{what}.wrong", value=f"{value:.80}")
    else:
        message = Message(f"manifests.check.{what}.type", found=describe(value))
    return Mistake((), message, Message(f"manifests.check.{what}.hint"))


def _check_time(value: Any, shape: Shape, path: Path, found: _Found) -> None:
    time = _parsed(value, parse_time, "time")
    if isinstance(time, Mistake):
        found.append(Mistake(path, time.message, time.hint))


def _check_duration(value: Any, shape: Shape, path: Path, found: _Found) -> None:
    time = _parsed(value, parse_duration, "duration")
    if isinstance(time, Mistake):
        found.append(Mistake(path, time.message, time.hint))
    elif time > _LONGEST:
        message = Message("manifests.check.duration.too-long", value=f"{value:.80}")
        found.append(Mistake(path, message, Message("manifests.check.duration.hint")))
    elif shape.minimum is not None and time < shape.minimum:
        words = f'Invalid value: "{value}": must be greater than or equal to {shape.minimum}'
        found.append(Mistake(path, words))


def _check_moment(value: Any, shape: Shape, path: Path, found: _Found) -> None:
    """Check a time since the start, or a time span: a duration, or a number of seconds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        _check_duration(value, _NOT_NEGATIVE, path, found)
        return
    most = _LONGEST // SECOND  # a whole number, as a float would round it up
    if value < 0:
        words = f"Invalid value: {value}: must be greater than or equal to 0"
        found.append(Mistake(path, words))
    elif not value <= most:
        words = f"Invalid value: {value!s:.40}: must be less than or equal to {most}"
        found.append(Mistake(path, words))


def _check_either(value: Any, shape: Shape, path: Path, found: _Found) -> None:
    assert shape.item is not None
    if isinstance(value, Mapping):
        _check(value, shape.item, path, found)
    else:
        _check_text(value, shape, path, found)


def _check_any(value: Any, shape: Shape, path: Path, found: _Found) -> None:
    """Find nothing."""


_NOT_NEGATIVE: Final = Shape("duration", "", minimum=0)
_CHECKS: Final[Mapping[str, _Check]] = {
    "record": _check_record,
    "map": _check_map,
    "list": _check_list,
    "text": _check_text,
    "integer": _check_integer,
    "number": _check_number,
    "boolean": _check_boolean,
    "quantity": _check_quantity,
    "port": _check_port,
    "time": _check_time,
    "duration": _check_duration,
    "moment": _check_moment,
    "either": _check_either,
    "any": _check_any,
}
