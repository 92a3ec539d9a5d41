"""Runs in which every name and every text would like to be HTML, and would run if it were.

No scenario can be loaded with such names: what was loaded is changed, as a file could be that
was written by hand. Names with and without a slash differ: it parts a namespace from a name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

from kueuelab.model import FeatureGates

#: What would be markup, text of a script, or a link, wherever it is not taken for text.
TEXT: Final = (
    "</script></textarea></title><script>window.hacked=1</script><img src=x onerror=hacked=1>"
    '"><svg onload=hacked=1>\'`${window.hacked=1}`&<a href="javascript:hacked=1">go</a>'
    "<style>@import 'x'</style><iframe srcdoc='<script>parent.hacked=1</script>'>"
)
#: In names there is no slash, and they are short enough to be shown whole.
ATTACKS: Final[Mapping[str, str]] = {
    "job-0": "job-0<img src=x onerror=hacked=1>",
    "job-1": 'job-1"><svg onload=hacked=1>',
    "job-2": 'job-2<a href="javascript:hacked=1"><b>`${hacked=1}`',
    "team-a": "cluster<b>queue<i>",
    "team-b": "cohort'\"><script>hacked=1<!--",
    "team-a-jobs": "clusterjobs<b>queue<i>",
    "team-b-jobs": "cohortjobs'\"><script>hacked=1<!--",
    "department": "department<b>&amp;$x$",
    "train": "train<img src=x onerror=hacked=1>",
    "filler": 'filler"><svg onload=hacked=1>`${hacked=1}`',
    "w1": "w1<b>\"><img src=x onerror='hacked=1'>",
    "w2": "w2<script>hacked=1<!--",
    "dispatch": 'dispatch<a href="javascript:hacked=1">',
    "team": "team<textarea><svg onload=hacked=1>",
    "fleet": "fleet<style>",
}
_TEXTS: Final = frozenset({"title", "description", "message", "labels", "annotations"})


def poisoned(value: Any, name: str = "") -> Any:
    """Return a value with hostile names and texts in it, however deep."""
    if isinstance(value, str):
        return value + TEXT if name in _TEXTS else hostile(value)
    if is_dataclass(value) and not isinstance(value, type):
        found = {
            each.name: poisoned(getattr(value, each.name), each.name)
            for each in fields(value)
            if each.init
        }
        if "annotations" in found:
            found["annotations"] = {"note": TEXT}
        return replace(value, **found)
    if isinstance(value, FeatureGates):
        return value  # Kueue's own names.
    if isinstance(value, Mapping):
        return {poisoned(key): poisoned(part, name) for key, part in value.items()}
    if isinstance(value, tuple):
        return tuple(poisoned(part, name) for part in value)
    return value


def without_preemption(spec: Any) -> Any:
    """Return a scenario in which no ClusterQueue preempts: it goes on differently."""
    objects = {
        kind: tuple(
            replace(each, preemption=type(each.preemption)())
            if hasattr(each, "preemption")
            else each
            for each in found
        )
        for kind, found in spec.manifests.objects.items()
    }
    return replace(spec, manifests=replace(spec.manifests, objects=objects))


def hostile(key: str) -> str:
    """Return a name, or a namespace and a name, with what is hostile in it."""
    return "/".join(ATTACKS.get(part, part) for part in key.split("/"))
