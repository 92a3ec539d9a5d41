"""YAML and JSON text to plain dicts and lists, with the limits that strangers' files need.

No constructor is one that a tag could choose. Plain documents are read line by line, all others
from the parser's events.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import SNAPSHOT
from kueuelab.manifests.reading.builder import MAX_DEPTH, Builder, UnreadableError
from kueuelab.manifests.reading.json_values import JsonReader
from kueuelab.manifests.reading.plain_yaml import read_plain
from kueuelab.messages import Message, verbatim
from kueuelab.progress import counted

__all__ = ["Document", "Source", "read_documents"]

_SEPARATOR: Final = "---\n"
_NEXT_DOCUMENT: Final = re.compile(r"^---(?=\s|$)", re.MULTILINE)
#: The line of a snapshot's comments that names the version of Kueue.
_KUEUE: Final = re.compile(r"(?:#[^\n]*\n){1,5}?# Kueue (v[\w.+-]+)\n")
#: Characters in which these lines are.
_LONGEST_HEAD: Final = 4_096
_BLANK: Final = re.compile(r"\s*")
#: Characters before a mistake that PyYAML's own parser reads in less than a second.
_MOST_READ_AGAIN: Final = 100_000


@dataclass(frozen=True, slots=True)
class Source:
    """A text and its name.

    ``content`` is the text, or what reads so many characters of it, all of them for -1: a large one
    need not stay in memory. ``in_folder`` is whether it was found in a folder, among files of any
    kind; ``command`` is what wrote it, if no file has it.

    Examples
    --------
    >>> Source("a.yaml", lambda size: "kind: Cohort"[: size if size >= 0 else None]).text
    'kind: Cohort'
    """

    name: str
    content: str | Callable[[int], str] = field(repr=False)
    is_json: bool = False
    in_folder: bool = False
    command: str = ""

    @property
    def text(self) -> str:
        """All of the text."""
        return self.content if isinstance(self.content, str) else self.content(-1)

    @property
    def kueue_version(self) -> str:
        """The version of Kueue in the cluster that a snapshot was read from; else ``""``."""
        content = self.content
        head = content[:_LONGEST_HEAD] if isinstance(content, str) else content(_LONGEST_HEAD)
        if not head.startswith(SNAPSHOT.headline):
            return ""
        found = _KUEUE.match(head)
        return "" if found is None else found[1]


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a source: what it says, and where to find it again.

    ``start`` and ``line`` are where the part of the text begins that was parsed in one
    go; ``number`` counts the documents in it. ``source`` is ``None`` for data that came
    as Python objects. ``indent`` is how far the text was indented where it was found. ``end`` is
    where the part ends, if not with the text.
    """

    value: Any
    source: Source | None = None
    start: int = 0
    line: int = 0
    number: int = 0
    indent: int = 0
    end: int | None = None


def read_documents(source: Source, problems: list[Problem]) -> Iterator[Document]:
    """Yield the documents of a source. What is wrong goes to ``problems``; reading goes on.

    Empty documents are left out.
    """
    try:
        SNAPSHOT.check_headline(source.text, source.name)
    except InputError as error:
        problems.extend(error.problems)
        return
    if source.is_json or source.text.lstrip()[:1] in ("{", "["):
        documents = _read_json(source, problems)
        if documents is not None:
            yield from documents
            return
    yield from _read_parts(source, problems)


def _read_json(source: Source, problems: list[Problem]) -> list[Document] | None:
    """Return the documents of a JSON text, or ``None`` if it is none (it may still be YAML)."""
    text = source.text
    documents: list[Document] = []
    reader = JsonReader()
    position = _BLANK.match(text).end()  # type: ignore[union-attr]
    try:
        while position < len(text):
            value, end = reader.value_at(text, position)
            if not reader.is_usable(value, text, position, end):
                return None  # read as YAML, which tells where
            line = text.count("\n", 0, position)
            documents.append(Document(value, source, position, line))
            position = _BLANK.match(text, end).end()  # type: ignore[union-attr]
    except json.JSONDecodeError as error:
        if source.is_json:
            where = Location(source.name, error.lineno, error.colno)
            problems.append(
                Problem(Message("manifests.documents.not-json", msg=error.msg), location=where)
            )
            return documents
        return None
    except (RecursionError, ValueError):
        return None
    return documents


def _read_parts(source: Source, problems: list[Problem]) -> Iterator[Document]:
    """Yield the documents of a YAML text; what follows a mistake is read as a whole."""
    text = source.text
    starts = [0, *(found.start() for found in _NEXT_DOCUMENT.finditer(text) if found.start())]
    line = 0
    parts = [*zip(starts, (*starts[1:], len(text)), strict=True)]
    for start, end in counted("reading", parts):
        first = start + len(_SEPARATOR) if text.startswith(_SEPARATOR, start) else start
        value = read_plain(text, first, end, MAX_DEPTH)
        if value is None:
            values = _values_alone(source, start, end, line)
            if values is None:
                yield from _read_yaml(source, problems, start)
                return
            value = values[0] if values else None
        if value is not None:
            yield Document(value, source, start, line, end=end)
        line += text.count("\n", start, end)


def _values_alone(source: Source, start: int, end: int, line: int) -> list[Any] | None:
    """Return the value of a part of a text, ``None`` if it is not one sound document at most."""
    problems: list[Problem] = []
    try:
        values = list(Builder(source.name, line, problems).documents(source.text[start:end]))
    except (yaml.YAMLError, UnreadableError):
        return None
    return None if problems or len(values) > 1 else values


def _read_yaml(source: Source, problems: list[Problem], start: int) -> Iterator[Document]:
    """Yield documents from ``start`` on, going on with the next one after a mistake."""
    text = source.text
    while start < len(text):
        part = text[start:] if start else text
        first_line = text.count("\n", 0, start)
        builder = Builder(source.name, first_line, problems)
        number = 0
        try:
            for value in builder.documents(part):
                if value is not None:
                    yield Document(value, source, start, first_line, number)
                number += 1
            return
        except (yaml.YAMLError, UnreadableError) as error:
            line, column, message, hint = _explained(_in_words_of_pyyaml(error, part), part)
            where = Location(source.name, first_line + line, column)
            problems.append(Problem(message, location=where, hint=hint))
            # A mistake ends its document; the next one may be sound.
            index = _index_of_line(part, line - 1)
            following = _NEXT_DOCUMENT.search(part, max(index, 1))
            if following is None:
                return
            start += following.start()


def _index_of_line(text: str, line: int) -> int:
    index = 0
    for _ in range(line):
        index = text.find("\n", index) + 1
        if index == 0:
            return len(text)
    return index


def _in_words_of_pyyaml(error: Exception, text: str) -> Exception:
    """Return what PyYAML's own parser says of a mistake that libyaml found.

    libyaml is not everywhere, and has other words for the same mistake. Where much text is before
    the mistake, its words are taken: PyYAML's parser would need too long.
    """
    mark = getattr(error, "problem_mark", None)
    if mark is None or isinstance(error, UnreadableError):
        return error
    if _index_of_line(text, mark.line) > _MOST_READ_AGAIN:
        return error
    try:
        for _ in yaml.parse(text, Loader=yaml.SafeLoader):
            pass
    except yaml.YAMLError as found:
        return found
    return error


def _explained(error: Exception, text: str) -> tuple[int, int, str, str]:
    """Return line and column (from 1), message and hint of what stopped the parser."""
    if isinstance(error, UnreadableError):
        return error.mark.line + 1, error.mark.column + 1, error.message, error.hint
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        words = getattr(error, "problem", None) or getattr(error, "context", None) or str(error)
        line, column = mark.line + 1, mark.column + 1
    else:
        position = getattr(error, "position", 0)
        character = getattr(error, "character", "")
        # PyYAML's own parser counts characters, libyaml bytes.
        characters = getattr(error, "encoding", "") == "unicode"
        encoded = text.encode("utf-8", "surrogatepass")[:position]
        before = text[:position] if characters else encoded.decode("utf-8", "ignore")
        line = before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        shown = repr(character) if character else "control"
        words = Message("manifests.documents.bad-character", character=shown)
    return (
        line,
        column,
        Message("manifests.documents.not-yaml", words=words),
        _hint(words, text, line),
    )


def _hint(words: str, text: str, line: int) -> str:
    lines = text.splitlines()
    written = lines[line - 1] if 0 < line <= len(lines) else ""
    if "\t" in written[: len(written) - len(written.lstrip())] or "'\\t'" in words:
        return Message("manifests.documents.tabs.hint")
    if verbatim("mapping values are not allowed") in words:
        return Message("manifests.documents.quote-colons.hint")
    if verbatim("could not find expected ':'") in words:
        return Message("manifests.documents.colons.hint")
    return Message("manifests.documents.indentation.hint")
