"""Texts and values of a compact file: each is there once, and columns have its number."""

from __future__ import annotations

import json
import marshal
from collections.abc import Iterable
from typing import Any, Final

from kueuelab.trace.coding import encode_value

__all__ = ["Texts", "Values"]

#: The format of keys: the same bytes for the same value, whether its parts are shared or not.
_PLAIN: Final = 0
_ENCODED: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


class Texts:
    """Texts by number, in the order in which they are first used.

    Examples
    --------
    >>> texts = Texts()
    >>> texts.numbers(["a", "b", "a"]), texts.found
    ([0, 1, 0], ['a', 'b'])
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def found(self) -> list[str]:
        """The texts so far."""
        return list(self._numbers)

    def number(self, text: str) -> int:
        """Return the number of a text."""
        return self._numbers.setdefault(text, len(self._numbers))

    def numbers(self, texts: Iterable[str]) -> list[int]:
        """Return the numbers of several texts."""
        given = list(texts)
        for text in dict.fromkeys(given):
            self.number(text)
        return list(map(self._numbers.__getitem__, given))


class Values:
    """Values of JSON by number, in the order in which they are first used.

    Two values are the same if they are the same in JSON, where 1, 1.0 and true differ, and so do
    objects whose names are in another order.

    Examples
    --------
    >>> values = Values()
    >>> values.numbers([{"a": (1,)}, {"a": [1]}, 1, True, 1.0, None]), values.found
    ([0, 0, 1, 2, 3, 4], [{'a': [1]}, 1, True, 1.0, None])
    """

    def __init__(self) -> None:
        self.found: Final[list[Any]] = []
        # By how Python writes a value, which takes less time than JSON: as it is, and as JSON
        # values.
        self._numbers: dict[bytes, int] = {}
        # Those without parts by their type and themselves: 1 and true are two values.
        self._plain: dict[type, dict[Any, int]] = {str: {}, int: {}, bool: {}, type(None): {}}
        # By identity, of values that are kept here as long as that is known.
        self._objects: dict[int, int] = {}
        self._kept: list[Any] = []

    def number(self, value: Any) -> int:
        """Return the number of a value."""
        plain = self._plain.get(type(value))
        if plain is None:
            return self._number_of_any(value)
        number = plain.get(value)
        if number is None:
            number = plain[value] = len(self.found)
            self.found.append(value)
        return number

    def numbers(self, values: Iterable[Any]) -> list[int]:
        """Return the numbers of several values; each object is looked at once."""
        given = list(values)
        objects = list(map(id, given))
        known = self._objects
        found: list[Any] = list(map(known.get, objects))
        if None in found:
            of_each = zip(objects, given, found, strict=True)
            new = {each: value for each, value, number in of_each if number is None}
            self._kept.extend(new.values())
            known.update(zip(new, map(self.number, new.values()), strict=True))
            found = list(map(known.__getitem__, objects))
        return found

    def _number_of_any(self, value: Any) -> int:
        try:
            key = marshal.dumps(value, _PLAIN)
        except ValueError:  # A mapping that is no dict, or a text of a type of its own.
            return self.number(json.loads(_ENCODED(encode_value(value))))
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._number_of_json(encode_value(value))
        return number

    def _number_of_json(self, encoded: Any) -> int:
        if type(encoded) in self._plain:
            return self.number(encoded)
        number = self._numbers.setdefault(marshal.dumps(encoded, _PLAIN), len(self.found))
        if number == len(self.found):
            self.found.append(encoded)
        return number
