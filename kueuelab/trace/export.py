"""A trace as a file and back: JSON, the same bytes for the same run.

A file has the compact format, of version 3 (:mod:`kueuelab.trace.compact_writing`). The text for
other programs has every step by itself: ``docs/trace.schema.json`` describes that, version 2. Both
are read, and so are files of version 1.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TextIO

from kueuelab.collector import without_collection
from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import RUN_FORMAT, Format, Upgrade, read_bytes, replacing
from kueuelab.messages import Message
from kueuelab.trace.coding import decode_step, encode_step
from kueuelab.trace.compact_reading import steps_of
from kueuelab.trace.compact_writing import VERSION as COMPACT
from kueuelab.trace.compact_writing import compact_chunks
from kueuelab.trace.steps import Step
from kueuelab.trace.trace import Trace

__all__ = [
    "FORMAT",
    "VERSION",
    "is_run",
    "load_trace",
    "trace_chunks",
    "trace_from_bytes",
    "trace_from_json",
    "trace_to_json",
    "write_trace",
]

FORMAT: Final = RUN_FORMAT
#: The version of the text that has every step by itself.
VERSION: Final = 2
#: How much a file is compressed: more takes longer than it saves.
_COMPRESSION: Final = 1

#: An escape that may stand for half a character, which nothing could write again.
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_BEGINNING: Final = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"format"\s*:\s*"kueuelab-trace"')


def trace_chunks(trace: Trace) -> Iterator[str]:
    """Yield the text of a trace; its keys are in order, one step is on one line."""
    yield f'{{"format":{_text(FORMAT)},"kueueVersion":{_text(trace.kueue_version)},'
    yield f'"name":{_text(trace.name)},"steps":['
    separator = "\n"
    for step in trace.steps:
        yield separator
        yield _text(encode_step(step))
        separator = ",\n"
    until = f'"until":{trace.end},' if trace.ends_later else ""
    yield f'\n],"title":{_text(trace.title)},{until}"version":{VERSION}}}\n'


def _text(value: Any) -> str:
    return json.dumps(
        value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )


def trace_to_json(trace: Trace) -> str:
    """Return a trace as JSON text.

    Examples
    --------
    >>> print(trace_to_json(Trace((), name="empty")), end="")
    {"format":"kueuelab-trace","kueueVersion":"v0.19.2","name":"empty","steps":[
    ],"title":"","version":2}
    """
    return "".join(trace_chunks(trace))


def write_trace(trace: Trace, to: str | Path | TextIO) -> None:
    """Write a trace to a file or text stream, compact; compressed if it ends in ``.gz``."""
    if not isinstance(to, str | Path):
        to.writelines(compact_chunks(trace))
        return
    path = Path(to)
    with without_collection(), replacing(path) as raw:
        if path.suffix != ".gz":
            _pour(trace, raw)
            return
        # Neither name nor time goes into the file: the same run gives the same bytes.
        with gzip.GzipFile("", "wb", _COMPRESSION, raw, mtime=0) as packed:
            _pour(trace, packed)


def _pour(trace: Trace, stream: Any) -> None:
    for chunk in compact_chunks(trace):
        stream.write(chunk.encode("utf-8"))


def is_run(content: bytes) -> bool:
    """Tell from its first words whether a file is the record of a run.

    Examples
    --------
    >>> is_run(b'{"format": "kueuelab-trace"'), is_run(b"kind: Scenario")
    (True, False)
    """
    return _BEGINNING.match(content) is not None


def load_trace(source: str | Path | TextIO) -> Trace:
    """Read a trace from a file (compressed or not) or a text stream.

    Raises
    ------
    InputError
        If it isn't a trace, or one of a version that this release doesn't know.
    """
    if not isinstance(source, str | Path):
        return trace_from_json(source.read())
    return trace_from_bytes(read_bytes(source), str(source))


def trace_from_bytes(content: bytes, file: str = "<string>") -> Trace:
    """Return the trace in a file's bytes; see :func:`trace_from_json`."""
    try:
        with without_collection(circles=False):
            return trace_from_json(content.decode("utf-8-sig"), file)
    except UnicodeDecodeError as error:
        raise _unusable(Message("trace.file.damaged", error=error), file) from error


def trace_from_json(text: str, file: str = "<string>") -> Trace:
    """Return the trace in a JSON text.

    Raises
    ------
    InputError
        If it isn't a trace, or one of a version that this release doesn't know.

    Examples
    --------
    >>> trace_from_json(trace_to_json(Trace((), name="empty"))).name
    'empty'
    """
    try:
        value = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise _unusable(Message("files.not-json", error=error), file) from error
    if not isinstance(value, Mapping) or value.get("format") != FORMAT:
        raise _unusable(Message("trace.file.no-format", format=FORMAT), file)
    steps: Sequence[Step]
    frames = None
    if value.get("version") == COMPACT and isinstance(value["version"], int):
        _refuse_half_characters(text, value, file)
        try:
            steps, frames = steps_of(value)
        except InputError as error:
            raise _unusable(str(error), file) from error
    else:
        value, steps = _steps_by_themselves(text, value, file)
    name, title, version = (str(value.get(key, "")) for key in ("name", "title", "kueueVersion"))
    end = value.get("until")
    if end is not None and type(end) is not int:
        raise _unusable(Message("trace.file.bad-end", given=f"{end!r:.80}"), file)
    return Trace(steps, name, title, version, frames, end=end)


def _steps_by_themselves(
    text: str, value: Mapping[str, Any], file: str
) -> tuple[Mapping[str, Any], tuple[Step, ...]]:
    """Return a document of version 1 or 2 in version 2, and its steps."""
    version = value.get("version")
    is_newer = isinstance(version, int) and version > COMPACT
    if not is_newer and not isinstance(value.get("steps"), list):
        raise _unusable(Message("trace.file.no-steps"), file)
    upgrades: dict[int, Upgrade] = {1: partial(_from_version_1, file=file), 2: dict}
    value = Format(FORMAT, COMPACT, upgrades).brought_up_to_date(value, file)
    _refuse_half_characters(text, value, file)
    steps = tuple(_decoded(step, file) for step in value["steps"])
    for index, step in enumerate(steps):
        if step.index != index:
            message = Message("trace.file.wrong-index", step=index, given=step.index)
            raise _unusable(message, file)
    return value, steps


def _from_version_1(value: Mapping[str, Any], file: str) -> dict[str, Any]:
    from kueuelab.trace.version1 import upgrade

    try:
        return upgrade(value)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        message = Message("trace.file.bad-step", step="?", error=f"{error!r:.200}")
        raise _unusable(message, file) from error


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number that JSON knows")


def _refuse_half_characters(text: str, value: Any, file: str) -> None:
    if "\\u" not in text or _SURROGATE.search(text) is None:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise _unusable(Message("trace.file.half-character"), file) from error


def _decoded(step: Any, file: str) -> Step:
    try:
        return decode_step(step)
    except InputError as error:
        raise _unusable(str(error), file) from error


def _unusable(message: str, file: str) -> InputError:
    return InputError(Problem(message, location=Location(file)))
