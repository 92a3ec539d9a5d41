"""Kueue v0.18.6: how it differs from v0.19.2."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from kueuelab.model.release import FeatureGate, other_gates
from kueuelab.model.releases.v0_19_2 import V0_19_2

__all__ = ["V0_18_6"]

_TAS: Final = "TopologyAwareScheduling"
_REPLACEMENT: Final = "TASFailedNodeReplacement"
_DRA: Final = "KueueDRAIntegration"
_OBSERVABILITY: Final = "UnadmittedWorkloadsObservability"

_TRAINING: Final = tuple(
    f"kubeflow.org/{kind}" for kind in ("paddlejob", "pytorchjob", "tfjob", "xgboostjob", "jaxjob")
)

V0_18_6: Final = replace(
    V0_19_2,
    version="v0.18.6",
    gates=other_gates(
        V0_19_2.gates,
        without=(
            "DisableWaitForPodsReady",
            "KueueDRAIntegrationConsumableCapacity",
            "MultiKueueIncrementalDispatcherConfig",
            "MultiKueueIncrementalDispatcherRespectConfigOrder",
            "MultiKueueKubeConfigPathValidation",
            "SchedulerLibraryIntegration",
            "TASAssignmentsEncodingByHostnamePrefix",
        ),
        others=(
            FeatureGate("LendingLimit", True, "GA", locked=True),
            FeatureGate("MultiKueueBatchJobWithManagedBy", True, "GA", locked=True),
            FeatureGate("LocalQueueDefaulting", True, "GA", locked=True),
            FeatureGate("SanitizePodSets", True, "GA", locked=True),
            FeatureGate("DynamicResourceAllocation", False, "Deprecated", locked=True),
            FeatureGate("DRAExtendedResources", False, "Deprecated", locked=True),
            FeatureGate("SkipReassignmentForPodOwnedWorkloads", False, "Alpha"),
            FeatureGate(
                "TASReplaceNodeDueToNotReadyOverFixedTime",
                True,
                "Beta",
                needs=(_TAS, _REPLACEMENT),
            ),
            FeatureGate("ManagedJobsNamespaceSelectorAlwaysRespected", True, "Beta"),
            FeatureGate("KueueDRAIntegrationExtendedResource", False, "Alpha", needs=(_DRA,)),
            FeatureGate("KueueDRAIntegrationPartitionableDevices", False, "Alpha", needs=(_DRA,)),
            FeatureGate("MultiKueueAllowInsecureKubeconfigs", False, "Deprecated"),
            FeatureGate("TASMultiLayerTopology", False, "Alpha", needs=(_TAS,)),
            FeatureGate("AdmissionGatedBy", False, "Alpha"),
            FeatureGate("QuotaCheckStrategy", False, "Alpha"),
            FeatureGate(_OBSERVABILITY, False, "Alpha"),
            FeatureGate(
                "UnadmittedWorkloadsExplicitStatus", False, "Alpha", needs=(_OBSERVABILITY,)
            ),
        ),
    ),
    layers_need_gate=True,
    warns_of_negative_sub_groups=False,
    # Nothing waits for pods unless the Configuration says so.
    installed={},
    frameworks=(*V0_19_2.frameworks, *_TRAINING),
    # It decides so, although it has no such gate.
    decides_as_if={
        "DisableWaitForPodsReady": False,
        "KueueDRAIntegrationConsumableCapacity": False,
        "MultiKueueIncrementalDispatcherConfig": False,
        "MultiKueueIncrementalDispatcherRespectConfigOrder": False,
        "MultiKueueKubeConfigPathValidation": False,
        "SchedulerLibraryIntegration": False,
        "TASAssignmentsEncodingByHostnamePrefix": False,
    },
)
