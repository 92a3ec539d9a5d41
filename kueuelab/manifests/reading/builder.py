"""YAML from the parser's events to plain dicts and lists, without a tree of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import yaml

from kueuelab.errors import Location, Problem
from kueuelab.manifests.reading.paths import format_path
from kueuelab.manifests.reading.scalars import resolve
from kueuelab.messages import Message, verbatim

__all__ = ["MAX_DEPTH", "Builder", "UnreadableError", "events_of"]

#: No manifest is nested deeper; anything that is could only break something.
MAX_DEPTH: Final = 100

#: Nodes that aliases may stand for in one document.
_MAX_ALIASED: Final = 100_000

# libyaml where it is there: about ten times as fast.
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Scalars with any other tag are text: no tag can make anything else of them.
_RESOLVED_TAGS: Final = tuple(f"tag:yaml.org,2002:{t}" for t in ("int", "float", "bool", "null"))


def events_of(text: str) -> Iterator[Any]:
    """Yield the parser's events for ``text``."""
    loader = _LOADER(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


class UnreadableError(Exception):
    """A document that is not worth reading on."""

    def __init__(self, message: str, event: Any, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.mark = event.start_mark
        self.hint = hint


class Builder:
    """Builds values from events, one document after the other."""

    def __init__(self, name: str, first_line: int, problems: list[Problem]) -> None:
        self._name = name
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
                    raise UnreadableError(
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
                    raise UnreadableError(
                        Message("manifests.documents.recursive-anchor", anchor=event.anchor),
                        event,
                    )
                if event.anchor not in anchors:
                    raise UnreadableError(
                        Message("manifests.documents.no-anchor", anchor=event.anchor), event
                    )
                value, size = anchors[event.anchor]
                nodes += size
                aliased += size
                if aliased > _MAX_ALIASED:
                    raise UnreadableError(
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
            raise UnreadableError(
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
        where = Location(self._name, self._first_line + mark.line + 1, mark.column + 1)
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
                raise UnreadableError(
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
