"""One line of ours for each error: what to do about it.

The tables are from words of the API server to ids of messages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from kueuelab.manifests.server.problems import FieldError, FieldPath
from kueuelab.manifests.shapes.shape import Shape
from kueuelab.messages import Message

__all__ = ["advice"]

_COHORT: Final = "manifests.advice.no-cohort"
_PARENT: Final = "manifests.advice.no-parent"
_QUANTITY: Final = "manifests.advice.quantity"
_KEEP: Final = "manifests.advice.immutable"

#: What to do where the server says this; the first that fits counts.
_ADVICE: Final[tuple[tuple[str, str], ...]] = (
    ("borrowingLimit must be nil when cohort", _COHORT),
    ("must be nil when cohort is empty", _COHORT),
    ("must be nil when parent is empty", _PARENT),
    ("less than or equal to the nominalQuota", "manifests.advice.lending-limit"),
    (
        "must match the name in coveredResources",
        "manifests.advice.covered-resources",
    ),
    ("same number of resources as the coveredResources", "manifests.advice.flavor-resources"),
    ("reclaimWithinCohort=Never and", "manifests.advice.borrow-within-cohort"),
    ("TryNextFlavor", "manifests.advice.flavor-preference"),
    ("at least one nodeLabel", "manifests.advice.node-labels"),
    ("hostname label can only", "manifests.advice.hostname-level"),
    ("must be unique", "manifests.advice.duplicate"),
    ("exactly one of the fields", "manifests.advice.either-or"),
    ("effect must be 'NoExecute'", "manifests.advice.toleration-seconds"),
    ("operator must be Exists", "manifests.advice.toleration-key"),
    ("value must be empty", "manifests.advice.toleration-value"),
    ("supported taint effect", "manifests.advice.taint-effect"),
    ("supported toleration values", "manifests.advice.operator"),
    ("priority should not be nil", "manifests.advice.priority-of-class"),
    ("minCount should be", "manifests.advice.min-count"),
    ("at most one podSet can use minCount", "manifests.advice.one-min-count"),
    ("podSetAssignments must have", "manifests.advice.one-assignment-each"),
    ("mutually exclusive", "manifests.advice.one-of-two"),
    ("kind is allowed for the", "manifests.advice.group-and-kind"),
    ("immutable", _KEEP),
    ("cannot be removed", _KEEP),
    ("unable to parse quantity", _QUANTITY),
    ("quantities must match", _QUANTITY),
    (r"[KMGTPE]i)|[numkMGTPE]", _QUANTITY),
    ("of type integer,string", "manifests.advice.quoted-quantity"),
    ("greater than or equal to", "manifests.advice.too-small"),
    ("should be greater than 0", "manifests.advice.too-small"),
    ("in body should have at least", "manifests.advice.too-few-items"),
    ("in body should be at least", "manifests.advice.required"),
    ("parsing time", "manifests.advice.time"),
    ("of type date-time", "manifests.advice.time"),
    ("must be no more than", "manifests.advice.too-long"),
    ("RFC 1123", "manifests.advice.dns-label"),
    ("in body should match '^[a-z0-9]", "manifests.advice.dns-subdomain"),
    ("in body should match", "manifests.advice.pattern"),
    ("a valid label must", "manifests.advice.label-value"),
    ("name part must", "manifests.advice.label-key"),
    ("strconv.Atoi: parsing", "manifests.advice.quoted-integer"),
    ("not a valid selector operator", "manifests.advice.selector-operator"),
    ("domain-prefixed path", "manifests.advice.domain-prefix"),
    ("must be greater than 0", "manifests.advice.positive"),
    ("valid values", "manifests.advice.one-of-them"),
    ("all covered resources", "manifests.advice.too-many-resources"),
    ("total number of", "manifests.advice.too-many-flavors"),
    ("is not a multiple of", "manifests.advice.usage-not-a-multiple"),
    ("some validation rules were not checked", "manifests.advice.other-errors-first"),
)
_BY_REASON: Final[Mapping[str, str]] = {
    "FieldValueTooLong": "manifests.advice.too-long",
    "FieldValueTooMany": "manifests.advice.too-many-items",
    "FieldValueDuplicate": "manifests.advice.one-of-two",
    "FieldValueNotSupported": "manifests.advice.supported-values",
    "FieldValueNotFound": "manifests.advice.unknown-name",
    "FieldValueForbidden": "manifests.advice.forbidden",
    "FieldValueTypeInvalid": "manifests.advice.wrong-type",
}
_TYPES: Final[Mapping[str, str]] = {
    "text": "manifests.advice.text",
    "integer": "manifests.advice.integer",
    "boolean": "manifests.advice.boolean",
    "list": "manifests.advice.list",
    "map": "manifests.advice.mapping",
    "record": "manifests.advice.object",
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
    >>> advice(not_supported(("spec", "onFlavors"), "default", []))
    'Leave it out: no value is supported here as long as none is defined'
    """
    if error.hint:
        return error.hint
    if error.message.startswith("unknown field"):
        return _closest_field(error, shape)
    if error.reason == "FieldValueRequired":
        return Message("manifests.advice.add-name", name=error.path[-1])
    if error.reason == "FieldValueNotSupported":
        given, *known = _SUPPORTED.findall(error.message)
        close = _closest(given, known)
        if close:
            return Message("errors.unknown.close", name=close)
        return Message(_BY_REASON[error.reason] if known else "manifests.advice.none-supported")
    kind = _kind_at(error.path, shape)
    if kind in _TYPES and any(words in error.message for words in _WRONG_TYPE):
        a_list = "unmarshal array" in error.message or '"array"' in error.message
        if kind == "text" and a_list:
            return Message("manifests.advice.text-not-list")
        return Message(_TYPES[kind])
    for words, what in _ADVICE:
        if words in error.message:
            return Message(what)
    return Message(_BY_REASON.get(error.reason, "manifests.advice.as-message-says"))


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
        return Message("errors.unknown.close", name=close)
    if known:
        return Message("manifests.advice.known-names", names=", ".join(sorted(known)))
    return Message("manifests.advice.forbidden")
