"""What a file is, and in which version.

An older file is brought up to date, and a newer one is named as such. Nothing that is read is
ever executed: everything is JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files.reading import read_bytes
from kueuelab.files.writing import write_text
from kueuelab.messages import Message

__all__ = ["RUN_FORMAT", "SNAPSHOT", "Format", "Upgrade", "read_json", "write_json"]

#: Brings a document from one version to the next.
Upgrade: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file.

    Parameters
    ----------
    name : str
        What the file says it is, such as ``kueuelab-progress``.
    version : int
        The version that is written.
    upgrades : mapping of int to callable, optional
        For each older version that can be read, what makes the next one of it.
    unnamed : int, optional
        The last version whose files did not say what they are.

    Examples
    --------
    >>> notes = Format("notes", 2, {1: lambda old: {"texts": [old["text"]]}})
    >>> notes.brought_up_to_date({"format": "notes", "version": 1, "text": "a"})["texts"]
    ['a']
    >>> notes.brought_up_to_date({"format": "notes", "version": 3})
    Traceback (most recent call last):
    kueuelab.errors.InputError: ...version 3, and this release reads up to 2...
    """

    name: str
    version: int
    upgrades: Mapping[int, Upgrade] = field(default_factory=dict)
    unnamed: int = 0

    def brought_up_to_date(self, document: Any, file: str = "<string>") -> dict[str, Any]:
        """Return a document in the version that is written.

        Raises
        ------
        InputError
            If it is of another kind, damaged, or of a version that is not known.
        """
        if not isinstance(document, Mapping) or not self._is_named(document):
            message = Message("files.no-format", format=self.name)
            raise _unusable(message, file, Message("files.another"))
        current = dict(document)
        version = current.get("version")
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            message = Message("files.no-version", version=f"{version!r:.40}")
            raise _unusable(message, file, Message("files.damaged"))
        if version > self.version:
            raise self._too_new(version, file)
        while version < self.version:
            upgrade = self.upgrades.get(version)
            if upgrade is None:
                message = Message("files.too-old", version=version)
                raise _unusable(message, file, Message("files.too-old.hint"))
            version += 1
            current = {**upgrade(current), "format": self.name, "version": version}
        return current

    def _is_named(self, document: Mapping[str, Any]) -> bool:
        if "format" in document:
            return bool(document["format"] == self.name)
        version = document.get("version")
        return isinstance(version, int) and 1 <= version <= self.unnamed

    @property
    def headline(self) -> str:
        """The comment that says what a file of YAML is, and in which version."""
        return f"# {self.name} version {self.version}"

    def check_headline(self, text: str, file: str = "<string>") -> None:
        r"""Look at the comments that a text begins with, and at nothing after them.

        Raises
        ------
        InputError
            If they say that it is of a newer version.

        Examples
        --------
        >>> Format("notes", 1).check_headline("# notes version 1\na: b\n")
        >>> Format("notes", 1).check_headline("# notes version 2\na: b\n")
        Traceback (most recent call last):
        kueuelab.errors.InputError: ...version 2, and this release reads up to 1...
        """
        start = f"# {self.name} version "
        while text.startswith("#"):
            line, _, text = text.partition("\n")
            number = line.removeprefix(start).strip()
            if line.startswith(start) and number.isascii() and number.isdigit():
                if int(number[:9]) > self.version:
                    raise self._too_new(int(number[:9]), file)
                return

    def _too_new(self, version: int, file: str) -> InputError:
        message = Message("files.too-new", version=version, known=self.version)
        return _unusable(message, file, Message("files.too-new.hint"))


#: What the record of a run says that it is.
RUN_FORMAT: Final = "kueuelab-trace"

#: What is read from a cluster: YAML that `kubectl` takes, too, so a comment says the version.
SNAPSHOT: Final = Format("kueuelab-snapshot", 1)


def _unusable(message: str, file: str, hint: str) -> InputError:
    return InputError(Problem(message, location=Location(file), hint=hint))


def write_json(path: str | Path, document: Mapping[str, Any], form: Format) -> None:
    """Write a document with its format and version; the same document gives the same bytes."""
    whole = {**document, "format": form.name, "version": form.version}
    text = json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    write_text(path, f"{text}\n")


def read_json(path: str | Path, form: Format) -> dict[str, Any]:
    """Return a document that was written with `write_json`, brought up to date.

    Raises
    ------
    InputError
        If the file cannot be used; the problem says why and where.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "progress.json"
    >>> progress = Format("kueuelab-example", 1)
    >>> write_json(file, {"solved": ["a"]}, progress)
    >>> read_json(file, progress)["solved"]
    ['a']
    """
    file = str(path)
    try:
        text = read_bytes(path).decode("utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise _unusable(Message("files.unreadable", error=reason), file, "") from error
    except UnicodeDecodeError as error:
        raise _unusable(Message("files.not-utf8"), file, Message("files.another")) from error
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        message = Message("files.not-json", error=error)
        raise _unusable(message, file, Message("files.damaged")) from error
    return form.brought_up_to_date(document, file)
