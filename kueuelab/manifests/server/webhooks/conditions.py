"""What Kueue's webhook refuses in conditions, beyond their schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from kueuelab.manifests.server.names import label_key_errors
from kueuelab.manifests.server.problems import FieldError, FieldPath, duplicate, too_long

__all__ = ["condition_errors"]

#: The longest texts, in bytes; schemas count letters.
_LONGEST: Final = {"reason": 1024, "message": 32768}


def condition_errors(
    conditions: Sequence[Mapping[str, Any]], path: FieldPath
) -> Iterator[FieldError]:
    """Yield what is wrong with conditions.

    Examples
    --------
    >>> once = {"type": "Ready", "reason": "Yes", "message": ""}
    >>> [str(error) for error in condition_errors([once, once], ("conditions",))]
    ['conditions[1].type: Duplicate value: "Ready"']
    """
    seen = set()
    for index, condition in enumerate(conditions):
        where = (*path, index)
        if condition["type"] in seen:
            yield duplicate((*where, "type"), condition["type"])
        seen.add(condition["type"])
        yield from label_key_errors(condition["type"], (*where, "type"))
        for name, most in _LONGEST.items():
            if len(condition.get(name, "").encode("utf-8", "surrogatepass")) > most:
                yield too_long((*where, name), most)
