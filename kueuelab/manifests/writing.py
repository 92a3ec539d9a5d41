"""The one writer of YAML: what it writes, Kubernetes and this package read as it was meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import yaml

from kueuelab.manifests.reading.scalars import resolve
from kueuelab.printable import UNPRINTABLE, escaped

__all__ = ["write_inline", "write_yaml"]

#: No line is folded: text that is folded is hard to search.
_WIDTH: Final = 1_000_000

# YAML 1.1 takes these for the end of a line and does not give them back.
_OTHER_LINE_ENDS: Final = re.compile("[\r\x85\u2028\u2029\ufeff]")


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Writes every value out: a reader should not have to look anchors up."""

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


def _text(dumper: Any, value: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=_style(value))


def _style(value: str) -> str | None:
    """Return how a text is written; ``None`` leaves it to the emitter."""
    if UNPRINTABLE.search(value) or _OTHER_LINE_ENDS.search(value):
        return '"'
    if "\n" in value:
        return "|"
    # Kubernetes takes more words for booleans and numbers than PyYAML does.
    return None if isinstance(resolve(value), str) else "'"


_Dumper.add_representer(str, _text)


def write_yaml(documents: Iterable[Mapping[str, Any]]) -> str:
    r"""Return manifests as YAML, one document each, in the order of their fields.

    Reading the text gives the same values, for any text, number and boolean in them.

    Examples
    --------
    >>> print(write_yaml([{"name": "on", "at": "1e3"}, {"text": "one\ntwo\n"}]), end="")
    name: 'on'
    at: '1e3'
    ---
    text: |
      one
      two
    """
    text: str = yaml.dump_all(
        list(documents),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
        width=_WIDTH,
    )
    # They are between double quotes only, where an escape means the same.
    return escaped(text)


def write_inline(value: Any) -> str:
    """Return a value as YAML on one line, as it stands behind a key.

    Examples
    --------
    >>> print(write_inline({"cpu": "1", "flavors": ["y", "spot"]}))
    {cpu: '1', flavors: ['y', spot]}
    """
    text: str = yaml.dump(
        value,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=True,
        width=_WIDTH,
    )
    return escaped(text.removesuffix("\n").removesuffix("\n...").strip())
