"""Where values are in YAML text, by the parser's marks."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import yaml

from kueuelab.errors import KueueLabError
from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.reading.scalars import resolve
from kueuelab.messages import Message

__all__ = [
    "Found",
    "Place",
    "colon_of",
    "documents",
    "end_of",
    "find",
    "line_end",
    "line_of",
    "nodes_of",
    "value_at",
]

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Place(NamedTuple):
    """Where a value is: in which document of the text (from 0), and where in that."""

    document: int
    path: Path = ()

    def __truediv__(self, path: Path) -> Place:
        return Place(self.document, (*self.path, *path))


@lru_cache(maxsize=8)
def nodes_of(text: str) -> tuple[yaml.Node | None, ...]:
    """Return the nodes of the documents of a text.

    Raises
    ------
    KueueLabError
        If it is not YAML.
    """
    try:
        return tuple(yaml.compose_all(text, Loader=_LOADER))
    except (yaml.YAMLError, RecursionError) as error:
        raise KueueLabError(Message("session.build.no-yaml")) from error


def documents(text: str) -> tuple[Any, ...]:
    r"""Return what the documents of a text say.

    Raises
    ------
    KueueLabError
        If it is not YAML.

    Examples
    --------
    >>> documents("a: 1\n---\n- 'b'\n")
    ({'a': 1}, ['b'])
    """
    return tuple(map(_value_of, nodes_of(text)))


def _value_of(node: yaml.Node | None) -> Any:
    match node:
        case yaml.MappingNode():
            return {str(_value_of(key)): _value_of(value) for key, value in node.value}
        case yaml.SequenceNode():
            return [_value_of(item) for item in node.value]
        case yaml.ScalarNode():
            return node.value if node.style else resolve(node.value)
    return None


def value_at(value: Any, path: Path) -> Any:
    """Return what is at a path in a value, ``None`` if nothing is."""
    for segment in path:
        if isinstance(value, dict):
            value = value.get(segment)
        elif isinstance(value, list) and isinstance(segment, int) and segment < len(value):
            value = value[segment]
        else:
            return None
    return value


def line_of(text: str, place: Place) -> int:
    """Return the line of a value, counted from 1; of what is not there, that of its parent."""
    node, line = nodes_of(text)[place.document], 0
    for segment in (*place.path, None):
        if node is None:
            break
        line = node.start_mark.line + 1
        if segment is not None:
            entry = _entry(node, segment)
            node = None if entry is None else entry[1]
    return line


def _entry(node: yaml.Node, segment: str | int) -> tuple[yaml.Node | None, yaml.Node] | None:
    """Return the key (of a mapping) and the value that a segment of a path names."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == segment:
                return key, value
    elif (
        isinstance(node, yaml.SequenceNode)
        and isinstance(segment, int)
        and -len(node.value) <= segment < len(node.value)
    ):
        return None, node.value[segment]
    return None


class Found(NamedTuple):
    """The nodes on the way to a value, as far as they are there."""

    #: The containers, the outermost first; what was looked for is in the last one.
    containers: list[yaml.CollectionNode]
    key: yaml.Node | None
    value: yaml.Node | None
    #: What is left of the path: empty if the value is there.
    rest: Path


def find(text: str, place: Place) -> Found:
    """Return the nodes on the way to a place."""
    node = nodes_of(text)[place.document]
    containers: list[yaml.CollectionNode] = []
    key: yaml.Node | None = None
    for index, segment in enumerate(place.path):
        entry = None if node is None else _entry(node, segment)
        if entry is None:
            return Found(containers, key, node, place.path[index:])
        assert isinstance(node, yaml.CollectionNode)
        containers.append(node)
        key, node = entry
    return Found(containers, key, node, ())


def end_of(text: str, node: yaml.Node) -> int:
    """Return where the text of a value ends; the mark of a block is where the next one begins."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style:
        last = node.value[-1]
        if isinstance(last, tuple):
            return max(colon_of(text, last[0]), end_of(text, last[1]))
        return end_of(text, last)
    start, end = node.start_mark.index, node.end_mark.index
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        return start + len(text[start:end].rstrip())
    return end


def colon_of(text: str, key: yaml.Node) -> int:
    """Return the place behind the colon of a field's name."""
    return text.index(":", key.end_mark.index) + 1


def line_end(text: str, index: int) -> int:
    """Return where the line of an index ends."""
    end = text.find("\n", index)
    return len(text) if end < 0 else end
