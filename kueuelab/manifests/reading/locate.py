"""Finding the line and column of a field, only when there is something to say about it.

Nothing is remembered while reading. A document with a mistake is read once more, event
by event, and the places of the wanted paths are noted on the way: the cost is that of
parsing, and the memory that of the paths asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from kueuelab.manifests.reading.builder import events_of
from kueuelab.manifests.reading.documents import Document
from kueuelab.manifests.reading.paths import Path, Segment

__all__ = ["Place", "locate"]

#: Line and column, counted from 1.
Place = tuple[int, int]


@dataclass(slots=True)
class _Wanted:
    """Paths that were asked for, as a tree, with the places found so far."""

    children: dict[Segment, _Wanted] = field(default_factory=dict)
    key: Place | None = None
    value: Place | None = None


def locate(document: Document, paths: Iterable[Path]) -> Mapping[Path, tuple[Place, Place]]:
    r"""Return where the name and the value of each field stand in the text.

    A field that isn't there is found where the deepest of its parents is. Paths may
    start anywhere in the document (``("items", 3, "spec")`` in a list).

    Examples
    --------
    >>> from kueuelab.manifests.reading.documents import Document, Source
    >>> text = "spec:\n  flavors:\n  - name: spot\n"
    >>> document = Document(None, Source("queues.yaml", text))
    >>> locate(document, [("spec", "flavors", 0, "name")])[("spec", "flavors", 0, "name")]
    ((3, 5), (3, 11))
    """
    if document.source is None:
        return {}
    paths = list(dict.fromkeys(paths))
    root = _Wanted()
    for path in paths:
        node = root
        for segment in path:
            node = node.children.setdefault(segment, _Wanted())
    # In JSON that isn't YAML, or before a mistake further on, what was found stands.
    with suppress(yaml.YAMLError):
        _walk(document.source.text[document.start : document.end], document.number, root)
    places = {}
    for path in paths:
        if (place := _deepest(root, path)) is not None:
            (key_line, key_column), (line, column) = place
            offset = document.line
            places[path] = ((key_line + offset, key_column), (line + offset, column))
    return places


def _deepest(root: _Wanted, path: Path) -> tuple[Place, Place] | None:
    found: tuple[Place, Place] | None = None
    node = root
    if node.value is not None:
        found = (node.value, node.value)
    for segment in path:
        node = node.children[segment]
        if node.value is None:
            break
        found = (node.key or node.value, node.value)
    return found


_STARTS: Final = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
_ENDS: Final = (yaml.MappingEndEvent, yaml.SequenceEndEvent)


def _walk(text: str, number: int, root: _Wanted) -> None:
    events = events_of(text)
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            if number == 0:
                first = next(events)
                _note(root, None, first)
                _descend(events, first, root)
                return
            number -= 1


def _note(node: _Wanted, key: Any, value: Any) -> None:
    node.value = _place(value)
    node.key = node.value if key is None else _place(key)


def _place(event: Any) -> Place:
    mark = event.start_mark
    return mark.line + 1, mark.column + 1


def _descend(events: Any, start: Any, wanted: _Wanted) -> None:
    """Go through the children of a mapping or list that has just begun."""
    if isinstance(start, yaml.SequenceStartEvent):
        for index, event in enumerate(_until_end(events)):
            _visit(events, wanted.children.get(index), None, event)
    elif isinstance(start, yaml.MappingStartEvent):
        for key in _until_end(events):
            name = getattr(key, "value", None)
            _skip(events, key)
            event = next(events)
            _visit(events, wanted.children.get(name) if name is not None else None, key, event)


def _until_end(events: Any) -> Any:
    for event in events:
        if isinstance(event, _ENDS):
            return
        yield event


def _visit(events: Any, node: _Wanted | None, key: Any, event: Any) -> None:
    if node is None:
        _skip(events, event)
        return
    _note(node, key, event)
    if node.children:
        _descend(events, event, node)
    else:
        _skip(events, event)


def _skip(events: Any, event: Any) -> None:
    """Skip all that belongs to ``event``."""
    depth = 1 if isinstance(event, _STARTS) else 0
    while depth:
        event = next(events)
        if isinstance(event, _STARTS):
            depth += 1
        elif isinstance(event, _ENDS):
            depth -= 1
