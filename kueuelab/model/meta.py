"""What every Kubernetes object has: metadata, conditions, label selectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from kueuelab.frozen import EMPTY, fast_init

__all__ = [
    "Condition",
    "ConditionStatus",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ObjectMeta",
    "OwnerReference",
]

ConditionStatus = Literal["True", "False", "Unknown"]


@fast_init
@dataclass(frozen=True, slots=True)
class OwnerReference:
    """A reference to the object that owns this one."""

    api_version: str
    kind: str
    name: str
    uid: str = ""
    controller: bool = False


@fast_init
@dataclass(frozen=True, slots=True)
class ObjectMeta:
    """Name, labels and the like of a Kubernetes object.

    ``namespace`` is empty for cluster-scoped objects; ``creation_timestamp`` is in
    nanoseconds since 1970 and ``None`` where the manifest gives none.

    Examples
    --------
    >>> ObjectMeta("job-0", namespace="default").key
    'default/job-0'
    >>> ObjectMeta("team-a").key
    'team-a'
    """

    name: str
    namespace: str = ""
    uid: str = ""
    labels: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    annotations: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    creation_timestamp: int | None = None
    generation: int = 0
    owner_references: tuple[OwnerReference, ...] = ()

    @property
    def key(self) -> str:
        """``namespace/name``, or the name alone for cluster-scoped objects."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class Condition(NamedTuple):
    """One entry of ``status.conditions``; times are nanoseconds since 1970."""

    type: str
    status: ConditionStatus
    reason: str
    message: str = ""
    last_transition_time: int = 0
    observed_generation: int = 0


@dataclass(frozen=True, slots=True)
class LabelSelectorRequirement:
    """One ``matchExpressions`` entry of a label selector."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether ``labels`` satisfy this requirement."""
        match self.operator:
            case "In":
                return self.key in labels and labels[self.key] in self.values
            case "NotIn":
                return labels.get(self.key) not in self.values
            case "Exists":
                return self.key in labels
            case "DoesNotExist":
                return self.key not in labels
        return False


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """A Kubernetes label selector; an empty one selects everything.

    Examples
    --------
    >>> LabelSelector().matches({"a": "b"})
    True
    >>> LabelSelector(match_labels={"team": "x"}).matches({})
    False
    """

    match_labels: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    match_expressions: tuple[LabelSelectorRequirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether ``labels`` satisfy every requirement."""
        if not (self.match_labels or self.match_expressions):
            return True
        return all(labels.get(k) == v for k, v in self.match_labels.items()) and all(
            requirement.matches(labels) for requirement in self.match_expressions
        )
