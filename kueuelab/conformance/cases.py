"""Recorded cases: reading them from files, with precise errors where a file is damaged.

A file holds one case a line (JSON Lines), or one JSON array of cases; either may be
compressed with gzip. ``tests/conformance/README.md`` describes the format.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import reading
from kueuelab.messages import Message
from kueuelab.model import nearest_release

__all__ = [
    "OPERATIONS",
    "RECORDED",
    "Case",
    "CaseText",
    "Json",
    "parse_case",
    "read_cases",
    "read_texts",
]

#: A JSON object as Python reads it.
Json = dict[str, Any]

DEFAULT_START: Final = "2026-01-01T00:00:00Z"

_NOWHERE: Final = Location("<string>")

#: The operations of steps, each with the fields it needs and what they hold.
OPERATIONS: Final[Mapping[str, Mapping[str, type]]] = {
    "cycle": {},
    "settle": {"maxCycles": int},
    "create": {"object": dict},
    "finish": {"workload": str},
    "delete": {"workload": str},
    "apply": {"object": dict},
    "remove": {"kind": str, "name": str},
    "complete-evictions": {},
    "advance": {"seconds": float},
    "set-check": {"workload": str, "check": str, "state": str},
    "pods-ready": {"workload": str, "ready": bool},
    "set-all-checks": {"check": str, "state": str},
    "set-active": {"workload": str, "active": bool},
    "set-priority": {"workload": str, "priority": int},
    "scale": {"job": str, "counts": dict},
    "reclaim": {"workload": str, "reclaimablePods": list},
}

#: What ``record`` may name.
RECORDED: Final = (
    "counts",
    "unhealthyNodes",
    "resourceRequests",
    "preemptionGates",
    "variant",
    "priority",
)

_JSON_KINDS: Final = {
    str: "conformance.kind.text",
    int: "conformance.kind.whole-number",
    float: "conformance.kind.number",
    bool: "conformance.kind.true-or-false",
    list: "conformance.kind.list",
    dict: "conformance.kind.object",
}


@dataclass(frozen=True, slots=True)
class Case:
    """A scenario and what Kueue decided at every step of it.

    ``steps`` and ``expect`` are of the same length. Everything below the first level
    is kept as it was written. A ``partial`` case expects only what it names. ``record``
    names what is recorded of every workload besides. ``kueue_version`` is the version that
    decided, empty where the case does not say.
    """

    name: str
    steps: tuple[Json, ...]
    expect: tuple[Json, ...]
    objects: tuple[Json, ...] = ()
    configuration: Json = field(default_factory=dict)
    start_time: str = DEFAULT_START
    source: str = ""
    notes: str = ""
    location: Location = _NOWHERE
    partial: bool = False
    record: tuple[str, ...] = ()
    kueue_version: str = ""

    def __repr__(self) -> str:
        return f"<Case {self.name!r}, {len(self.steps)} steps>"


@dataclass(frozen=True, slots=True)
class CaseText:
    """The text of one case, not parsed yet, and where it stands."""

    text: str
    location: Location


def read_cases(path: str | Path) -> Iterator[Case]:
    """Read the cases of a file one after the other.

    Parameters
    ----------
    path : str or Path
        A file of JSON Lines or with a JSON array, plain or compressed with gzip.

    Yields
    ------
    Case
        In the order of the file.

    Raises
    ------
    InputError
        When the file cannot be read to its end, or holds something that is no case. The
        cases before that place have been handed out by then.
    """
    for text in read_texts(path):
        yield parse_case(text)


def read_texts(path: str | Path) -> Iterator[CaseText]:
    """Read the texts of the cases of a file; see :func:`read_cases`."""
    file = str(path)
    found = False
    with _telling_where(file), reading(path) as lines:
        for number, line in enumerate(lines, start=1):
            body = _decoded(line, file, number).strip()
            if not body:
                continue
            # A list, or one case over many lines, is no JSON Lines: it is read as a whole.
            if not found and (body.startswith("[") or body == "{"):
                rest = [_decoded(more, file, number + n) for n, more in enumerate(lines, start=1)]
                yield from _document(body + "\n" + "".join(rest), Location(file, number))
                return
            found = True
            yield CaseText(body, Location(file, number))
    if not found:
        raise InputError(
            Problem(
                Message("conformance.file.empty"),
                location=Location(file),
                hint=Message("conformance.file.empty.hint"),
            )
        )


@contextmanager
def _telling_where(file: str) -> Iterator[None]:
    """Turn what can go wrong while bytes are read into a problem that names the file."""
    try:
        yield
    except OSError as error:
        message = Message("files.unreadable", error=error.strerror or str(error))
        raise InputError(Problem(message, location=Location(file))) from error


def _decoded(line: bytes, file: str, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        where = Location(file, number, error.start + 1)
        message = Message("conformance.file.not-utf8", byte=error.start + 1)
        raise InputError(Problem(message, location=where)) from error


def _document(text: str, start: Location) -> Iterator[CaseText]:
    """Take a JSON array of cases (or one case that spans many lines) apart."""
    _loaded(text, start)
    if not text.startswith("["):
        yield CaseText(text, start)
        return
    decoder = json.JSONDecoder()
    line, counted = start.line, 0
    position = _skip(text, 1)
    while text[position] != "]":
        line += text.count("\n", counted, position)
        counted = position
        _, end = decoder.raw_decode(text, position)
        yield CaseText(text[position:end], Location(start.file, line))
        position = _skip(text, end)
        if text[position] == ",":
            position = _skip(text, position + 1)


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _loaded(text: str, start: Location) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = Location(start.file, start.line + error.lineno - 1, error.colno)
        message = Message("conformance.file.not-json", error=error.msg, column=error.colno)
        hint = Message("conformance.file.not-json.hint")
        raise InputError(Problem(message, location=where, hint=hint)) from error
    except RecursionError as error:
        raise InputError(Problem(Message("conformance.file.too-deep"), location=start)) from error


def parse_case(source: CaseText) -> Case:
    """Parse one case and check its outline.

    Raises
    ------
    InputError
        With every mistake found in the case.

    Examples
    --------
    >>> text = '{"name": "a", "steps": [{"op": "cycle"}], "expect": [{"op": "cycle"}]}'
    >>> parse_case(CaseText(text, Location("cases.jsonl", 3)))
    <Case 'a', 1 steps>
    >>> parse_case(CaseText('{"name": "a", "steps": [{"op": "finish"}]}', Location("f", 3)))
    Traceback (most recent call last):
    kueuelab.errors.InputError: 2 problems:
      f:3: case a: expect: the list is missing
      f:3: case a: steps[0].workload: it is missing
    """
    record = _loaded(source.text, source.location)
    if not isinstance(record, dict):
        kind = Message(_JSON_KINDS.get(type(record), "conformance.kind.other"))
        message = Message("conformance.file.not-case", kind=kind)
        raise InputError(Problem(message, location=source.location))
    outline = _Outline(record, source.location)
    case = outline.case()
    if outline.problems:
        raise InputError(outline.problems)
    return case


def _is_of(value: Any, kind: type) -> bool:
    """Tell whether a JSON value is of a kind; true and false are no numbers."""
    if kind in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, int | float if kind is float else kind)


def _must_be(kind: type) -> Message:
    return Message("conformance.field.kind", kind=Message(_JSON_KINDS[kind]))


def _there_are(names: Iterable[str]) -> Message:
    return Message("conformance.field.known", known=", ".join(names))


class _Outline:
    """Checks the first levels of a case, collecting problems."""

    def __init__(self, record: Json, location: Location) -> None:
        self.record = record
        self.location = location
        self.problems: list[Problem] = []
        name = record.get("name")
        self.name = name if isinstance(name, str) and name else ""

    def wrong(self, field: str, message: str, hint: str = "") -> None:
        about = Message("conformance.case.no-name")
        if self.name:
            about = Message("conformance.case.about", name=self.name)
        self.problems.append(Problem(message, about, field, self.location, hint))

    def case(self) -> Case:
        if not self.name:
            self.wrong("name", Message("conformance.field.name-missing"))
        steps = self.listing("steps", required=True)
        expect = self.listing("expect", required=True)
        objects = self.listing("objects")
        for index, step in enumerate(steps):
            self.check_step(f"steps[{index}]", step)
        if not self.problems and len(steps) != len(expect):
            message = Message("conformance.expect.count", entries=len(expect), steps=len(steps))
            self.wrong("expect", message, Message("conformance.expect.count.hint"))
        if not self.problems:
            self.check_operations(steps, expect)
        for index, obj in enumerate(objects):
            self.check_object(f"objects[{index}]", obj)
        return Case(
            self.name,
            steps,
            expect,
            objects,
            self.value("configuration", dict, {}),
            self.value("startTime", str, DEFAULT_START),
            self.value("source", str, ""),
            self.value("notes", str, ""),
            self.location,
            self.value("partial", bool, False),
            self.recorded(),
            self.version(),
        )

    def version(self) -> str:
        """Return the release that is nearest to the version that decided."""
        written = self.value("kueueVersion", str, "")
        return nearest_release(written).version if written else ""

    def recorded(self) -> tuple[str, ...]:
        names = self.value("record", list, [])
        for index, name in enumerate(names):
            if name not in RECORDED:
                message = Message("conformance.field.not-recorded", name=repr(name))
                self.wrong(f"record[{index}]", message, _there_are(RECORDED))
        return tuple(name for name in names if name in RECORDED)

    def value(self, field: str, kind: type, default: Any) -> Any:
        value = self.record.get(field)
        if value is None:
            return default
        if not isinstance(value, kind):
            self.wrong(field, _must_be(kind))
            return default
        return value

    def listing(self, field: str, *, required: bool = False) -> tuple[Json, ...]:
        if required and self.record.get(field) is None:
            self.wrong(field, Message("conformance.field.list-missing"))
            return ()
        values = self.value(field, list, [])
        for index, value in enumerate(values):
            if not isinstance(value, dict):
                self.wrong(f"{field}[{index}]", _must_be(dict))
        return tuple(value for value in values if isinstance(value, dict))

    def check_step(self, path: str, step: Json) -> None:
        operation = step.get("op")
        if not isinstance(operation, str) or operation not in OPERATIONS:
            message = Message("conformance.field.missing")
            if operation is not None:
                message = Message("conformance.step.unknown", operation=repr(operation))
            self.wrong(f"{path}.op", message, _there_are(OPERATIONS))
            return
        for field_name, kind in OPERATIONS[operation].items():
            value = step.get(field_name)
            if not _is_of(value, kind):
                missing = Message("conformance.field.missing")
                self.wrong(f"{path}.{field_name}", missing if value is None else _must_be(kind))
            elif field_name == "object":
                self.check_object(f"{path}.{field_name}", step[field_name])

    def check_operations(self, steps: tuple[Json, ...], expect: tuple[Json, ...]) -> None:
        for index, (step, entry) in enumerate(zip(steps, expect, strict=True)):
            if entry.get("op") != step["op"]:
                values = {"entry": entry.get("op"), "step": step["op"]}
                message = Message("conformance.expect.operation", **values)
                self.wrong(f"expect[{index}].op", message)

    def check_object(self, path: str, obj: Json) -> None:
        if not isinstance(obj.get("kind"), str):
            self.wrong(f"{path}.kind", Message("conformance.field.kind-missing"))
        metadata = obj.get("metadata")
        if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
            self.wrong(f"{path}.metadata.name", Message("conformance.field.name-missing"))
