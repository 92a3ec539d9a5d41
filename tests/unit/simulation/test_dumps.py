"""A dump as the start: what its objects leave out, and what Kueue makes of that."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import kueuelab as kl
from kueuelab.errors import InputError
from kueuelab.manifests import dump, load
from kueuelab.model.times import SECOND, parse_time

RECORDED = Path(__file__).parents[4] / "shared" / "live" / "recorded"

QUEUES = """
kind: ResourceFlavor
apiVersion: kueue.x-k8s.io/v1beta2
metadata: {name: default}
---
kind: ClusterQueue
apiVersion: kueue.x-k8s.io/v1beta2
metadata: {name: cq}
spec:
  namespaceSelector: {}
  CHECKS
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 4}]}]
---
kind: LocalQueue
apiVersion: kueue.x-k8s.io/v1beta2
metadata: {name: lq, namespace: default}
spec: {clusterQueue: cq}
"""

JOB = """
---
kind: Job
apiVersion: batch/v1
metadata: {name: job, namespace: default, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  parallelism: 2
  completions: 2
  template:
    spec:
      runtimeClassName: heavy
      restartPolicy: Never
      containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]
"""

RUNTIME_CLASS = """
---
kind: RuntimeClass
apiVersion: node.k8s.io/v1
metadata: {name: heavy}
handler: runsc
overhead: {podFixed: {cpu: 250m}}
"""

CHECK = """
---
kind: AdmissionCheck
apiVersion: kueue.x-k8s.io/v1beta2
metadata: {name: budget}
spec: {controllerName: example.com/budget}
"""

PENDING = """
---
kind: Workload
apiVersion: kueue.x-k8s.io/v1beta2
metadata: {name: NAME, namespace: default, uid: NAME}
spec:
  queueName: lq
  podSets:
  - name: main
    count: 2
    template:
      spec:
        runtimeClassName: heavy
        restartPolicy: Never
        containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]
"""

REPORTED = """
status:
  resourceRequests: [{name: main, resources: {cpu: 2500m}}]
"""


def _lab(tmp_path: Path, text: str, checks: str = "") -> kl.Lab:
    path = tmp_path / "dump.yaml"
    strategy = f"admissionChecksStrategy: {{admissionChecks: [{checks}]}}" if checks else ""
    path.write_text(text.replace("CHECKS", strategy))
    lab = kl.load(path)
    assert isinstance(lab, kl.Lab)
    return lab


def _usage(lab: kl.Lab) -> object:
    return lab.run().cluster.state()["clusterQueues"]["cq"]["usage"]


class TestRuntimeClass:
    def test_overhead_counts_for_jobs(self, tmp_path: Path) -> None:
        lab = _lab(tmp_path, QUEUES + JOB + RUNTIME_CLASS)
        assert _usage(lab) == {"default": {"cpu": "2500m"}}
        assert lab.assumptions == ()

    def test_missing_one_is_known_by_what_kueue_counted(self, tmp_path: Path) -> None:
        text = QUEUES + PENDING.replace("NAME", "a") + REPORTED + PENDING.replace("NAME", "b")
        lab = _lab(tmp_path, text)
        # The second names the same class: two times 2500m do not fit into 4.
        assert _usage(lab) == {"default": {"cpu": "2500m"}}
        assert lab.assumptions == (
            "RuntimeClass heavy is missing: its overhead, 250m cpu for each pod, is what Kueue "
            "counted for default/a (status.resourceRequests)",
        )

    def test_missing_one_that_nothing_tells_about_is_said(self, tmp_path: Path) -> None:
        lab = _lab(tmp_path, QUEUES + JOB)
        (sentence,) = lab.assumptions
        assert sentence.startswith("RuntimeClass heavy is missing, default/job-job-")
        assert sentence.endswith(" names it: its overhead is not counted")

    def test_recorded_dump_without_it(self) -> None:
        path = RECORDED / "dump-runtimeclass-inactive-check.yaml"
        if not path.exists():
            pytest.skip(f"no recorded dumps at {RECORDED}")
        lab = kl.load(path)
        assert isinstance(lab, kl.Lab)
        # Later its pods time out: the Configuration of the dump has Kueue's waitForPodsReady.
        state = lab.run(until=1).cluster.workloads["team-b/job-heavy-e8a3e"]
        assert state.requests[0].requests == {"memory": 512 * 2**20, "cpu": 3000}
        assert state.conditions["QuotaReserved"].message.endswith("1500m more needed")

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("handler: runsc", "scheduling: {}", "handler: Required value"),
            ("cpu: 250m", "cpu: much", "overhead.podFixed.cpu"),
            ("cpu: 250m", "cpu: -1", "overhead.podFixed.cpu"),
        ],
    )
    def test_validation(self, tmp_path: Path, old: str, new: str, message: str) -> None:
        with pytest.raises(InputError) as refused:
            _lab(tmp_path, QUEUES + RUNTIME_CLASS.replace(old, new))
        assert message in str(refused.value)
        assert "dump.yaml:" in str(refused.value)

    def test_handler_is_kept(self) -> None:
        (found,) = load(yaml.safe_load(RUNTIME_CLASS.replace("---", ""))).objects["RuntimeClass"]
        assert "handler: runsc" in dump(found)


class TestAdmissionCheckWithoutStatus:
    def test_of_an_author_is_active_and_a_notice_says_so(self, tmp_path: Path) -> None:
        lab = _lab(tmp_path, QUEUES + CHECK, "{name: budget}")
        assert lab.run().cluster.is_active("cq")
        assert lab.assumptions == (
            "AdmissionCheck budget has no status: it is assumed to be active",
        )

    @pytest.mark.parametrize("field", ["uid: u1", "resourceVersion: '364'"])
    def test_of_a_server_is_inactive(self, tmp_path: Path, field: str) -> None:
        text = CHECK.replace("name: budget}", f"name: budget, {field}}}")
        lab = _lab(tmp_path, QUEUES + text, "{name: budget}")
        cluster = lab.run().cluster
        assert cluster.cluster_queues["cq"].message == (
            "Can't admit new workloads: references inactive AdmissionCheck(s): budget."
        )
        assert len(lab.assumptions) == 1
        assert "it is inactive" in lab.assumptions[0]

    @pytest.mark.parametrize("name", ["limitrange", "runtimeclass"])
    def test_recorded_queue_is_inactive_as_kueue_says(self, name: str) -> None:
        path = RECORDED / f"dump-{name}-inactive-check.yaml"
        if not path.exists():
            pytest.skip(f"no recorded dumps at {RECORDED}")
        lab = kl.load(path)
        assert isinstance(lab, kl.Lab)
        run = lab.run()
        assert not run.cluster.is_active("checked")
        admitted = [
            key
            for key, state in run.cluster.workloads.items()
            if "check-" in key and state.has_quota_reservation
        ]
        assert admitted == []


CONFIG_MAP = """
---
kind: ConfigMap
apiVersion: v1
metadata: {name: kueue-manager-config, namespace: kueue-system}
data:
  controller_manager_config.yaml: |
    apiVersion: config.kueue.x-k8s.io/v1beta2
    kind: Configuration
"""

RUNNING = """
---
kind: Workload
apiVersion: kueue.x-k8s.io/v1beta2
metadata: {name: slow, namespace: default, uid: u, creationTimestamp: "2026-01-01T00:00:00Z"}
spec:
  queueName: lq
  podSets:
  - name: main
    count: 1
    template:
      spec:
        restartPolicy: Never
        containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]
status:
  admission:
    clusterQueue: cq
    podSetAssignments: [{name: main, flavors: {cpu: default}, resourceUsage: {cpu: 1}, count: 1}]
  conditions:
  - {type: QuotaReserved, status: "True", reason: QuotaReserved, message: m,
     lastTransitionTime: "2026-01-01T00:00:10Z"}
  - {type: Admitted, status: "True", reason: Admitted, message: m,
     lastTransitionTime: "2026-01-01T00:00:10Z"}
  - {type: PodsReady, status: "READY", reason: WaitForStart, message: m,
     lastTransitionTime: "2026-01-01T00:00:10Z"}
"""


@pytest.mark.parametrize(
    ("config_map", "ready", "evicted"),
    [(CONFIG_MAP, "False", 1), (CONFIG_MAP, "True", 0), ("", "False", 0)],
)
def test_a_default_kueue_evicts_pods_that_were_not_ready_for_half_an_hour(
    config_map: str, ready: str, evicted: int
) -> None:
    run = kl.load(QUEUES.replace("CHECKS", "") + config_map + RUNNING.replace("READY", ready)).run()
    found = [event for event in run.events if event.reason == "EvictedDueToPodsReadyTimeout"]
    assert [event.message for event in found] == [
        "Exceeded the PodsReady timeout default/slow"
    ] * evicted
    start = parse_time("2026-01-01T00:00:10Z")
    assert [event.time - start for event in found] == [1800 * SECOND] * evicted
