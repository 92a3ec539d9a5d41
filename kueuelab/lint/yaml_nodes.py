"""Where the parts of a YAML document are in its text, to the character."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from kueuelab.manifests.reading.builder import events_of
from kueuelab.manifests.reading.paths import Path, Segment

__all__ = ["Entry", "Node", "node_at", "tree_of"]


@dataclass(slots=True)
class Entry:
    """A field of a mapping, or an item of a list; ``key_start`` is where its name begins."""

    key: Segment
    key_start: int
    key_end: int
    value: Node


@dataclass(slots=True)
class Node:
    """A value, with where it begins and ends in the text.

    Attributes
    ----------
    kind
        ``mapping``, ``list``, ``scalar`` or ``alias``.
    is_flow
        Whether it is written in brackets.
    style
        Of a scalar: how it is quoted.
    entries
        What is in it.
    """

    kind: str
    start: int
    end: int
    is_flow: bool = False
    style: str = ""
    entries: list[Entry] = field(default_factory=list)

    def entry(self, key: Segment) -> Entry | None:
        """Return the entry of a name or an index."""
        return next((each for each in self.entries if each.key == key), None)


class _Offsets:
    """From a line and a column to a place in the text."""

    def __init__(self, text: str, start: int) -> None:
        self._starts = [start]
        place = text.find("\n", start)
        while place >= 0:
            self._starts.append(place + 1)
            place = text.find("\n", place + 1)

    def at(self, mark: Any) -> int:
        line, column = int(mark.line), int(mark.column)
        return self._starts[min(line, len(self._starts) - 1)] + column


def tree_of(text: str, start: int, end: int | None, number: int) -> Node | None:
    r"""Return the document of a number in a part of a text.

    Examples
    --------
    >>> text = "spec:\n  cohortName: all\n"
    >>> node = node_at(tree_of(text, 0, None, 0), ("spec", "cohortName"))
    >>> text[node.start : node.end]
    'all'
    """
    offsets = _Offsets(text, start)
    events = events_of(text[start:end])
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            if number == 0:
                return _node(events, next(events), offsets)
            number -= 1
    return None


def node_at(node: Node | None, path: Path) -> Node | None:
    """Return the value at a path, ``None`` if there is none."""
    for key in path:
        entry = None if node is None else node.entry(key)
        node = None if entry is None else entry.value
    return node


def _node(events: Iterator[Any], event: Any, offsets: _Offsets) -> Node:
    start, end = offsets.at(event.start_mark), offsets.at(event.end_mark)
    match event:
        case yaml.ScalarEvent():
            return Node("scalar", start, end, style=event.style or "")
        case yaml.MappingStartEvent():
            node = Node("mapping", start, end, is_flow=bool(event.flow_style))
            for key in events:
                if isinstance(key, yaml.MappingEndEvent):
                    return _ended(node, key, offsets)
                name = _node(events, key, offsets)
                value = _node(events, next(events), offsets)
                text = getattr(key, "value", None)
                node.entries.append(Entry(str(text), name.start, name.end, value))
        case yaml.SequenceStartEvent():
            node = Node("list", start, end, is_flow=bool(event.flow_style))
            for item in events:
                if isinstance(item, yaml.SequenceEndEvent):
                    return _ended(node, item, offsets)
                value = _node(events, item, offsets)
                node.entries.append(Entry(len(node.entries), value.start, value.start, value))
    return Node("alias", start, end)


def _ended(node: Node, event: Any, offsets: _Offsets) -> Node:
    """Close a collection: one without brackets ends where the last thing in it ends."""
    if node.is_flow:
        node.end = offsets.at(event.end_mark)
    elif node.entries:
        node.end = node.entries[-1].value.end
    return node
