"""Errors about a field of a Workload, as Kubernetes' ``field.Error`` words them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from json import dumps
from typing import Literal

__all__ = ["DeviceCountError", "FieldError", "aggregate", "internal", "invalid", "not_found"]

_Kind = Literal["Invalid value", "Not found", "Internal error"]


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with a field; ``value`` is printed as Go prints it in such an error.

    An internal error may go away: Kueue looks again after a back-off. The others stay until
    the workload, or what it refers to, is changed.
    """

    kind: _Kind
    path: str
    value: str
    detail: str

    def __str__(self) -> str:
        if self.kind == "Internal error":
            return f"{self.path}: {self.kind}: {self.detail}"
        end = f": {self.detail}" if self.detail else ""
        return f"{self.path}: {self.kind}: {self.value}{end}"

    def about(self, path: str, subject: str) -> FieldError:
        """Return the same error for a field below ``path``; its detail names the ``subject``."""
        return replace(
            self,
            path=f"{path}.{self.path}" if path else self.path,
            detail=f"{subject}: {self.detail}",
        )


def invalid(path: str, value: str | None, detail: str) -> FieldError:
    """Return that a value is not valid; ``None`` where Kueue names none.

    Examples
    --------
    >>> print(invalid("spec.mode", "All", "not supported"))
    spec.mode: Invalid value: "All": not supported
    """
    return FieldError("Invalid value", path, "null" if value is None else dumps(value), detail)


def not_found(path: str, value: str) -> FieldError:
    """Return that what a field names is not there."""
    return FieldError("Not found", path, dumps(value, ensure_ascii=False), "")


def internal(path: str, detail: str) -> FieldError:
    """Return that something could not be found out now."""
    return FieldError("Internal error", path, "", detail)


def aggregate(errors: Iterable[FieldError]) -> str:
    """Return errors as one text, as ``ErrorList.ToAggregate`` does.

    Examples
    --------
    >>> aggregate([not_found("a", "x"), not_found("a", "x")])
    'a: Not found: "x"'
    """
    texts = list(dict.fromkeys(map(str, errors)))
    return texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"


class DeviceCountError(Exception):
    """Carries the errors for which the devices of a workload can't be counted.

    It never leaves `kueuelab.simulation.devices`: Kueue writes the errors on the workload.
    """

    def __init__(self, *errors: FieldError) -> None:
        super().__init__(aggregate(errors))
        self.errors = errors

    @property
    def may_go_away(self) -> bool:
        """Whether Kueue tries again after a back-off."""
        return any(error.kind == "Internal error" for error in self.errors)
