"""Kueue's Configuration to a dict."""

from __future__ import annotations

from typing import Any

from kueuelab.manifests.encode.devices import device_class_mapping
from kueuelab.manifests.encode.parts import compact, exact, selector
from kueuelab.model import (
    RELEASE,
    AdmissionFairSharing,
    Configuration,
    FairSharing,
    MultiKueue,
    Resources,
    WaitForPodsReady,
)
from kueuelab.model.times import format_duration

__all__ = ["encode_configuration"]


def encode_configuration(configuration: Configuration) -> dict[str, Any]:
    """Return Kueue's Configuration as v1beta2 writes it; defaults are left out.

    Examples
    --------
    >>> from kueuelab.model import FairSharing
    >>> encode_configuration(Configuration(fair_sharing=FairSharing()))["fairSharing"]
    {'preemptionStrategies': ['LessThanOrEqualToFinalShare', 'LessThanInitialShare']}
    """
    extra = dict(configuration.extra)
    integrations = {
        **compact(frameworks=list(configuration.frameworks)),
        **extra.pop("integrations", {}),
    }
    written = compact(
        fairSharing=_fair_sharing(configuration.fair_sharing),
        admissionFairSharing=_admission_fair_sharing(configuration.admission_fair_sharing),
        waitForPodsReady=_wait_for_pods_ready(configuration.wait_for_pods_ready),
        multiKueue=_multi_kueue(configuration.multi_kueue),
        resources=_resources(configuration.resources),
        featureGates=dict(configuration.gates.overrides),
        manageJobsWithoutQueueName=configuration.manage_jobs_without_queue_name or None,
        integrations=integrations,
        objectRetentionPolicies=compact(
            workloads=compact(
                afterFinished=_duration(configuration.retention_after_finished),
                afterDeactivatedByKueue=_duration(configuration.retention_after_deactivated),
            )
        ),
    )
    if configuration.managed_jobs_namespace_selector is not None:
        chosen = selector(configuration.managed_jobs_namespace_selector)
        written["managedJobsNamespaceSelector"] = chosen
    return {
        "apiVersion": RELEASE.configuration_version,
        "kind": "Configuration",
        **written,
        **extra,
    }


def _duration(value: int | None) -> str | None:
    return None if value is None else format_duration(value)


def _fair_sharing(value: FairSharing | None) -> dict[str, Any] | None:
    return None if value is None else {"preemptionStrategies": list(value.preemption_strategies)}


def _admission_fair_sharing(value: AdmissionFairSharing | None) -> dict[str, Any] | None:
    if value is None:
        return None
    return compact(
        usageHalfLifeTime=format_duration(value.usage_half_life_time),
        usageSamplingInterval=format_duration(value.usage_sampling_interval),
        resourceWeights=dict(value.resource_weights),
    )


def _wait_for_pods_ready(value: WaitForPodsReady | None) -> dict[str, Any] | None:
    if value is None:
        return None
    requeuing = value.requeuing_strategy
    return compact(
        timeout=format_duration(value.timeout),
        blockAdmission=value.block_admission,
        recoveryTimeout=_duration(value.recovery_timeout),
        requeuingStrategy=compact(
            timestamp=requeuing.timestamp,
            backoffLimitCount=requeuing.backoff_limit_count,
            backoffBaseSeconds=requeuing.backoff_base_seconds,
            backoffMaxSeconds=requeuing.backoff_max_seconds,
        ),
    )


def _multi_kueue(value: MultiKueue) -> dict[str, Any] | None:
    default = MultiKueue()
    if value == default:
        return None
    incremental = value.incremental_step_size != default.incremental_step_size
    written = compact(
        gcInterval=format_duration(value.gc_interval),
        origin=value.origin,
        workerLostTimeout=format_duration(value.worker_lost_timeout),
        dispatcherName=value.dispatcher_name,
        incrementalDispatcherConfig={"stepSize": value.incremental_step_size}
        if incremental
        else None,
        externalFrameworks=[{"name": name} for name in value.external_frameworks],
    )
    if not value.dispatcher_name:
        written["dispatcherName"] = ""  # not the default, but a name that no dispatcher has
    return written


def _resources(value: Resources) -> dict[str, Any]:
    strategy = value.quota_check_strategy
    return compact(
        excludeResourcePrefixes=list(value.exclude_resource_prefixes),
        quotaCheckStrategy=strategy if strategy != "BlockUndeclared" else None,
        transformations=[
            compact(
                input=rule.input,
                strategy=rule.strategy,
                multiplyBy=rule.multiply_by,
                outputs={name: exact(factor) for name, factor in rule.outputs.items()},
            )
            for rule in value.transformations
        ],
        deviceClassMappings=[
            device_class_mapping(mapping) for mapping in value.device_class_mappings
        ],
    )
