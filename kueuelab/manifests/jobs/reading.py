"""Read a job's dict by field path; what is wrong becomes a Problem and has a default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kueuelab.errors import Problem
from kueuelab.messages import Message

__all__ = ["Field", "Report"]

_INT32 = range(-(2**31), 2**31)


@dataclass(slots=True)
class Report:
    """What was found while a job was read: mistakes, and remarks worth telling."""

    object: str
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)

    def problem(self, path: str, message: str, hint: str = "") -> None:
        """Record a mistake in the field at ``path``, once."""
        problem = Problem(message, object=self.object, field=path, hint=hint)
        if problem not in self.problems:
            self.problems.append(problem)

    def note(self, text: str) -> None:
        """Record a remark, once."""
        if text not in self.notes:
            self.notes.append(text)

    def caution(self, text: str) -> None:
        """Record a remark without which decisions can be misread."""
        self.note(text)
        self.cautions.append(text)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a manifest: its value, its path, and where to report mistakes.

    A field that isn't there has the value ``None`` and can be walked through, so that
    reading ``spec.template.spec`` needs no questions on the way.
    """

    value: Any
    path: str
    report: Report

    def __getitem__(self, key: str) -> Field:
        """Return the field ``key`` of this mapping."""
        value = self._mapping().get(key)
        return Field(value, f"{self.path}.{key}" if self.path else key, self.report)

    def at(self, *keys: str) -> Field:
        """Return the field at the end of ``keys``."""
        here = self
        for key in keys:
            here = here[key]
        return here

    def key(self, name: str) -> Field:
        """Return an entry of a map with free keys, such as a label."""
        return Field(self._mapping().get(name), f"{self.path}[{name}]", self.report)

    @property
    def present(self) -> bool:
        """Whether there is a value."""
        return self.value is not None

    def problem(self, message: str, hint: str = "") -> None:
        """Record a mistake in this field."""
        self.report.problem(self.path, message, hint)

    def items(self) -> Iterator[Field]:
        """Yield the elements of this list."""
        if self.value is None:
            return
        if not isinstance(self.value, Sequence) or isinstance(self.value, str):
            self.problem("Invalid value: must be a list")
            return
        for index, value in enumerate(self.value):
            yield Field(value, f"{self.path}[{index}]", self.report)

    def mapping(self) -> Mapping[str, Any]:
        """Return this mapping, empty where there is none."""
        mapping = self._mapping()
        if self.value is not None and mapping is not self.value:
            self.problem("Invalid value: must be a mapping")
        return mapping

    def values(self) -> list[Any]:
        """Return this list as it was written, empty where there is none."""
        return [entry.value for entry in self.items()]

    def texts(self) -> dict[str, str]:
        """Return this map from text to text, such as labels."""
        result = {}
        for name, value in self.mapping().items():
            if isinstance(value, str):
                result[name] = value
            elif value is not None:
                self.key(name).problem(
                    f"Invalid value: {value!r}: must be a string",
                    Message("manifests.reading.wrong-yaml-type.hint", yaml=_yaml(value)),
                )
                result[name] = _yaml(value)
        return result

    def text(self, default: str = "") -> str:
        """Return this text, ``default`` where there is none."""
        if self.value is None:
            return default
        if not isinstance(self.value, str):
            self.problem(f"Invalid value: {self.value!r}: must be a string")
            return _yaml(self.value)
        return self.value

    def integer(self, default: int) -> int:
        """Return this int32, ``default`` where there is none."""
        if self.value is None:
            return default
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.problem(f"Invalid value: {self.value!r}: must be an integer")
            return default
        if self.value not in _INT32:
            self.problem(f"Invalid value: {self.value}: must fit into 32 bits")
            return default
        return self.value

    def count(self, default: int) -> int:
        """Return this int32, which can't be negative."""
        value = self.integer(default)
        if value < 0:
            self.problem(f"Invalid value: {value}: must be greater than or equal to 0")
            return default
        return value

    def flag(self, default: bool = False) -> bool:
        """Return this boolean, ``default`` where there is none."""
        if self.value is None:
            return default
        if not isinstance(self.value, bool):
            self.problem(f"Invalid value: {self.value!r}: must be true or false")
            return default
        return self.value

    def _mapping(self) -> Mapping[str, Any]:
        value = self.value
        # The first question is much the faster one.
        return value if type(value) is dict or isinstance(value, Mapping) else {}


def _yaml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
