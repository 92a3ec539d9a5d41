"""The settings of the Configuration that decide how flavors are assigned."""

from __future__ import annotations

from dataclasses import dataclass

from kueuelab.model import Configuration
from kueuelab.topology import PlacementRules

__all__ = ["FlavorRules"]


@dataclass(frozen=True, slots=True)
class FlavorRules:
    """The settings and gates that flavor assignment reads in every cycle."""

    fair_sharing: bool
    fungibility: bool
    ignore_undeclared: bool
    observability: bool
    topology: bool
    placement: PlacementRules
    hostname_prefixes: bool
    elastic_topology: bool
    concurrent: bool
    binary: frozenset[str]

    @classmethod
    def of(cls, configuration: Configuration) -> FlavorRules:
        """Read them from ``configuration``."""
        gates, release = configuration.gates, configuration.release
        return cls(
            fair_sharing=configuration.fair_sharing is not None,
            fungibility=gates["FlavorFungibility"],
            ignore_undeclared=gates["QuotaCheckStrategy"]
            and configuration.resources.quota_check_strategy == "IgnoreUndeclared",
            observability=gates["UnadmittedWorkloadsObservability"],
            topology=gates["TopologyAwareScheduling"],
            placement=PlacementRules(
                mixed_profile=gates["TASProfileMixed"],
                balanced=gates["TASBalancedPlacement"],
                by_preference=gates["TASRespectNodeAffinityPreferred"],
                keeps_matches=gates["TASCacheNodeMatchResults"],
                keeps_pod_owned=gates["SkipReassignmentForPodOwnedWorkloads"],
                in_layers=gates["TASMultiLayerTopology"] or not release.layers_need_gate,
            ),
            hostname_prefixes=gates["TASAssignmentsEncodingByHostnamePrefix"],
            elastic_topology=gates["ElasticJobsViaWorkloadSlices"]
            and gates["ElasticJobsViaWorkloadSlicesWithTAS"],
            concurrent=gates["ConcurrentAdmission"],
            binary=configuration.resources.in_bytes
            if gates["KueueDRAIntegration"]
            else frozenset(),
        )
