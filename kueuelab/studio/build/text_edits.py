"""Changes of YAML text: only the lines that a change is about are written again.

A value is found by the parser's marks, and its text is replaced in place: comments, order,
indentation and quotes of everything else stay to the byte. After each change the text is read
again; where it does not say what was meant, nothing is changed and a sentence says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import lru_cache
from typing import Any, Final, NamedTuple

import yaml

from kueuelab.errors import KueueLabError
from kueuelab.manifests.reading.paths import Path, format_path
from kueuelab.manifests.reading.scalars import resolve
from kueuelab.manifests.writing import write_inline
from kueuelab.messages import Message

__all__ = [
    "Place",
    "documents",
    "line_of",
    "value_at",
    "with_document",
    "with_item",
    "with_names",
    "with_value",
    "without",
    "without_document",
    "written",
]

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
#: A mapping or list of plain values is written on one line up to this length.
_LONGEST_INLINE: Final = 64
_OWN_COMMENT: Final = re.compile(r"[ \t]*#")


class Place(NamedTuple):
    """Where a value is: in which document of the text (from 0), and where in that."""

    document: int
    path: Path = ()

    def __truediv__(self, path: Path) -> Place:
        return Place(self.document, (*self.path, *path))


# --- reading -----------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _nodes(text: str) -> tuple[yaml.Node | None, ...]:
    return tuple(yaml.compose_all(text, Loader=_LOADER))


def documents(text: str) -> tuple[Any, ...]:
    r"""Return what the documents of a text say.

    Raises
    ------
    yaml.YAMLError
        If it is no YAML.

    Examples
    --------
    >>> documents("a: 1\n---\n- 'b'\n")
    ({'a': 1}, ['b'])
    """
    return tuple(map(_value_of, _nodes(text)))


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
    node, line = _nodes(text)[place.document], 0
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


class _Found(NamedTuple):
    """The nodes on the way to a value, as far as they are there."""

    #: The containers, the outermost first; what was looked for is in the last one.
    containers: list[yaml.CollectionNode]
    key: yaml.Node | None
    value: yaml.Node | None
    #: What is left of the path: empty if the value is there.
    rest: Path


def _find(text: str, place: Place) -> _Found:
    node = _nodes(text)[place.document]
    containers: list[yaml.CollectionNode] = []
    key: yaml.Node | None = None
    for index, segment in enumerate(place.path):
        entry = None if node is None else _entry(node, segment)
        if entry is None:
            return _Found(containers, key, node, place.path[index:])
        assert isinstance(node, yaml.CollectionNode)
        containers.append(node)
        key, node = entry
    return _Found(containers, key, node, ())


# --- changing ----------------------------------------------------------------------------


def with_value(text: str, place: Place, value: Any) -> str:
    r"""Return a text in which a field has a value; mappings on the way to it are made.

    Examples
    --------
    >>> print(with_value("spec: # limits\n  cpu: 4 # four\n", Place(0, ("spec", "cpu")), 5), end="")
    spec: # limits
      cpu: 5 # four
    >>> print(with_value("a: {b: 1}\n", Place(0, ("a", "c", "d")), "x"), end="")
    a: {b: 1, c: {d: x}}
    """
    found = _find(text, place)
    meant = _meant(text, place, value)
    if not found.rest:
        new = _replaced(text, found, value)
    elif isinstance(found.value, yaml.MappingNode) and found.value.value:
        name, *inner = found.rest
        new = _with_entry(text, found.value, str(name), _nested(inner, value))
    else:
        new = _replaced(text, found, _nested(found.rest, value))
    return _checked(text, new, meant, place)


def with_item(text: str, place: Place, item: Any, *, inline: bool = False, note: str = "") -> str:
    r"""Return a text in which a list has one more item at its end; the list is made if missing.

    Parameters
    ----------
    text
        The text.
    place
        The list.
    item
        The item.
    inline
        Whether it is written on one line.
    note
        A comment on the line before it.

    Examples
    --------
    >>> print(with_item("a: []\n", Place(0, ("a",)), {"b": 1}), end="")
    a:
    - b: 1
    """
    found = _find(text, place)
    before = value_at(documents(text)[place.document], place.path)
    meant = _meant(text, place, [*(before or ()), item])
    node = found.value
    if not found.rest and isinstance(node, yaml.SequenceNode) and node.value:
        if node.flow_style:
            end = node.value[-1].end_mark.index
            return _checked(
                text, _spliced(text, [(end, end, f", {write_inline(item)}")]), meant, place
            )
        column = node.start_mark.column
        end = _line_end(text, _end(text, node))
        addition = "\n" + _indented(_item_lines(item, inline=inline, note=note), column)
        return _checked(text, _spliced(text, [(end, end, addition)]), meant, place)
    flow = any(each.flow_style for each in found.containers)
    if flow or len(found.rest) > 1 or not (found.key or found.rest):
        return with_value(text, place, [item])
    lines = _item_lines(item, inline=inline, note=note)
    if found.rest:
        mapping = node
        if not isinstance(mapping, yaml.MappingNode) or mapping.flow_style:
            return with_value(text, place, [item])
        column = mapping.start_mark.column
        end = _line_end(text, _end(text, mapping))
        start, head = end, "\n" + " " * column + f"{write_inline(found.rest[0])}:"
    else:
        assert found.key is not None
        assert node is not None
        column = found.key.start_mark.column
        start, end, head = (
            _colon(text, found.key),
            max(_colon(text, found.key), _end(text, node)),
            "",
        )
        # The comment behind an empty list stays behind its name.
        rest = text[end : _line_end(text, end)]
        end += len(rest)
        head = rest.rstrip()
    new = _spliced(text, [(start, end, head + "\n" + _indented(lines, column))])
    return _checked(text, new, meant, place)


def without(text: str, place: Place) -> str:
    r"""Return a text without a field or an item; comments on lines of their own stay.

    Examples
    --------
    >>> print(without("a: 1\n# the second\nb: 2\n", Place(0, ("a",))), end="")
    # the second
    b: 2
    >>> without("- {a: 1, b: 2}\n", Place(0, (0, "b")))
    '- {a: 1}\n'
    """
    found = _find(text, place)
    if found.rest or not place.path:
        return text
    meant = deepcopy(documents(text))
    del value_at(meant[place.document], place.path[:-1])[place.path[-1]]
    holder = found.containers[-1]
    if len(holder.value) == 1:
        outer = _find(text, Place(place.document, place.path[:-1]))
        empty: Any = {} if isinstance(holder, yaml.MappingNode) else []
        new = _replaced(text, outer, empty)
    elif holder.flow_style:
        new = _without_in_flow(text, holder, found)
    elif isinstance(holder, yaml.MappingNode):
        new = _without_entry(text, holder, found)
    else:
        new = _without_item(text, holder, found)
    return _checked(text, new, meant, place)


def with_names(text: str, values: Iterable[Place], keys: Iterable[Place], name: str) -> str:
    """Return a text in which values, and names of fields, are another name.

    They are replaced together: the text is read once.
    """
    meant = deepcopy(documents(text))
    splices = []
    for place in dict.fromkeys(values):
        found = _find(text, place)
        if found.value is not None and not found.rest:
            splices.append(
                (found.value.start_mark.index, _end(text, found.value), write_inline(name))
            )
            value_at(meant[place.document], place.path[:-1])[place.path[-1]] = name
    renamed = []
    for place in dict.fromkeys(keys):
        found = _find(text, place)
        if found.key is not None and not found.rest:
            splices.append(
                (found.key.start_mark.index, found.key.end_mark.index, write_inline(name))
            )
            renamed.append(place)
    for place in sorted(renamed, key=lambda each: -len(each.path)):
        holder = value_at(meant[place.document], place.path[:-1])
        entries = [(name if key == place.path[-1] else key, value) for key, value in holder.items()]
        holder.clear()
        holder.update(entries)
    return _checked(text, _spliced(text, splices), meant, Place(0))


def with_document(text: str, value: Mapping[str, Any]) -> str:
    r"""Return a text with one more document.

    Examples
    --------
    >>> print(with_document("a: 1\n", {"b": 2}), end="")
    a: 1
    ---
    b: 2
    """
    lines = "\n".join(_lines(value)) + "\n"
    if not any(each is not None for each in _nodes(text)):
        return (text if not text or text.endswith("\n") else text + "\n") + lines
    return text.rstrip("\n") + "\n---\n" + lines


def without_document(text: str, number: int) -> str:
    r"""Return a text without one of its documents; comments before it stay.

    Examples
    --------
    >>> without_document("a: 1\n---\n# two\nb: 2\n---\nc: 3\n", 1)
    'a: 1\n---\n# two\n---\nc: 3\n'
    """
    node = _nodes(text)[number]
    if node is None:
        return text
    start = text.rfind("\n", 0, node.start_mark.index) + 1
    if text[start : node.start_mark.index].strip():
        start = node.start_mark.index
    new = _spliced(text, [(start, _line_end(text, _end(text, node)) + 1, "")])
    meant = list(documents(text))
    meant[number] = None
    return (
        new if [*documents(new)] == meant else _checked(text, new, _dropped(meant), Place(number))
    )


def _dropped(meant: list[Any]) -> list[Any]:
    return [each for each in meant if each is not None]


def written(value: Mapping[str, Any]) -> str:
    r"""Return a mapping as text: short collections on one line.

    Examples
    --------
    >>> print(written({"metadata": {"name": "a"}, "spec": {"levels": [{"a": [1]}]}}), end="")
    metadata: {name: a}
    spec:
      levels:
      - a: [1]
    """
    return "\n".join(_lines(value)) + "\n"


# --- inside: changes ---------------------------------------------------------------------


def _replaced(text: str, found: _Found, value: Any) -> str:
    node, key = found.value, found.key
    assert node is not None
    start, end = node.start_mark.index, _end(text, node)
    is_block = isinstance(node, yaml.CollectionNode) and not node.flow_style
    inline = write_inline(value)
    if key is None:
        if is_block and isinstance(value, dict | list) and value:
            inline = _indented(_lines(value), node.start_mark.column).lstrip()
        return _spliced(text, [(start, end, inline)])
    colon = _colon(text, key)
    if isinstance(node, yaml.ScalarNode) and node.start_mark.index == node.end_mark.index:
        return _spliced(text, [(colon, colon, f" {inline}")])
    if is_block and isinstance(value, dict | list) and value:
        lines = _indented(_lines(value), node.start_mark.column).lstrip()
        return _spliced(text, [(start, end, lines)])
    between = text[colon:start]
    if "\n" in between and "#" not in between:
        start, inline = colon, f" {inline}"
    return _spliced(text, [(start, end, inline)])


def _with_entry(text: str, mapping: yaml.MappingNode, name: str, value: Any) -> str:
    if mapping.flow_style:
        end = _end(text, mapping.value[-1][1])
        entry = f", {write_inline(name)}: {write_inline(value)}"
        return _spliced(text, [(end, end, entry)])
    end = _line_end(text, _end(text, mapping))
    lines = _indented(_lines({name: value}), mapping.start_mark.column)
    return _spliced(text, [(end, end, f"\n{lines}")])


def _without_in_flow(text: str, holder: yaml.CollectionNode, found: _Found) -> str:
    spans = [
        (each[0].start_mark.index, each[1].end_mark.index)
        if isinstance(each, tuple)
        else (each.start_mark.index, each.end_mark.index)
        for each in holder.value
    ]
    wanted = found.key or found.value
    assert wanted is not None
    index = next(i for i, (start, _) in enumerate(spans) if start == wanted.start_mark.index)
    if index + 1 < len(spans):
        return _spliced(text, [(spans[index][0], spans[index + 1][0], "")])
    return _spliced(text, [(spans[index - 1][1], spans[index][1], "")])


def _without_entry(text: str, holder: yaml.MappingNode, found: _Found) -> str:
    key, value = found.key, found.value
    assert key is not None
    assert value is not None
    start = key.start_mark.index
    line = text.rfind("\n", 0, start) + 1
    end = _line_end(text, max(_colon(text, key), _end(text, value)))
    if not text[line:start].strip():
        return _spliced(text, [(line, end + 1, "")])
    # It shares its line with the dash of an item: the next field moves there.
    following = holder.value[1][0].start_mark.index
    comments = [each for each in text[end:following].split("\n") if _OWN_COMMENT.match(each)]
    above = "".join(f"{each}\n" for each in comments)
    return _spliced(text, [(line, line, above), (start, following, "")])


def _without_item(text: str, holder: yaml.CollectionNode, found: _Found) -> str:
    assert found.value is not None
    column = holder.start_mark.column
    line = text.rfind("\n", 0, found.value.start_mark.index) + 1
    while text[line : line + column].strip() or text[line + column : line + column + 1] != "-":
        if line == 0:
            return text
        line = text.rfind("\n", 0, line - 1) + 1
    return _spliced(text, [(line, _line_end(text, _end(text, found.value)) + 1, "")])


# --- inside: places in the text ----------------------------------------------------------


def _end(text: str, node: yaml.Node) -> int:
    """Return where the text of a value ends; the mark of a block is where the next one begins."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style:
        last = node.value[-1]
        if isinstance(last, tuple):
            return max(_colon(text, last[0]), _end(text, last[1]))
        return _end(text, last)
    start, end = node.start_mark.index, node.end_mark.index
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        return start + len(text[start:end].rstrip())
    return end


def _colon(text: str, key: yaml.Node) -> int:
    """Return the place behind the colon of a field's name."""
    return text.index(":", key.end_mark.index) + 1


def _line_end(text: str, index: int) -> int:
    end = text.find("\n", index)
    return len(text) if end < 0 else end


def _spliced(text: str, splices: Iterable[tuple[int, int, str]]) -> str:
    for start, end, new in sorted(splices, reverse=True):
        text = text[:start] + new + text[end:]
    return text


# --- inside: writing ---------------------------------------------------------------------


def _lines(value: Any) -> list[str]:
    """Return the lines of a value in block style; short collections are on one line."""
    if not isinstance(value, dict | list) or not value:
        return [write_inline(value)]
    if isinstance(value, list):
        return [line for item in value for line in _item_lines(item)]
    found = []
    for name, inner in value.items():
        if _is_short(inner):
            found.append(f"{write_inline(name)}: {write_inline(inner)}")
        else:
            indent = "" if isinstance(inner, list) else "  "
            found.append(f"{write_inline(name)}:")
            found += [indent + line for line in _lines(inner)]
    return found


def _item_lines(item: Any, *, inline: bool = False, note: str = "") -> list[str]:
    is_flat = (
        inline or not isinstance(item, dict | list) or ("kind" not in item and _is_short(item))
    )
    lines = [write_inline(item)] if is_flat and not _is_single(item, inline) else _lines(item)
    first, *rest = lines
    comment = [f"# {each}" for each in note.splitlines()]
    return [*comment, f"- {first}", *(f"  {line}" for line in rest)]


def _is_single(item: Any, inline: bool) -> bool:
    return not inline and isinstance(item, dict) and len(item) == 1


def _is_short(value: Any) -> bool:
    if not isinstance(value, dict | list) or not value:
        return True
    inner = value.values() if isinstance(value, dict) else value
    is_flat = not any(isinstance(each, dict | list) and each for each in inner)
    return is_flat and len(write_inline(value)) <= _LONGEST_INLINE


def _indented(lines: Iterable[str], column: int) -> str:
    return "\n".join(" " * column + line for line in lines)


# --- inside: what is meant ---------------------------------------------------------------


def _nested(path: Iterable[str | int], value: Any) -> Any:
    for segment in reversed(tuple(path)):
        value = [value] if isinstance(segment, int) else {segment: value}
    return value


def _meant(text: str, place: Place, value: Any) -> tuple[Any, ...]:
    """Return what the documents say once a field has a value."""
    found = list(deepcopy(documents(text)))
    if not place.path:
        found[place.document] = value
        return tuple(found)
    holder = found[place.document]
    for index, segment in enumerate(place.path[:-1]):
        inner = value_at(holder, (segment,))
        if not isinstance(inner, dict | list) or (not inner and isinstance(inner, dict)):
            _put(holder, segment, _nested(place.path[index + 1 :], value))
            return tuple(found)
        holder = inner
    _put(holder, place.path[-1], value)
    return tuple(found)


def _put(holder: Any, segment: str | int, value: Any) -> None:
    if isinstance(holder, list) and isinstance(segment, int) and segment >= len(holder):
        holder.append(value)
    else:
        holder[segment] = value


def _checked(before: str, text: str, meant: tuple[Any, ...] | list[Any], place: Place) -> str:
    """Return the text if it says what is meant.

    Raises
    ------
    KueueLabError
        If it does not: the value shares its text with others, for example.
    """
    try:
        is_right = documents(text) == tuple(meant)
    except yaml.YAMLError:
        is_right = False
    if not is_right:
        line = line_of(before, place)
        message = Message("studio.build.cannot-edit", field=format_path(place.path), line=line)
        raise KueueLabError(message, hint=Message("studio.build.cannot-edit.hint"))
    return text
