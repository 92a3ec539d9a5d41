"""Variants of a workload, one for each flavor: which is admitted, and what the others do."""

from __future__ import annotations

import pytest

import kueuelab as kl
from kueuelab.model.times import SECOND
from kueuelab.testing.kept_state import stale

HEAD = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: race}
spec:
  configuration: {featureGates: {ConcurrentAdmission: GATE}}
  manifests:
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: reserved}}
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: spot}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: a}
    spec:
      namespaceSelector: {}
      preemption: {withinClusterQueue: LowerPriority}
      concurrentAdmissionPolicy: {migration: POLICY}
      resourceGroups:
      - coveredResources: [cpu]
        flavors:
        - {name: reserved, resources: [{name: cpu, nominalQuota: 1}]}
        - {name: spot, resources: [{name: cpu, nominalQuota: 1}]}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: a, namespace: default}
    spec: {clusterQueue: a}
  timeline:
"""

FIRST = "at: 0s, submit: {job: job-0, queue: a, requests: {cpu: 1}, runs: 10s}"
SECOND_JOB = "at: 2s, submit: {job: job-1, queue: a, requests: {cpu: 1}, runs: 30s}"


def run_of(
    *actions: str, policy: str = "{mode: TryPreferredFlavors}", gate: str = "true"
) -> kl.LabRun:
    head = HEAD.replace("GATE", gate).replace("POLICY", policy)
    lab = kl.load(head + "".join(f"  - {{{each}}}\n" for each in actions))
    assert isinstance(lab, kl.Lab)
    return lab.run()


def events_of(run: kl.LabRun, reason: str) -> list[str]:
    """Return the flavors of the variants that Events with a reason are about."""
    found = [event.object for event in run.cluster.events if event.reason == reason]
    return [key.split("-")[2] for key in found]


def seconds(run: kl.LabRun, key: str, condition: str) -> int:
    since = run.cluster.workload(key).conditions[condition].last_transition_time
    return (since - run.cluster.plane.start) // SECOND


def test_the_first_variant_that_fits_is_admitted() -> None:
    run = run_of(FIRST, SECOND_JOB, policy="{mode: RetainFirstAdmission}")
    assert events_of(run, "Admitted") == ["reserved", "spot"]
    assert seconds(run, "default/job-0", "Finished") == 10
    assert seconds(run, "default/job-1", "Finished") == 32
    assert not list(stale(run.cluster))


def test_variants_hold_the_quota_of_their_parent() -> None:
    run = run_of(FIRST.replace(", runs: 10s", ""))
    usage = run.cluster.tree.cluster_queues["a"].usage
    assert usage == {("reserved", "cpu"): 1000}
    assert run.cluster.workload("default/job-0").is_admitted
    assert run.cluster.queues.pending_active("a") == []


def test_a_workload_migrates_to_a_more_preferred_flavor() -> None:
    run = run_of(FIRST, SECOND_JOB)
    assert events_of(run, "Admitted") == ["reserved", "spot", "reserved"]
    assert seconds(run, "default/job-1", "Finished") == 40
    assert not list(stale(run.cluster))


def test_one_variant_after_the_other_may_preempt() -> None:
    urgent = "at: 3s, submit: {job: job-2, queue: a, requests: {cpu: 1}, priority: 9}"
    run = run_of(FIRST.replace("10s", "20m"), SECOND_JOB.replace("30s", "20m"), urgent)
    assert events_of(run, "PreemptionUngatedVariant") == ["reserved"]
    (variant,) = [
        state
        for state in run.cluster.workloads.values()
        if state.is_admitted and state.priority == 9 and "variant" in state.key
    ]
    assert "reserved" in variant.key


@pytest.mark.parametrize("left", [1, 2])
def test_variants_go_with_their_parent(left: int) -> None:
    deleted = ["at: 3s, delete: job-1"] if left == 1 else []
    run = run_of(FIRST, SECOND_JOB, *deleted)
    assert len(run.cluster.workloads) == 3 * left


def test_without_the_gate_a_workload_has_no_variants() -> None:
    run = run_of(FIRST, SECOND_JOB, gate="false")
    assert set(run.cluster.workloads) == {"default/job-0", "default/job-1"}


def test_why_says_how_far_each_variant_is() -> None:
    run = run_of(FIRST, SECOND_JOB)
    text = run.why("job-1", at=run.until(event="admitted", workload="job-1").index).as_text()
    assert "job-1 has a variant for each flavor." in text
    assert "Flavor reserved: default/job-variant-reserved-" in text
    assert "Flavor spot: default/job-variant-spot-" in text
    lost = run_of(FIRST, policy="{mode: RetainFirstAdmission}")
    at = lost.until(event="finished", workload="job-0").index - 1
    said = lost.why("job-0", at=at).as_text()
    assert "Kueue says: Variant Workload deactivated due to RetainFirstAdmission" in said


def test_a_variant_asks_for_its_own_flavor_and_the_parent_for_any() -> None:
    run = run_of(
        FIRST,
        SECOND_JOB,
        "at: 3s, submit: {job: job-2, queue: a, requests: {cpu: 1}, runs: 5s}",
        policy="{mode: RetainFirstAdmission}",
    )
    (spot,) = (
        key
        for key in run.cluster.workloads
        if "-spot-" in key
        and run.cluster.workload(key).obj.metadata.owner_references[0].name == "job-2"
    )
    raised = [
        str(each)
        for each in run.what_would_admit(spot, at="4s", until="4s").suggestions
        if each.kind == "quota"
    ]
    assert len(raised) == 1
    assert "cpu/spot" in raised[0]
    any_flavor = [
        each.text
        for each in run.what_would_admit("job-2", at="4s", until="4s").suggestions
        if each.kind == "quota"
    ]
    assert {"spot" in text for text in any_flavor} == {True, False}
