"""Kueue's feature gates: default, stage and whether a value is locked, at v0.19.

Source: https://kueue.sigs.k8s.io/docs/installation/#change-the-feature-gates-configuration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

__all__ = ["FEATURE_GATES", "FeatureGate", "FeatureGates"]

Stage = Literal["Alpha", "Beta", "GA", "Deprecated"]


@dataclass(frozen=True, slots=True)
class FeatureGate:
    """A gate's default and stage. A locked gate can't be set to anything else."""

    name: str
    default: bool
    stage: Stage
    locked: bool = False


_GATES: Final = (
    FeatureGate("PartialAdmission", True, "Beta"),
    FeatureGate("FlavorFungibility", True, "Beta"),
    FeatureGate("VisibilityOnDemand", True, "Beta"),
    FeatureGate("DisableWaitForPodsReady", False, "Alpha"),
    FeatureGate("PrioritySortingWithinCohort", True, "Beta"),
    FeatureGate("FairSharingPreemptWithinNominal", True, "Beta"),
    FeatureGate("FairSharingPrioritizeNonBorrowing", True, "Beta"),
    FeatureGate("MultiKueue", True, "Beta"),
    FeatureGate("TopologyAwareScheduling", True, "Beta"),
    FeatureGate("LocalQueueMetrics", True, "Beta"),
    FeatureGate("TASProfileMixed", True, "Beta"),
    FeatureGate("HierarchicalCohorts", True, "GA", locked=True),
    FeatureGate("AdmissionFairSharing", True, "Beta"),
    FeatureGate("ObjectRetentionPolicies", True, "GA", locked=True),
    FeatureGate("TASFailedNodeReplacement", True, "Beta"),
    FeatureGate("ElasticJobsViaWorkloadSlices", True, "Beta"),
    FeatureGate("ElasticJobsViaWorkloadSlicesWithTAS", False, "Alpha"),
    FeatureGate("TASFailedNodeReplacementFailFast", True, "Beta"),
    FeatureGate("TASReplaceNodeOnPodTermination", True, "Beta"),
    FeatureGate("SkipReassignmentForPodOwnedWorkloads", True, "Beta"),
    FeatureGate("TASReplaceNodeDueToNotReadyOverFixedTime", False, "Deprecated"),
    FeatureGate("ManagedJobsNamespaceSelectorAlwaysRespected", True, "GA", locked=True),
    FeatureGate("TASBalancedPlacement", False, "Alpha"),
    FeatureGate("TASAssignmentsEncodingByHostnamePrefix", True, "Beta"),
    FeatureGate("KueueDRAIntegration", True, "Beta"),
    FeatureGate("KueueDRAIntegrationExtendedResource", True, "Beta"),
    FeatureGate("KueueDRARejectWorkloadsWhenDRADisabled", True, "Beta"),
    FeatureGate("KueueDRAIntegrationPartitionableDevices", True, "Beta"),
    FeatureGate("KueueDRAIntegrationConsumableCapacity", False, "Alpha"),
    FeatureGate("MultiKueueAdaptersForCustomJobs", True, "Beta"),
    FeatureGate("WorkloadRequestUseMergePatch", False, "Alpha"),
    FeatureGate("MultiKueueAllowInsecureKubeconfigs", False, "Deprecated", locked=True),
    FeatureGate("MultiKueueKubeConfigPathValidation", False, "Alpha"),
    FeatureGate("ReclaimablePods", True, "Beta"),
    FeatureGate("PropagateBatchJobLabelsToWorkload", True, "GA", locked=True),
    FeatureGate("MultiKueueClusterProfile", False, "Alpha"),
    FeatureGate("FailureRecoveryPolicy", False, "Alpha"),
    FeatureGate("SkipFinalizersForPodsSuspendedByParent", True, "GA", locked=True),
    FeatureGate("MultiKueueWaitForWorkloadAdmitted", True, "GA", locked=True),
    FeatureGate("MultiKueueRedoAdmissionOnEvictionInWorker", True, "GA", locked=True),
    FeatureGate("TLSOptions", True, "Beta"),
    FeatureGate("RemoveFinalizersWithStrictPatch", True, "Beta"),
    FeatureGate("TASReplaceNodeOnNodeTaints", True, "Beta"),
    FeatureGate("AssignQueueLabelsForPods", True, "Beta"),
    FeatureGate("TASMultiLayerTopology", True, "Beta"),
    FeatureGate("SchedulingEquivalenceHashing", True, "Beta"),
    FeatureGate("SchedulerLongRequeueInterval", False, "Alpha"),
    FeatureGate("SchedulerTimestampPreemptionBuffer", False, "Alpha"),
    FeatureGate("CustomMetricLabels", False, "Alpha"),
    FeatureGate("SparkApplicationIntegration", False, "Alpha"),
    FeatureGate("MultiKueueOrchestratedPreemption", False, "Alpha"),
    FeatureGate("PriorityBoost", False, "Alpha"),
    FeatureGate("AdmissionGatedBy", True, "Beta"),
    FeatureGate("ShortWorkloadNames", False, "Alpha"),
    FeatureGate("FastQuotaReleaseInPodIntegration", False, "Alpha"),
    FeatureGate("RejectUpdatesToCQWithInvalidOnFlavors", False, "Alpha"),
    FeatureGate("FinishOrphanedWorkloads", True, "Beta"),
    FeatureGate("MultiKueueIncrementalDispatcherConfig", True, "Beta"),
    FeatureGate("MultiKueueIncrementalDispatcherRespectConfigOrder", True, "Beta"),
    FeatureGate("ConcurrentAdmission", False, "Alpha"),
    FeatureGate("QuotaCheckStrategy", True, "Beta"),
    FeatureGate("MetricForWorkloadCreationLatency", True, "Beta"),
    FeatureGate("TASRespectNodeAffinityPreferred", False, "Alpha"),
    FeatureGate("MultiKueueManagerQuotaAutomation", False, "Alpha"),
    FeatureGate("WorkloadIdentifierAnnotations", True, "Beta"),
    FeatureGate("WorkloadPriorityClassDefaulting", False, "Alpha"),
    FeatureGate("MetricsForCohorts", True, "Beta"),
    FeatureGate("CleanupProvisioningRequestsOnEviction", True, "Beta"),
    FeatureGate("TASHandleOverlappingFlavors", True, "Beta"),
    FeatureGate("UnadmittedWorkloadsObservability", False, "Beta"),
    FeatureGate("TASRecomputeAssignmentWithinSchedulingCycle", True, "Beta"),
    FeatureGate("UnadmittedWorkloadsExplicitStatus", False, "Beta"),
    FeatureGate("DeferRayServiceFinalizationForRedisCleanup", True, "Beta"),
    FeatureGate("TASCacheNodeMatchResults", True, "Beta"),
    FeatureGate("TASCachingRemainingResources", True, "Beta"),
    FeatureGate("TASCacheTopologyTree", False, "Alpha"),
    FeatureGate("SchedulerLibraryIntegration", False, "Alpha"),
    FeatureGate("VectorizedResourceRequests", True, "Beta"),
    FeatureGate("WorkloadValidateResourcesAreNonNegative", True, "Beta"),
    FeatureGate("TASValidateWorkloadSliceSize", True, "Beta"),
    FeatureGate("WorkloadValidationForPodSetMetadata", True, "Beta"),
    FeatureGate("PrioritizePreemptorWorkloads", False, "Alpha"),
    FeatureGate("LWSImmutableGroupSize", True, "Beta"),
    FeatureGate("FlavorFungibilityPreserveScanProgress", True, "Beta"),
    FeatureGate("SkipAncestorCheckForDeletedWorkloads", True, "Beta"),
    FeatureGate("MultiKueueRemoteSpecSync", True, "Beta"),
    FeatureGate("RecomputeAssignmentUponPreemptionTargetsOverlap", False, "Alpha"),
    FeatureGate("PodIntegrationValidateGroupOwner", True, "Beta"),
    FeatureGate("ValidateRayAndSparkJobUpdates", True, "Beta"),
)

#: Every gate of Kueue v0.19 by name.
FEATURE_GATES: Final[Mapping[str, FeatureGate]] = MappingProxyType(
    {gate.name: gate for gate in _GATES}
)


class FeatureGates(Mapping[str, bool]):
    """Gate values: what a Configuration sets, and defaults for everything else.

    Unknown names are the manifests' business to reject; here they are a ``KeyError``.

    Examples
    --------
    >>> gates = FeatureGates({"PartialAdmission": False})
    >>> gates["PartialAdmission"], gates["FlavorFungibility"]
    (False, True)
    """

    __slots__ = ("_values", "overrides")

    def __init__(self, overrides: Mapping[str, bool] | None = None) -> None:
        self.overrides: Mapping[str, bool] = dict(overrides or {})
        self._values = {name: gate.default for name, gate in FEATURE_GATES.items()}
        for name, value in self.overrides.items():
            if name not in FEATURE_GATES:
                raise KeyError(name)
            self._values[name] = value

    def __getitem__(self, name: str) -> bool:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"FeatureGates({dict(self.overrides)!r})"
