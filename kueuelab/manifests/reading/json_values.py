"""JSON text to plain dicts and lists: a value in one go, or the items of a large list in pieces."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from sys import intern
from typing import Any, Final, TextIO

from kueuelab.manifests.reading.builder import MAX_DEPTH

__all__ = ["JsonReader", "large_list"]

_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
#: Characters that are read at once, and the most of an item, or of what is around the items.
_PIECE: Final = 2**20
_LONGEST: Final = 2**24
#: Texts that are kept to find equal ones.
_MOST_TEXTS: Final = 2**18
#: Everything but what says how deep JSON is nested, and where texts begin and end.
_LEFT_OUT: Final = bytes(code for code in range(256) if code not in b'{}[]"\\')
_BLANKS: Final = " \t\n\r"
#: A list up to its items; before them are fields that are short texts, or objects of such.
_HEAD: Final = re.compile(
    r'\{\s*(?:"\w+"\s*:\s*(?:"[^"\\]*"|\{[^{}\[\]\\]*\})\s*,\s*)*"items"\s*:\s*\[\s*'
)
_AFTER_ITEM: Final = re.compile(f"[{_BLANKS}]*([,\\]])[{_BLANKS}]*")


class JsonReader:
    """Reads values of a JSON text, and tells whether they are such as can be worked with.

    Examples
    --------
    >>> reader = JsonReader()
    >>> reader.value_at('[{"a": 1}] and more', 0)
    ([{'a': 1}], 10)
    >>> reader.is_usable([{"a": 1}], '[{"a": 1}]')
    True
    >>> value, end = reader.value_at('{"a": 1, "a": 2}', 0)
    >>> reader.is_usable(value, '{"a": 1, "a": 2}')
    False
    """

    def __init__(self) -> None:
        self._repeated: list[str] = []
        hook = _hook(self._repeated)
        decoder = json.JSONDecoder(object_pairs_hook=hook, parse_constant=_no_number)
        self.value_at = decoder.raw_decode

    def is_usable(self, value: Any, text: str, start: int = 0, end: int | None = None) -> bool:
        """Tell whether no name is there twice, nothing nested too deep, no character a half."""
        end = len(text) if end is None else end
        if self._repeated or _half_a_character(value, text, start, end):
            return False
        return _is_shallow(text, start, end) or not _is_deep(value)


def _hook(repeated: list[str]) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    """Return what makes an object of its pairs; names that are there twice are added to a list."""
    # A dump repeats few texts very often. Items that are read one by one share their names, too.
    texts: dict[str, str] = {}
    once = texts.setdefault

    def of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = {
            intern(name): once(value, value) if value.__class__ is str else value
            for name, value in pairs
        }
        if len(found) < len(pairs):
            repeated.append(pairs[0][0])
        if len(texts) > _MOST_TEXTS:
            texts.clear()
        return found

    return of


def large_list(stream: TextIO) -> dict[str, Any] | None:
    """Return the value of a JSON text that is a list as ``kubectl get -o json`` writes it.

    It is read piece by piece: there is never more of the text in memory than an item, or a piece of
    a megabyte.

    Returns
    -------
    dict or None
        ``None`` if the text is anything else, or if something is wrong with it.

    Examples
    --------
    >>> import io
    >>> large_list(io.StringIO('{"kind": "List", "items": [{"kind": "Job"}], "metadata": {}}'))
    {'kind': 'List', 'items': [{'kind': 'Job'}], 'metadata': {}}
    >>> large_list(io.StringIO("items: []"))
    """
    try:
        return _large_list(stream)
    except (RecursionError, ValueError):
        return None


def _large_list(stream: TextIO) -> dict[str, Any] | None:
    text = stream.read(_PIECE)
    head = _HEAD.match(text)
    if head is None:
        return None
    items: list[dict[str, Any]] = []
    reader, position, mark = JsonReader(), head.end(), ","
    while mark == ",":
        first, start = len(items), position
        while mark == ",":
            try:
                item, end = reader.value_at(text, position)
            except json.JSONDecodeError:
                break
            after = _AFTER_ITEM.match(text, end)
            # What ends with the piece may go on in the next one.
            if type(item) is not dict or after is None or after.end() == len(text):
                break
            items.append(item)
            position, mark = after.end(), after[1]
        # As it stands in the text: two levels deep.
        if not reader.is_usable([items[first:]], f"[[{text[start:position]}]]"):
            return None
        more = stream.read(_PIECE) if mark == "," else ""
        if mark == "," and (not more or len(text) - position > _LONGEST):
            return None
        text, position = (text[position:] + more).lstrip(_BLANKS), 0
    rest = text + stream.read(_LONGEST)
    around = f"{head[0]}]{rest}"
    value, end = reader.value_at(around, 0)
    if around[end:].strip() or value["items"] or not reader.is_usable(value, around):
        return None
    return {**value, "items": items}


# --- what can't be worked with ------------------------------------------------------------


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number that JSON knows")


def _half_a_character(value: Any, text: str, start: int, end: int) -> bool:
    """Tell whether an escape stands for half a character, which nothing could write again."""
    # A search for one character takes no time; most dumps have no escape.
    if text.find("\\", start, end) < 0 or _SURROGATE.search(text, start, end) is None:
        return False
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _is_shallow(text: str, start: int, end: int) -> bool:
    r"""Tell whether JSON is certainly not nested too deep, from its brackets alone.

    Examples
    --------
    >>> [
    ...     _is_shallow(text, 0, len(text))
    ...     for text in ('{"a": [{"b": {}}]}', "[" * 200 + "]" * 200, '{"a": "["}', r'{"a": "\""}')
    ... ]
    [True, False, False, False]
    """
    # Piece by piece: of a large text there is no room for copies.
    pieces = (text[at : min(at + _PIECE, end)] for at in range(start, end, _PIECE))
    left = b"".join(
        each.encode("utf-8", "surrogatepass").translate(None, _LEFT_OUT) for each in pieces
    )
    # Texts without brackets vanish. Of one with brackets, a quote stays.
    left = left.replace(b'""', b"")
    for _ in range(MAX_DEPTH // 2):
        if not left:
            return True
        # The innermost brackets, and then those around them: two levels at most.
        left = left.replace(b"{}", b"").replace(b"[]", b"")
    return False


def _is_deep(value: Any) -> bool:
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
