"""Kueue v0.19.2.

The feature gates are those of
https://kueue.sigs.k8s.io/docs/installation/#change-the-feature-gates-configuration.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from kueuelab.model.release import FeatureGate, Release

__all__ = ["V0_19_2"]

_TAS: Final = "TopologyAwareScheduling"
_REPLACEMENT: Final = "TASFailedNodeReplacement"
_DRA: Final = "KueueDRAIntegration"
_SLICES: Final = "ElasticJobsViaWorkloadSlices"
_OBSERVABILITY: Final = "UnadmittedWorkloadsObservability"

_GATES: Final = (
    FeatureGate("PartialAdmission", True, "Beta"),
    FeatureGate("FlavorFungibility", True, "Beta"),
    FeatureGate("VisibilityOnDemand", True, "Beta"),
    FeatureGate("DisableWaitForPodsReady", False, "Alpha"),
    FeatureGate("PrioritySortingWithinCohort", True, "Beta"),
    FeatureGate("FairSharingPreemptWithinNominal", True, "Beta"),
    FeatureGate("FairSharingPrioritizeNonBorrowing", True, "Beta"),
    FeatureGate("MultiKueue", True, "Beta"),
    FeatureGate(_TAS, True, "Beta"),
    FeatureGate("LocalQueueMetrics", True, "Beta"),
    FeatureGate("TASProfileMixed", True, "Beta"),
    FeatureGate("HierarchicalCohorts", True, "GA", locked=True),
    FeatureGate("AdmissionFairSharing", True, "Beta"),
    FeatureGate("ObjectRetentionPolicies", True, "GA", locked=True),
    FeatureGate(_REPLACEMENT, True, "Beta", needs=(_TAS,)),
    FeatureGate(_SLICES, True, "Beta"),
    FeatureGate("ElasticJobsViaWorkloadSlicesWithTAS", False, "Alpha", needs=(_SLICES, _TAS)),
    FeatureGate("TASFailedNodeReplacementFailFast", True, "Beta", needs=(_TAS, _REPLACEMENT)),
    FeatureGate("TASReplaceNodeOnPodTermination", True, "Beta", needs=(_TAS, _REPLACEMENT)),
    FeatureGate("SkipReassignmentForPodOwnedWorkloads", True, "Beta"),
    FeatureGate(
        "TASReplaceNodeDueToNotReadyOverFixedTime", False, "Deprecated", needs=(_TAS, _REPLACEMENT)
    ),
    FeatureGate("ManagedJobsNamespaceSelectorAlwaysRespected", True, "GA", locked=True),
    FeatureGate("TASBalancedPlacement", False, "Alpha", needs=(_TAS,)),
    FeatureGate("TASAssignmentsEncodingByHostnamePrefix", True, "Beta"),
    FeatureGate(_DRA, True, "Beta"),
    FeatureGate("KueueDRAIntegrationExtendedResource", True, "Beta", needs=(_DRA,)),
    FeatureGate("KueueDRARejectWorkloadsWhenDRADisabled", True, "Beta"),
    FeatureGate("KueueDRAIntegrationPartitionableDevices", True, "Beta", needs=(_DRA,)),
    FeatureGate("KueueDRAIntegrationConsumableCapacity", False, "Alpha", needs=(_DRA,)),
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
    FeatureGate("TASReplaceNodeOnNodeTaints", True, "Beta", needs=(_TAS,)),
    FeatureGate("AssignQueueLabelsForPods", True, "Beta"),
    FeatureGate("TASMultiLayerTopology", True, "Beta", needs=(_TAS,)),
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
    FeatureGate("TASRespectNodeAffinityPreferred", False, "Alpha", needs=(_TAS,)),
    FeatureGate("MultiKueueManagerQuotaAutomation", False, "Alpha"),
    FeatureGate("WorkloadIdentifierAnnotations", True, "Beta"),
    FeatureGate("WorkloadPriorityClassDefaulting", False, "Alpha"),
    FeatureGate("MetricsForCohorts", True, "Beta"),
    FeatureGate("CleanupProvisioningRequestsOnEviction", True, "Beta"),
    FeatureGate("TASHandleOverlappingFlavors", True, "Beta", needs=(_TAS,)),
    FeatureGate(_OBSERVABILITY, False, "Beta"),
    FeatureGate("TASRecomputeAssignmentWithinSchedulingCycle", True, "Beta", needs=(_TAS,)),
    FeatureGate("UnadmittedWorkloadsExplicitStatus", False, "Beta", needs=(_OBSERVABILITY,)),
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

V0_19_2: Final = Release(
    version="v0.19.2",
    kubernetes="1.36",
    api_versions=("v1beta2", "v1beta1"),
    gates=MappingProxyType({gate.name: gate for gate in _GATES}),
    warns_of_negative_sub_groups=True,
    installed=MappingProxyType({"waitForPodsReady": {"timeout": "30m"}}),
    # config/components/manager/controller_manager_config.yaml
    frameworks=(
        "batch/job",
        "kubeflow.org/mpijob",
        "ray.io/rayjob",
        "ray.io/raycluster",
        "ray.io/rayservice",
        "jobset.x-k8s.io/jobset",
        "workload.codeflare.dev/appwrapper",
        "trainer.kubeflow.org/trainjob",
        "pod",
        "deployment",
        "statefulset",
        "leaderworkerset.x-k8s.io/leaderworkerset",
    ),
)
