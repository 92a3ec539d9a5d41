"""A rule, what it finds, and how serious that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as field_of
from enum import StrEnum
from typing import Any

from kueuelab.errors import Location
from kueuelab.lint.subject import Subject
from kueuelab.messages import Message
from kueuelab.whatif.references import Reference

__all__ = ["REMOVE", "Edit", "Finding", "Found", "Level", "Rename", "Rule"]


class Level(StrEnum):
    """How serious a finding is."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """Its place in the order, the lowest first.

        >>> max(Level, key=lambda level: level.rank)
        <Level.ERROR: 'error'>
        """
        return list(Level).index(self)


class _Remove:
    """Stands for a value that a field loses."""

    def __repr__(self) -> str:
        return "REMOVE"


REMOVE = _Remove()


@dataclass(frozen=True, slots=True)
class Rename:
    """Stands for the value that a field has under another name."""

    name: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one field: its new value, its new name (`Rename`), or that it goes (`REMOVE`)."""

    field: str
    value: Any = REMOVE


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule finds: where, and the values of its sentence.

    Attributes
    ----------
    object, field
        What it is about.
    values
        Filled into the sentence ``lint.<rule>``, or ``lint.<rule>.<form>``.
    form
        Which of several sentences of the rule it is; the first one if empty.
    edits
        What to change in the object, as far as that follows from what is written.
    text, fix
        The sentence and what to do, where they do not come from the catalogue of the rules.
    """

    object: Reference
    field: str = ""
    values: Mapping[str, Any] = field_of(default_factory=dict)
    form: str = ""
    edits: tuple[Edit, ...] = ()
    text: str = ""
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that an experienced operator sees at once.

    Its sentences are ``lint.<name>`` (what is found), ``lint.<name>.why`` and ``lint.<name>.fix``.

    Attributes
    ----------
    id, name
        What it is called: ``KL101``, ``cohort-quota-adds-up``.
    level
        How serious it is, unless a configuration says otherwise.
    check
        Yields what it finds.
    source
        Where it comes from: an issue of Kueue, a KEP, or a page of its documentation.
    is_safe
        Whether its edits leave everything that Kueue decides as it is, so that ``--fix`` may
        write them.
    """

    id: str
    name: str
    level: Level
    check: Callable[[Subject], Iterator[Found]]
    source: str
    is_safe: bool = False

    @property
    def why(self) -> str:
        """Why it is a problem, as a sentence."""
        return Message(f"lint.{self.name}.why")

    @property
    def fix(self) -> str:
        """What to do, as a sentence."""
        return Message(f"lint.{self.name}.fix")

    def text(self, found: Found) -> str:
        """Return what was found, as a sentence."""
        if found.text:
            return found.text
        form = f".{found.form}" if found.form else ""
        return Message(f"lint.{self.name}{form}", **found.values)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found in an object, with its place.

    Attributes
    ----------
    rule
        The rule.
    level
        How serious it is here.
    cluster
        The worker cluster of a MultiKueue scenario that it is in, empty for any other.
    object, field
        What it is about.
    text, fix
        What was found, and what to do.
    location
        Where it was written, as far as that is known.
    edits
        What to change in the object.
    """

    rule: Rule
    level: Level
    cluster: str
    object: Reference
    field: str
    text: str
    fix: str
    location: Location | None = None
    edits: tuple[Edit, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        place = self.location
        return {
            "rule": self.rule.id,
            "name": self.rule.name,
            "level": str(self.level),
            "cluster": self.cluster,
            "object": str(self.object),
            "field": self.field,
            "message": str(self.text),
            "why": str(self.rule.why),
            "fix": str(self.fix),
            "file": "" if place is None else place.file,
            "line": 0 if place is None else place.line,
            "column": 0 if place is None else place.column,
            "safe": bool(self.edits) and self.rule.is_safe,
            "patch": [_operation(each) for each in self.edits],
        }


def _operation(edit: Edit) -> dict[str, Any]:
    if edit.value is REMOVE:
        return {"op": "remove", "field": edit.field}
    if isinstance(edit.value, Rename):
        return {"op": "rename", "field": edit.field, "name": edit.value.name}
    return {"op": "set", "field": edit.field, "value": edit.value}
