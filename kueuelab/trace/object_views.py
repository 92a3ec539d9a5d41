"""Objects as the record has them, in Kubernetes' spelling: queues, cohorts, checks, workers.

A view is an object's name, its manifest and what the record keeps of its status. Of an object
that isn't there both are empty: the view is false, and has Kueue's defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from kueuelab.frozen import EMPTY
from kueuelab.model import quota_amount
from kueuelab.model.amount import amount_string
from kueuelab.trace.html import table

__all__ = [
    "AdmissionCheckView",
    "ClusterQueueView",
    "CohortView",
    "ConditionView",
    "LocalQueueView",
    "MultiKueueConfigView",
    "Quota",
]

#: Of the table of a queue or cohort, by Kueue's names.
_COLUMNS: Final = (
    *("flavor", "resource", "usage"),
    *("nominalQuota", "borrowingLimit", "lendingLimit"),
)
_amount = lru_cache(maxsize=4096, typed=True)(quota_amount)


@dataclass(frozen=True, slots=True)
class Quota:
    """What a node of the tree has of one resource in one flavor. ``None``: no limit."""

    flavor: str
    resource: str
    nominal: int
    borrowing_limit: int | None = None
    lending_limit: int | None = None


@dataclass(frozen=True, slots=True)
class ConditionView:
    """A condition; of one that isn't there, all is empty."""

    type: str
    status: str = ""
    reason: str = ""
    message: str = ""

    @classmethod
    def of(cls, type_: str, raw: Mapping[str, Any]) -> ConditionView:
        """Return a condition that the record has."""
        return cls(type_, raw.get("status", ""), raw.get("reason", ""), raw.get("message", ""))

    def __bool__(self) -> bool:
        return bool(self.status)

    @property
    def is_true(self) -> bool:
        """Whether it is there, and true."""
        return self.status == "True"


@dataclass(frozen=True, slots=True, repr=False)
class _ObjectView:
    """An object by its name.

    Attributes
    ----------
    name
        Its name, ``namespace/name`` of a namespaced one.
    manifest
        The object as it was applied, in Kubernetes' spelling; read it only.
    """

    name: str
    manifest: Mapping[str, Any]
    _kept: Mapping[str, Any]

    def __bool__(self) -> bool:
        return bool(self.manifest)

    def __repr__(self) -> str:
        missing = "" if self else ", not there"
        return f"<{type(self).__name__.removesuffix('View')} {self.name}{missing}>"

    @property
    def _spec(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.manifest.get("spec", EMPTY)
        return found

    def condition(self, type_: str) -> ConditionView:
        """Return a condition of its status."""
        for each in self.manifest.get("status", EMPTY).get("conditions", ()):
            if each["type"] == type_:
                return ConditionView.of(type_, each)
        return ConditionView(type_)


@dataclass(frozen=True, slots=True, repr=False)
class _QuotaNodeView(_ObjectView):
    """A ClusterQueue or Cohort."""

    @property
    def quotas(self) -> tuple[Quota, ...]:
        """Its quotas, in the order of its resource groups."""
        return tuple(
            Quota(
                flavor["name"],
                resource["name"],
                _amount(resource["name"], resource.get("nominalQuota", 0)),
                _limit(resource, "borrowingLimit"),
                _limit(resource, "lendingLimit"),
            )
            for group in self._spec.get("resourceGroups", ())
            for flavor in group.get("flavors", ())
            for resource in flavor.get("resources", ())
        )

    @property
    def usage(self) -> dict[tuple[str, str], int]:
        """How much it uses, by flavor and resource; without what it doesn't use."""
        return {
            (flavor, resource): amount
            for flavor, amounts in self._kept.get("usage", EMPTY).items()
            for resource, amount in amounts.items()
            if amount
        }

    @property
    def weighted_share(self) -> int | None:
        """Its weighted share under fair sharing; ``None`` without."""
        found = self._kept.get("weightedShare")
        return None if found is None else int(found)

    def _repr_html_(self) -> str:
        """Return its quota and what is used of it, for a notebook."""
        used = self.usage
        rows = []
        for each in self.quotas:
            amounts = (
                used.get((each.flavor, each.resource), 0),
                each.nominal,
                each.borrowing_limit,
                each.lending_limit,
            )
            texts = ("" if it is None else amount_string(each.resource, it) for it in amounts)
            rows.append([each.flavor, each.resource, *texts])
        return table(_COLUMNS, rows, repr(self).strip("<>"))


def _limit(resource: Mapping[str, Any], name: str) -> int | None:
    found = resource.get(name)
    return None if found is None else _amount(resource["name"], found)


@dataclass(frozen=True, slots=True, repr=False)
class ClusterQueueView(_QuotaNodeView):
    """A ClusterQueue."""

    @property
    def parent(self) -> str:
        """The name of its cohort, ``""`` if it has none."""
        return str(self._spec.get("cohortName", ""))

    @property
    def flavors_by_group(self) -> tuple[tuple[str, ...], ...]:
        """The flavors of each of its resource groups, in their order."""
        return tuple(
            tuple(flavor["name"] for flavor in group.get("flavors", ()))
            for group in self._spec.get("resourceGroups", ())
        )

    @property
    def queueing_strategy(self) -> str:
        """How it orders its workloads."""
        return str(self._spec.get("queueingStrategy", "BestEffortFIFO"))

    @property
    def stop_policy(self) -> str:
        """``None``, ``Hold`` or ``HoldAndDrain``."""
        return str(self._spec.get("stopPolicy", "None"))

    @property
    def preemption_policies(self) -> Iterator[tuple[str, str]]:
        """The policies of preemption by Kueue's names."""
        for name, value in self._spec.get("preemption", EMPTY).items():
            policy = value.get("policy", "") if isinstance(value, Mapping) else value
            if policy:
                yield name, policy

    @property
    def reclaim_within_cohort(self) -> str:
        """Which workloads of its cohort its workloads may preempt."""
        return str(self._spec.get("preemption", EMPTY).get("reclaimWithinCohort", "Never"))

    @property
    def admission_mode(self) -> str:
        """How what LocalQueues have used orders its workloads, ``""`` if it doesn't."""
        return str(self._spec.get("admissionScope", EMPTY).get("admissionMode", ""))

    @property
    def is_active(self) -> bool:
        """Whether it can admit, as far as is known."""
        return self._kept.get("active") is not False

    @property
    def preemptor(self) -> str:
        """The workload that waits for its targets and goes before all others, ``""`` if none."""
        return str(self._kept.get("preemptor") or "")

    def did_not_fit(self, shape: str) -> str:
        """Return the workload of a shape for which there was no room, ``""`` if there is none."""
        return str(self._kept.get("noFit", EMPTY).get(shape, ""))


@dataclass(frozen=True, slots=True, repr=False)
class CohortView(_QuotaNodeView):
    """A Cohort."""

    @property
    def subtree_quota(self) -> dict[tuple[str, str], int]:
        """What it and all below it can use without borrowing, by flavor and resource."""
        return {
            (flavor, resource): amount
            for flavor, amounts in self._kept.get("subtreeQuota", EMPTY).items()
            for resource, amount in amounts.items()
        }

    @property
    def parent(self) -> str:
        """The name of the cohort above it, ``""`` at the top."""
        return str(self._spec.get("parentName", ""))


@dataclass(frozen=True, slots=True, repr=False)
class LocalQueueView(_ObjectView):
    """A LocalQueue, by ``namespace/name``."""

    @property
    def cluster_queue(self) -> str:
        """The name of its ClusterQueue, ``""`` if it isn't there."""
        return str(self._spec.get("clusterQueue", ""))

    @property
    def stop_policy(self) -> str:
        """``None``, ``Hold`` or ``HoldAndDrain``."""
        return str(self._spec.get("stopPolicy", "None"))

    @property
    def used(self) -> float:
        """What its workloads have used so far, as admission fair sharing counts it."""
        return float(self._kept.get("usage", 0))


@dataclass(frozen=True, slots=True, repr=False)
class AdmissionCheckView(_ObjectView):
    """An AdmissionCheck."""

    @property
    def controller_name(self) -> str:
        """The controller that decides it."""
        return str(self._spec.get("controllerName", ""))

    @property
    def parameters_name(self) -> str:
        """The name of the object with its parameters, ``""`` if it has none."""
        return str(self._spec.get("parameters", EMPTY).get("name", ""))


@dataclass(frozen=True, slots=True, repr=False)
class MultiKueueConfigView(_ObjectView):
    """A MultiKueueConfig."""

    @property
    def clusters(self) -> tuple[str, ...]:
        """Its workers, in order."""
        return tuple(self._spec.get("clusters", ()))
