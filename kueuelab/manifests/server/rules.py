"""The rules among fields that Kueue's schemas state, one small function each.

They are evaluated as the API server does it: a field that isn't there ends the evaluation,
unless the outcome is certain without it, and a note says that the rule could not be
evaluated. `KeyError` stands for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from kueuelab.manifests.server.problems import OMITTED, FieldError, FieldPath, invalid
from kueuelab.manifests.server.rule import Object, Rule, every, exactly_one
from kueuelab.manifests.server.structural import type_name
from kueuelab.manifests.server.workload_rules import WORKLOAD_RULES
from kueuelab.manifests.shapes.shape import ABSENT, Shape

__all__ = ["check_rules"]


def _quotas(spec: Object) -> Iterator[Object]:
    for group in spec["resourceGroups"]:
        for flavor in group["flavors"]:
            yield from flavor["resources"]


def _no_borrowing_without(cohort: str) -> Callable[[Object], bool]:
    def holds(spec: Object) -> bool:
        if cohort in spec or "resourceGroups" not in spec:
            return True
        return every(_quotas(spec), lambda quota: "borrowingLimit" not in quota)

    return holds


def _prefers_with_reason(fungibility: Object) -> bool:
    wanted = "TryNextFlavor"
    return "preference" not in fungibility or (
        fungibility["whenCanBorrow"] == wanted and fungibility["whenCanPreempt"] == wanted
    )


def _borrows_to_reclaim(preemption: Object) -> bool:
    return not (
        preemption["reclaimWithinCohort"] == "Never"
        and "borrowWithinCohort" in preemption
        and preemption["borrowWithinCohort"]["policy"] != "Never"
    )


def _covers_resources(group: Object) -> bool:
    number = len(group["coveredResources"])
    return every(group["flavors"], lambda flavor: len(flavor["resources"]) == number)


def _is_free_of_repetition(items: list[Any]) -> bool:
    return all(items.count(item) == 1 for item in items)


def _ends_with_hostname(levels: list[Object]) -> bool:
    hostname = "kubernetes.io/hostname"
    labels = [level["nodeLabel"] for level in levels]
    return hostname not in labels or labels[-1] == hostname


def _keeps_hostname(levels: list[Object], old: list[Object]) -> bool:
    hostname = "kubernetes.io/hostname"
    return levels == old or levels[-1]["nodeLabel"] == old[-1]["nodeLabel"] == hostname


def _kept(name: str) -> Callable[[Object, Object], bool]:
    """Tell whether a field of a flavor with a topology stays as it is."""

    def keeps(spec: Object, old: Object) -> bool:
        return "topologyName" not in old or spec.get(name, ABSENT) == old.get(name, ABSENT)

    return keeps


_OPERATORS: Final = ("Equal", "Exists")
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_EFFECT_WORDS: Final = (
    "supported taint effect values: 'NoSchedule', 'PreferNoSchedule', 'NoExecute'"
)
_TOLERATIONS: Final = (
    Rule(
        "operator must be Exists when 'key' is empty, which means 'match all values and all keys'",
        lambda items: every(items, lambda item: "key" in item or item["operator"] == "Exists"),
    ),
    Rule(
        "effect must be 'NoExecute' when 'tolerationSeconds' is set",
        lambda items: every(
            items,
            lambda item: "tolerationSeconds" not in item or item["effect"] == "NoExecute",
        ),
    ),
    Rule(
        "supported toleration values: 'Equal'(default), 'Exists'",
        lambda items: every(items, lambda item: item.get("operator", "Equal") in _OPERATORS),
    ),
    Rule(
        "a value must be empty when 'operator' is 'Exists'",
        lambda items: every(
            items, lambda item: item.get("operator") != "Exists" or "value" not in item
        ),
    ),
    Rule(
        _EFFECT_WORDS,
        lambda items: every(items, lambda item: item.get("effect", _EFFECTS[0]) in _EFFECTS),
    ),
)


_BORROWING: Final = "borrowingLimit must be nil when cohort is empty"

#: The rules by the names that the tables give them.
RULES: Final[Mapping[str, tuple[Rule, ...]]] = {
    "immutable": (Rule("field is immutable", keeps=lambda new, old: bool(new == old)),),
    "borrowing-limit-needs-cohort-name": (Rule(_BORROWING, _no_borrowing_without("cohortName")),),
    "borrowing-limit-needs-cohort": (Rule(_BORROWING, _no_borrowing_without("cohort")),),
    "preference-needs-try-next-flavor": (
        Rule(
            "preference can only be set when both whenCanBorrow and whenCanPreempt are "
            "TryNextFlavor",
            _prefers_with_reason,
        ),
    ),
    "borrow-needs-reclaim": (
        Rule("reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never", _borrows_to_reclaim),
    ),
    "flavors-cover-resources": (
        Rule(
            "flavors must have the same number of resources as the coveredResources",
            _covers_resources,
        ),
    ),
    "unique-items": (Rule("must be unique", _is_free_of_repetition),),
    "hostname-is-lowest": (
        Rule(
            "the kubernetes.io/hostname label can only be used at the lowest level of topology",
            _ends_with_hostname,
        ),
    ),
    "levels-change-above-hostname": (
        Rule(
            "levels are mutable only when kubernetes.io/hostname is the lowest level both before "
            "and after the change",
            keeps=_keeps_hostname,
        ),
    ),
    "one-cluster-source": (
        Rule(
            "exactly one of the fields in [kubeConfig clusterProfileRef] must be set",
            exactly_one("kubeConfig", "clusterProfileRef"),
        ),
    ),
    "topology-needs-node-label": (
        Rule(
            "at least one nodeLabel is required when topology is set",
            lambda spec: "topologyName" not in spec or len(spec["nodeLabels"]) >= 1,
        ),
    ),
    "node-labels-fixed": (
        Rule("nodeLabels are immutable when topologyName is set", keeps=_kept("nodeLabels")),
    ),
    "tolerations-fixed": (
        Rule("tolerations are immutable when topologyName is set", keeps=_kept("tolerations")),
    ),
    "topology-name-fixed": (
        Rule("topologyName is immutable when topologyName is set", keeps=_kept("topologyName")),
    ),
    "taint-effects": (
        Rule(
            _EFFECT_WORDS,
            lambda items: every(items, lambda item: item["effect"] in _EFFECTS),
        ),
    ),
    "tolerations": _TOLERATIONS,
    **WORKLOAD_RULES,
}


def check_rules(
    value: Any, shape: Shape, path: FieldPath = (), old: Any = ABSENT
) -> Iterator[FieldError]:
    """Yield the rules that a value breaks, or all that is in it.

    Parameters
    ----------
    value : object
        A value whose parts have the right types.
    shape : Shape
        What it is.
    path : tuple
        Where it is.
    old : object, optional
        What was there before; rules about changes are for updates only.
    """
    for name in shape.rules:
        for rule in RULES[name]:
            yield from _broken(rule, value, path, old)
    if isinstance(value, Mapping):
        before = old if isinstance(old, Mapping) else {}
        for name, part in value.items():
            inner = shape.fields[name].shape if name in shape.fields else shape.item
            if inner is not None and inner.has_rules:
                yield from check_rules(part, inner, (*path, name), before.get(name, ABSENT))
    elif isinstance(value, list) and shape.item is not None and shape.item.has_rules:
        known = _by_keys(old, shape)
        for index, item in enumerate(value):
            same = known.get(_keys_of(item, shape), ABSENT)
            yield from check_rules(item, shape.item, (*path, index), same)


def _broken(rule: Rule, value: Any, path: FieldPath, old: Any) -> Iterator[FieldError]:
    try:
        if rule.holds is not None:
            kept = old == value or rule.holds(value)
        else:
            assert rule.keeps is not None
            kept = old is ABSENT or rule.keeps(value, old)
    except KeyError as missing:
        words = f"no such key: {missing.args[0]} evaluating rule: {rule.message}"
        yield invalid(path, type_name(value), words)
        return
    if not kept:
        shown = OMITTED if isinstance(value, Mapping | list) else value
        yield invalid(path, shown, rule.message)


def _keys_of(item: Any, shape: Shape) -> Any:
    if not shape.keys or not isinstance(item, Mapping):
        return None
    return tuple(repr(item.get(name)) for name in shape.keys)


def _by_keys(old: Any, shape: Shape) -> dict[Any, Any]:
    if not shape.keys or not isinstance(old, list):
        return {}
    return {_keys_of(item, shape): item for item in old}
