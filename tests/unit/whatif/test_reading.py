"""Jobs and manifests that people hand to a fork: how the configuration reads them, and mistakes."""

from __future__ import annotations

from typing import Any

import pytest
from small_labs import flavor, manifest, queue

from kueuelab.errors import InputError
from kueuelab.manifests import read_object
from kueuelab.manifests.scenario import Apply, Submit
from kueuelab.model import Configuration
from kueuelab.whatif.reading import actions_of_entry, actions_of_manifests
from kueuelab.whatif.references import ObjectIndex

MANAGING = Configuration(manage_jobs_without_queue_name=True)
QUEUE = [read_object(each) for each in queue("q", {"default": 3})]


def job_manifest(queue_name: str = "q") -> dict[str, Any]:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "2"}}}
    pod = {"containers": [container], "restartPolicy": "Never"}
    found = manifest("Job", "late", {"template": {"spec": pod}})
    labels = {"kueue.x-k8s.io/queue-name": queue_name} if queue_name else {}
    return {**found, "apiVersion": "batch/v1", "metadata": {"name": "late", "labels": labels}}


def index() -> ObjectIndex:
    found = ObjectIndex()
    for each in QUEUE:
        found.put(each)
    return found


def submitted(source: Any, configuration: Configuration) -> list[str]:
    """Return the workloads that manifests submit."""
    actions = actions_of_manifests(source, index(), configuration)
    submits = (action for action in actions if isinstance(action, Submit))
    return [each.key for action in submits for each in action.workloads]


def test_the_configuration_says_which_jobs_are_managed() -> None:
    assert len(submitted([job_manifest(queue_name="")], MANAGING)) == 1
    with pytest.raises(InputError):
        submitted([job_manifest(queue_name="")], Configuration())


def test_a_job_that_names_a_priority_class_that_is_missing_is_a_mistake() -> None:
    job = job_manifest()
    job["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = "nope"
    with pytest.raises(InputError, match="there is no WorkloadPriorityClass named 'nope'"):
        submitted([job], Configuration())


def test_a_job_may_name_what_there_is_already() -> None:
    around, job = index(), job_manifest()
    high = manifest("WorkloadPriorityClass", "high", {}) | {"value": 7}
    del high["spec"]
    around.put(read_object(high))
    job["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = "high"
    (action,) = actions_of_manifests([job], around, Configuration())
    assert isinstance(action, Submit)
    assert [each.priority for each in action.workloads] == [7]


def test_objects_of_the_model_are_taken_as_they_are() -> None:
    flavors = [read_object(flavor(name)) for name in ("spot", "cheap")]
    for source in (flavors, tuple(flavors)):
        assert actions_of_manifests(source, ObjectIndex(), Configuration()) == (
            Apply(tuple(flavors)),
        )
    assert actions_of_manifests(flavors[0], ObjectIndex(), Configuration()) == (
        Apply((flavors[0],)),
    )


def test_nothing_is_a_mistake() -> None:
    with pytest.raises(InputError, match="there is no object in it"):
        actions_of_manifests([], ObjectIndex(), Configuration())


def test_a_mistake_in_an_entry_names_what_it_was_to_do() -> None:
    with pytest.raises(InputError) as caught:
        actions_of_entry({"finish": 5}, index(), Configuration())
    (problem,) = caught.value.problems
    assert (problem.object, problem.field) == ("finish", "finish")


def test_an_entry_is_read_with_the_configuration() -> None:
    entry = {"submit": job_manifest(queue_name="")}
    (action,) = actions_of_entry(entry, index(), MANAGING)
    assert isinstance(action, Submit)
    assert len(action.workloads) == 1
    assert actions_of_entry(entry, index(), Configuration()) == ()


@pytest.mark.parametrize("runs", [-1, float("nan"), float("inf"), 1e30, True, "soon"])
def test_a_time_that_no_job_runs_for_is_refused_alike_in_each_form(runs: Any) -> None:
    short = {"submit": {"job": "a", "queue": "q", "requests": {"cpu": 1}}, "runs": runs}
    with pytest.raises(InputError) as of_entry:
        actions_of_entry(short, index(), Configuration())
    with pytest.raises(InputError) as of_manifests:
        actions_of_manifests([job_manifest()], index(), Configuration(), runs)
    assert str(of_manifests.value) == str(of_entry.value)


@pytest.mark.parametrize(("runs", "seconds"), [(0, 0), (0.5, 0.5), (7, 7), ("2m", 120)])
def test_a_job_runs_for_seconds_or_a_duration(runs: Any, seconds: float) -> None:
    (submit,) = actions_of_manifests([job_manifest()], index(), Configuration(), runs)
    assert isinstance(submit, Submit)
    assert submit.runs == seconds * 10**9


def test_a_job_that_sleeps_runs_for_that_time_unless_another_is_given() -> None:
    job = job_manifest()
    job["spec"]["template"]["spec"]["containers"][0]["command"] = ["sleep", "5"]
    for runs, seconds in ((None, 5), (3, 3)):
        (submit,) = actions_of_manifests([job], index(), Configuration(), runs)
        assert isinstance(submit, Submit)
        assert submit.runs == seconds * 10**9
