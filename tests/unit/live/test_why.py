"""Why, on recorded clusters: Kueue's words, the lab's, and whether they are the same."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from typing import Any

import httpx2
import pytest
import yaml
from stand_in import Replay, Serving, api, shared

from kueuelab.errors import UnknownObjectError
from kueuelab.live.events import read_event
from kueuelab.live.snapshot import latest_time, take
from kueuelab.live.why import LiveAnswer, explain, verdict_on, why
from kueuelab.manifests import load_scenario
from kueuelab.whatif.lab import Lab, LabRun

CONFIGURATION = "/api/v1/namespaces/kueue-system/configmaps/kueue-manager-config"
#: What the recorded cluster of the mixed snapshots was configured with.
MIXED = """
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]}
admissionFairSharing: {usageHalfLifeTime: 1m, usageSamplingInterval: 10s}
waitForPodsReady: {timeout: 20s}
"""


def answers(cluster: str) -> list[LiveAnswer]:
    serving = Serving(shared(f"snapshots/{cluster}"))
    if cluster.startswith("mixed"):
        body = {"data": {"controller_manager_config.yaml": MIXED}}
        serving.instead[CONFIGURATION] = lambda request: httpx2.Response(200, json=body)
    found = api(serving)
    snapshot = take(found)
    # The lists don't say when they were read.
    snapshot = replace(snapshot, time=latest_time(snapshot.objects))
    keys = [
        f"{obj['metadata']['namespace']}/{obj['metadata']['name']}"
        for obj in snapshot.of_kind("Workload")
    ]
    return [explain(found, snapshot, key) for key in keys]


@pytest.mark.parametrize(
    ("cluster", "agreements"),
    [
        ("queues-1-admitted/main", 1),
        ("queues-2-preempted/main", 3),
        ("queues-3-reclaimed/main", 2),
        ("mixed-1/main", 10),
        ("mixed-2/main", 8),
    ],
)
def test_the_lab_agrees_about_every_pending_workload(
    cluster: str, agreements: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What would admit each takes ten times as long as the verdicts, and is another question.
    monkeypatch.setattr(LabRun, "what_would_admit", lambda *_: None)
    found = [answer.verdict for answer in answers(cluster)]
    assert [verdict for verdict in found if verdict.is_ == "differs"] == []
    assert sum(verdict.is_ == "agrees" for verdict in found) == agreements


def test_an_answer_has_kueues_words_the_numbers_and_what_would_admit() -> None:
    serving = Serving(shared("snapshots/queues-2-preempted/main"))
    answer = why(api(serving), "b-gpu-1")
    text = answer.as_text()
    assert answer.workload == "team-b/job-b-gpu-1-5202f"
    assert "QuotaReserved=False Pending: couldn't assign flavors to pod set main" in text
    assert "Warning Pending (x2): couldn't assign flavors" in text
    assert "The lab agrees with Kueue" in text
    assert "8 requested, cq-b uses 0 of 8 nominal" in text
    assert "4 available: it lacks 4" in text
    assert "What would admit team-b/job-b-gpu-1-5202f?" in text
    assert answer.as_data()["verdict"]["is"] == "agrees"
    assert {request.method for request in serving.asked} == {"GET"}


def test_a_decision_that_kueue_would_not_take_is_named() -> None:
    serving = Serving(shared("snapshots/queues-2-preempted/main"))
    found = api(serving)
    snapshot = take(found)
    for queue in snapshot.of_kind("ClusterQueue"):
        for group in queue["spec"]["resourceGroups"]:
            for flavor in group["flavors"]:
                for resource in flavor["resources"]:
                    resource["nominalQuota"] = "1000Gi"
    answer = explain(found, snapshot, "b-gpu-1")
    assert str(answer.verdict).startswith("differs: the lab would admit it now (ClusterQueue cq-b")


def test_where_it_stands_in_its_queue() -> None:
    answer = why(api(Serving(shared("snapshots/queues-2-preempted/main"))), "b-gpu-1")
    assert str(answer.position) == "number 3 of 3 in ClusterQueue cq-b, number 3 in LocalQueue main"
    assert f"it is {answer.position}" in answer.as_text()
    assert answer.as_data()["position"]["place"] == 3


@pytest.mark.parametrize("step", [3, 24])
def test_without_the_visibility_api_positions_are_left_out(step: int) -> None:
    serving = Serving(shared("snapshots/queues-2-preempted/main"))
    down = Replay.of("kueue-down", step).left[0]["response"]
    path = "/apis/visibility.kueue.x-k8s.io/v1beta2/clusterqueues/cq-b/pendingworkloads"
    serving.instead[path] = lambda request: httpx2.Response(503, text=down["text"])
    answer = why(api(serving), "b-gpu-1")
    assert answer.position is None
    assert answer.verdict.is_ == "agrees"
    [note] = [note for note in answer.notes if "positions" in note]
    assert note.startswith("positions are left out: /apis/visibility")
    assert down["text"].strip() in note


def test_an_older_visibility_api_is_asked() -> None:
    serving = Serving(shared("snapshots/queues-2-preempted/main"))
    path = "/apis/visibility.kueue.x-k8s.io/v1beta2/clusterqueues/cq-b/pendingworkloads"
    serving.instead[path] = lambda request: httpx2.Response(404, text="404 page not found")
    assert why(api(serving), "b-gpu-1").position is not None


def test_without_rights_on_events_the_rest_is_reported() -> None:
    serving = Serving(shared("snapshots/queues-2-preempted/main"))
    status = {"message": "events is forbidden", "reason": "Forbidden"}
    path = "/api/v1/namespaces/team-b/events"
    serving.instead[path] = lambda request: httpx2.Response(403, json=status)
    answer = why(api(serving), "b-gpu-1")
    assert answer.events == ()
    assert "events are left out: events is forbidden" in answer.notes


def test_a_workload_that_is_not_there() -> None:
    serving = Serving(shared("snapshots/queues-2-preempted/main"))
    with pytest.raises(UnknownObjectError, match="b-gpu-9"):
        why(api(serving), "b-gpu-9")


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [
        ({"eventTime": "1970-01-01T00:00:05.5Z", "firstTimestamp": None}, 5),
        ({"eventTime": None, "lastTimestamp": "1970-01-01T00:00:07Z"}, 7),
        (
            {"eventTime": "1970-01-01T00:00:05Z", "series": {"lastObservedTime": None}},
            5,
        ),
        ({"eventTime": None, "firstTimestamp": None, "lastTimestamp": None}, 0),
    ],
)
def test_events_say_when_in_many_ways(fields: dict[str, object], seconds: int) -> None:
    assert read_event(fields).time // 10**9 == seconds


def _finish(workload: dict[str, Any], at: str) -> None:
    """Let a workload of a snapshot have finished at a time."""
    done = {"type": "Finished", "status": "True", "reason": "Succeeded", "message": ""}
    workload["status"]["conditions"].append({**done, "lastTransitionTime": at})


def test_a_message_of_an_earlier_look_is_no_difference() -> None:
    serving = Serving(shared("snapshots/queues-2-preempted/main"))
    found = api(serving)
    snapshot = take(found)
    for workload in snapshot.of_kind("Workload"):
        if workload["metadata"]["namespace"] == "team-a":
            _finish(workload, "2026-11-20T19:58:20Z")
    answer = explain(found, snapshot, "b-gpu-1")
    assert answer.verdict.is_ == "earlier"
    text = str(answer.verdict)
    assert text.startswith("Kueue looked at 2026-11-20T19:58:0")
    assert "; since then team-a/job-a-gpu-1-5bad9 finished at 2026-11-20T19:58:20Z" in text
    assert "differs" not in answer.as_text().split("\n\n")[2]
    assert answer.as_data()["verdict"]["is"] == "earlier"


def test_messages_of_older_cycles_in_a_recorded_run_are_no_differences() -> None:
    folder = shared("recorded/m11-affinity")
    configuration = load_scenario(folder / "scenario.yaml").configuration
    objects = {
        obj["metadata"]["uid"]: obj
        for obj in yaml.safe_load((folder / "before" / "all.yaml").read_text())["items"]
    }
    with gzip.open(folder / "stream.jsonl.gz", "rt") as stream:
        lines = [json.loads(line) for line in stream]
    verdicts: Counter[str] = Counter()
    for line in lines:
        uid = line["object"]["metadata"].get("uid")
        if uid is not None:
            objects[uid] = line["object"]
        if uid is None or line["resource"] != "workloads" or line["type"] == "DELETED":
            continue
        spec = load_scenario([obj for obj in objects.values() if obj["kind"] != "Event"])
        manifests = replace(spec.manifests, runs={})
        lab = Lab(replace(spec, configuration=configuration, manifests=manifests))
        run = lab.run(until=0)
        for workload in manifests.workloads:
            if workload.active:
                verdicts[verdict_on(run, lab.spec, workload).is_] += 1
    assert verdicts["differs"] == 0
    assert verdicts["earlier"] > 20
    assert verdicts["agrees"] > 50
