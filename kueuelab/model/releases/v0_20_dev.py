"""Kueue v0.20 in development (commit ff69552e of August 2026): how it differs from v0.19.2.

Its decisions were recorded from that commit. What the notes of v0.20.0 say beyond it, no recording
shows: v1beta1 is not served any more, and the gates that are ``announced``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from kueuelab.model.release import FeatureGate, other_gates
from kueuelab.model.releases.v0_19_2 import V0_19_2

__all__ = ["V0_20_DEV"]

V0_20_DEV: Final = replace(
    V0_19_2,
    version="v0.20-dev",
    api_versions=("v1beta2",),
    admin_access_counts_nothing=True,
    follows_check_parameters=True,
    tells_of_missing_class=True,
    topology_flavors_may_change=True,
    topology_levels_may_change=True,
    warns_of_negative_sub_groups=False,
    announced=(
        FeatureGate("AdmissionFairSharingAnchorAtQuotaReservation", True, "Beta"),
        FeatureGate("HighMaxParallelismWithinReconcile", True, "Beta"),
        FeatureGate("MultiKueueOrchestratedPreemption", True, "Beta"),
        FeatureGate("MultiKueueReuseClientConnectionConfigForWorkers", True, "Beta"),
        FeatureGate("RayServiceValidateUpgradeStrategy", True, "Beta"),
        FeatureGate("RejectUpdatesToCQWithInvalidOnFlavors", True, "Beta"),
    ),
    gates=other_gates(
        V0_19_2.gates,
        without=(
            "HierarchicalCohorts",
            "MultiKueueAllowInsecureKubeconfigs",
            "MultiKueueRedoAdmissionOnEvictionInWorker",
            "MultiKueueWaitForWorkloadAdmitted",
            "ObjectRetentionPolicies",
            "PropagateBatchJobLabelsToWorkload",
            "SchedulerLongRequeueInterval",
            "SchedulerTimestampPreemptionBuffer",
            "SkipFinalizersForPodsSuspendedByParent",
        ),
        others=(
            FeatureGate("MultiKueueKubeConfigPathValidation", True, "Beta"),
            FeatureGate("TLSOptions", True, "GA", locked=True),
            FeatureGate("WorkloadPriorityClassDefaulting", True, "Beta"),
            FeatureGate("UnadmittedWorkloadsObservability", True, "Beta"),
            FeatureGate("TASCacheTopologyTree", True, "Beta", needs=("TopologyAwareScheduling",)),
            FeatureGate("RecomputeAssignmentUponPreemptionTargetsOverlap", True, "Beta"),
            FeatureGate(
                "FlavorFungibilityPreserveScanProgress", True, "Beta", needs=("FlavorFungibility",)
            ),
        ),
    ),
    decides_as_if={
        "HierarchicalCohorts": True,
        "MultiKueueAllowInsecureKubeconfigs": False,
        "MultiKueueRedoAdmissionOnEvictionInWorker": True,
        "MultiKueueWaitForWorkloadAdmitted": True,
        "ObjectRetentionPolicies": True,
        "PropagateBatchJobLabelsToWorkload": True,
        "SchedulerLongRequeueInterval": False,
        "SchedulerTimestampPreemptionBuffer": False,
        "SkipFinalizersForPodsSuspendedByParent": True,
    },
)
