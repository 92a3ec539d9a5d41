"""What the actions of a fork hand on, and what comes of them."""

from __future__ import annotations

import pytest
import yaml
from small_labs import flavor, job, lab, manifest, queue

from kueuelab.errors import UnknownObjectError
from kueuelab.manifests import read_object
from kueuelab.manifests.scenario import Advance, PodsReady, Reclaim, Remove, SetCheck
from kueuelab.model import ReclaimablePod
from kueuelab.whatif.changes import change_as_data, change_text
from kueuelab.whatif.lab import LabRun

LAB = lab([flavor(), queue("q", {"default": 3})], [job("a", "q", 2), job("b", "q", 2)])
RUN = LAB.run()


def phase(run: LabRun, name: str) -> str:
    return run.state_at(len(run.trace) - 1).workload(f"default/{name}").phase


def test_what_a_check_and_pods_report_is_handed_on() -> None:
    fork = RUN.fork().set_check("a", "budget", "Retry", "no money").pods_ready("a")
    fork = fork.pods_ready("a", False).reclaim("a", {"main": 1})
    check, ready, unready, reclaimed = fork.changes
    assert isinstance(check, SetCheck)
    assert (check.workload, check.check, check.state) == ("default/a", "budget", "Retry")
    assert check.message == "no money"
    (silent,) = RUN.fork().set_check("a", "budget", "Ready").changes
    assert isinstance(silent, SetCheck)
    assert silent.message == ""
    assert isinstance(ready, PodsReady)
    assert isinstance(unready, PodsReady)
    assert (ready.ready, unready.ready) == (True, False)
    assert isinstance(reclaimed, Reclaim)
    assert (reclaimed.workload, reclaimed.pods) == ("default/a", (ReclaimablePod("main", 1),))


def test_an_object_with_a_namespace_and_one_without_are_removed() -> None:
    for name, removed in (
        ("local-queue/q", Remove("LocalQueue", "q", "default")),
        ("cluster-queue/q", Remove("ClusterQueue", "q", "")),
    ):
        fork = RUN.fork().remove(name)
        assert fork.changes == (removed,)
        late = fork.submit({**job("late", "q", 1)}) if removed.kind == "ClusterQueue" else fork
        assert phase(late.run(), "b") == "Pending"


def test_a_workload_is_removed_with_its_job() -> None:
    for name in ("workload/a", "job/a", "Workload/default/a"):
        fork = RUN.fork().remove(name)
        assert fork.changes == RUN.fork().delete("a").changes
    assert phase(fork.run(), "b") == "Admitted"


def test_at_the_start_a_job_that_comes_later_is_not_there_to_be_deleted() -> None:
    """What is deleted at the start is only what is there then."""
    priority = {"spec.priority": 7}
    fork = LAB.fork().delete("b").edit("workload/b", priority)
    assert fork.run().cluster.workload("default/b").priority == 7
    early = lab([flavor(), queue("q", {"default": 3})], []).fork().submit(job("c", "q", 1))
    # What comes in the very first moment is, whether a fork submits it or the scenario.
    for there in (early, early.lab.fork()):
        with pytest.raises(UnknownObjectError):
            there.delete("c").edit("workload/c", priority)


def test_a_workload_of_a_fork_is_deleted_again_whatever_comes_later() -> None:
    fork = LAB.fork().submit(job("c", "q", 1)).delete("c")
    assert "c" not in {each.metadata.name for each in fork.objects()}


def test_a_workload_is_submitted_as_yaml_or_as_an_object() -> None:
    manifest_of_c = """
    apiVersion: kueue.x-k8s.io/v1beta2
    kind: Workload
    metadata: {name: c}
    spec:
      queueName: q
      podSets:
      - name: main
        count: 1
        template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}
    """
    read = read_object(yaml.safe_load(manifest_of_c))
    for asked in (manifest_of_c, read):
        assert phase(RUN.fork().submit(asked).run(), "c") == "Admitted"


def test_a_job_runs_for_as_long_as_is_said() -> None:
    container = {"name": "main", "image": "i", "resources": {"requests": {"cpu": "1"}}}
    written = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "c", "labels": {"kueue.x-k8s.io/queue-name": "q"}},
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}},
    }
    local = manifest("LocalQueue", "q", {"clusterQueue": "q"})
    several = {"apiVersion": "v1", "kind": "List", "items": [local, written]}
    for asked in (written, several, job("c", "q", 1)):
        run = RUN.fork().submit(asked, runs=5).run()
        key = run.key_of("c")
        assert run.state_at(len(run.trace) - 1).workload(key).phase == "Finished"
        assert run.cluster.now - RUN.cluster.now == 5 * 10**9


def test_a_fork_in_a_notebook_is_its_text() -> None:
    fork = RUN.fork(at="3s").delete("b").apply(manifest("Cohort", "all", {}))
    assert fork.as_text() == "At 3s:\n  delete default/b\n  apply Cohort/all"
    assert "delete default/b" in fork._repr_html_()
    assert str(fork) == fork.as_text()


def test_time_that_passes_is_a_change() -> None:
    assert change_text(Advance(5)) == "go on"
    assert change_as_data(Advance(5)) == {"do": "advance"}
