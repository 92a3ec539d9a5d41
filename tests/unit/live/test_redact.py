"""Redacted dumps: no name is left where names stand, and the same is decided."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import yaml
from stand_in import DATA, SHARED, Serving, api, shared

from kueuelab.live.redact import redacted
from kueuelab.live.snapshot import latest_time, take
from kueuelab.manifests import load_scenario
from kueuelab.whatif.lab import Lab

Json = dict[str, Any]
DUMPS = sorted({path.name for root in (SHARED, DATA) for path in root.glob("recorded/dump-*.yaml")})
SNAPSHOTS = (
    "queues-2-preempted/main",
    "mixed-1/main",
    "multikueue-1-dispatched/manager",
    "multikueue-1-dispatched/w1",
)
#: Kubernetes' and Kueue's own.
THEIRS = {"kube-system", "kube-public", "kube-node-lease", "kueue-system", "main"}
THEIRS |= {"system-cluster-critical", "system-node-critical"}


def objects_in(dump: str) -> list[Json]:
    text = shared(f"recorded/{dump}").read_text("utf-8")
    return [obj for obj in yaml.load_all(text, Loader=yaml.CSafeLoader) if obj]


def renamed(before: list[Json], after: tuple[Json, ...]) -> dict[tuple[str, str], str]:
    assert len(before) == len(after)
    pairs = [(o, n) for o, n in zip(before, after, strict=True) if "metadata" in o]
    metas = [(o["metadata"], n["metadata"]) for o, n in pairs]
    return {
        ("Namespace", old["namespace"]): new["namespace"]
        for old, new in metas
        if "namespace" in old
    } | {(o["kind"], o["metadata"]["name"]): n["metadata"]["name"] for o, n in pairs}


def decisions(objects: list[Json], names: dict[tuple[str, str], str]) -> list[list[Any]]:
    """Return what the lab decides about a dump, under other names."""
    spec = load_scenario(objects)
    manifests = replace(spec.manifests, runs={})
    run = Lab(replace(spec, start=latest_time(objects), manifests=manifests)).run(until=0)

    def name(kind: str, text: str) -> str:
        return names.get((kind, text), text)

    def key(text: str) -> str:
        namespace, _, own = text.partition("/")
        return f"{name('Namespace', namespace)}/{name('Workload', own)}"

    return [
        [
            (
                key(entry.key),
                entry.status,
                name("ClusterQueue", entry.cluster_queue),
                [
                    (resource, name("ResourceFlavor", flavor.name))
                    for pod_set in (entry.assignment.pod_sets if entry.assignment else ())
                    for resource, flavor in pod_set.flavors.items()
                ],
                [(key(t.workload.key), str(t.reason)) for t in entry.targets],
                bool(entry.message),
            )
            for entry in (*cycle.entries, *cycle.inadmissible)
        ]
        for cycle in run.player.cycles
    ]


def texts(value: Any) -> Iterator[str]:
    """Yield every text in values, and every key."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("dump", DUMPS)
def test_a_redacted_dump_decides_the_same_and_has_no_name(dump: str) -> None:
    objects = objects_in(dump)
    found = redacted(objects)
    names = renamed(objects, found)
    assert decisions(list(found), {}) == decisions(objects, names)
    left = set(texts(found))
    assert {name for _, name in names if name in left} <= THEIRS
    # Not in messages either: there a name would be a word of its own.
    words = {word.strip(".,:;/'\"[]") for text in left if " " in text for word in text.split()}
    kueues = {"a", "reserved", "pod", "default"}
    assert {name for _, name in names if name in words} <= THEIRS | kueues


@pytest.mark.parametrize("cluster", SNAPSHOTS)
def test_a_redacted_snapshot_decides_the_same_and_has_no_name(cluster: str) -> None:
    objects = list(take(api(Serving(shared(f"snapshots/{cluster}")))).objects)
    found = redacted(objects)
    names = renamed(objects, found)
    assert decisions(list(found), {}) == decisions(objects, names)
    assert {name for _, name in names if name in set(texts(found))} <= THEIRS


def kueue(kind: str, name: str, spec: Json, **more: Any) -> Json:
    meta = {"name": name, "uid": f"uid-{name}"}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": kind,
        "metadata": meta,
        "spec": spec,
        **more,
    }


def one(obj: Json, *others: Json) -> Json:
    return redacted([obj, *others])[0]


def test_a_limit_range_keeps_its_limits() -> None:
    limit = {"type": "Container", "default": {"cpu": "1"}, "max": {"cpu": "4"}}
    meta = {"name": "acme", "namespace": "acme"}
    spec = {"limits": [limit]}
    found = one({"apiVersion": "v1", "kind": "LimitRange", "metadata": meta, "spec": spec})
    assert found["metadata"] == {"name": "limits-0001", "namespace": "namespace-0001"}
    assert found["spec"] == spec


def test_checks_of_kueue_stay_what_they_are_and_own_ones_are_renamed() -> None:
    reference = {"apiGroup": "kueue.x-k8s.io", "kind": "MultiKueueConfig", "name": "acme"}
    spec = {"controllerName": "kueue.x-k8s.io/multikueue", "parameters": reference}
    config = kueue("MultiKueueConfig", "acme", {"clusters": ["acme-west"]})
    found = one(kueue("AdmissionCheck", "acme", spec), config)["spec"]
    assert found["controllerName"] == "kueue.x-k8s.io/multikueue"
    assert found["parameters"] == {**reference, "name": "config-0001"}
    conditions = [{"type": "Active", "status": "True", "reason": "AcmeIsUp", "message": "acme"}]
    status = {"conditions": conditions}
    own = kueue("AdmissionCheck", "a", {"controllerName": "acme.example/budget"}, status=status)
    found = one(own)
    assert found["spec"] == {"controllerName": "example.com/controller-0001"}
    assert found["status"] == {"conditions": [{"type": "Active", "status": "True"}]}


def test_a_name_is_a_name_by_its_field_and_not_by_its_text() -> None:
    expressions = [{"key": "team", "operator": "In", "values": ["Any", "team"]}]
    spec = {
        "cohortName": "Any",
        "queueingStrategy": "StrictFIFO",
        "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "Never"},
        "namespaceSelector": {"matchExpressions": expressions},
    }
    labels = {"team": "team", "kubernetes.io/metadata.name": "team"}
    namespace = {"apiVersion": "v1", "kind": "Namespace"}
    namespace["metadata"] = {"name": "team", "labels": labels}  # type: ignore[assignment]
    others = [kueue("ClusterQueue", name, {}) for name in ("Any", "StrictFIFO", "team")]
    queue, *_, found = redacted([kueue("ClusterQueue", "Never", spec), *others, namespace])
    assert queue["metadata"]["name"] == "queue-0002"
    assert queue["spec"] == {
        **spec,
        "cohortName": "cohort-0001",
        "namespaceSelector": {
            "matchExpressions": [
                {"key": "key-0001", "operator": "In", "values": ["value-0001", "value-0002"]}
            ]
        },
    }
    assert found["metadata"]["labels"] == {
        "key-0001": "value-0002",
        "kubernetes.io/metadata.name": "namespace-0001",
    }


def test_descriptions_locations_and_the_configuration_are_redacted() -> None:
    priority = kueue("WorkloadPriorityClass", "acme", {}, value=5, description="for alice")
    assert one(priority).keys() & {"description", "value"} == {"value"}
    source = {"kubeConfig": {"location": "acme-secret", "locationType": "Secret"}}
    cluster = one(kueue("MultiKueueCluster", "acme-west", {"clusterSource": source}))
    location = cluster["spec"]["clusterSource"]["kubeConfig"]
    assert location == {"location": "secret-0001", "locationType": "Secret"}
    configuration = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "namespace": "acme-kueue",
        "leaderElection": {"resourceName": "acme"},
        "fairSharing": {"preemptionStrategies": ["LessThanInitialShare"]},
        "multiKueue": {"dispatcherName": "acme.example/nearest", "workerLostTimeout": "5m"},
        "managedJobsNamespaceSelector": {"matchLabels": {"tier": "acme"}},
    }
    found = one(configuration)
    assert "acme" not in str(found)
    assert found["fairSharing"] == configuration["fairSharing"]
    assert found["multiKueue"] == {
        "dispatcherName": "example.com/controller-0001",
        "workerLostTimeout": "5m",
    }


def test_names_in_messages_of_kueue_are_renamed_and_other_messages_are_replaced() -> None:
    uid = "6f6f0f54-0b1f-4a57-8a51-ab4d1d1f5b0c"
    messages = {
        "Quota reserved in ClusterQueue physics": "Quota reserved in ClusterQueue queue-0002",
        "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor "
        "spot, 3 more needed. Pending the preemption of 1 workload(s)": "couldn't assign flavors "
        "to pod set main: insufficient unused quota for cpu in flavor flavor-0001, 3 more needed. "
        "Pending the preemption of 1 workload(s)",
        f"Previously: Preempted to accommodate a workload (UID: {uid}, JobUID: UNKNOWN) due to "
        "reclamation within the cohort; preemptor path: /uni/physics; preemptee path: /uni/bio": (
            f"Previously: Preempted to accommodate a workload (UID: {uid}, JobUID: UNKNOWN) due to "
            "reclamation within the cohort; preemptor path: /cohort-0001/queue-0002; "
            "preemptee path: /cohort-0001/queue-0001"
        ),
        "couldn't assign flavors to pod set main: untolerated taint {acme yes NoSchedule <nil>} in "
        "flavor spot": "couldn't assign flavors to pod set main: untolerated taint "
        "{key-0001 value-0001 NoSchedule <nil>} in flavor flavor-0001",
        "waiting for alice of physics": "(redacted)",
        "": "",
    }
    conditions = [{"type": str(n), "status": "True", "message": m} for n, m in enumerate(messages)]
    workload = kueue("Workload", "w", {"podSets": []}, status={"conditions": conditions})
    quota = {"coveredResources": ["cpu"], "flavors": [{"name": "spot", "resources": []}]}
    queue = kueue("ClusterQueue", "physics", {"resourceGroups": [quota]})
    found = one(workload, queue, kueue("ClusterQueue", "bio", {}))["status"]["conditions"]
    assert [each["message"] for each in found] == list(messages.values())


def test_redacting_changes_nothing_that_was_given_and_is_the_same_every_time() -> None:
    objects = objects_in("dump-limitrange-inactive-check.yaml")
    before = copy.deepcopy(objects)
    assert redacted(objects) == redacted(objects)
    assert objects == before
