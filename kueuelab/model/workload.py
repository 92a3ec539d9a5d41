"""Workload: what Kueue queues, reserves quota for and admits.

See https://kueue.sigs.k8s.io/docs/concepts/workload/.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kueuelab.frozen import EMPTY, fast_init
from kueuelab.model.meta import Condition, ObjectMeta
from kueuelab.model.pods import PodTemplate, Toleration

__all__ = [
    "Admission",
    "AdmissionCheckState",
    "CheckState",
    "PodSet",
    "PodSetAssignment",
    "PodSetUpdate",
    "PriorityClassRef",
    "ReclaimablePod",
    "RequeueState",
    "Workload",
    "WorkloadStatus",
]

CheckState = Literal["Pending", "Ready", "Retry", "Rejected"]


@fast_init
@dataclass(frozen=True, slots=True)
class PodSet:
    """Pods of one shape.

    ``topology_request`` is kept as written; :class:`~kueuelab.model.TopologyRequest` reads it.
    """

    name: str = "main"
    count: int = 1
    min_count: int | None = None
    template: PodTemplate = field(default_factory=PodTemplate)
    topology_request: Mapping[str, Any] | None = None


@fast_init
@dataclass(frozen=True, slots=True)
class PriorityClassRef:
    """The PriorityClass or WorkloadPriorityClass that the priority came from."""

    group: str
    kind: str
    name: str


@fast_init
@dataclass(frozen=True, slots=True)
class PodSetAssignment:
    """Flavors and quota given to a pod set: resource to flavor, resource to usage.

    ``resource_usage`` is in Kueue's integer unit. ``topology_assignment`` and
    ``delayed_topology_request`` are kept as written;
    :class:`~kueuelab.model.TopologyAssignment` reads the former.
    """

    name: str
    flavors: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    resource_usage: Mapping[str, int] = field(default_factory=lambda: EMPTY)
    count: int | None = None
    topology_assignment: Mapping[str, Any] | None = None
    delayed_topology_request: str | None = None


@fast_init
@dataclass(frozen=True, slots=True)
class Admission:
    """The ClusterQueue that admitted a workload, and what it gave to each pod set."""

    cluster_queue: str
    pod_set_assignments: tuple[PodSetAssignment, ...] = ()


@dataclass(frozen=True, slots=True)
class RequeueState:
    """How often a workload was requeued, and until when it backs off (ns since 1970)."""

    count: int | None = None
    requeue_at: int | None = None


@dataclass(frozen=True, slots=True)
class ReclaimablePod:
    """Pods of a pod set that are done and whose quota may be given back."""

    name: str
    count: int


@fast_init
@dataclass(frozen=True, slots=True)
class PodSetUpdate:
    """Changes that an admission check wants made to a pod set before it starts."""

    name: str
    labels: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    annotations: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    node_selector: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    tolerations: tuple[Toleration, ...] = ()


@fast_init
@dataclass(frozen=True, slots=True)
class AdmissionCheckState:
    """What one admission check says of a workload."""

    name: str
    state: CheckState = "Pending"
    message: str = ""
    last_transition_time: int = 0
    requeue_after_seconds: int | None = None
    retry_count: int | None = None
    pod_set_updates: tuple[PodSetUpdate, ...] = ()


@fast_init
@dataclass(frozen=True, slots=True)
class WorkloadStatus:
    """``status`` as a manifest or a dump gives it: where a simulation starts from."""

    conditions: tuple[Condition, ...] = ()
    admission: Admission | None = None
    requeue_state: RequeueState | None = None
    reclaimable_pods: tuple[ReclaimablePod, ...] = ()
    admission_checks: tuple[AdmissionCheckState, ...] = ()
    accumulated_past_execution_time_seconds: int = 0
    cluster_name: str | None = None
    nominated_cluster_names: tuple[str, ...] = ()
    preemption_gates: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    unhealthy_nodes: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=lambda: EMPTY)


@fast_init
@dataclass(frozen=True, slots=True)
class Workload:
    """A job's demand as Kueue sees it.

    ``priority`` is ``spec.priority`` as it stands (0 where the manifest has none).
    ``preemption_gates`` are the names in ``spec.preemptionGates``.

    Examples
    --------
    >>> Workload(ObjectMeta("job-0", namespace="default"), queue_name="team-a").key
    'default/job-0'
    """

    metadata: ObjectMeta
    pod_sets: tuple[PodSet, ...] = ()
    queue_name: str = ""
    priority: int = 0
    priority_class_ref: PriorityClassRef | None = None
    active: bool = True
    maximum_execution_time_seconds: int | None = None
    preemption_gates: tuple[str, ...] = ()
    status: WorkloadStatus = WorkloadStatus()

    @property
    def key(self) -> str:
        """``namespace/name``."""
        return self.metadata.key

    @property
    def name(self) -> str:
        """The Workload's name."""
        return self.metadata.name

    @property
    def namespace(self) -> str:
        """The Workload's namespace."""
        return self.metadata.namespace
