"""Values as lines of YAML: short collections are on one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from kueuelab.manifests.writing import write_inline

__all__ = ["indented", "lines_of", "lines_of_items", "written"]

#: A mapping or list of plain values is written on one line up to this length.
_LONGEST_INLINE: Final = 64


def written(value: Mapping[str, Any]) -> str:
    r"""Return a mapping as text: short collections on one line.

    Examples
    --------
    >>> print(written({"metadata": {"name": "a"}, "spec": {"levels": [{"a": [1]}]}}), end="")
    metadata: {name: a}
    spec:
      levels:
      - a: [1]
    """
    return "\n".join(lines_of(value)) + "\n"


def lines_of(value: Any) -> list[str]:
    """Return the lines of a value in block style; short collections are on one line."""
    if not isinstance(value, dict | list) or not value:
        return [write_inline(value)]
    if isinstance(value, list):
        return [line for item in value for line in _item_lines(item)]
    found = []
    for name, inner in value.items():
        if _is_short(inner):
            found.append(f"{write_inline(name)}: {write_inline(inner)}")
        else:
            indent = "" if isinstance(inner, list) else "  "
            found.append(f"{write_inline(name)}:")
            found += [indent + line for line in lines_of(inner)]
    return found


def lines_of_items(items: Sequence[Any], *, inline: bool, note: str) -> list[str]:
    """Return the lines of items of a list, below a comment."""
    lines = [line for item in items for line in _item_lines(item, inline=inline)]
    return [*(f"# {each}" for each in note.splitlines()), *lines]


def _item_lines(item: Any, *, inline: bool = False) -> list[str]:
    is_flat = (
        inline or not isinstance(item, dict | list) or ("kind" not in item and _is_short(item))
    )
    lines = [write_inline(item)] if is_flat and not _is_single(item, inline) else lines_of(item)
    first, *rest = lines
    return [f"- {first}", *(f"  {line}" for line in rest)]


def _is_single(item: Any, inline: bool) -> bool:
    return not inline and isinstance(item, dict) and len(item) == 1


def _is_short(value: Any) -> bool:
    if not isinstance(value, dict | list) or not value:
        return True
    inner = value.values() if isinstance(value, dict) else value
    # An empty list is for items to come, which a block has room for.
    is_flat = not any(isinstance(each, list) or (each and isinstance(each, dict)) for each in inner)
    return is_flat and len(write_inline(value)) <= _LONGEST_INLINE


def indented(lines: Iterable[str], column: int) -> str:
    """Return lines as text, each that far to the right."""
    return "\n".join(" " * column + line for line in lines)
