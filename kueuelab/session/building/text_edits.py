"""Changes of YAML text: only the lines that a change is about are written again.

A value is found by the parser's marks, and its text is replaced in place: comments, order,
indentation and quotes of everything else stay to the byte. After each change the text is read
again; where it does not say what was meant, nothing is changed and a sentence says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

import yaml

from kueuelab.errors import KueueLabError
from kueuelab.manifests.reading.paths import format_path
from kueuelab.manifests.writing import write_inline
from kueuelab.messages import Message
from kueuelab.session.building.yaml_lines import indented, lines_of, lines_of_items
from kueuelab.session.building.yaml_nodes import (
    Found,
    Place,
    colon_of,
    documents,
    end_of,
    find,
    line_end,
    line_of,
    nodes_of,
    value_at,
)

__all__ = [
    "with_document",
    "with_items",
    "with_names",
    "with_value",
    "without",
    "without_document",
]

_OWN_COMMENT: Final = re.compile(r"[ \t]*#")


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
    found = find(text, place)
    meant = _meant(text, place, value)
    if not found.rest:
        new = _replaced(text, found, value)
    elif isinstance(found.value, yaml.MappingNode) and found.value.value:
        name, *inner = found.rest
        new = _with_entry(text, found.value, str(name), _nested(inner, value))
    else:
        new = _replaced(text, found, _nested(found.rest, value))
    return _checked(text, new, meant, place)


def with_items(
    text: str, place: Place, items: Sequence[Any], *, inline: bool = False, note: str = ""
) -> str:
    r"""Return a text in which a list has more items at its end; the list is made if missing.

    Parameters
    ----------
    text
        The text.
    place
        The list.
    items
        The items.
    inline
        Whether each is written on one line.
    note
        A comment on the line before the first one.

    Examples
    --------
    >>> print(with_items("a: []\n", Place(0, ("a",)), [{"b": 1}]), end="")
    a:
    - b: 1
    """
    found = find(text, place)
    before = value_at(documents(text)[place.document], place.path)
    meant = _meant(text, place, [*(before or ()), *items])
    node = found.value
    if not found.rest and isinstance(node, yaml.SequenceNode) and node.value:
        if node.flow_style:
            end = node.value[-1].end_mark.index
            return _checked(
                text,
                _spliced(text, [(end, end, "".join(f", {write_inline(each)}" for each in items))]),
                meant,
                place,
            )
        column = node.start_mark.column
        end = line_end(text, end_of(text, node))
        addition = "\n" + indented(lines_of_items(items, inline=inline, note=note), column)
        return _checked(text, _spliced(text, [(end, end, addition)]), meant, place)
    flow = any(each.flow_style for each in found.containers)
    if flow or len(found.rest) > 1 or not (found.key or found.rest):
        return with_value(text, place, [*items])
    lines = lines_of_items(items, inline=inline, note=note)
    if found.rest:
        mapping = node
        if not isinstance(mapping, yaml.MappingNode) or mapping.flow_style:
            return with_value(text, place, [*items])
        column = mapping.start_mark.column
        end = line_end(text, end_of(text, mapping))
        start, head = end, "\n" + " " * column + f"{write_inline(found.rest[0])}:"
    else:
        assert found.key is not None
        assert node is not None
        column = found.key.start_mark.column
        start, end, head = (
            colon_of(text, found.key),
            max(colon_of(text, found.key), end_of(text, node)),
            "",
        )
        # The comment behind an empty list stays behind its name.
        rest = text[end : line_end(text, end)]
        end += len(rest)
        head = rest.rstrip()
    new = _spliced(text, [(start, end, head + "\n" + indented(lines, column))])
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
    found = find(text, place)
    if found.rest or not place.path:
        return text
    meant = deepcopy(documents(text))
    del value_at(meant[place.document], place.path[:-1])[place.path[-1]]
    holder = found.containers[-1]
    if len(holder.value) == 1:
        outer = find(text, Place(place.document, place.path[:-1]))
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
        found = find(text, place)
        if found.value is not None and not found.rest:
            splices.append(
                (found.value.start_mark.index, end_of(text, found.value), write_inline(name))
            )
            value_at(meant[place.document], place.path[:-1])[place.path[-1]] = name
    renamed = []
    for place in dict.fromkeys(keys):
        found = find(text, place)
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
    lines = "\n".join(lines_of(value)) + "\n"
    if not any(each is not None for each in nodes_of(text)):
        return (text if not text or text.endswith("\n") else text + "\n") + lines
    return text.rstrip("\n") + "\n---\n" + lines


def without_document(text: str, number: int) -> str:
    r"""Return a text without one of its documents; comments before it stay.

    Examples
    --------
    >>> without_document("a: 1\n---\n# two\nb: 2\n---\nc: 3\n", 1)
    'a: 1\n---\n# two\n---\nc: 3\n'
    """
    node = nodes_of(text)[number]
    if node is None:
        return text
    start = text.rfind("\n", 0, node.start_mark.index) + 1
    if text[start : node.start_mark.index].strip():
        start = node.start_mark.index
    new = _spliced(text, [(start, line_end(text, end_of(text, node)) + 1, "")])
    meant = list(documents(text))
    meant[number] = None
    return (
        new if [*documents(new)] == meant else _checked(text, new, _dropped(meant), Place(number))
    )


def _dropped(meant: list[Any]) -> list[Any]:
    return [each for each in meant if each is not None]


# --- inside: changes ---------------------------------------------------------------------


def _replaced(text: str, found: Found, value: Any) -> str:
    node, key = found.value, found.key
    assert node is not None
    start, end = node.start_mark.index, end_of(text, node)
    is_block = isinstance(node, yaml.CollectionNode) and not node.flow_style
    inline = write_inline(value)
    if key is None:
        if is_block and isinstance(value, dict | list) and value:
            inline = indented(lines_of(value), node.start_mark.column).lstrip()
        return _spliced(text, [(start, end, inline)])
    colon = colon_of(text, key)
    if isinstance(node, yaml.ScalarNode) and node.start_mark.index == node.end_mark.index:
        return _spliced(text, [(colon, colon, f" {inline}")])
    if is_block and isinstance(value, dict | list) and value:
        lines = indented(lines_of(value), node.start_mark.column).lstrip()
        return _spliced(text, [(start, end, lines)])
    between = text[colon:start]
    if "\n" in between and "#" not in between:
        start, inline = colon, f" {inline}"
    elif is_block and node.start_mark.column <= key.start_mark.column:
        # Of a list alone the items may stand below the name without an indent.
        inline = f"  {inline}"
    return _spliced(text, [(start, end, inline)])


def _with_entry(text: str, mapping: yaml.MappingNode, name: str, value: Any) -> str:
    if mapping.flow_style:
        end = end_of(text, mapping.value[-1][1])
        entry = f", {write_inline(name)}: {write_inline(value)}"
        return _spliced(text, [(end, end, entry)])
    end = line_end(text, end_of(text, mapping))
    lines = indented(lines_of({name: value}), mapping.start_mark.column)
    return _spliced(text, [(end, end, f"\n{lines}")])


def _without_in_flow(text: str, holder: yaml.CollectionNode, found: Found) -> str:
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


def _without_entry(text: str, holder: yaml.MappingNode, found: Found) -> str:
    key, value = found.key, found.value
    assert key is not None
    assert value is not None
    start = key.start_mark.index
    line = text.rfind("\n", 0, start) + 1
    end = line_end(text, max(colon_of(text, key), end_of(text, value)))
    if not text[line:start].strip():
        return _spliced(text, [(line, end + 1, "")])
    # It shares its line with the dash of an item: the next field moves there.
    following = holder.value[1][0].start_mark.index
    comments = [each for each in text[end:following].split("\n") if _OWN_COMMENT.match(each)]
    above = "".join(f"{each}\n" for each in comments)
    return _spliced(text, [(line, line, above), (start, following, "")])


def _without_item(text: str, holder: yaml.CollectionNode, found: Found) -> str:
    assert found.value is not None
    column = holder.start_mark.column
    line = text.rfind("\n", 0, found.value.start_mark.index) + 1
    while text[line : line + column].strip() or text[line + column : line + column + 1] != "-":
        if line == 0:
            return text
        line = text.rfind("\n", 0, line - 1) + 1
    return _spliced(text, [(line, line_end(text, end_of(text, found.value)) + 1, "")])


def _spliced(text: str, splices: Iterable[tuple[int, int, str]]) -> str:
    for start, end, new in sorted(splices, reverse=True):
        text = text[:start] + new + text[end:]
    return text


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
    except KueueLabError:
        is_right = False
    if not is_right:
        line = line_of(before, place)
        message = Message("session.build.cannot-edit", field=format_path(place.path), line=line)
        raise KueueLabError(message, hint=Message("session.build.cannot-edit.hint"))
    return text
