"""A worker's own job with the name of a dispatched one: their Workloads have different names."""

from __future__ import annotations

import pytest
import yaml

import kueuelab as kl
from kueuelab.multikueue import ClusterSetRun, MultiKueueScenario


def played(own_job: str) -> ClusterSetRun:
    """Play a job of a worker, and then one of the manager with the name ``train``."""
    document = yaml.safe_load(kl.scenarios.text("cluster-deleted"))
    job = {"queue": "team", "requests": {"cpu": 1}, "runs": "100s"}
    document["spec"]["timeline"] = [
        {"at": "0s", "cluster": "w1", "submit": {**job, "job": own_job}},
        {"at": "5s", "submit": {**job, "job": "train"}},
    ]
    document["spec"].pop("expect", None)
    scenario = kl.load(document)
    assert isinstance(scenario, MultiKueueScenario)
    return scenario.run(until=60)


def test_the_copy_does_not_meet_the_workload_of_the_own_job() -> None:
    run = played("train")
    own = [fact for fact in run.facts if fact.cluster == "w1" and fact.name == "job-train"]
    assert [fact.fact for fact in own if fact.fact in ("created", "deleted")] == ["created"]
    copies = [fact for fact in run.facts if fact.cluster == "w1" and fact.name == "train"]
    assert "condition Admitted=True reason=Admitted message=The workload is admitted" in {
        fact.fact for fact in copies if fact.kind == "Workload"
    }
    assert len(run.facts) < 100
    (name,) = (key for key in run.trace.workloads if key != "default/train")
    for called in (name, name.partition("/")[2], "job-train"):
        assert run.why(called).workload == name
    assert run.why("train").workload == "default/train"


@pytest.mark.parametrize("name", ["train-2", "other"])
def test_another_name_stays_as_it_is(name: str) -> None:
    run = played(name)
    assert set(run.trace.workloads) == {f"default/{name}", "default/train"}
