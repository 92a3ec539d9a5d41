"""What the fields of an object may hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

__all__ = ["ABSENT", "PATTERNS", "QUANTITY", "Field", "Kind", "Shape"]

#: The kinds of shapes. ``meta`` is the metadata of an object; ``either`` is a text or its item.
Kind: TypeAlias = Literal[
    "text",
    "integer",
    "boolean",
    "quantity",
    "port",
    "time",
    "any",
    "meta",
    "list",
    "map",
    "record",
    "number",
    "duration",
    "moment",
    "either",
]


class _Absent:
    """Stands for a default that there isn't, since ``null`` could be one."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()

_SUBDOMAIN: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"

#: Patterns by the names that the tables give them, as the server prints them.
PATTERNS: Final[Mapping[str, str]] = {
    "subdomain": f"^{_SUBDOMAIN}$",
    "label": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    "kind": "^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$",
    "label-key": rf"^({_SUBDOMAIN}/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    "label-value": "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$",
    "reason": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
}

#: The pattern of quantities in schemas.
QUANTITY: Final = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)


def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern of Go for Python: ``$`` means the very end, flags come first."""
    flags = re.IGNORECASE if pattern.startswith("^(?i)") else 0
    return re.compile(pattern.replace("(?i)", "")[:-1] + r"\Z", flags | re.ASCII)


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A field of a record.

    ``required``: it must be there. ``always``: Go writes it even if it is empty.
    ``inside``: the embedded type that it comes from, which Go's messages name.
    """

    name: str
    shape: Shape
    required: bool = False
    always: bool = False
    default: Any = ABSENT
    inside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """What a value must look like.

    Parameters
    ----------
    kind : str
        What kind of value it is.
    go : str
        Its type in Go, which messages of Go's JSON decoder name.
    item : Shape, optional
        What is in a list or mapping.
    fields : mapping
        The fields of a record, in the order in which Go writes them.
    like : str
        The pattern that text must match.
    choices : tuple of str
        The texts to choose from.
    longest, shortest, most, least, minimum : int, optional
        Limits of characters, of items, and of numbers.
    keys : tuple of str
        The fields that identify the items of a list.
    distinct : bool
        Whether no item of a list may be there twice.
    rules : tuple of str
        The names of the rules that it must keep (`kueuelab.manifests.server.rules`; of what no
        server judges, `kueuelab.manifests.shapes.rules`).
    pointer : bool
        Whether Go tells an empty value from a missing one.
    open : bool
        Whether a record may have unknown fields; only the lab's own check asks.
    """

    kind: Kind
    go: str
    item: Shape | None = None
    fields: Mapping[str, Field] = field(default_factory=dict)
    like: str = ""
    choices: tuple[str, ...] = ()
    longest: int | None = None
    shortest: int | None = None
    most: int | None = None
    least: int | None = None
    minimum: int | None = None
    keys: tuple[str, ...] = ()
    distinct: bool = False
    rules: tuple[str, ...] = ()
    pointer: bool = False
    open: bool = False

    #: The names of the fields that must be there.
    required: tuple[str, ...] = field(init=False, default=())
    #: Whether it or anything in it has rules.
    has_rules: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        """Work out once what is asked for often."""
        required = tuple(name for name, part in self.fields.items() if part.required)
        inner = [part.shape for part in self.fields.values()]
        if self.item is not None:
            inner.append(self.item)
        has_rules = bool(self.rules) or any(shape.has_rules for shape in inner)
        object.__setattr__(self, "required", required)
        object.__setattr__(self, "has_rules", has_rules)

    @property
    def struct(self) -> str:
        """The name of a record's type in Go without its package."""
        return self.go.rpartition(".")[2]
