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

_COHORT: Final = "manifests.advice.name-cohort-spec-cohortname"
_PARENT: Final = "manifests.advice.name-parent-spec-parentname"
_QUANTITY: Final = "manifests.advice.write-quantity-such-as"
_KEEP: Final = "manifests.advice.keep-old-value-or"

#: What to do where the server says this; the first that fits counts.
_ADVICE: Final[tuple[tuple[str, str], ...]] = (
    ("borrowingLimit must be nil when cohort", _COHORT),
    ("must be nil when cohort is empty", _COHORT),
    ("must be nil when parent is empty", _PARENT),
    ("less than or equal to the nominalQuota", "manifests.advice.lend-no-more-than"),
    (
        "must match the name in coveredResources",
        "manifests.advice.list-resources",
    ),
    ("same number of resources as the coveredResources", "manifests.advice.give-each-flavor-all"),
    ("reclaimWithinCohort=Never and", "manifests.advice.set-reclaim"),
    ("TryNextFlavor", "manifests.advice.set-whencanborrow-whencanpreempt-trynextflavor"),
    ("at least one nodeLabel", "manifests.advice.list-labels-flavors-nodes"),
    ("hostname label can only", "manifests.advice.move-kubernetes-io-hostname"),
    ("must be unique", "manifests.advice.remove-duplicate"),
    ("exactly one of the fields", "manifests.advice.set-one-two-not"),
    ("effect must be 'NoExecute'", "manifests.advice.set-effect-noexecute-or"),
    ("operator must be Exists", "manifests.advice.give-key-or-set"),
    ("value must be empty", "manifests.advice.drop-value-or-set"),
    ("supported taint effect", "manifests.advice.set-effect-one-them"),
    ("supported toleration values", "manifests.advice.set-operator-one-them"),
    ("priority should not be nil", "manifests.advice.add-number-class-as"),
    ("minCount should be", "manifests.advice.make-mincount-no-larger"),
    ("at most one podSet can use minCount", "manifests.advice.keep-mincount-one-pod"),
    ("podSetAssignments must have", "manifests.advice.give-each-pod-set"),
    ("mutually exclusive", "manifests.advice.keep-one-two"),
    ("kind is allowed for the", "manifests.advice.use-group-kind-belong"),
    ("immutable", _KEEP),
    ("cannot be removed", _KEEP),
    ("unable to parse quantity", _QUANTITY),
    ("quantities must match", _QUANTITY),
    (r"[KMGTPE]i)|[numkMGTPE]", _QUANTITY),
    ("of type integer,string", "manifests.advice.write-quantity-such-as-2"),
    ("greater than or equal to", "manifests.advice.use-larger-number"),
    ("should be greater than 0", "manifests.advice.use-larger-number"),
    ("in body should have at least", "manifests.advice.add-item-or-leave"),
    ("in body should be at least", "manifests.advice.write-value-here"),
    ("parsing time", "manifests.advice.write-time-such-as"),
    ("of type date-time", "manifests.advice.write-time-such-as"),
    ("must be no more than", "manifests.advice.shorten"),
    ("RFC 1123", "manifests.advice.use-lower-case-letters"),
    ("in body should match '^[a-z0-9]", "manifests.advice.use-lower-case-letters-2"),
    ("in body should match", "manifests.advice.write-value-matches-pattern"),
    ("a valid label must", "manifests.advice.use-letters-digits-at"),
    ("name part must", "manifests.advice.use-letters-digits-prefix"),
    ("strconv.Atoi: parsing", "manifests.advice.write-whole-number"),
    ("not a valid selector operator", "manifests.advice.write-notin-exists-or"),
    ("domain-prefixed path", "manifests.advice.write-as-example-com"),
    ("must be greater than 0", "manifests.advice.use-number-above-0"),
    ("valid values", "manifests.advice.write-one-them"),
    ("all covered resources", "manifests.advice.split-queue"),
    ("total number of", "manifests.advice.split-queue-two"),
    ("is not a multiple of", "manifests.advice.make-usage-multiple-count"),
    ("some validation rules were not checked", "manifests.advice.correct-other-errors-first"),
)
_BY_REASON: Final[Mapping[str, str]] = {
    "FieldValueTooLong": "manifests.advice.shorten",
    "FieldValueTooMany": "manifests.advice.remove-some-them",
    "FieldValueDuplicate": "manifests.advice.keep-one-two",
    "FieldValueNotSupported": "manifests.advice.write-one-supported-values",
    "FieldValueNotFound": "manifests.advice.name-one-exists",
    "FieldValueForbidden": "manifests.advice.leave-out",
    "FieldValueTypeInvalid": "manifests.advice.write-value-type",
}
_TYPES: Final[Mapping[str, str]] = {
    "text": "manifests.advice.put-quotes-around",
    "integer": "manifests.advice.write-whole-number-not",
    "boolean": "manifests.advice.write-true-or-false",
    "list": "manifests.advice.write-list-put-dash",
    "map": "manifests.advice.write-names-values-below",
    "record": "manifests.advice.write-fields-below",
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
        return Message("manifests.advice.add", name=error.path[-1])
    if error.reason == "FieldValueNotSupported":
        given, *known = _SUPPORTED.findall(error.message)
        close = _closest(given, known)
        if close:
            return Message("errors.unknown.close", name=close)
        return Message(_BY_REASON[error.reason])
    kind = _kind_at(error.path, shape)
    if kind in _TYPES and any(words in error.message for words in _WRONG_TYPE):
        a_list = "unmarshal array" in error.message or '"array"' in error.message
        if kind == "text" and a_list:
            return Message("manifests.advice.write-text-not-list")
        return Message(_TYPES[kind])
    for words, what in _ADVICE:
        if words in error.message:
            return Message(what)
    return Message(_BY_REASON.get(error.reason, "manifests.advice.change-as-message-says"))


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
        return Message("manifests.advice.known", names=", ".join(sorted(known)))
    return Message("manifests.advice.leave-out")
