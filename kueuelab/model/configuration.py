"""Kueue's own Configuration: the parts that change what it decides.

See https://kueue.sigs.k8s.io/docs/reference/kueue-config.v1beta2/. Durations are in
nanoseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

from kueuelab.model.devices import DeviceClassMapping
from kueuelab.model.feature_gates import FeatureGates
from kueuelab.model.meta import LabelSelector
from kueuelab.model.release import Release
from kueuelab.model.times import SECOND

__all__ = [
    "AdmissionFairSharing",
    "Configuration",
    "FairSharing",
    "MultiKueue",
    "PreemptionStrategy",
    "RequeuingStrategy",
    "ResourceTransformation",
    "Resources",
    "WaitForPodsReady",
]

PreemptionStrategy = Literal["LessThanOrEqualToFinalShare", "LessThanInitialShare"]


@dataclass(frozen=True, slots=True)
class FairSharing:
    """Fair sharing is on; the strategies are tried in this order."""

    preemption_strategies: tuple[PreemptionStrategy, ...] = (
        "LessThanOrEqualToFinalShare",
        "LessThanInitialShare",
    )


@dataclass(frozen=True, slots=True)
class AdmissionFairSharing:
    """Admission fair sharing: usage decays by half in ``usage_half_life_time``."""

    usage_half_life_time: int
    usage_sampling_interval: int = 300 * SECOND
    resource_weights: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RequeuingStrategy:
    """How workloads are requeued that were evicted because their pods were not ready.

    ``backoff_limit_count`` ``None`` retries for ever.
    """

    timestamp: Literal["Eviction", "Creation"] = "Eviction"
    backoff_limit_count: int | None = None
    backoff_base_seconds: int = 60
    backoff_max_seconds: int = 3600


@dataclass(frozen=True, slots=True)
class WaitForPodsReady:
    """All-or-nothing scheduling with ready pods: timeouts, and whether others wait.

    ``recovery_timeout`` ``None`` means that no time is limited for recovery.
    """

    timeout: int = 1800 * SECOND
    block_admission: bool = False
    recovery_timeout: int | None = None
    requeuing_strategy: RequeuingStrategy = RequeuingStrategy()


@dataclass(frozen=True, slots=True)
class MultiKueue:
    """MultiKueue: garbage collection, lost workers, and the dispatcher that nominates clusters."""

    gc_interval: int = 60 * SECOND
    origin: str = "multikueue"
    worker_lost_timeout: int = 900 * SECOND
    dispatcher_name: str = "kueue.x-k8s.io/multikueue-dispatcher-all-at-once"
    incremental_step_size: int = 3
    external_frameworks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResourceTransformation:
    """Count one resource as others, exactly: output = input (x ``multiply_by``) x factor."""

    input: str
    strategy: Literal["Retain", "Replace"] = "Retain"
    multiply_by: str = ""
    outputs: Mapping[str, Fraction] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Resources:
    """Which requested resources count against quota, and as what."""

    exclude_resource_prefixes: tuple[str, ...] = ()
    transformations: tuple[ResourceTransformation, ...] = ()
    quota_check_strategy: Literal["BlockUndeclared", "IgnoreUndeclared"] = "BlockUndeclared"
    device_class_mappings: tuple[DeviceClassMapping, ...] = ()

    @property
    def in_bytes(self) -> frozenset[str]:
        """Resources that Kueue prints as bytes: counters and capacities of devices (KEP-2941)."""
        return frozenset(each.name for each in self.device_class_mappings if each.sources)


@dataclass(frozen=True, slots=True)
class Configuration:
    """How this Kueue is configured; everything left out has Kueue's default.

    ``wait_for_pods_ready`` ``None`` is off. ``frameworks`` has what is written; without any,
    `enabled_frameworks` are those that Kueue is installed with. ``retention_after_finished`` is
    how long finished workloads are kept, ``None`` for ever. ``extra`` keeps the fields that
    change nothing in a simulation (certificates, metrics, ...).

    Examples
    --------
    >>> Configuration().gates["PartialAdmission"]
    True
    >>> Configuration(fair_sharing=FairSharing()).fair_sharing_enabled
    True
    """

    fair_sharing: FairSharing | None = None
    admission_fair_sharing: AdmissionFairSharing | None = None
    wait_for_pods_ready: WaitForPodsReady | None = None
    multi_kueue: MultiKueue = MultiKueue()
    resources: Resources = Resources()
    gates: FeatureGates = field(default_factory=FeatureGates)
    manage_jobs_without_queue_name: bool = False
    managed_jobs_namespace_selector: LabelSelector | None = None
    frameworks: tuple[str, ...] = ()
    retention_after_finished: int | None = None
    retention_after_deactivated: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def release(self) -> Release:
        """The release of Kueue that is configured: its gates are of it."""
        return self.gates.release

    def of_release(self, release: Release) -> Configuration:
        """Return the same Configuration for another release of Kueue.

        Examples
        --------
        >>> from kueuelab.model.releases import release_named
        >>> written = Configuration(gates=FeatureGates({"SchedulerLongRequeueInterval": True}))
        >>> found = written.of_release(release_named("v0.20-dev"))
        >>> found.release, found.gates.left_out
        (<Release v0.20-dev>, {'SchedulerLongRequeueInterval': True})
        """
        written = {**self.gates.overrides, **self.gates.left_out}
        return replace(self, gates=FeatureGates(written, release))

    @property
    def enabled_frameworks(self) -> tuple[str, ...]:
        """The integrations that are enabled: those named, else those of an installed Kueue."""
        return self.frameworks or self.release.frameworks

    @property
    def fair_sharing_enabled(self) -> bool:
        """Whether fair sharing decides preemption and the order of admission."""
        return self.fair_sharing is not None
