"""A saved page and the lab view open where a run is worth a look."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.trace import Trace
from kueuelab.views import Document
from kueuelab.views.opening import beginning, first_preemption, opening_step
from kueuelab.views.page import page
from kueuelab.widgets import Stepper, lab

DUMP = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team-a}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 1}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: jobs, namespace: default}
spec: {clusterQueue: team-a}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: waits, namespace: default, creationTimestamp: "2026-01-01T00:00:00Z"}
spec:
  queueName: jobs
  podSets:
  - name: main
    count: 1
    template:
      spec:
        restartPolicy: Never
        containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]
status:
  conditions:
  - type: QuotaReserved
    status: "False"
    reason: Pending
    message: couldn't assign flavors
    lastTransitionTime: "2026-01-01T00:00:05Z"
"""


def start_of(text: str) -> int:
    found = re.search(r'"start":(\d+)', text)
    assert found is not None
    return int(found[1])


def test_a_page_and_the_lab_view_open_at_the_first_preemption() -> None:
    run = scenarios.load("reclaim-1-take-back").run()
    opened = opening_step(run.trace)
    assert run.trace[opened].kind == "Evicted"
    assert opened == first_preemption(run.trace) == run.trace.of_kind("Evicted")[0]
    assert start_of(page(run.trace)) == opened
    assert lab(run).board.index == opened
    assert lab(run, at=3).board.index == 3
    # A stepper begins where stepping does.
    assert run.trace[Stepper(run).board.index].kind == "WorkloadCreated"


def test_a_view_that_was_moved_stays_where_it_is() -> None:
    stepper = Stepper(scenarios.load("reclaim-1-take-back").run())
    stepper.next()
    assert lab(stepper.board).board.index == stepper.board.index


@pytest.mark.parametrize("name", scenarios.names())
def test_without_preemption_the_first_pending_workload_is_shown(name: str) -> None:
    trace = scenarios.load(name).run().trace
    kind = trace[opening_step(trace)].kind
    if first_preemption(trace) is not None:
        assert kind == "Evicted"
    elif trace.of_kind("Pending"):
        assert kind == "Pending"
    else:
        assert kind in ("Admitted", "QuotaReserved")


def test_a_dump_opens_at_its_first_cycle(tmp_path: Path) -> None:
    file = tmp_path / "dump.yaml"
    file.write_text(DUMP, "utf-8")
    trace = kl.load(file).run().trace
    assert trace.of_kind("StatusRead")
    assert opening_step(trace) == beginning(trace) == trace.of_kind("CycleStarted")[0]


def test_the_document_says_where_the_first_preemption_is(within: Trace) -> None:
    data = Document(within).as_data()
    assert data["preemption"] == first_preemption(within)
    calm = scenarios.load("queues-2-first-come-first-served").run().trace
    assert first_preemption(calm) is None
    assert "preemption" not in json.loads(json.dumps(Document(calm).as_data()))
