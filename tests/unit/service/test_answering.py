"""The service's answers are those of the session and of forecasts, about the state as it is now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import kueuelab as kl
from kueuelab.errors import InputError, KueueLabError, UnknownObjectError
from kueuelab.manifests import load_scenario
from kueuelab.messages import english
from kueuelab.service import requests
from kueuelab.service.answering import Answering
from kueuelab.service.brief import brief
from kueuelab.service.metrics import exposition
from kueuelab.service.served_cluster import FileCluster, FollowedCluster
from kueuelab.session.handler import Handler
from kueuelab.session.run_facts import RunFacts
from kueuelab.session.session import Session
from kueuelab.session.wire import encoded
from kueuelab.whatif.lab import Lab
from kueuelab.whatif.pending import pending

WORKLOAD = "team-b/job-b-cpu-2-71f14"
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: team-b, labels: {kueue.x-k8s.io/queue-name: main}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: train, resources: {requests: {cpu: 3}}}]
"""
QUOTA = "spec.resourceGroups[0].flavors[generic].resources[cpu].nominalQuota"


def two_teams() -> Lab:
    return Lab(load_scenario(kl.scenarios.dump("two-teams")))


@pytest.fixture(scope="module")
def answering() -> Answering:
    return Answering(FileCluster("two-teams"), english())


@pytest.fixture(scope="module")
def handler() -> Handler:
    found = Handler()
    found.answer({"do": "open", "source": "two-teams"})
    return found


def test_pending_has_the_causes_and_the_workloads(answering: Answering, handler: Handler) -> None:
    found = answering.answer(requests.Pending())
    causes = handler.answer({"do": "pending"})
    assert encoded(found.causes) == causes["causes"]
    assert (found.sentence, found.count, found.found) == (causes["sentence"], 3, 3)
    listed = pending(two_teams().run()).as_data()
    for one, other in zip(encoded(found.workloads), listed, strict=True):
        assert one.items() <= other.items()


def test_pending_is_filtered_and_comes_page_by_page(answering: Answering) -> None:
    cause = answering.answer(requests.Pending(count=0)).causes[1].id
    assert answering.answer(requests.Pending(cause=cause)).found == 1
    assert answering.answer(requests.Pending(queue="cq-a")).found == 0
    page = answering.answer(requests.Pending(queue="cq-b", start=1, count=1))
    assert (page.found, [each.workload for each in page.workloads]) == (3, [WORKLOAD])


def test_why_and_levers_are_those_of_the_session(answering: Answering, handler: Handler) -> None:
    why = answering.answer(requests.Why("job-b-cpu-2-71f14"))
    assert encoded(why.details) == handler.answer({"do": "workload", "workload": WORKLOAD})
    assert encoded(why.explanation) == handler.answer({"do": "why", "workload": WORKLOAD})
    levers = answering.answer(requests.Levers(WORKLOAD, costs=True))
    assert encoded(levers.found) == handler.answer({"do": "levers", "workload": WORKLOAD})
    assert [each.lever for each in levers.costs] == [
        each.number for each in levers.found.levers if each.can_try
    ]
    cost = handler.answer({"do": "cost", "workload": WORKLOAD, "lever": 1})
    assert encoded(levers.costs[1]) == cost
    assert answering.answer(requests.Levers(WORKLOAD)).costs == ()
    with pytest.raises(UnknownObjectError):
        answering.answer(requests.Why("nothing"))


def test_try_is_what_the_command_writes_and_its_text(answering: Answering) -> None:
    found = encoded(answering.answer(requests.Try(JOB, runs="1h", seeds=3)))
    expected = kl.try_job(JOB, two_teams(), runs="1h", seeds=3, name="jobs")
    assert found.pop("text") == str(expected)
    assert found == json.loads(json.dumps(expected.as_data()))
    file = Path(__file__).parents[3] / "docs" / "try.schema.json"
    jsonschema.validate(found, json.loads(file.read_text("utf-8")))


@pytest.mark.parametrize("text", ["/etc/hosts", "tests/conftest.py", "{a: [", "kind: Job\n", "-"])
def test_a_text_is_never_a_path(answering: Answering, text: str) -> None:
    refused = answering.answer(requests.Try(text))
    assert refused.verdict == "refused"
    assert {each.file for each in refused.problems} <= {"jobs", ""}
    with pytest.raises(InputError):
        answering.answer(requests.Compare(manifests=text))
    assert answering.answer(requests.LintManifests(text)).problems


def test_lint_judges_the_cluster_and_manifests_for_it(answering: Answering) -> None:
    assert answering.answer(requests.Lint()).found == 0
    queue = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: a, "
    queue += "namespace: team-b}, spec: {clusterQueue: %s}}"
    found = answering.answer(requests.LintManifests(queue % "cq-x"))
    assert [each.name for each in found.page.findings] == ["missing-cluster-queue"]
    assert answering.answer(requests.LintManifests(queue % "cq-b")).page.found == 0


def test_compare_decides_with_a_change_and_without(answering: Answering) -> None:
    edit = requests.Edit("ClusterQueue/cq-b", {QUOTA: 20})
    found = answering.answer(requests.Compare((edit,)))
    assert {each.workload: each.tone for each in found.workloads}[WORKLOAD] == "ok"
    applied = answering.answer(requests.Compare(manifests=JOB))
    assert [each.workload.partition("-train-")[0] for each in applied.workloads] == ["team-b/job"]
    for wrong in (requests.Compare(), requests.Compare((requests.Edit("Cohort/x", {"a": 1}),))):
        with pytest.raises(KueueLabError):
            answering.answer(wrong)


def test_limits_are_those_of_the_schema() -> None:
    requests.require_limits(requests.Compare((requests.Edit("a", {"b": None}),)))
    for wrong, field in (
        (requests.Pending(count=501), "count"),
        (requests.Why(""), "workload"),
        (requests.Compare((requests.Edit("a", {}),)), "edits[0].values"),
    ):
        with pytest.raises(InputError) as caught:
            requests.require_limits(wrong)
        assert caught.value.problems[0].field == field


def test_the_metrics_have_numbers_of_the_run(answering: Answering) -> None:
    facts = RunFacts(two_teams().run(), english())
    text = exposition(facts)
    assert text == answering.metrics()
    assert 'kueuelab_pending_workloads{queue="cq-b",cause="quota"} 3\n' in text
    assert 'kueuelab_oldest_pending_seconds{queue="cq-b"} 8\n' in text
    assert 'lever="quota",effect="grows"} 1\n' in text
    for line in text.splitlines():
        assert line.startswith(("# HELP ", "# TYPE ", "kueuelab_"))


def test_short_answers_have_the_numbers(answering: Answering) -> None:
    words = english()

    def text(request: requests.Request) -> str:
        return brief(answering.answer(request), words)

    assert "2. team-b/job-b-cpu-2-71f14 in cq-b, priority 10" in text(requests.Pending())
    assert "4 requested, 2 available" in text(requests.Why(WORKLOAD))
    assert "raise the nominal quota of ClusterQueue cq-b by 2 cpu" in text(
        requests.Levers(WORKLOAD, costs=True)
    )
    assert text(requests.Lint()) == "Found: nothing."
    assert "Admitted" in text(requests.Compare((requests.Edit("ClusterQueue/cq-b", {QUOTA: 20}),)))
    assert text(requests.Try(JOB, when=False, changes=False)).startswith("Job/team-b/train")


class Followed:
    """In place of a cluster that is followed."""

    def __init__(self) -> None:
        self.judged, self.context, self.failing, self.closed = 0, "prod", False, 0

    def catch_up(self) -> None:
        if self.failing:
            raise KueueLabError("the connection was lost")

    def fork(self) -> Any:
        return two_teams()

    def close(self) -> None:
        self.closed += 1


def test_the_state_of_a_cluster_is_taken_again_when_it_changed() -> None:
    following, time = Followed(), [0.0]
    cluster = FollowedCluster(lambda: following, lambda: time[0])  # type: ignore[arg-type, return-value]
    first: Session = cluster.session()
    following.judged = 1
    assert cluster.session() is first, "it is not two seconds old"
    time[0] = 3
    second = cluster.session()
    assert second is not first
    time[0] = 6
    assert cluster.session() is second, "nothing has changed"
    time[0], following.failing = 9, True
    assert cluster.session() is not second, "it is followed anew"
    assert following.closed == 1
    cluster.close()


def test_several_clusters_are_not_served() -> None:
    name = kl.scenarios.names("multikueue")[0]
    with pytest.raises(InputError, match="several clusters"):
        FileCluster(name)
