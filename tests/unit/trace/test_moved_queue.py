"""What was found in one ClusterQueue is not said of another one, in which a job waits since."""

from __future__ import annotations

import kueuelab as kl

SCENARIO = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: moved}
spec:
  queues:
    a: {cpu: 7}
    c: {cpu: 7}
  timeline:
  - at: 0s
    apply:
      apiVersion: kueue.x-k8s.io/v1beta2
      kind: ClusterQueue
      metadata: {name: c}
      spec:
        queueingStrategy: StrictFIFO
        namespaceSelector: {}
        resourceGroups:
        - coveredResources: [cpu]
          flavors: [{name: default, resources: [{name: cpu, nominalQuota: 7}]}]
  - {at: 1s, submit: {job: runs, queue: a, requests: {cpu: 3}}}
  - {at: 1s, submit: {job: head, queue: c, requests: {cpu: 9}}}
  - {at: 2s, submit: {job: moved, queue: a, requests: {cpu: 6}}}
"""


def told(*more: str) -> str:
    lab = kl.load(SCENARIO + "".join(f"  - {{{each}}}\n" for each in more))
    assert isinstance(lab, kl.Lab)
    return lab.run().why("default/moved").as_text()


def test_a_job_that_moved_was_looked_at_elsewhere() -> None:
    text = told("at: 5s, changeJob: {workload: moved, queue: c}")
    assert "No cycle has looked at it in c yet. In ClusterQueue a it did not fit in cycle" in text
    assert ", in ClusterQueue a\n" in text
    assert "behind default/head" in text
    assert "It does not fit" not in text


def test_a_job_that_stays() -> None:
    text = told("at: 5s, advance: 1s")
    assert "It does not fit: 6 cpu requested, 4 available in default" in text
    assert "No cycle has looked at it" not in text
