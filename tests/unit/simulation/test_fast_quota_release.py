"""When the quota of evicted pods is free: with the gate, as soon as they begin to stop."""

from __future__ import annotations

import pytest

import kueuelab as kl

PODS = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: pods}
spec:
  configuration:
    integrations: {frameworks: [pod, batch/job]}
    featureGates: {FastQuotaReleaseInPodIntegration: GATE}
  queues:
    a: {cpu: 1, within: LowerPriority}
  timeline:
  - at: 0s
    stops: 30s
    submit:
        apiVersion: OWNER
  - {at: 5s, submit: {job: high, queue: a, priority: 9, requests: {cpu: 1}}}
"""
POD = """v1
        kind: Pod
        metadata: {name: low, labels: {kueue.x-k8s.io/queue-name: a}}
        spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}"""
JOB = """batch/v1
        kind: Job
        metadata: {name: low, labels: {kueue.x-k8s.io/queue-name: a}}
        spec:
          template:
            spec:
              restartPolicy: Never
              containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]"""


@pytest.mark.parametrize(
    ("gate", "owner", "admitted"),
    [("false", POD, 35), ("true", POD, 5), ("true", JOB, 35)],
    ids=["off", "pod", "job"],
)
def test_quota_of_pods_that_stop(gate: str, owner: str, admitted: int) -> None:
    lab = kl.load(PODS.replace("GATE", gate).replace("OWNER", owner))
    assert isinstance(lab, kl.Lab)
    run = lab.run()
    step = run.until(event="admitted", workload="high").step
    assert (step.time - run.start) // 10**9 == admitted
