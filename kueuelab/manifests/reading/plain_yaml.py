"""The plain YAML that programs write, read line by line: what is certain, and nothing else.

A dump has millions of lines, and nearly all of them are a name with a value of one line, at an
indentation that says where it belongs. Such a document is read here. All others are left to the
parser of YAML: with comments behind values, texts over several lines, anchors, tags, escapes,
repeated names, or mistakes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import isfinite
from typing import Any, Final

from kueuelab.manifests.reading.scalars import resolve

__all__ = ["read_plain"]

#: Text without quotes that no context makes anything else of: no comment, no nested mapping.
_LETTERS: Final = r"[\w./@=+,;()%^$~*&?!<>|'\"-]*"
_WORD: Final = rf"{_LETTERS}(?::(?=[\w./]){_LETTERS})*"
_PLAIN: Final = rf"(?:[A-Za-z0-9_./]|--?(?=[A-Za-z0-9])){_WORD}(?: (?!\#){_WORD}(?<! ))*"
_QUOTED: Final = r"'(?:[ -&(-~]|'')*'" r'|"[ !#-\[\]-~]*"'
_VALUE: Final = re.compile(rf"{_PLAIN}|{_QUOTED}", re.ASCII)
#: So many characters are taken apart in one go.
_TOGETHER: Final = 65_536
#: Longer names may mean something else.
_LONGEST: Final = 128
#: Indentation, marks of list items, and a name with or without a value, or else an item.
_LINE: Final = re.compile(
    r"^( *)((?:- )*)(?:([A-Za-z0-9_./][\w./-]*):(?: (.+))?|([^ \n].*))$", re.ASCII | re.MULTILINE
)


def read_plain(text: str, start: int, end: int, deepest: int) -> Any:
    r"""Return what a document says, ``None`` if that is not certain.

    Parameters
    ----------
    text : str
        A text with the document.
    start, end : int
        Where the first line of the document begins, and where its last line ends.
    deepest : int
        How deep a document may be nested.

    Examples
    --------
    >>> text = "kind: Job\nspec:\n  containers:\n  - args: ['2', -v]"
    >>> read_plain(text, 0, len(text), 100)
    >>> text = "kind: Job\nspec:\n  containers:\n  - args:\n    - '2'\n    - -v"
    >>> read_plain(text, 0, len(text), 100)
    {'kind': 'Job', 'spec': {'containers': [{'args': ['2', '-v']}]}}
    """
    try:
        return _read(text, start, end, deepest)
    except _UncertainError:
        return None


class _UncertainError(Exception):
    """A line that may mean something else."""


@lru_cache(maxsize=65_536)
def _scalar(text: str) -> Any:
    """Return what the text of a value means."""
    if _VALUE.fullmatch(text) is None:
        raise _UncertainError
    first = text[0]
    if first == "'":
        return text[1:-1].replace("''", "'")
    if first == '"':
        return text[1:-1]
    value = resolve(text)
    if type(value) is float and not isfinite(value):
        raise _UncertainError
    return value


def _value(text: str) -> Any:
    if text == "{}":
        return {}
    return [] if text == "[]" else _scalar(text)


@lru_cache(maxsize=8192)
def _is_name(text: str) -> bool:
    return len(text) <= _LONGEST and resolve(text) == text


def _read(text: str, start: int, end: int, deepest: int) -> Any:
    # The containers that are open, and at which indentation what is in them begins.
    open_: list[Any] = []
    indents: list[int] = []
    root: Any = None
    # The name without a value of its own so far: what follows may be further in.
    waiting: str | None = None
    for spaces, dashes, name, written, item in _lines(text, start, end):
        indent = len(spaces)
        if waiting is not None:
            parent = open_[-1]
            if dashes and indent >= indents[-1]:
                inner: Any = []
            elif not dashes and indent > indents[-1] and name:
                inner = {}
            else:
                inner = None
            if inner is not None:
                parent[waiting] = inner
                open_.append(inner)
                indents.append(indent)
            waiting = None
        elif not open_:
            root = [] if dashes else {}
            open_.append(root)
            indents.append(indent)
        while indents and indents[-1] > indent:
            indents.pop()
            open_.pop()
        if len(open_) + len(dashes) > deepest:
            raise _UncertainError
        if dashes:
            for _ in range(len(dashes) // 2 - 1):
                indent = _nest(open_, indents, indent, [])
            if name:
                indent = _nest(open_, indents, indent, {})
            elif indents[-1:] == [indent] and type(open_[-1]) is list:
                open_[-1].append(_value(item))
                continue
            else:
                raise _UncertainError
        elif indents and indents[-1] == indent and type(open_[-1]) is list:
            # A list may be as far in as the name that it belongs to.
            indents.pop()
            open_.pop()
        if indents[-1:] != [indent] or not name:
            raise _UncertainError
        mapping = open_[-1]
        if type(mapping) is not dict or name in mapping or not _is_name(name):
            raise _UncertainError
        if not written:
            mapping[name] = None
            waiting = name
        else:
            mapping[name] = _value(written)
    return root


def _lines(text: str, start: int, end: int) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield the parts of each line; many are taken apart in one go."""
    while start < end:
        stop = text.find("\n", min(start + _TOGETHER, end), end) + 1 or end
        found = _LINE.findall(text, start, stop)
        if len(found) != text.count("\n", start, stop) + (text[stop - 1] != "\n"):
            raise _UncertainError
        yield from found
        start = stop


def _nest(open_: list[Any], indents: list[int], indent: int, inner: Any) -> int:
    """Open an item of the list at an indentation, and return where the item begins."""
    if not indents or indents[-1] != indent or type(open_[-1]) is not list:
        raise _UncertainError
    open_[-1].append(inner)
    open_.append(inner)
    indents.append(indent + 2)
    return indent + 2
