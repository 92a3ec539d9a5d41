"""Kueue's Configuration, from a dict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from kueuelab.manifests.decode.devices import device_class_mappings
from kueuelab.manifests.decode.meta import duration, label_selector
from kueuelab.manifests.decode.queues import exact
from kueuelab.model import (
    RELEASE,
    AdmissionFairSharing,
    Configuration,
    FairSharing,
    FeatureGates,
    MultiKueue,
    Release,
    RequeuingStrategy,
    Resources,
    ResourceTransformation,
    WaitForPodsReady,
)
from kueuelab.model.times import SECOND

__all__ = ["decode_configuration"]

_DEFAULT_STRATEGIES: Final = FairSharing().preemption_strategies
_MODELLED: Final = frozenset(
    (
        "apiVersion",
        "kind",
        "metadata",
        "fairSharing",
        "admissionFairSharing",
        "waitForPodsReady",
        "multiKueue",
        "resources",
        "featureGates",
        "manageJobsWithoutQueueName",
        "managedJobsNamespaceSelector",
        "objectRetentionPolicies",
    )
)


def decode_configuration(obj: Mapping[str, Any], release: Release = RELEASE) -> Configuration:
    """Return the Configuration (v1beta2) that ``obj`` writes down, of a release of Kueue.

    Nothing is checked: `kueuelab.manifests.load_configuration` does that first.
    ``waitForPodsReady`` is off where it is absent, as in ``configuration`` of scenarios and
    recordings. For a file of kind Configuration, `as_installed` of
    `kueuelab.manifests.loading.configurations` adds what an installed Kueue has.

    Examples
    --------
    >>> strategies = ["LessThanInitialShare"]
    >>> fair = {"fairSharing": {"preemptionStrategies": strategies}}
    >>> decode_configuration(fair).fair_sharing_enabled
    True
    >>> decode_configuration({"waitForPodsReady": {"timeout": "5m"}}).wait_for_pods_ready.timeout
    300000000000
    """
    workloads = (obj.get("objectRetentionPolicies") or {}).get("workloads") or {}
    integrations = obj.get("integrations") or {}
    return Configuration(
        fair_sharing=_fair_sharing(obj.get("fairSharing")),
        admission_fair_sharing=_admission_fair_sharing(obj.get("admissionFairSharing")),
        wait_for_pods_ready=_wait_for_pods_ready(obj.get("waitForPodsReady")),
        multi_kueue=_multi_kueue(obj.get("multiKueue") or {}),
        resources=_resources(obj.get("resources") or {}),
        gates=FeatureGates(obj.get("featureGates"), release),
        manage_jobs_without_queue_name=bool(obj.get("manageJobsWithoutQueueName")),
        managed_jobs_namespace_selector=label_selector(obj.get("managedJobsNamespaceSelector")),
        frameworks=_frameworks(integrations.get("frameworks") or (), release),
        retention_after_finished=duration(workloads.get("afterFinished"), None),
        retention_after_deactivated=duration(workloads.get("afterDeactivatedByKueue"), None),
        extra={
            **{name: obj[name] for name in obj if name not in _MODELLED and name != "integrations"},
            **_other_integrations(integrations),
        },
    )


def _frameworks(written: Sequence[str], release: Release) -> tuple[str, ...]:
    """Return what is written; nothing for the list that Kueue is installed with."""
    frameworks = tuple(written)
    return () if frameworks == release.frameworks else frameworks


def _other_integrations(integrations: Mapping[str, Any]) -> dict[str, Any]:
    others = {name: integrations[name] for name in integrations if name != "frameworks"}
    return {"integrations": others} if others else {}


def _seconds(value: Any, default: int) -> int:
    result = duration(value, default)
    assert result is not None
    return result


def _fair_sharing(value: Mapping[str, Any] | None) -> FairSharing | None:
    if value is None:
        return None
    return FairSharing(tuple(value.get("preemptionStrategies") or _DEFAULT_STRATEGIES))


def _admission_fair_sharing(value: Mapping[str, Any] | None) -> AdmissionFairSharing | None:
    if value is None:
        return None
    weights = value.get("resourceWeights") or {}
    return AdmissionFairSharing(
        usage_half_life_time=_seconds(value.get("usageHalfLifeTime"), 0),
        usage_sampling_interval=_seconds(value.get("usageSamplingInterval"), 0) or 300 * SECOND,
        resource_weights={name: float(weight) for name, weight in weights.items()},
    )


def _wait_for_pods_ready(value: Mapping[str, Any] | None) -> WaitForPodsReady | None:
    if value is None:
        return None
    timeout = _seconds(value.get("timeout"), 0) or 1800 * SECOND
    requeuing = value.get("requeuingStrategy") or {}
    base = requeuing.get("backoffBaseSeconds")
    longest = requeuing.get("backoffMaxSeconds")
    return WaitForPodsReady(
        timeout=timeout,
        block_admission=bool(value.get("blockAdmission")),
        recovery_timeout=duration(value.get("recoveryTimeout"), timeout),
        requeuing_strategy=RequeuingStrategy(
            timestamp=requeuing.get("timestamp") or "Eviction",
            backoff_limit_count=requeuing.get("backoffLimitCount"),
            backoff_base_seconds=60 if base is None else base,
            backoff_max_seconds=3600 if longest is None else longest,
        ),
    )


def _multi_kueue(value: Mapping[str, Any]) -> MultiKueue:
    default = MultiKueue()
    step_size = (value.get("incrementalDispatcherConfig") or {}).get("stepSize")
    dispatcher = value.get("dispatcherName")
    return MultiKueue(
        gc_interval=_seconds(value.get("gcInterval"), default.gc_interval),
        origin=value.get("origin") or default.origin,
        worker_lost_timeout=_seconds(value.get("workerLostTimeout"), default.worker_lost_timeout),
        dispatcher_name=default.dispatcher_name if dispatcher is None else dispatcher,
        incremental_step_size=default.incremental_step_size if step_size is None else step_size,
        external_frameworks=tuple(
            framework["name"] for framework in value.get("externalFrameworks") or ()
        ),
    )


def _resources(value: Mapping[str, Any]) -> Resources:
    return Resources(
        exclude_resource_prefixes=tuple(value.get("excludeResourcePrefixes") or ()),
        transformations=tuple(
            ResourceTransformation(
                input=rule["input"],
                strategy=rule.get("strategy") or "Retain",
                multiply_by=rule.get("multiplyBy") or "",
                outputs={
                    name: exact(factor) for name, factor in (rule.get("outputs") or {}).items()
                },
            )
            for rule in value.get("transformations") or ()
        ),
        device_class_mappings=device_class_mappings(value.get("deviceClassMappings") or ()),
        quota_check_strategy=value.get("quotaCheckStrategy") or "BlockUndeclared",
    )
