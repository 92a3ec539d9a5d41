"""Recorded verdicts: manifests, and what the API server said of them.

A file holds one JSON object a line: ``manifest`` (created), ``objects`` (the last is created,
the others exist) or ``existing`` and ``update``; ``verdict``, ``code``, ``reason``,
``message``, ``causes``, ``warnings``; ``defaultedSpec`` and ``defaultedMetadata`` of what was
accepted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kueuelab.conformance.cases import CaseText, Json, read_texts
from kueuelab.errors import InputError, Location, Problem
from kueuelab.messages import Message

__all__ = ["RecordedVerdict", "is_verdict_file", "parse_verdict"]

_NEEDED: Final = ("name", "kind", "verdict", "code", "message")


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """One manifest and the verdict on it.

    Attributes
    ----------
    name : str
        Its name in the file.
    data : dict
        Everything, as it was written.
    location : Location
        Where it is recorded.
    """

    name: str
    data: Json
    location: Location

    @property
    def manifest(self) -> Json:
        """The manifest that was judged."""
        data = self.data
        found: Json = data.get("manifest") or data.get("update") or data["objects"][-1]
        return found

    @property
    def others(self) -> list[Json]:
        """The objects that existed."""
        return list(self.data.get("objects") or ())[:-1]

    @property
    def operation(self) -> str:
        """``create`` or ``update``."""
        return "update" if "existing" in self.data else "create"


def is_verdict_file(path: str | Path) -> bool:
    """Tell whether a file holds recorded verdicts, by its first line."""
    try:
        first = next(_texts(path), None)
        data: Any = None if first is None else json.loads(first.text)
    except (InputError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and "verdict" in data and "kind" in data


def _texts(path: str | Path) -> Iterator[CaseText]:
    return read_texts(path)


def parse_verdict(text: CaseText) -> RecordedVerdict:
    """Return the verdict that a text holds.

    Raises
    ------
    InputError
        If it is none.
    """
    try:
        data: Any = json.loads(text.text)
    except (ValueError, RecursionError) as error:
        raise _damaged(Message("files.not-json", error=str(error)), text) from None
    if not isinstance(data, dict):
        raise _damaged(Message("conformance.verdict.not-object"), text)
    missing = [name for name in _NEEDED if name not in data]
    judged = data.get("manifest") or data.get("update") or data.get("objects")
    if not judged:
        missing.append("manifest")
    if missing:
        raise _damaged(Message("conformance.verdict.missing", name=missing[0]), text)
    return RecordedVerdict(str(data["name"]), data, text.location)


def _damaged(message: str, text: CaseText) -> InputError:
    hint = Message("conformance.verdict.hint")
    return InputError(Problem(message, location=text.location, hint=hint))
