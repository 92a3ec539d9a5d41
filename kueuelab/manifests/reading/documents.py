"""YAML and JSON text to plain dicts and lists, with the limits that strangers' files need.

Documents are built straight from the parser's events: no tree of nodes, no constructor
that a tag could choose, and memory for the data alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import SNAPSHOT
from kueuelab.manifests.reading.paths import format_path
from kueuelab.manifests.reading.scalars import resolve
from kueuelab.messages import Message, verbatim

__all__ = ["MAX_DEPTH", "Document", "Source", "events_of", "read_documents"]

#: No manifest is nested deeper; anything that is could only break something.
MAX_DEPTH: Final = 100

#: Nodes that aliases may stand for in one document.
_MAX_ALIASED: Final = 100_000

# libyaml where it is there: about ten times as fast.
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_NEXT_DOCUMENT: Final = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_BLANK: Final = re.compile(r"\s*")
# Scalars with any other tag are text: no tag can make anything else of them.
_RESOLVED_TAGS: Final = tuple(f"tag:yaml.org,2002:{t}" for t in ("int", "float", "bool", "null"))


@dataclass(frozen=True, slots=True)
class Source:
    """A text and its name."""

    name: str
    text: str = field(repr=False)
    is_json: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a source: what it says, and where to find it again.

    ``start`` and ``line`` are where the part of the text begins that was parsed in one
    go; ``number`` counts the documents in it. ``source`` is ``None`` for data that came
    as Python objects. ``indent`` is how far the text was indented where it was found.
    """

    value: Any
    source: Source | None = None
    start: int = 0
    line: int = 0
    number: int = 0
    indent: int = 0


def events_of(text: str) -> Iterator[Any]:
    """Yield the parser's events for ``text``."""
    loader = _LOADER(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


class _UnreadableError(Exception):
    """A document that is not worth reading on."""

    def __init__(self, message: str, event: Any, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.mark = event.start_mark
        self.hint = hint


def read_documents(source: Source, problems: list[Problem]) -> Iterator[Document]:
    """Yield the documents of a source. What is wrong goes to ``problems``; reading goes on.

    Empty documents are left out.
    """
    try:
        SNAPSHOT.check_headline(source.text, source.name)
    except InputError as error:
        problems.extend(error.problems)
        return
    if source.is_json or source.text.lstrip()[:1] in ("{", "["):
        documents = _read_json(source, problems)
        if documents is not None:
            yield from documents
            return
    yield from _read_yaml(source, problems, 0)


def _read_json(source: Source, problems: list[Problem]) -> list[Document] | None:
    """Return the documents of a JSON text, or ``None`` if it is none (it may still be YAML)."""
    text = source.text
    documents: list[Document] = []
    repeated: list[str] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            repeated.append("")
        return result

    decoder = json.JSONDecoder(object_pairs_hook=unique, parse_constant=_no_number)
    position = _BLANK.match(text).end()  # type: ignore[union-attr]
    try:
        while position < len(text):
            value, end = decoder.raw_decode(text, position)
            if repeated or _too_deep(value) or _half_a_character(text, value):
                return None  # read as YAML, which tells where
            line = text.count("\n", 0, position)
            documents.append(Document(value, source, position, line))
            position = _BLANK.match(text, end).end()  # type: ignore[union-attr]
    except json.JSONDecodeError as error:
        if source.is_json:
            where = Location(source.name, error.lineno, error.colno)
            problems.append(
                Problem(Message("manifests.documents.not-json", msg=error.msg), location=where)
            )
            return documents
        return None
    except (RecursionError, ValueError):
        return None
    return documents


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number that JSON knows")


def _half_a_character(text: str, value: Any) -> bool:
    """Tell whether an escape stands for half a character, which nothing could write again."""
    if _SURROGATE.search(text) is None:
        return False
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _too_deep(value: Any) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for parent in level:
            for child in parent.values() if type(parent) is dict else parent:
                if type(child) is dict or type(child) is list:
                    inner.append(child)
        if not inner:
            return False
        level = inner
    return True


def _read_yaml(source: Source, problems: list[Problem], start: int) -> Iterator[Document]:
    """Yield documents from ``start`` on, going on with the next one after a mistake."""
    text = source.text
    while start < len(text):
        part = text[start:] if start else text
        first_line = text.count("\n", 0, start)
        builder = _Builder(source, first_line, problems)
        number = 0
        try:
            for value in builder.documents(part):
                if value is not None:
                    yield Document(value, source, start, first_line, number)
                number += 1
            return
        except (yaml.YAMLError, _UnreadableError) as error:
            line, column, message, hint = _explained(error, part)
            where = Location(source.name, first_line + line, column)
            problems.append(Problem(message, location=where, hint=hint))
            # A mistake ends its document; the next one may be sound.
            index = _index_of_line(part, line - 1)
            following = _NEXT_DOCUMENT.search(part, max(index, 1))
            if following is None:
                return
            start += following.start()


def _index_of_line(text: str, line: int) -> int:
    index = 0
    for _ in range(line):
        index = text.find("\n", index) + 1
        if index == 0:
            return len(text)
    return index


def _explained(error: Exception, text: str) -> tuple[int, int, str, str]:
    """Return line and column (from 1), message and hint of what stopped the parser."""
    if isinstance(error, _UnreadableError):
        return error.mark.line + 1, error.mark.column + 1, error.message, error.hint
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        words = getattr(error, "problem", None) or getattr(error, "context", None) or str(error)
        line, column = mark.line + 1, mark.column + 1
    else:
        position = getattr(error, "position", 0)
        character = getattr(error, "character", "")
        before = text.encode("utf-8", "surrogatepass")[:position].decode("utf-8", "ignore")
        line = before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        shown = repr(character) if character else "control"
        words = Message("manifests.documents.bad-character", character=shown)
    return (
        line,
        column,
        Message("manifests.documents.not-yaml", words=words),
        _hint(words, text, line),
    )


def _hint(words: str, text: str, line: int) -> str:
    lines = text.splitlines()
    written = lines[line - 1] if 0 < line <= len(lines) else ""
    if "\t" in written[: len(written) - len(written.lstrip())] or "'\\t'" in words:
        return Message("manifests.documents.tabs.hint")
    if verbatim("mapping values are not allowed") in words:
        return Message("manifests.documents.quote-colons.hint")
    if verbatim("could not find expected ':'") in words:
        return Message("manifests.documents.colons.hint")
    return Message("manifests.documents.indentation.hint")


class _Builder:
    """Builds values from events, one document after the other."""

    def __init__(self, source: Source, first_line: int, problems: list[Problem]) -> None:
        self._source = source
        self._first_line = first_line
        self._problems = problems

    def documents(self, text: str) -> Iterator[Any]:
        """Yield the value of each document."""
        events = events_of(text)
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                yield self._document(events)

    def _document(self, events: Iterator[Any]) -> Any:
        # A frame is [container, key or None, anchor, nodes seen before, merges]; the
        # frame on top is what the next event belongs to.
        stack: list[list[Any]] = []
        anchors: dict[str, tuple[Any, int]] = {}
        open_anchors: set[str] = set()
        nodes = aliased = 0
        result: Any = None
        for event in events:
            kind = type(event)
            nodes += 1
            if kind is yaml.ScalarEvent:
                value = self._scalar(event)
                if event.anchor:
                    anchors[event.anchor] = (value, 1)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                if len(stack) >= MAX_DEPTH:
                    raise _UnreadableError(
                        Message("manifests.documents.too-deep", max_depth=MAX_DEPTH),
                        event,
                        Message("manifests.documents.too-deep.hint"),
                    )
                container: Any = {} if kind is yaml.MappingStartEvent else []
                if event.anchor:
                    open_anchors.add(event.anchor)
                stack.append([container, None, event.anchor, nodes, None, False, event])
                continue
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                value, _, anchor, before, merges, _, event = stack.pop()
                if merges:
                    value = _merged(merges, value)
                if anchor:
                    open_anchors.discard(anchor)
                    anchors[anchor] = (value, nodes - before)
            elif kind is yaml.AliasEvent:
                if event.anchor in open_anchors:
                    raise _UnreadableError(
                        Message("manifests.documents.recursive-anchor", anchor=event.anchor),
                        event,
                    )
                if event.anchor not in anchors:
                    raise _UnreadableError(
                        Message("manifests.documents.no-anchor", anchor=event.anchor), event
                    )
                value, size = anchors[event.anchor]
                nodes += size
                aliased += size
                if aliased > _MAX_ALIASED:
                    raise _UnreadableError(
                        verbatim("document contains excessive aliasing"),
                        event,
                        Message("manifests.documents.recursive-anchor.hint"),
                    )
            else:  # the end of the document
                return result
            if not stack:
                result = value
            else:
                self._put(stack, value, event)
        return result

    def _put(self, stack: list[list[Any]], value: Any, event: Any) -> None:
        """Put a finished value, or key, into the innermost container."""
        frame = stack[-1]
        container = frame[0]
        if type(container) is list:
            container.append(value)
        elif not frame[5]:
            frame[1] = self._key(stack, value, event)
            frame[5] = True
        else:
            frame[5] = False
            key = frame[1]
            if key is _MERGE:
                self._merge(stack, frame, value, event)
            else:
                container[key] = value

    def _key(self, stack: list[list[Any]], value: Any, event: Any) -> Any:
        if value == "<<" and not getattr(event, "style", ""):
            return _MERGE
        if isinstance(value, bool):
            key: Any = "true" if value else "false"
        elif isinstance(value, str | int | float):
            key = str(value)
        else:
            raise _UnreadableError(
                Message("manifests.documents.field-name-not-text"),
                event,
                Message("manifests.documents.field-name-not-text.hint"),
            )
        if key in stack[-1][0]:
            self._report(Message("manifests.documents.duplicate-field", key=key), stack, key, event)
        return key

    def _merge(self, stack: list[list[Any]], frame: list[Any], value: Any, event: Any) -> None:
        parts = value if isinstance(value, list) else [value]
        if all(isinstance(part, dict) for part in parts):
            frame[4] = [*(frame[4] or ()), *parts]
        else:
            self._report(verbatim("map merge requires map or sequence of maps"), stack, "<<", event)

    def _report(self, message: str, stack: list[list[Any]], key: str, event: Any) -> None:
        path = tuple(len(frame[0]) if type(frame[0]) is list else frame[1] for frame in stack[:-1])
        mark = event.start_mark
        where = Location(self._source.name, self._first_line + mark.line + 1, mark.column + 1)
        field_path = format_path((*path, key))
        self._problems.append(
            Problem(
                message,
                field=field_path,
                location=where,
                hint=Message("manifests.documents.duplicate-field.hint"),
            )
        )

    def _scalar(self, event: Any) -> Any:
        text = event.value
        if not event.style and (event.implicit[0] or event.tag in _RESOLVED_TAGS):
            value = resolve(text)
            if type(value) is float and (value != value or value in _INFINITE):
                raise _UnreadableError(
                    Message("manifests.documents.not-a-json-number", text=text), event
                )
            return value
        return text


class _MergeKey:
    """Stands for ``<<`` where it means "what that mapping says, too"."""


_MERGE: Final = _MergeKey()
_INFINITE: Final = (float("inf"), float("-inf"))


def _merged(merges: list[Mapping[str, Any]], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the merged mappings, the first before the later, under what a mapping says itself."""
    result: dict[str, Any] = {}
    for part in reversed(merges):
        result.update(part)
    result.update(own)
    return result
