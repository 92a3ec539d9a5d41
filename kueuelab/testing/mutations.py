"""Damaging valid files: their bytes, their YAML, their structure."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Final

import yaml

__all__ = ["Mutator"]

#: Scalars that parsers have stumbled over.
_SCALARS: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**40, 0.1, 1e308, -0.0),
    *("", " ", "\t", "-", ".", "0", "-1", "1e9", "1e99999", "9" * 500, "1Ki", "1KiB", "NaN", "Inf"),
    *("null", "~", "yes", "0x1F", "1_000", "١", "é", "𝄞", "\u202e", "a" * 300, "A", "a b", "a/b/c"),
    *("<script>alert(1)</script>", "{{7*7}}", "%s%n", "../../etc/passwd", "2026-13-45T99:99:99Z"),
)
_SNIPPETS: Final = (
    *("\t", "\r\n", "\x00", "\ufeff", "---\n", "...\n", "&a ", "*a", "<<: *a\n", "!!binary ", "? "),
    *("!!python/object/apply:os.system [ls]\n", "!foo ", "%YAML 1.2\n", "| \n", ">-\n", "'", '"'),
    *("[" * 50, "{" * 50, "- " * 50, ": ", "#", "{a: 1, a: 2}\n", "\x85", "\u2028", "\x1b[0m"),
)
_ENCODINGS: Final = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "latin-1", "cp1252")
_BOMB: Final = 'a: &a ["x","x","x","x","x","x","x","x","x"]\n' + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
_DEEP: Final = 3000


class Mutator:
    r"""Makes damaged files out of valid ones; the same seed makes the same files.

    Parameters
    ----------
    files : sequence of str
        Valid files, as text.
    seed : int
        Where to start.

    Examples
    --------
    >>> first, again = (next(iter(Mutator(["kind: Pod\n"], 7).some(1))) for _ in range(2))
    >>> first == again
    True
    """

    def __init__(self, files: Sequence[str], seed: int) -> None:
        self._files = files
        self._random = random.Random(seed)
        self._ways: tuple[Callable[[str], bytes], ...] = (
            self._bytes,
            self._text,
            self._structure,
            self._structure,
            self._whole,
        )

    def some(self, number: int) -> list[bytes]:
        """Return so many damaged files."""
        return [self.one() for _ in range(number)]

    def one(self) -> bytes:
        """Return one damaged file."""
        way = self._random.choice(self._ways)
        return way(self._random.choice(self._files))

    def _bytes(self, text: str) -> bytes:
        data = bytearray(text.encode())
        for _ in range(self._random.randint(1, 8)):
            if not data:
                break
            place = self._random.randrange(len(data))
            match self._random.randrange(5):
                case 0:
                    data[place] = self._random.randrange(256)
                case 1:
                    del data[place : place + self._random.randint(1, 20)]
                case 2:
                    data[place:place] = bytes(self._random.choices(range(256), k=4))
                case 3:
                    del data[place:]
                case _:
                    data[place:place] = data[place : place + 40]
        return bytes(data)

    def _text(self, text: str) -> bytes:
        lines = text.split("\n")
        for _ in range(self._random.randint(1, 4)):
            place = self._random.randrange(len(lines))
            line = lines[place]
            column = self._random.randint(0, len(line))
            match self._random.randrange(6):
                case 0:
                    lines[place] = line[:column] + self._random.choice(_SNIPPETS) + line[column:]
                case 1:
                    lines.insert(place, line)
                case 2:
                    lines[place] = " " * self._random.randint(0, 9) + line.lstrip()
                case 3:
                    lines[place] = line.replace("  ", "\t", 1)
                case 4:
                    lines[place] = f"{line.partition(':')[0]}: {self._scalar_text()}"
                case _:
                    lines[place:place] = [self._random.choice(lines)]
        return "\n".join(lines).encode("utf-8", "surrogatepass")

    def _scalar_text(self) -> str:
        return str(self._random.choice(_SCALARS))

    def _structure(self, text: str) -> bytes:
        documents = list(yaml.safe_load_all(text))
        for _ in range(self._random.randint(1, 3)):
            self.damage(documents)
        return yaml.safe_dump_all(documents, allow_unicode=True, sort_keys=False).encode()

    def damage(self, root: list[Any]) -> None:
        """Change one place in nested lists and dicts."""
        places = list(_places(root))
        if not places:
            return
        holder, key = self._random.choice(places)
        value = holder[key]
        match self._random.randrange(8):
            case 0:
                holder[key] = self._random.choice(_SCALARS)
            case 1:
                del holder[key]
            case 2:
                holder[key] = [value]
            case 3:
                holder[key] = {"name": value}
            case 4 if isinstance(holder, dict):
                holder[self._random.choice(("name", "spec", f"{key}s", "", "<<"))] = holder.pop(key)
            case 5 if isinstance(value, list):
                holder[key] = value * self._random.choice((0, 2, 20, 300))
            case 6 if isinstance(value, dict):
                value[str(self._random.choice(_SCALARS))] = self._random.choice(_SCALARS)
            case _:
                other, name = self._random.choice(places)
                if not _contains(other[name], holder):
                    holder[key] = other[name]

    def _whole(self, text: str) -> bytes:
        """Damage a file as a whole: its encoding, line ends, or what stands before it."""
        match self._random.randrange(7):
            case 0:
                return text.encode(self._random.choice(_ENCODINGS), "replace")
            case 1:
                return text.replace("\n", "\r\n").encode()
            case 2:
                return f"{_BOMB}z: *i\n{text}".encode()
            case 3:
                depth = self._random.randint(10, _DEEP)
                return f"{text}\nextra: {'[' * depth}{']' * depth}\n".encode()
            case 4:
                depth = self._random.randint(10, 300)
                lines = (f"{' ' * level}a:" for level in range(depth))
                return f"{text}\n{chr(10).join(lines)}\n".encode()
            case 5:
                number = self._random.choice(("9" * 5000, "1e999999999", "0x" + "f" * 4000))
                return f"{text}\nextra: {number}\n".encode()
            case _:
                return f"{text}\n---\n{self._random.choice(self._files)}".encode()


def _places(value: Any, depth: int = 0) -> Any:
    """Yield all containers with each of their keys."""
    if depth > 60:
        return
    if isinstance(value, dict):
        for key in value:
            yield value, key
            yield from _places(value[key], depth + 1)
    elif isinstance(value, list):
        for key, part in enumerate(value):
            yield value, key
            yield from _places(part, depth + 1)


def _contains(value: Any, wanted: Any) -> bool:
    return value is wanted or any(holder[key] is wanted for holder, key in _places(value))
