"""Manifests in, objects out; mistakes together, each with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kueuelab.errors import InputError
from kueuelab.manifests import dump, load, load_configuration, read_object
from kueuelab.model import ClusterQueue, Workload

JOB_SPEC = {"template": {"spec": {"containers": [{"name": "c", "image": "x"}]}}}
DATA = Path(__file__).parents[2] / "data" / "manifests"
SNAPSHOTS = Path(__file__).parents[3].parent / "shared" / "live" / "snapshots"


def test_the_form_of_2022_is_converted_and_says_so() -> None:
    manifests = load(DATA / "v1alpha1.yaml")
    (queue,) = manifests.cluster_queues
    (group,) = queue.resource_groups
    assert queue.cohort_name == "university"
    assert group.covered_resources == ("cpu", "memory")
    on_demand, spot = group.flavors
    assert (on_demand.resources[0].nominal, on_demand.resources[0].borrowing_limit) == (9000, 9000)
    assert on_demand.resources[1].borrowing_limit == 36 * 2**30
    assert (spot.resources[0].nominal, spot.resources[0].borrowing_limit) == (4000, None)
    assert manifests.local_queues[0].key == "default/team-a"
    (flavor,) = manifests.objects["ResourceFlavor"]
    assert flavor.node_labels == {"instance": "spot"}  # type: ignore[union-attr]
    notes = [str(note) for note in manifests.notes]
    assert any("Queue/default/team-a: converted" in note for note in notes)
    assert any("quota.max -> borrowingLimit" in note for note in notes)
    # Kueue of today does not read the annotation that named the queue in 2022.
    assert manifests.workloads == ()
    assert any("Kueue reads only the label" in note for note in notes)


def test_all_mistakes_come_together_with_their_places() -> None:
    with pytest.raises(InputError) as raised:
        load(DATA / "wrong.yaml")
    found = [
        (p.object, p.field, p.location.line, p.location.column)
        for p in raised.value.problems
        if p.location is not None
    ]
    assert found == [
        ("ClusterQueue/research", "spec.queuingStrategy", 7, 3),
        (
            "ClusterQueue/research",
            "spec.resourceGroups[0].flavors[0].resources[1].nominalQuota",
            16,
            23,
        ),
        ("ClusterQueue/research", "spec.preemption.withinClusterQueue", 18, 25),
        ("LocalQueue/default/(no name)", "metadata.name", 22, 1),
        ("LocalQueue/default/(no name)", "spec.clusterQueue", 25, 17),
    ]
    hints = " ".join(p.hint for p in raised.value.problems)
    assert "Did you mean 'queueingStrategy'?" in hints
    understood = raised.value.understood
    assert [obj.metadata.name for obj in understood] == ["on-demand"]  # type: ignore[attr-defined]
    assert len(load(DATA / "wrong.yaml", keep_going=True).problems) == 5


QUEUE = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "ClusterQueue",
    "metadata": {"name": "q"},
}


CONTAINER = {"name": "c", "image": "registry.example/app:1"}


def queue(spec: object, **more: object) -> dict[str, object]:
    return {**QUEUE, "spec": spec, **more}


def group(
    *flavors: str, resources: tuple[str, ...] = ("cpu",), **quota: object
) -> dict[str, object]:
    return {
        "coveredResources": list(resources),
        "flavors": [
            {
                "name": flavor,
                "resources": [{"name": r, "nominalQuota": 1, **quota} for r in resources],
            }
            for flavor in flavors
        ],
    }


@pytest.mark.parametrize(
    ("obj", "field", "words"),
    [
        ({}, "apiVersion", "Required"),
        ({"apiVersion": "v1"}, "kind", "Required"),
        ({**QUEUE, "kind": "Clusterqueue"}, "kind", "Did you mean 'ClusterQueue'"),
        ({**QUEUE, "apiVersion": "kueue.x-k8s.io/v1"}, "apiVersion", "v1beta2"),
        ({**QUEUE, "metadata": None}, "metadata.name", "Required"),
        ({**QUEUE, "metadata": {"name": "Q_1"}}, "metadata.name", "RFC 1123"),
        (queue([]), "spec", "cannot unmarshal array"),
        (queue({"cohort": "c"}), "spec.cohort", "Did you mean 'cohortName'"),
        (queue({"stopPolicy": False}), "spec.stopPolicy", "quotes"),
        (queue({"resourceGroups": "cpu"}), "spec.resourceGroups", "put a dash before each item"),
        (
            queue({"resourceGroups": [group("a", nominalQuota=-1)]}),
            "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota",
            "greater than or equal to 0",
        ),
        (
            queue({"resourceGroups": [group("a"), group("a", resources=("memory",))]}),
            "spec.resourceGroups[1].flavors[0].name",
            'Duplicate value: "a"',
        ),
        (
            queue({"resourceGroups": [group("a"), group("b")]}),
            "spec.resourceGroups[1].coveredResources[0]",
            'Duplicate value: "cpu"',
        ),
        (
            queue({"resourceGroups": [group("a", borrowingLimit=1)]}),
            "spec",
            "must be nil when cohort is empty",
        ),
        (
            queue({"cohortName": "c", "resourceGroups": [group("a", lendingLimit=2)]}),
            "spec.resourceGroups[0].flavors[0].resources[0].lendingLimit",
            "nominalQuota",
        ),
        (
            queue({"resourceGroups": [group(str(n)) for n in range(17)]}),
            "spec.resourceGroups",
            "at most 16",
        ),
        (
            queue({"preemption": {"borrowWithinCohort": {"policy": "LowerPriority"}}}),
            "spec.preemption",
            "reclaimWithinCohort=Never",
        ),
        (
            queue({"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}}),
            "spec.namespaceSelector.matchExpressions[0].operator",
            "not a valid selector operator",
        ),
    ],
)
def test_mistakes_say_what_would_be_right(obj: dict[str, object], field: str, words: str) -> None:
    problems = load(obj, keep_going=True).problems
    assert [problem.field for problem in problems] == [field]
    assert words in str(problems[0])


TWICE = """
{first}
---
apiVersion: v1
kind: Namespace
metadata: {{name: between}}
---
{second}
"""


@pytest.mark.parametrize(
    ("api_version", "kind", "first", "second"),
    [
        ("kueue.x-k8s.io/v1beta2", "ClusterQueue", {"cohortName": "a"}, {"cohortName": "b"}),
        ("kueue.x-k8s.io/v1beta1", "ClusterQueue", {"cohort": "a"}, {"cohort": "b"}),
        ("kueue.x-k8s.io/v1beta2", "Cohort", {"parentName": "a"}, {"parentName": "b"}),
        ("kueue.x-k8s.io/v1beta2", "ResourceFlavor", {}, {"nodeLabels": {"a": "b"}}),
        ("kueue.x-k8s.io/v1alpha1", "Cohort", {"parent": "a"}, {"parent": "b"}),
        ("v1", "LimitRange", {"limits": []}, {"limits": [{"type": "Pod", "max": {"cpu": 1}}]}),
    ],
)
def test_of_two_objects_of_one_name_the_later_one_holds(
    api_version: str, kind: str, first: dict[str, object], second: dict[str, object]
) -> None:
    head = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}}
    before, after = {**head, "spec": first}, {**head, "spec": second}
    text = TWICE.format(first=json.dumps(before), second=json.dumps(after))
    manifests = load(text, name="two.yaml")
    assert next(iter(manifests)) == next(iter(load(after)))
    assert next(iter(manifests)) != next(iter(load(before)))
    [note] = [note for note in manifests.notes if "replaces" in note.message]
    assert note.is_caution
    assert str(note.location) == "two.yaml:8"
    assert "the object of the same name at two.yaml:2," in note.message


def test_the_same_object_in_two_dumps_is_no_other_one() -> None:
    seen = {**QUEUE, "metadata": {"name": "q", "uid": "1"}}
    manifests = load(seen, seen)
    assert len(manifests) == 1
    assert not any(note.is_caution for note in manifests.notes)


def test_a_later_object_is_judged_as_an_update() -> None:
    head = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Topology", "metadata": {"name": "t"}}
    levels = [[{"nodeLabel": "rack"}], [{"nodeLabel": "block"}]]
    with pytest.raises(InputError, match=r"spec\.levels.*immutable"):
        load([{**head, "spec": {"levels": each}} for each in levels])


def test_of_two_jobs_of_one_name_the_later_one_is_queued() -> None:
    jobs = [
        {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {"name": "a", "labels": {"kueue.x-k8s.io/queue-name": queue}},
            "spec": {"replicatedJobs": [{"name": "r", "template": {"spec": JOB_SPEC}}]},
        }
        for queue in ("first", "second")
    ]
    manifests = load(jobs)
    assert [workload.queue_name for workload in manifests.workloads] == ["second"]
    [note] = [note for note in manifests.notes if note.is_caution]
    assert note.message.startswith("it replaces an object of the same name")


def test_what_refers_to_nothing_is_accepted() -> None:
    assert load(queue({"cohortName": "c", "resourceGroups": [group("nowhere")]})).cluster_queues


def test_lists_of_all_kinds() -> None:
    plain = {"apiVersion": "v1", "kind": "List", "items": [QUEUE]}
    typed = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueueList",
        "items": [{"metadata": {"name": "q"}}],
    }
    assert load(plain) == load(typed) == load([QUEUE]) == load(QUEUE)


def test_v1beta1_is_converted() -> None:
    old = {
        **queue(
            {
                "cohort": "c",
                "admissionChecks": ["check"],
                "flavorFungibility": {"whenCanBorrow": "Borrow", "whenCanPreempt": "Preempt"},
            }
        ),
        "apiVersion": "kueue.x-k8s.io/v1beta1",
    }
    found = read_object(old)
    assert isinstance(found, ClusterQueue)
    assert found.cohort_name == "c"
    assert found.admission_checks[0].name == "check"
    assert found.flavor_fungibility.when_can_preempt == "MayStopSearch"
    workload = read_object(
        {
            "apiVersion": "kueue.x-k8s.io/v1beta1",
            "kind": "Workload",
            "metadata": {"name": "w"},
            "spec": {
                "podSets": [{"count": 1, "template": {"spec": {"containers": []}}}],
                "priority": 5,
                "priorityClassName": "high",
                "priorityClassSource": "kueue.x-k8s.io/workloadpriorityclass",
            },
            "status": {"accumulatedPastExexcutionTimeSeconds": 7},
        }
    )
    assert isinstance(workload, Workload)
    assert workload.priority_class_ref is not None
    assert workload.priority_class_ref.kind == "WorkloadPriorityClass"
    assert workload.status.accumulated_past_execution_time_seconds == 7


def test_the_configuration_in_kueues_config_map_keeps_its_lines() -> None:
    text = """
apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-manager-config}
data:
  controller_manager_config.yaml: |
    apiVersion: config.kueue.x-k8s.io/v1beta1
    kind: Configuration
    fairSharing: {enable: true}
    waitForPodsReady: {enable: false}
"""
    configuration = load(text).configuration
    assert configuration is not None
    assert configuration.fair_sharing_enabled
    assert configuration.wait_for_pods_ready is None
    (problem,) = load(text.replace("enable: true", "enabled: yes"), keep_going=True).problems
    assert problem.location is not None
    assert (problem.location.line, problem.location.column) == (9, 19)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("featureGates: {Nonsense: true}", "unrecognized feature gate: Nonsense"),
        (
            "featureGates: {HierarchicalCohorts: false}",
            "cannot set feature gate HierarchicalCohorts to false, feature is locked to true",
        ),
        ("featureGates: {PartialAdmission: 1}", "must be true or false"),
        (
            "featureGates: {UnadmittedWorkloadsExplicitStatus: true}",
            "requires UnadmittedWorkloadsObservability to be enabled",
        ),
        (
            "fairSharing: {preemptionStrategies: [LessThanInitialShare, "
            "LessThanOrEqualToFinalShare]}",
            "Unsupported value",
        ),
        ("waitForPodsReady: {timeout: -1s}", "greater than or equal to 0"),
        ("waitForPodsReady: {timeout: 5}", "duration"),
        (
            "resources: {quotaCheckStrategy: IgnoreUndeclared, excludeResourcePrefixes: [a]}",
            "excludeResourcePrefixes is not allowed",
        ),
        ("multiKueue: {incrementalDispatcherConfig: {stepSize: 2}}", "dispatcherName"),
        ("integrations: {frameworks: [batch/jobs]}", "Did you mean 'batch/job'?"),
    ],
)
def test_configurations_that_kueue_refuses(text: str, words: str) -> None:
    with pytest.raises(InputError) as raised:
        load_configuration(text, name="config.yaml")
    assert words in str(raised.value)
    assert str(raised.value).startswith("config.yaml:1: Configuration: ")


def test_jobs_that_name_what_is_not_there_get_no_workload() -> None:
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "pi",
            "labels": {
                "kueue.x-k8s.io/queue-name": "a",
                "kueue.x-k8s.io/priority-class": "missing",
            },
        },
        "spec": {"template": {"spec": {"containers": [CONTAINER], "restartPolicy": "Never"}}},
    }
    manifests = load(job)
    assert not manifests.workloads
    assert "it gets no Workload" in str(manifests.notes[0])


@pytest.mark.skipif(not SNAPSHOTS.is_dir(), reason="no recorded snapshots here")
@pytest.mark.parametrize("version", ["", ".v1beta1"])
def test_recorded_snapshots_load_and_come_back(version: str) -> None:
    for folder in sorted(SNAPSHOTS.glob("*/*")):
        files = [
            file
            for file in sorted(folder.glob("*.yaml"))
            if file.name.endswith(".v1beta1.yaml") == bool(version)
        ]
        manifests = load(files)
        assert len(manifests) > 0
        assert load(dump(manifests)) == manifests


def test_a_mistake_behind_an_alias_is_reported_at_both_places() -> None:
    text = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: research}
spec:
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors: &flavors
    - name: on-demand
      resources:
      - {name: cpu, nominalQuota: 9}
      - {names: memory, nominalQuota: 36Gi}
  admissionChecksStrategy:
    admissionChecks:
    - {name: check, onFlavors: *flavors}
"""
    with pytest.raises(InputError) as raised:
        load(text.encode())
    fields = {problem.field for problem in raised.value.problems}
    resources = "spec.resourceGroups[0].flavors[0].resources[1]"
    on_flavors = "spec.admissionChecksStrategy.admissionChecks[0].onFlavors[0]"
    assert {f"{resources}.names", f"{resources}.name", f"{on_flavors}.resources"} <= fields
    assert "spec.resourceGroups[0].flavors[0].resources" not in fields
