"""ClusterQueue, Cohort, LocalQueue, ResourceFlavor: which queue may use how much quota.

See https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/ and its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from kueuelab.model.meta import Condition, LabelSelector, ObjectMeta
from kueuelab.model.pods import Taint, Toleration

__all__ = [
    "AdmissionCheckStrategyRule",
    "AdmissionMode",
    "BorrowWithinCohort",
    "BorrowWithinCohortPolicy",
    "ClusterQueue",
    "ClusterQueuePreemption",
    "Cohort",
    "ConcurrentAdmissionPolicy",
    "FlavorFungibility",
    "FlavorFungibilityPolicy",
    "FlavorFungibilityPreference",
    "FlavorQuotas",
    "LocalQueue",
    "PreemptionPolicy",
    "QueueingStrategy",
    "ResourceFlavor",
    "ResourceGroup",
    "ResourceQuota",
    "StopPolicy",
]

QueueingStrategy = Literal["StrictFIFO", "BestEffortFIFO"]
StopPolicy = Literal["None", "Hold", "HoldAndDrain"]
PreemptionPolicy = Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority", "Any"]
BorrowWithinCohortPolicy = Literal["Never", "LowerPriority"]
FlavorFungibilityPolicy = Literal["MayStopSearch", "TryNextFlavor"]
FlavorFungibilityPreference = Literal["BorrowingOverPreemption", "PreemptionOverBorrowing"]
AdmissionMode = Literal["UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing"]
ConcurrentAdmissionMigrationMode = Literal["TryPreferredFlavors", "RetainFirstAdmission"]


@dataclass(frozen=True, slots=True)
class ResourceFlavor:
    """A kind of nodes: their labels and taints, and tolerations Kueue adds to pods."""

    metadata: ObjectMeta
    node_labels: Mapping[str, str] = field(default_factory=dict)
    node_taints: tuple[Taint, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    topology_name: str | None = None


@dataclass(frozen=True, slots=True)
class ResourceQuota:
    """Quota of one resource in one flavor, in Kueue's integer unit.

    ``None`` for a limit means that there is none.
    """

    name: str
    nominal: int
    borrowing_limit: int | None = None
    lending_limit: int | None = None


@dataclass(frozen=True, slots=True)
class FlavorQuotas:
    """The quotas that one flavor provides."""

    name: str
    resources: tuple[ResourceQuota, ...] = ()


@dataclass(frozen=True, slots=True)
class ResourceGroup:
    """Resources that are always assigned from the same flavor, tried in this order."""

    covered_resources: tuple[str, ...]
    flavors: tuple[FlavorQuotas, ...]


@dataclass(frozen=True, slots=True)
class BorrowWithinCohort:
    """Whether a workload that needs to borrow may preempt in other queues."""

    policy: BorrowWithinCohortPolicy = "Never"
    max_priority_threshold: int | None = None


@dataclass(frozen=True, slots=True)
class ClusterQueuePreemption:
    """Which workloads those of a ClusterQueue may preempt."""

    within_cluster_queue: PreemptionPolicy = "Never"
    reclaim_within_cohort: PreemptionPolicy = "Never"
    borrow_within_cohort: BorrowWithinCohort | None = None


@dataclass(frozen=True, slots=True)
class FlavorFungibility:
    """When to go on to the next flavor instead of borrowing or preempting."""

    when_can_borrow: FlavorFungibilityPolicy = "MayStopSearch"
    when_can_preempt: FlavorFungibilityPolicy = "TryNextFlavor"
    preference: FlavorFungibilityPreference | None = None


@dataclass(frozen=True, slots=True)
class AdmissionCheckStrategyRule:
    """An admission check and the flavors it is for (all of them where empty)."""

    name: str
    on_flavors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConcurrentAdmissionPolicy:
    """How the variants of a workload, one for each flavor, compete for admission (KEP-8691).

    Attributes
    ----------
    mode : str
        Whether an admitted workload may migrate to a flavor that comes earlier.
    last_acceptable_flavor : str, optional
        The last flavor that it may migrate to.
    """

    mode: ConcurrentAdmissionMigrationMode = "TryPreferredFlavors"
    last_acceptable_flavor: str | None = None


@dataclass(frozen=True, slots=True)
class ClusterQueue:
    """A pool of quota and the rules for using it.

    ``namespace_selector`` ``None`` selects no namespace. ``fair_weight`` is
    ``spec.fairSharing.weight``, exact. ``extra_spec`` keeps fields the lab doesn't
    model as they were written.
    """

    metadata: ObjectMeta
    resource_groups: tuple[ResourceGroup, ...] = ()
    cohort_name: str = ""
    queueing_strategy: QueueingStrategy = "BestEffortFIFO"
    namespace_selector: LabelSelector | None = None
    flavor_fungibility: FlavorFungibility = FlavorFungibility()
    preemption: ClusterQueuePreemption = ClusterQueuePreemption()
    admission_checks: tuple[AdmissionCheckStrategyRule, ...] = ()
    stop_policy: StopPolicy = "None"
    fair_weight: Fraction | None = None
    admission_mode: AdmissionMode | None = None
    concurrent_admission: ConcurrentAdmissionPolicy | None = None
    extra_spec: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The ClusterQueue's name."""
        return self.metadata.name


@dataclass(frozen=True, slots=True)
class Cohort:
    """A node in the tree of cohorts, with quota of its own if it has resource groups."""

    metadata: ObjectMeta
    parent_name: str = ""
    resource_groups: tuple[ResourceGroup, ...] = ()
    fair_weight: Fraction | None = None

    @property
    def name(self) -> str:
        """The Cohort's name."""
        return self.metadata.name


@dataclass(frozen=True, slots=True)
class LocalQueue:
    """The namespaced queue that jobs name; it points to a ClusterQueue."""

    metadata: ObjectMeta
    cluster_queue: str
    stop_policy: StopPolicy = "None"
    fair_weight: Fraction | None = None
    conditions: tuple[Condition, ...] = ()
    status_extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """``namespace/name``."""
        return self.metadata.key
