"""The configuration file ``.kueuelab-lint.yaml``: which rules count, and how much."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import read_bytes
from kueuelab.lint.catalogue import rule_named
from kueuelab.lint.rule import Level, Rule
from kueuelab.manifests.loading.sources import documents_of
from kueuelab.manifests.reading.documents import Document
from kueuelab.manifests.reading.locate import locate
from kueuelab.manifests.reading.paths import Path as FieldPath
from kueuelab.manifests.reading.paths import format_path
from kueuelab.messages import Message

__all__ = ["FILE", "Settings", "found_above", "read_settings"]

#: The name of the file; it is looked for in the current folder and in those above it.
FILE: Final = ".kueuelab-lint.yaml"
_FIELDS: Final = ("fail-on", "ignore", "levels", "paths")
_OF_PATH: Final = ("path", "ignore")


@dataclass(frozen=True, slots=True)
class Settings:
    """Which rules count, and how much.

    Attributes
    ----------
    only
        The names of the rules that count; all of them if empty.
    ignored
        The names of the rules that do not count.
    levels
        How serious a rule is, by name.
    ignored_in
        Patterns of files, each with the names of the rules that do not count there.
    fail_on
        From which level on a finding makes the command fail.
    """

    only: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()
    levels: Mapping[str, Level] = field(default_factory=dict)
    ignored_in: tuple[tuple[str, frozenset[str]], ...] = ()
    fail_on: Level = Level.WARNING

    def counts(self, rule: Rule) -> bool:
        """Tell whether a rule counts anywhere."""
        return (not self.only or rule.name in self.only) and rule.name not in self.ignored

    def counts_in(self, rule: Rule, file: str) -> bool:
        """Tell whether a rule counts in a file.

        >>> from kueuelab.lint.catalogue import CATALOGUE
        >>> rule = CATALOGUE[0]
        >>> settings = Settings(ignored_in=(("tests/*", frozenset({rule.name})),))
        >>> settings.counts_in(rule, "tests/a.yaml"), settings.counts_in(rule, "a.yaml")
        (False, True)
        """
        return not any(
            rule.name in names and _matches(file, pattern) for pattern, names in self.ignored_in
        )

    def level_of(self, rule: Rule) -> Level:
        """Return how serious what a rule finds is."""
        return self.levels.get(rule.name, rule.level)


def _matches(file: str, pattern: str) -> bool:
    return fnmatch(file, pattern) or fnmatch(file, f"*/{pattern}")


def found_above(folder: Path) -> Path | None:
    """Return the configuration file of a folder: its own, or that of the nearest one above."""
    for each in (folder, *folder.parents):
        if (each / FILE).is_file():
            return each / FILE
        if (each / ".git").exists():
            return None
    return None


def read_settings(path: Path) -> Settings:
    r"""Read a configuration file.

    Raises
    ------
    InputError
        With all that is wrong in it, each with its line.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / FILE
    >>> _ = file.write_text("fail-on: error\nlevels: {KL101: note}\n")
    >>> settings = read_settings(file)
    >>> settings.fail_on, [str(level) for level in settings.levels.values()]
    (<Level.ERROR: 'error'>, ['note'])
    """
    problems: list[Problem] = []
    documents = list(documents_of(read_bytes(path), problems, name=str(path)))
    if problems:
        raise InputError(problems)
    if not documents:
        return Settings()
    reader = _Reader(documents[0])
    settings = reader.read()
    reader.raise_problems()
    return settings


class _Reader:
    """Reads a document, and remembers what is wrong in it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._wrong: list[tuple[FieldPath, str, str]] = []

    def read(self) -> Settings:
        value = self._document.value
        if not isinstance(value, Mapping):
            self._add((), Message("lint.settings.not-a-mapping"))
            return Settings()
        for name in value:
            if name not in _FIELDS:
                hint = Message("lint.settings.fields", fields=", ".join(_FIELDS))
                self._add((name,), Message("lint.settings.unknown-field", name=name), hint)
        levels = value.get("levels") or {}
        if not isinstance(levels, Mapping):
            self._add(("levels",), Message("lint.settings.not-a-mapping"))
            levels = {}
        return Settings(
            ignored=frozenset(self._rules(value.get("ignore"), ("ignore",))),
            levels={
                rule: level
                for name, text in levels.items()
                for rule in self._rules([name], ("levels",))
                for level in self._level(text, ("levels", name))
            },
            ignored_in=tuple(self._paths(value.get("paths"))),
            fail_on=next(
                iter(self._level(value.get("fail-on", Level.WARNING), ("fail-on",))), Level.WARNING
            ),
        )

    def _paths(self, value: Any) -> Iterable[tuple[str, frozenset[str]]]:
        for index, entry in enumerate(self._list(value, ("paths",))):
            where: FieldPath = ("paths", index)
            if not isinstance(entry, Mapping) or not isinstance(entry.get("path"), str):
                self._add(where, Message("lint.settings.no-path"))
                continue
            for name in entry:
                if name not in _OF_PATH:
                    hint = Message("lint.settings.fields", fields=", ".join(_OF_PATH))
                    text = Message("lint.settings.unknown-field", name=name)
                    self._add((*where, name), text, hint)
            yield entry["path"], frozenset(self._rules(entry.get("ignore"), (*where, "ignore")))

    def _list(self, value: Any, where: FieldPath) -> list[Any]:
        if value is None:
            return []
        if not isinstance(value, list):
            self._add(where, Message("lint.settings.not-a-list"))
            return []
        return value

    def _rules(self, value: Any, where: FieldPath) -> Iterable[str]:
        for name in self._list(value, where):
            try:
                yield rule_named(str(name)).name
            except LookupError as error:
                problem = getattr(error, "problem", Problem(""))
                self._add(where, problem.message, problem.hint)

    def _level(self, value: Any, where: FieldPath) -> list[Level]:
        try:
            return [Level(value)]
        except ValueError:
            hint = Message("lint.settings.levels", levels=", ".join(Level))
            self._add(where, Message("lint.settings.no-level", value=f"{value!r:.80}"), hint)
            return []

    def _add(self, where: FieldPath, message: str, hint: str = "") -> None:
        self._wrong.append((where, message, hint))

    def raise_problems(self) -> None:
        if not self._wrong:
            return
        source = self._document.source
        name = "" if source is None else source.name
        places = locate(self._document, [where for where, _, _ in self._wrong])
        raise InputError(
            Problem(
                message,
                field=format_path(where),
                location=Location(name, *places[where][0]) if where in places else Location(name),
                hint=hint,
            )
            for where, message, hint in self._wrong
        )
