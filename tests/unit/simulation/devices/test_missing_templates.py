"""Dumps without the templates that their workloads name."""

from __future__ import annotations

import kueuelab as kl

DUMP = """
apiVersion: v1
kind: List
items:
- {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f, uid: a}}
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: ClusterQueue
  metadata: {name: team, uid: b}
  spec:
    namespaceSelector: {}
    resourceGroups:
    - coveredResources: [cpu, gpus]
      flavors:
      - name: f
        resources: [{name: cpu, nominalQuota: 9}, {name: gpus, nominalQuota: 3}]
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: LocalQueue
  metadata: {name: team, namespace: default, uid: c}
  spec: {clusterQueue: team}
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: Workload
  metadata: {name: w, namespace: default, uid: d, creationTimestamp: "2026-01-01T00:00:00Z"}
  spec:
    queueName: team
    podSets:
    - name: main
      count: 2
      template:
        spec:
          restartPolicy: Never
          containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]
          resourceClaims: [{name: g, resourceClaimTemplateName: two}]
  status: {resourceRequests: [{name: main, resources: {cpu: "2", gpus: "4"}}]}
"""


def test_what_kueue_counted_counts() -> None:
    lab = kl.load(DUMP)
    run = lab.run(until=10)
    assert run.cluster.workloads["default/w"].requests[0].requests == {"cpu": 2000, "gpus": 4}
    assert any("2 gpus for each pod is what Kueue counted" in note for note in lab.assumptions)


def test_without_that_it_is_said_what_to_add() -> None:
    text, _, _ = DUMP.partition("  status: ")
    lab = kl.load(text)
    run = lab.run(until=10)
    assert "not found" in run.cluster.workloads["default/w"].conditions["QuotaReserved"].message
    assert any("kubectl get resourceclaimtemplates" in note for note in lab.assumptions)


def test_a_template_that_is_there_counts() -> None:
    template = """
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaimTemplate
  metadata: {name: two, namespace: default, uid: t}
  spec: {spec: {devices: {requests: [{name: d, exactly: {deviceClassName: gpu, count: 1}}]}}}
"""
    run = kl.load(DUMP + template.lstrip("\n")).run(until=10)
    message = run.cluster.workloads["default/w"].conditions["QuotaReserved"].message
    assert "DeviceClass gpu is not mapped" in message
