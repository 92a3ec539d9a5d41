"""Scenarios with several clusters: forked at the start and at times, and what isn't offered."""

from __future__ import annotations

import pytest

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.errors import InputError, NotModelledError, UnknownObjectError
from kueuelab.manifests import load_scenario
from kueuelab.simulation import Player
from kueuelab.whatif.changes import change_text
from kueuelab.whatif.clusters import MultiKueueLab, MultiKueueRun
from kueuelab.whatif.lab import Lab

QUOTA = "spec.resourceGroups[0].flavors[generic].resources[cpu].nominalQuota"


def load(name: str = "lost-worker") -> MultiKueueLab:
    found = scenarios.load(name)
    assert isinstance(found, MultiKueueLab)
    return found


def holders(run: MultiKueueRun, job: str) -> set[str]:
    """Return the clusters in which a job has quota."""
    return {
        name
        for name, member in run.cluster_set.members.items()
        for key, state in member.workloads.items()
        if job in key and state.has_quota_reservation and not state.is_finished
    }


def test_load_and_scenarios_give_the_same() -> None:
    loaded = kl.load(scenarios.text("lost-worker"))
    assert isinstance(loaded, MultiKueueLab)
    assert loaded.spec == load().spec
    assert isinstance(loaded.run(), MultiKueueRun)
    assert loaded.run().passed
    assert loaded.run().facts == loaded.fork().run().facts


def test_a_lab_of_one_cluster_takes_no_others() -> None:
    spec = load_scenario(scenarios.text("lost-worker"))
    for play in (Lab(spec).run, lambda: Player(spec)):
        with pytest.raises(InputError, match="has several clusters"):
            play()


def test_at_the_start_a_worker_has_other_quota() -> None:
    fork = load().fork().edit("cluster-queue/dispatch", {QUOTA: 1}, cluster="w1")
    assert repr(fork) == "<MultiKueueFork at the start: 1 change>"
    assert fork.as_text() == f"At the start:\n  w1: edit ClusterQueue/dispatch: {QUOTA}: 1"
    # filler has left w2 after 6 s: only then is there room for train.
    assert holders(fork.run(until=5), "train") == {"manager"}
    assert "w2" in holders(fork.run(until=12), "train")
    assert holders(load().run(until=5), "train") == {"manager", "w1"}


def test_at_the_start_a_job_that_comes_later_is_another() -> None:
    assert holders(load().fork().edit("job/train", {"spec.priority": 7}).run(until=5), "train")
    before, after = (
        lab.spec.timeline
        for lab in (load(), load().fork().edit("job/train", {"spec.priority": 7}).lab)
    )
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert [(a.at, b.at, change_text(b)) for a, b in changed] == [
        (10**9, 10**9, "submit default/train")
    ]
    run = load().fork().edit("job/train", {"spec.queueName": "nowhere"}).run()
    assert holders(run, "train") == set()


def test_at_a_time_it_acts_then() -> None:
    run = load().run()
    fork = run.fork(at="3s").edit("cluster-queue/dispatch", {"spec.stopPolicy": "HoldAndDrain"})
    assert repr(fork) == "<MultiKueueFork at 3s: 1 change>"
    drained = fork.run()
    assert holders(drained, "train") == set()
    assert drained.diff(run).as_text()
    before = [fact for fact in run.facts if fact.time < 3_000_000_000]
    assert before
    assert list(drained.facts[: len(before)]) == before


def test_jobs_come_finish_and_go() -> None:
    late = {"job": "late", "queue": "team", "requests": {"cpu": 1}}
    run = load().fork(at="3s").submit(late).run(until=8)
    assert len(holders(run, "late")) == 2
    assert holders(load().fork(at="4s").finish("train").run(until=7), "train") == set()
    assert holders(load().fork(at="4s").delete("train").run(until=7), "train") == set()
    assert holders(load().fork(at="4s").remove("workload/train").run(until=7), "train") == set()
    assert holders(load().fork(at="4s").set_active("train", False).run(until=7), "train") == set()
    # At the end, for as long as a run goes on by itself.
    short = load().run(until=5)
    assert repr(short.fork()) == "<MultiKueueFork at 5s: 0 changes>"
    more = load().run().fork().submit(late).run()
    assert len(holders(more, "late")) == 2


def test_a_worker_is_changed_at_a_time() -> None:
    lab = load()
    fork = lab.fork(at="3s").edit("cluster-queue/dispatch", {QUOTA: 1}, cluster="w1")
    fork = fork.remove("local-queue/team", cluster="w2")
    assert repr(fork) == "<MultiKueueFork at 3s: 2 changes>"
    assert fork.as_text().splitlines() == [
        "At 3s:",
        f"  w1: edit ClusterQueue/dispatch: {QUOTA}: 1",
        "  w2: remove LocalQueue/default/team",
    ]
    later = [(a.at, a.cluster) for a in fork.lab.spec.timeline if a.at == 3 * 10**9]
    assert later == [(3 * 10**9, "w1"), (3 * 10**9, "w2")]
    members = fork.run(until=5).cluster_set.members
    quotas = {
        name: member.cluster.tree.cluster_queues["dispatch"].quota(("generic", "cpu")).nominal
        for name, member in members.items()
    }
    assert quotas == {"manager": 8000, "w1": 1000, "w2": 4000}
    assert [
        name for name, member in members.items() if not member.cluster.objects.local_queues
    ] == ["w2"]
    # Each object is that of its own cluster, as it is by then.
    with pytest.raises(UnknownObjectError):
        fork.remove("local-queue/team", cluster="w2")
    with pytest.raises(UnknownObjectError):
        fork.edit("multi-kueue-config/fleet", {"spec.clusters": ["w2"]}, cluster="w1")


def test_a_worker_is_changed_at_the_start() -> None:
    spot = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {}}
    spot["metadata"] = {"name": "spot"}
    fork = load().fork().apply(spot, cluster="w2").remove("local-queue/team", cluster="w1")
    assert fork.as_text().splitlines()[1:] == [
        "  w2: apply ResourceFlavor/spot",
        "  w1: remove LocalQueue/default/team",
    ]
    assert len(fork.lab.spec.timeline) == len(load().spec.timeline)
    members = fork.run(until=5).cluster_set.members
    assert [
        name for name, member in members.items() if "spot" in member.cluster.objects.flavors
    ] == ["w2"]
    assert [
        name for name, member in members.items() if not member.cluster.objects.local_queues
    ] == ["w1"]


def test_an_action_comes_after_those_of_its_time() -> None:
    fork = load().fork(at="8s").delete("train").finish("train")
    moments = [(a.at // 10**9, type(a).__name__) for a in fork.lab.spec.timeline]
    assert [each for each in moments if each[0] == 8][1:] == [(8, "Delete"), (8, "Finish")]
    assert [at for at, _ in moments] == sorted(at for at, _ in moments)


def test_what_the_scenario_does_later_to_what_is_gone_is_left_out() -> None:
    text = scenarios.text("lost-worker").replace(
        "{at: 20s, reconnect: w1}", "{at: 20s, remove: {kind: LocalQueue, name: team}}"
    )
    lab = kl.load(text)
    assert isinstance(lab, MultiKueueLab)
    run = lab.fork(at="3s").remove("local-queue/team").run()
    assert [why for _, why in run.left_out] == ["there is no LocalQueue named 'default/team'"]


def test_only_what_is_there_by_then_can_be_named() -> None:
    assert load().fork(at="1s").finish("train").texts == ("finish default/train",)
    with pytest.raises(InputError, match="no workload named 'train'"):
        load().fork(at="500ms").finish("train")


def test_a_fork_of_several_clusters_in_another_language() -> None:
    fork = load().fork(at="3s").delete("train")
    assert fork.as_text("en-XA") != fork.as_text() == str(fork)


def test_at_the_start_the_manager_has_other_quota() -> None:
    fork = load().fork().edit("cluster-queue/dispatch", {QUOTA: 1})
    assert fork.as_text() == f"At the start:\n  edit ClusterQueue/dispatch: {QUOTA}: 1"
    assert holders(fork.run(until=5), "train") == set()


def test_a_job_is_submitted_in_the_short_form_or_as_a_manifest() -> None:
    container = {"name": "main", "image": "i", "resources": {"requests": {"cpu": "1"}}}
    manifest = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "late", "labels": {"kueue.x-k8s.io/queue-name": "team"}},
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}},
    }
    short = {"job": "late", "queue": "team", "requests": {"cpu": 1}}
    local = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "team"},
        "spec": {"clusterQueue": "dispatch"},
    }
    several = {"apiVersion": "v1", "kind": "List", "items": [local, manifest]}
    for job in (manifest, several, short):
        fork = load().fork().submit(job, runs=2)
        # Before the start means: it is there when the clock starts.
        assert [a.at for a in fork.lab.spec.timeline if "late" in change_text(a)] == [0]
        assert holders(fork.run(until=1.5), "late")
        assert not holders(fork.run(until=6), "late")


def test_a_mistake_in_a_manifest_is_one_of_that_object() -> None:
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "late"},
        "spec": {"template": {"spec": {"containers": [{"name": "main", "image": "i"}]}}},
    }
    for fork in (load().fork(), scenarios.load("reclaim-1-take-back").fork()):
        with pytest.raises(InputError, match=r"^Job/late: spec\.template\.spec\.restartPolicy: "):
            fork.submit(job)


def test_a_manifest_without_a_job_or_an_object_of_queues_is_refused() -> None:
    empty = {"apiVersion": "v1", "kind": "List", "items": []}
    for fork in (load().fork(), scenarios.load("reclaim-1-take-back").fork()):
        with pytest.raises(InputError, match=r"there is no object in it\. Give a manifest"):
            fork.submit(empty)


def test_what_is_not_offered_says_so() -> None:
    lab = load()
    with pytest.raises(NotModelledError, match="at a step") as step:
        lab.fork(at=12)
    assert 'fork(at="50s")' in str(step.value)
    with pytest.raises(NotModelledError, match="editing a workload") as workload:
        lab.fork(at="3s").edit("workload/train", {"spec.priority": 3})
    assert "submit another" in str(workload.value)
    with pytest.raises(InputError, match=r"no cluster w9\. There are: manager, w1, w2"):
        lab.fork().edit("cluster-queue/dispatch", {QUOTA: 1}, cluster="w9")
    with pytest.raises(UnknownObjectError, match="no ClusterQueue named 'x'"):
        lab.fork().edit("cluster-queue/x", {QUOTA: 1})
    for at in ("soon", "-3s"):
        with pytest.raises(InputError, match="start"):
            lab.fork(at=at)
