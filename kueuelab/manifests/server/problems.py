"""Errors about fields, in the words that Kubernetes puts around them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from kueuelab.manifests.server.gotext import go_float, go_quote

__all__ = [
    "NOWHERE",
    "OMITTED",
    "FieldError",
    "FieldPath",
    "Key",
    "Named",
    "aggregate",
    "duplicate",
    "forbidden",
    "invalid",
    "not_found",
    "not_supported",
    "print_path",
    "quoted",
    "required",
    "too_long",
    "too_many",
    "type_invalid",
]


#: What Go writes otherwise in JSON, since JSON may end up in HTML.
_ESCAPES: Final = {ord(char): f"\\u{ord(char):04x}" for char in "<>&"}


class Key(str):
    """A key of a mapping, printed in brackets: ``labels[app]``."""

    __slots__ = ()


class Named(str):
    """A text that is of a type of its own in Go, which is printed as JSON has it."""

    __slots__ = ()


#: The way to a field: names, places in lists, and keys of mappings.
FieldPath: TypeAlias = tuple[str | int, ...]

#: No field at all; printed as ``<nil>``.
NOWHERE: Final[FieldPath] = ()


class _Omitted:
    """Stands for a value that a message does not repeat."""


OMITTED: Final = _Omitted()


def print_path(path: FieldPath) -> str:
    """Return a path as Kubernetes prints it.

    Examples
    --------
    >>> print_path(("spec", "resourceGroups", 0, "flavors"))
    'spec.resourceGroups[0].flavors'
    >>> print_path(("metadata", "labels", Key("app.io/name")))
    'metadata.labels[app.io/name]'
    >>> print_path(())
    '<nil>'
    """
    text = ""
    for segment in path:
        if isinstance(segment, int | Key):
            text += f"[{segment}]"
        else:
            text += f".{segment}" if text else segment
    return text or "<nil>"


@dataclass(frozen=True, slots=True)
class FieldError:
    """One error about one field.

    Parameters
    ----------
    path : tuple
        The field.
    reason : str
        Kubernetes' reason, such as ``FieldValueInvalid``.
    message : str
        The message, without the field.
    """

    path: FieldPath
    reason: str
    message: str
    hint: str = ""

    @property
    def field(self) -> str:
        """The field as Kubernetes prints it."""
        return print_path(self.path)

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


def quoted(value: Any) -> str:
    """Return a value as messages repeat it.

    Examples
    --------
    >>> quoted("x y"), quoted(3), quoted({"a": [True]}), quoted(None)
    ('"x y"', '3', '{"a":[true]}', 'null')
    """
    if isinstance(value, Named):
        return json.dumps(value, ensure_ascii=False).translate(_ESCAPES)
    if isinstance(value, str):
        return go_quote(value)
    if isinstance(value, float):
        return go_float(value)
    if isinstance(value, Mapping) or (isinstance(value, Sequence) and not isinstance(value, bytes)):
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text.translate(_ESCAPES)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def invalid(path: FieldPath, value: Any, detail: str) -> FieldError:
    """Return the error that a value is not valid."""
    shown = "" if value is OMITTED else f"{quoted(value)}: "
    return FieldError(path, "FieldValueInvalid", f"Invalid value: {shown}{detail}")


def type_invalid(path: FieldPath, kind: str, detail: str) -> FieldError:
    """Return the error that a value has the wrong type."""
    return FieldError(path, "FieldValueTypeInvalid", f"Invalid value: {quoted(kind)}: {detail}")


def required(path: FieldPath, detail: str = "") -> FieldError:
    """Return the error that a value is missing."""
    message = f"Required value: {detail}" if detail else "Required value"
    return FieldError(path, "FieldValueRequired", message)


def forbidden(path: FieldPath, detail: str) -> FieldError:
    """Return the error that a value may not be there."""
    return FieldError(path, "FieldValueForbidden", f"Forbidden: {detail}")


def duplicate(path: FieldPath, value: Any, detail: str = "") -> FieldError:
    """Return the error that a value is there twice."""
    message = f"Duplicate value: {quoted(value)}" + (f": {detail}" if detail else "")
    return FieldError(path, "FieldValueDuplicate", message)


def not_found(path: FieldPath, value: Any) -> FieldError:
    """Return the error that nothing bears a name."""
    return FieldError(path, "FieldValueNotFound", f"Not found: {quoted(value)}")


def not_supported(path: FieldPath, value: Any, choices: Iterable[str]) -> FieldError:
    """Return the error that a value is none of the choices."""
    supported = ", ".join(quoted(choice) for choice in choices)
    detail = f": supported values: {supported}" if supported else ""
    message = f"Unsupported value: {quoted(value)}{detail}"
    return FieldError(path, "FieldValueNotSupported", message)


def too_long(path: FieldPath, most: int) -> FieldError:
    """Return the error that a text is too long."""
    message = f"Too long: may not be more than {most} bytes"
    return FieldError(path, "FieldValueTooLong", message)


def too_many(path: FieldPath, number: int, most: int) -> FieldError:
    """Return the error that a list or mapping has too many items."""
    message = f"Too many: {number}: must have at most {most} items"
    return FieldError(path, "FieldValueTooMany", message)


def aggregate(errors: Iterable[FieldError]) -> str:
    """Return errors as one message: each once, several of them in brackets.

    Examples
    --------
    >>> aggregate([required(("a",)), required(("b",)), required(("a",))])
    '[a: Required value, b: Required value]'
    """
    texts = list(dict.fromkeys(map(str, errors)))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
