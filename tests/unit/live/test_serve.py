"""The service for programs about a cluster: its state is followed, and nothing is written."""

from __future__ import annotations

import json
from typing import Any

from pretend import RESOURCES, Pretend, wait_until

from kueuelab.live.resources import JOBS
from kueuelab.messages import english
from kueuelab.service.engine import Engine, Outcome, Shape
from kueuelab.service.served_cluster import Source

QUOTA = [{"name": "default", "resources": [{"name": "cpu", "nominalQuota": "2"}]}]
SPECS: dict[str, dict[str, Any]] = {
    "resourceflavors": {},
    "clusterqueues": {
        "namespaceSelector": {},
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": QUOTA}],
    },
    "localqueues": {"clusterQueue": "default"},
}


def job(name: str, cpu: int) -> dict[str, Any]:
    container = {"name": "main", "image": "train", "resources": {"requests": {"cpu": str(cpu)}}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": "default",
            "labels": {"kueue.x-k8s.io/queue-name": "default"},
        },
        "spec": {
            "suspend": True,
            "parallelism": 1,
            "completions": 1,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
        },
    }


def test_the_answers_follow_the_cluster(cluster: Pretend) -> None:
    for plural, spec in SPECS.items():
        resource = RESOURCES["kueue.x-k8s.io", plural]
        namespace = "default" if resource.namespaced else ""
        head = {"apiVersion": resource.api_version, "kind": resource.kind}
        obj = {**head, "metadata": {"name": "default"}, "spec": spec}
        with cluster.store.lock:
            cluster.store.create(resource, namespace, obj)
    engine = Engine(Source(context=cluster.context), english(), 120)

    def pending() -> str:
        reply = engine.ask("pending", "{}", Shape.TEXT)
        assert reply.outcome is Outcome.DONE, reply
        return reply.body

    try:
        assert pending() == "No workload is pending."
        found = engine.ask("try", json.dumps({"jobs": json.dumps(job("small", 2))}), Shape.TEXT)
        assert "admitted at once by ClusterQueue default" in found.body
        with cluster.store.lock:
            cluster.store.create(JOBS, "default", job("large", 4))
        wait_until(lambda: pending().startswith("1 workload is pending.") or bool(cluster.crash))
        assert not cluster.crash, cluster.crash
        assert "1. default/job-large" in pending()
        metrics = engine.ask("", "{}", Shape.METRICS).body
        assert 'kueuelab_pending_workloads{queue="default",cause="tooLarge"} 1' in metrics
    finally:
        engine.close()
    assert {method for method, _ in cluster.asked} == {"GET"}
