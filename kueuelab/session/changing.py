"""Change an object of a branch by its manifest: what can be edited, and what was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kueuelab.errors import InputError, Problem, UnknownObjectError
from kueuelab.messages import Message
from kueuelab.model import ModelObject
from kueuelab.session.answers import ObjectText
from kueuelab.views.editing import editable, manifest_of, read_edit

__all__ = ["changed_values", "object_text"]


def object_text(given: Sequence[ModelObject], name: str) -> ObjectText:
    """Return which objects can be edited from the start, and the manifest of one.

    Parameters
    ----------
    given
        The objects at the start.
    name
        ``Kind/name`` or ``Kind/namespace/name``; the first object if it is empty.

    Raises
    ------
    UnknownObjectError
        If there is no such object.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> found = object_text(scenarios.load("reclaim-1-take-back").fork().objects(), "")
    >>> found.object, found.text.splitlines()[1]
    ('ClusterQueue/team-a', 'kind: ClusterQueue')
    """
    objects = editable(given)
    name = name or next(iter(objects), "")
    text = manifest_of(_found(objects, name)) if name else ""
    return ObjectText(tuple(objects), name, text)


def changed_values(given: Sequence[ModelObject], name: str, text: str) -> Mapping[str, Any]:
    """Return the fields that differ in a manifest that a reader edited, by their path.

    Raises
    ------
    InputError
        If something is wrong with it, or nothing differs.
    """
    found = read_edit(_found(editable(given), name), text)
    if found.problems:
        raise InputError(*map(Problem, found.problems))
    if not found.values:
        raise InputError(Problem(Message("session.edit.nothing")))
    return found.values


def _found(objects: Mapping[str, ModelObject], name: str) -> ModelObject:
    if name not in objects:
        raise UnknownObjectError("object", name, objects)
    return objects[name]
