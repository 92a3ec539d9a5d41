"""Editing an object of a run: its YAML, what is wrong with it, what was changed in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.errors import InputError
from kueuelab.manifests import ModelObject, dump, encode_object, load
from kueuelab.messages import Message

__all__ = ["Edited", "editable", "manifest_of", "read_edit"]

#: What a person may want to change, in this order.
_KINDS = ("ClusterQueue", "Cohort", "LocalQueue", "ResourceFlavor", "Workload")

#: More objects of a kind than this are no choice any more.
_MOST: Final = 300


@dataclass(frozen=True, slots=True)
class Edited:
    """What was typed, read: problems with their lines, or the fields that differ.

    ``values`` has the fields of ``spec`` that are different, by path; ``None`` for one that
    was taken away.
    """

    problems: tuple[str, ...]
    values: dict[str, Any]


def editable(objects: Sequence[ModelObject]) -> dict[str, ModelObject]:
    """Return objects by ``Kind/name``, those first that decide most; not too many of a kind.

    Examples
    --------
    >>> from kueuelab.model import ClusterQueue, Cohort, Namespace, ObjectMeta
    >>> names = [Namespace(ObjectMeta("n")), Cohort(ObjectMeta("c")), ClusterQueue(ObjectMeta("q"))]
    >>> list(editable(names))
    ['ClusterQueue/q', 'Cohort/c']
    """
    found: dict[str, ModelObject] = {}
    for kind in _KINDS:
        same = [obj for obj in objects if type(obj).__name__ == kind]
        same.sort(key=lambda obj: obj.metadata.key)
        found |= {f"{kind}/{obj.metadata.key}": obj for obj in same[:_MOST]}
    return found


def manifest_of(obj: ModelObject) -> str:
    """Return an object as YAML, without its status: that is not for people to write."""
    lines = dump(obj).splitlines()
    if "status:" in lines:
        lines = lines[: lines.index("status:")]
    return "\n".join(lines) + "\n"


def read_edit(obj: ModelObject, text: str) -> Edited:
    """Hold what was typed against the object that it is to be.

    Examples
    --------
    >>> from kueuelab.model import LocalQueue, ObjectMeta
    >>> queue = LocalQueue(ObjectMeta("team-a", namespace="default"), "research")
    >>> read_edit(queue, manifest_of(queue).replace("research", "teaching")).values
    {'spec.clusterQueue': 'teaching'}
    >>> read_edit(queue, manifest_of(queue).replace("clusterQueue", "clusterqueue")).values
    {}
    """
    try:
        objects = list(load(text, name="line"))
    except InputError as error:
        # The place reads "line:7:3" by its name; people say "line 7".
        found = (str(problem).replace("line:", "line ", 1) for problem in error.problems)
        return Edited(tuple(found), {})
    same = [
        each
        for each in objects
        if type(each) is type(obj) and each.metadata.key == obj.metadata.key
    ]
    if len(objects) != 1 or not same:
        wanted = f"{type(obj).__name__} {obj.metadata.key}"
        return Edited((Message("views.what-if.not-one-object", wanted=wanted),), {})
    before = encode_object(obj).get("spec", {})
    after = encode_object(same[0]).get("spec", {})
    return Edited(
        (),
        {
            f"spec.{name}": after.get(name)
            for name in dict.fromkeys((*before, *after))
            if before.get(name) != after.get(name)
        },
    )
