"""One line of ours for each error: what to do about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from kueuelab.manifests.server.problems import FieldError, FieldPath
from kueuelab.manifests.shapes.shape import Shape

__all__ = ["advice"]

_COHORT: Final = "Name a cohort in spec.cohortName, or leave the limit out"
_PARENT: Final = "Name a parent in spec.parentName, or leave the limit out"
_QUANTITY: Final = "Write a quantity such as 500m, 2 or 1.5Gi"
_KEEP: Final = "Keep what it was, or delete the object and create it anew"

#: What to do where the server says this; the first that fits counts.
_ADVICE: Final[tuple[tuple[str, str], ...]] = (
    ("borrowingLimit must be nil when cohort", _COHORT),
    ("must be nil when cohort is empty", _COHORT),
    ("must be nil when parent is empty", _PARENT),
    ("less than or equal to the nominalQuota", "Lend no more than the nominal quota"),
    ("must match the name in coveredResources", "List the resources as coveredResources does"),
    ("same number of resources as the coveredResources", "Give each flavor all covered resources"),
    ("reclaimWithinCohort=Never and", "Set reclaimWithinCohort to LowerPriority or Any"),
    ("TryNextFlavor", "Set whenCanBorrow and whenCanPreempt to TryNextFlavor, or drop preference"),
    ("at least one nodeLabel", "Say in spec.nodeLabels which nodes the flavor has"),
    ("hostname label can only", "Move kubernetes.io/hostname to the end of spec.levels"),
    ("must be unique", "Take the repetition away"),
    ("exactly one of the fields", "Set one of the two, and not the other"),
    ("effect must be 'NoExecute'", "Set effect: NoExecute, or drop tolerationSeconds"),
    ("operator must be Exists", "Give it a key, or set operator: Exists"),
    ("value must be empty", "Drop the value, or set operator: Equal"),
    ("supported taint effect", "Set effect to one of them"),
    ("supported toleration values", "Set operator to one of them"),
    ("priority should not be nil", "Add the number of that class as spec.priority"),
    ("minCount should be", "Make minCount no larger than count"),
    ("at most one podSet can use minCount", "Keep minCount in one pod set only"),
    ("podSetAssignments must have", "Give each pod set of the spec one assignment"),
    ("mutually exclusive", "Keep one of the two"),
    ("kind is allowed for the", "Make group and kind fit each other"),
    ("immutable", _KEEP),
    ("cannot be removed", _KEEP),
    ("unable to parse quantity", _QUANTITY),
    ("quantities must match", _QUANTITY),
    (r"[KMGTPE]i)|[numkMGTPE]", _QUANTITY),
    ("of type integer,string", f"{_QUANTITY}, in quotes if it has a fraction"),
    ("greater than or equal to", "Use a larger number"),
    ("should be greater than 0", "Use a larger number"),
    ("in body should have at least", "Add an item, or leave the list out"),
    ("in body should be at least", "Write something here"),
    ("parsing time", "Write a time such as 2026-01-01T00:00:00Z"),
    ("of type date-time", "Write a time such as 2026-01-01T00:00:00Z"),
    ("must be no more than", "Shorten it"),
    ("RFC 1123", "Use lower case letters, digits and '-', with a letter or digit at both ends"),
    ("in body should match '^[a-z0-9]", "Use lower case letters, digits, '-' and '.'"),
    ("in body should match", "Write it so that it fits the pattern"),
    ("a valid label must", "Use letters, digits, '-', '_' and '.', at most 63 of them"),
    ("name part must", "Use letters, digits, '-', '_' and '.', if need be after 'example.com/'"),
    ("not a valid selector operator", "Write In, NotIn, Exists or DoesNotExist"),
    ("domain-prefixed path", "Write it as example.com/name"),
    ("must be greater than 0", "Use a number above 0"),
    ("valid values", "Write one of them"),
    ("all covered resources", "Split the queue"),
    ("total number of", "Split the queue in two"),
    ("is not a multiple of", "Make the usage a multiple of the count"),
    ("some validation rules were not checked", "Mend the others first, then check again"),
)
_BY_REASON: Final[Mapping[str, str]] = {
    "FieldValueTooLong": "Shorten it",
    "FieldValueTooMany": "Take some of them away",
    "FieldValueDuplicate": "Keep one of the two",
    "FieldValueNotSupported": "Write one of the supported values",
    "FieldValueNotFound": "Name one that is there",
    "FieldValueForbidden": "Leave it out",
    "FieldValueTypeInvalid": "Write a value of that type",
}
_TYPES: Final[Mapping[str, str]] = {
    "text": "Put quotes around it",
    "integer": "Write a whole number that is not too large, without quotes",
    "boolean": "Write true or false, without quotes",
    "list": "Write a list: put a dash before each item",
    "map": "Write names and values below it",
    "record": "Write the fields below it",
}
_WRONG_TYPE: Final = ("cannot unmarshal", "in body must be of type", "Checked value must be")
_SUPPORTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')


def advice(error: FieldError, shape: Shape | None = None) -> str:
    """Return what to do about an error in an object of this shape.

    Examples
    --------
    >>> from kueuelab.manifests.server.problems import not_supported, required
    >>> advice(required(("spec", "clusterQueue")))
    "Add 'clusterQueue'"
    >>> advice(not_supported(("spec", "stopPolicy"), "hold", ["None", "Hold"]))
    "Did you mean 'Hold'?"
    """
    if error.hint:
        return error.hint
    if error.message.startswith("unknown field"):
        return _closest_field(error, shape)
    if error.reason == "FieldValueRequired":
        return f"Add '{error.path[-1]}'"
    if error.reason == "FieldValueNotSupported":
        given, *known = _SUPPORTED.findall(error.message)
        close = _closest(given, known)
        return f"Did you mean '{close}'?" if close else _BY_REASON[error.reason]
    kind = _kind_at(error.path, shape)
    if kind in _TYPES and any(words in error.message for words in _WRONG_TYPE):
        a_list = "unmarshal array" in error.message or '"array"' in error.message
        return "Write a text, not a list" if kind == "text" and a_list else _TYPES[kind]
    for words, what in _ADVICE:
        if words in error.message:
            return what
    return _BY_REASON.get(error.reason, "Change it as the message says, or leave it out")


def _closest(name: str, known: list[str]) -> str:
    from difflib import get_close_matches  # only a mistake needs it

    by_lower = {choice.lower(): choice for choice in known}
    close = get_close_matches(name.lower()[:80], list(by_lower), n=1)
    return by_lower[close[0]] if close else ""


def _kind_at(path: FieldPath, shape: Shape | None) -> str:
    found = _shape_at(path, shape)
    return "" if found is None else found.kind


def _shape_at(path: FieldPath, shape: Shape | None) -> Shape | None:
    for segment in path:
        if shape is None:
            return None
        field = shape.fields.get(str(segment))
        shape = field.shape if field is not None else shape.item
    return shape


def _closest_field(error: FieldError, shape: Shape | None) -> str:
    *outer, name = error.path
    around = _shape_at(tuple(outer), shape)
    known = list(around.fields) if around is not None else []
    close = _closest(str(name), known)
    if close:
        return f"Did you mean '{close}'?"
    return f"Known here: {', '.join(sorted(known))}" if known else "Leave it out"
