"""Changes of single fields in a YAML or JSON text that leave everything else as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from kueuelab.lint.rule import REMOVE, Rename
from kueuelab.lint.yaml_nodes import Node, node_at, tree_of
from kueuelab.manifests.reading.documents import Document, Source, read_documents
from kueuelab.manifests.reading.paths import Path

__all__ = ["NotEditableError", "documents_in", "edited"]

#: Text that YAML reads as itself without quotes, whatever is around it.
_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_READ_OTHERWISE: Final = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")


class NotEditableError(Exception):
    """A field that cannot be changed without touching something else."""


def edited(text: str, name: str, ordinal: int, path: Path, value: Any) -> str:
    r"""Return a text with one field of one document changed.

    Parameters
    ----------
    text
        The whole file.
    name
        Its name: one that ends in ``.json`` is JSON.
    ordinal
        Which of its documents, counted from 0; empty ones do not count.
    path
        The field.
    value
        Its new value; `REMOVE` takes it away, and `Rename` gives it another name.

    Raises
    ------
    NotEditableError
        If anything else than the field would change.

    Examples
    --------
    >>> text = "spec: # the team\n  cohortName: al # all\n  stopPolicy: None\n"
    >>> print(edited(text, "a.yaml", 0, ("spec", "cohortName"), "all"), end="")
    spec: # the team
      cohortName: all # all
      stopPolicy: None
    >>> print(edited(text, "a.yaml", 0, ("spec", "stopPolicy"), REMOVE), end="")
    spec: # the team
      cohortName: al # all
    """
    before = documents_in(text, name)
    document = before[ordinal]
    changed = _change(text, document, path, value)
    if changed.count("#") < text.count("#"):
        raise NotEditableError  # a comment may be lost
    expected = [each.value for each in before]
    expected[ordinal] = _with(expected[ordinal], path, value)
    if [each.value for each in documents_in(changed, name)] != expected:
        raise NotEditableError
    return changed


def documents_in(text: str, name: str) -> list[Document]:
    """Return the documents of a file.

    Raises
    ------
    NotEditableError
        If it is damaged.
    """
    problems: list[Any] = []
    found = list(read_documents(Source(name, text, is_json=name.endswith(".json")), problems))
    if problems:
        raise NotEditableError
    return found


def _with(value: Any, path: Path, new: Any) -> Any:
    """Return parsed data with one field changed."""
    changed = deepcopy(value)
    inner = changed
    for key in path[:-1]:
        inner = inner.setdefault(key, {}) if isinstance(inner, dict) else inner[key]
    if new is REMOVE:
        del inner[path[-1]]
    elif isinstance(new, Rename):
        inner[new.name] = inner.pop(path[-1])
    else:
        inner[path[-1]] = new
    return changed


def _change(text: str, document: Document, path: Path, value: Any) -> str:
    root = tree_of(text, document.start, document.end, document.number)
    is_json = document.source is not None and _looks_like_json(text, document)
    node = node_at(root, path)
    if value is REMOVE:
        parent = node_at(root, path[:-1])
        if parent is None or node is None or parent.kind != "mapping":
            raise NotEditableError
        return _removed(text, parent, path)
    if isinstance(value, Rename):
        entry = (node_at(root, path[:-1]) or Node("", 0, 0)).entry(path[-1])
        if entry is None:
            raise NotEditableError
        return text[: entry.key_start] + _key(value.name, is_json) + text[entry.key_end :]
    if node is not None:
        if node.kind != "scalar" or node.style in ("|", ">"):
            raise NotEditableError
        written = _written(value, is_json, node.style)
        gap = " " if node.start == node.end and text[node.start - 1 : node.start] == ":" else ""
        return text[: node.start] + gap + written + text[node.end :]
    depth = len(path) - 1
    while depth and node_at(root, path[:depth]) is None:
        depth -= 1
    parent = node_at(root, path[:depth])
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    if parent is None or parent.kind != "mapping":
        raise NotEditableError
    return _added(text, parent, str(path[depth]), _written(value, is_json), is_json)


def _looks_like_json(text: str, document: Document) -> bool:
    return text[document.start :].lstrip()[:1] == "{" and '{"' in text[document.start :][:200]


def _written(value: Any, is_json: bool = False, style: str = "") -> str:
    if isinstance(value, Mapping):
        parts = (f"{_key(str(k), is_json)}: {_written(v, is_json)}" for k, v in value.items())
        return f"{{{', '.join(parts)}}}"
    if isinstance(value, list):
        return f"[{', '.join(_written(each, is_json) for each in value)}]"
    if isinstance(value, str):
        if style == "'" and "'" not in value and "\n" not in value:
            return f"'{value}'"
        if not is_json and not style and _is_plain(value):
            return value
    return json.dumps(value, ensure_ascii=False)


def _is_plain(text: str) -> bool:
    return bool(_PLAIN.fullmatch(text)) and text.lower() not in _READ_OTHERWISE


def _key(name: str, is_json: bool) -> str:
    return json.dumps(name) if is_json or not _is_plain(name) else name


def _added(text: str, parent: Node, key: str, value: str, is_json: bool) -> str:
    written = f"{_key(key, is_json)}: {value}"
    if parent.is_flow:
        last = parent.entries[-1].value.end if parent.entries else parent.start + 1
        gap = ", " if parent.entries else ""
        return text[:last] + gap + written + text[last:]
    if not parent.entries:
        raise NotEditableError
    column = parent.entries[0].key_start - _line_start(text, parent.entries[0].key_start)
    end = _line_end(text, parent.end)
    before = text[:end] if text[:end].endswith("\n") else f"{text[:end]}\n"
    return f"{before}{' ' * column}{written}\n{text[end:]}"


def _removed(text: str, parent: Node, path: Path) -> str:
    index = next(i for i, each in enumerate(parent.entries) if each.key == path[-1])
    entry = parent.entries[index]
    start, end = entry.key_start, max(entry.value.end, entry.key_end)
    if parent.is_flow:
        if index + 1 < len(parent.entries):
            return text[:start] + text[parent.entries[index + 1].key_start :]
        before = parent.entries[index - 1].value.end if index else start
        return text[:before] + text[end:]
    if len(parent.entries) == 1:
        return text[:start] + "{}" + text[end:]
    line = _line_start(text, start)
    if text[line:start].strip():  # the first field of an item of a list
        following = parent.entries[index + 1].key_start
        if text[end:following].strip():
            raise NotEditableError
        return text[:start] + text[following:]
    after = _line_end(text, end)
    comment = text[end:after].strip()
    kept = f"{text[line:start]}{comment}\n" if comment else ""
    return text[:line] + kept + text[after:]


def _line_start(text: str, place: int) -> int:
    return text.rfind("\n", 0, place) + 1


def _line_end(text: str, place: int) -> int:
    """Return where the line after a place begins."""
    if place and text[place - 1] == "\n":
        return place
    found = text.find("\n", place)
    return len(text) if found < 0 else found + 1
