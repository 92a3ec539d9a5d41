"""What webhooks refuse only with a feature gate, or only without one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import kueuelab as kl
from kueuelab.errors import InputError
from kueuelab.manifests.server import ClusterContents, judge
from kueuelab.model import FeatureGates

CONSTRAINTS = "spec.concurrentAdmissionPolicy.migration.constraints"
GROUPS = "spec.resourceGroups"
DEFINED = "when ConcurrentAdmissionPolicy is defined"


def refused(manifest: Mapping[str, Any], gates: Mapping[str, bool], **more: Any) -> list[str]:
    """Return the errors of a webhook, as a cluster with these gates gives them."""
    verdict = judge(manifest, cluster=ClusterContents(gates=FeatureGates(gates)), **more)
    assert verdict.code in (200, 201, 403), verdict.message
    return [str(error) for error in verdict.errors]


def group(*flavors: str, resource: str = "cpu") -> dict[str, Any]:
    quota = {"resources": [{"name": resource, "nominalQuota": 1}]}
    return {
        "coveredResources": [resource],
        "flavors": [{"name": name, **quota} for name in flavors],
    }


def queue(*groups: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "team", "resourceVersion": "1"},
        "spec": {"resourceGroups": [*groups], **spec},
    }


def policy(mode: str = "TryPreferredFlavors", last: str = "") -> dict[str, Any]:
    migration: dict[str, Any] = {"mode": mode}
    if last:
        migration["constraints"] = {"lastAcceptableFlavorName": last}
    return {"concurrentAdmissionPolicy": {"migration": migration}}


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        (queue(group("a", "b"), **policy(last="b")), []),
        (
            queue(group("a"), group("b", resource="memory"), **policy()),
            [f"{GROUPS}: Invalid value: 2: must have exactly one ResourceGroup {DEFINED}"],
        ),
        (
            queue(**policy()),
            [f"{GROUPS}: Invalid value: 0: must have exactly one ResourceGroup {DEFINED}"],
        ),
        (
            queue(group(*(f"f{number}" for number in range(17))), **policy()),
            [
                "spec.resourceGroups[0].flavors: Invalid value: 17: cannot have more than 16 "
                f"resource flavors in the ResourceGroup {DEFINED}"
            ],
        ),
        (queue(group(*(f"f{number}" for number in range(16))), **policy()), []),
        (
            queue(group("a"), queueingStrategy="StrictFIFO", **policy()),
            [
                'spec.queueingStrategy: Invalid value: "StrictFIFO": StrictFIFO queueing '
                f"strategy cannot be used {DEFINED}"
            ],
        ),
        (
            queue(group("a", "b"), **policy(last="c")),
            [
                f'{CONSTRAINTS}.lastAcceptableFlavorName: Invalid value: "c": must be one of the '
                "flavors defined in the ClusterQueue: [a b]"
            ],
        ),
        (
            queue(group("a"), **policy("RetainFirstAdmission", "a")),
            [
                f"{CONSTRAINTS}: Forbidden: may only be set when migration.mode is "
                '"TryPreferredFlavors" (got "RetainFirstAdmission")'
            ],
        ),
    ],
)
def test_a_concurrent_admission_policy_with_its_gate(
    manifest: dict[str, Any], expected: list[str]
) -> None:
    assert refused(manifest, {"ConcurrentAdmission": True}) == expected
    assert refused(manifest, {"ConcurrentAdmission": False}) == []


def test_the_configuration_of_a_scenario_decides_what_is_refused() -> None:
    text = """
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
featureGates: {ConcurrentAdmission: VALUE}
"""
    policy = "concurrentAdmissionPolicy: {migration: {mode: TryPreferredFlavors}}"
    strict = f"spec: {{queueingStrategy: StrictFIFO, {policy}"
    objects = f"""
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: team}}
{strict}, resourceGroups: [{{coveredResources: [cpu],
  flavors: [{{name: a, resources: [{{name: cpu, nominalQuota: 1}}]}}]}}]}}
"""
    kl.load(objects + "---" + text.replace("VALUE", "false"))
    # The Configuration counts, wherever it is among the documents.
    with pytest.raises(InputError, match="StrictFIFO queueing strategy cannot be used"):
        kl.load(objects + "---" + text.replace("VALUE", "true"))


def test_an_update_of_a_queue_with_flavors_of_a_check_that_it_does_not_have() -> None:
    checks = {"admissionChecks": [{"name": "c", "onFlavors": ["gone"]}]}
    old = queue(group("a"), admissionChecksStrategy=checks)
    new = queue(group("a"), admissionChecksStrategy=checks, queueingStrategy="StrictFIFO")
    gate = "RejectUpdatesToCQWithInvalidOnFlavors"
    assert refused(new, {gate: False}, existing=old) == []
    (error,) = refused(new, {gate: True}, existing=old)
    assert error.startswith("spec.admissionChecksStrategy.admissionChecks[0].onFlavors[0]: Unsu")
    # Other flavors, in the queue or the check, are looked at in any case.
    other = queue(group("b"), admissionChecksStrategy=checks)
    assert refused(other, {gate: False}, existing=old) == [error.replace('"a"', '"b"')]


def workload(*, request: Any = 1, template: Any = None, **pod_set: Any) -> dict[str, Any]:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": request}}}
    spec = {"restartPolicy": "Never", "containers": [container]}
    pods = {"name": "main", "count": 1, "template": {"spec": spec, **(template or {})}, **pod_set}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {"name": "w", "namespace": "default"},
        "spec": {"podSets": [pods]},
    }


@pytest.mark.parametrize(
    ("gate", "manifest", "field"),
    [
        (
            "WorkloadValidateResourcesAreNonNegative",
            workload(request=-1),
            "spec.podSets[0].template.spec.containers[0].resources.requests[cpu]",
        ),
        (
            "WorkloadValidationForPodSetMetadata",
            workload(template={"metadata": {"labels": {"a": "-"}}}),
            "spec.podSets[0].template.metadata.labels",
        ),
        (
            "TASValidateWorkloadSliceSize",
            workload(topologyRequest={"podSetSliceRequiredTopology": "rack"}),
            "spec.podSets[0].topologyRequest.podSetSliceSize",
        ),
    ],
)
def test_rules_for_workloads_with_and_without_their_gates(
    gate: str, manifest: dict[str, Any], field: str
) -> None:
    (error,) = refused(manifest, {gate: True})
    assert error.startswith(f"{field}: ")
    assert refused(manifest, {gate: False}) == []


@pytest.mark.parametrize(("value", "wrong"), [("5", ""), ("-5", ""), ("", "use"), ("1.5", "must")])
def test_a_priority_boost_is_looked_at_with_its_gate(value: str, wrong: str) -> None:
    manifest = workload()
    manifest["metadata"]["annotations"] = {"kueue.x-k8s.io/priority-boost": value}
    found = refused(manifest, {"PriorityBoost": True})
    assert [wrong in error for error in found] == ([True] if wrong else [])
    assert refused(manifest, {"PriorityBoost": False}) == []


def test_gates_of_admission_are_looked_at_with_their_gate() -> None:
    manifest = workload()
    manifest["metadata"]["annotations"] = {"kueue.x-k8s.io/admission-gated-by": "a/b,,"}
    assert refused(manifest, {"AdmissionGatedBy": True})
    assert refused(manifest, {"AdmissionGatedBy": False}) == []
