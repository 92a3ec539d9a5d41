"""Advice: each rule where it is due, and where it isn't."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_labs import flavor, job, lab, manifest, queue
from typer.testing import CliRunner

from kueuelab import scenarios
from kueuelab.cli import app
from kueuelab.whatif.advice import Advice, advise

BORROW = {"reclaimWithinCohort": "Any", "borrowWithinCohort": {"policy": "LowerPriority"}}
QUOTA = "spec.resourceGroups[0].flavors[0].resources[0]"


def advice(
    objects: list[Any], jobs: list[Any] | None = None, configuration: Any = None
) -> list[Advice]:
    return advise(lab([flavor(), *objects], jobs or [], configuration).spec)


def kinds(found: list[Advice]) -> list[str]:
    return [each.kind for each in found]


def pair(**spec: Any) -> list[Any]:
    """Return two queues of a cohort; the first with this spec."""
    first = {"cohortName": "all", **spec}
    return [queue("a", {"default": 4}, **first), queue("b", {"default": 4}, cohortName="all")]


def test_nothing_to_say() -> None:
    assert advice(pair(preemption=BORROW)) == []


@pytest.mark.parametrize(
    ("objects", "configuration", "why"),
    [
        ([queue("a", {"default": 4}, preemption=BORROW)], None, "in no cohort"),
        ([queue("a", {"default": 4}, preemption=BORROW, cohortName="all")], None, "no other"),
        (pair(preemption=BORROW), {"fairSharing": {}}, "fair sharing"),
        (pair(preemption=BORROW, limits={"borrowingLimit": 0}), None, "borrowing limits are 0"),
    ],
)
def test_borrowing_without_effect(objects: list[Any], configuration: Any, why: str) -> None:
    (found,) = advice(objects, configuration=configuration)
    assert (found.kind, found.object) == ("preemptionWithoutEffect", "ClusterQueue/a")
    assert found.field == "spec.preemption.borrowWithinCohort"
    assert why in found.why


def test_quota_that_nobody_can_reach() -> None:
    (found,) = advice([queue("a", {"default": 4}, local=False)])
    assert (found.kind, found.field) == ("quotaOutOfReach", f"{QUOTA}.nominalQuota")
    (found,) = advice([queue("a", {"default": 4}, namespaceSelector=None)])
    assert "selects no namespace" in found.why
    lent = [queue("a", {"default": 4}, cohortName="all", local=False),
            queue("b", {"default": 0}, cohortName="all")]  # fmt: skip
    assert advice(lent) == []


def test_quota_of_a_cohort() -> None:
    groups = [
        {
            "coveredResources": ["cpu"],
            "flavors": [{"name": "spot", "resources": [{"name": "cpu", "nominalQuota": 4}]}],
        }
    ]
    cohort = manifest("Cohort", "all", {"resourceGroups": groups})
    (found,) = advice([flavor("spot"), cohort, *pair()])
    assert (found.kind, found.object) == ("quotaOutOfReach", "Cohort/all")
    listed = [queue("c", {"spot": 0}, cohortName="all")]
    assert advice([flavor("spot"), cohort, *pair(), listed]) == []


def test_a_lending_limit_that_strands_quota() -> None:
    limits = {"lendingLimit": 1}
    idle = queue("a", {"default": 4}, cohortName="all", limits=limits, local=False)
    found = advice([idle, queue("b", {"default": 0}, cohortName="all")])
    assert kinds(found) == ["lendingLimitStrandsQuota"]
    assert "keeps back 3 cpu" in found[0].what
    assert advice(pair(limits=limits)) == []


def test_a_workload_larger_than_its_queue() -> None:
    found = advice([queue("a", {"default": 4})], [job("large", "a", 5), job("fits", "a", 4)])
    assert [(each.kind, each.object) for each in found] == [
        ("largerThanItsQueue", "Workload/default/large")
    ]
    assert advice(pair(), [job("borrows", "a", 5)]) == []
    partly = job("partly", "a", 1, count=9, minCount=2)
    assert advice([queue("a", {"default": 4})], [partly]) == []


def groups(*flavors: str) -> dict[str, Any]:
    resources = ("cpu", "memory")
    return {
        "resourceGroups": [
            {
                "coveredResources": [resource],
                "flavors": [{"name": name, "resources": [{"name": resource, "nominalQuota": 1}]}],
            }
            for resource, name in zip(resources, flavors, strict=True)
        ]
    }


def test_flavors_that_exclude_each_other() -> None:
    spot = flavor("spot", nodeLabels={"pool": "spot"})
    large = flavor("large", nodeLabels={"pool": "large"})
    found = advice([spot, large, queue("a", {}, **groups("spot", "large"))])
    assert kinds(found) == ["flavorsExcludeEachOther"]
    assert "are never scheduled" in found[0].why
    other = flavor("large", nodeLabels={"size": "large"})
    assert advice([spot, other, queue("a", {}, **groups("spot", "large"))]) == []


def test_a_head_that_blocks() -> None:
    strict = queue("a", {"default": 4}, queueingStrategy="StrictFIFO")
    jobs = [job("large", "a", 5, 1), job("behind", "a", 1)]
    assert kinds(advice([strict], jobs)) == ["largerThanItsQueue", "headsThatBlock"]
    assert kinds(advice([strict], jobs[:1])) == ["largerThanItsQueue"]
    assert kinds(advice([queue("a", {"default": 4})], jobs)) == ["largerThanItsQueue"]


def named(*cohorts: str) -> list[Any]:
    return [queue(f"q{n}", {"default": 1}, cohortName=name) for n, name in enumerate(cohorts)]


def test_cohorts_that_differ_by_a_typo() -> None:
    (found,) = advice(named("research", "research", "reserach"))
    assert (found.kind, found.object) == ("cohortsNamedAlike", "ClusterQueue/q2")
    assert "'research'" in found.do
    assert advice(named("team-1", "team-1", "team-2")) == []
    assert advice(named("prod", "prod", "dev")) == []
    explicit = manifest("Cohort", "reserach", {})
    assert advice([explicit, *named("research", "research", "reserach")]) == []


def test_scenarios_of_the_package_need_no_advice() -> None:
    for name in scenarios.names("preemption-policies"):
        found = [
            each
            for each in advise(scenarios.load(name).spec)
            if each.kind not in ("preemptionWithoutEffect", "largerThanItsQueue")
        ]
        assert found == [], name


def test_the_command_says_where(tmp_path: Path) -> None:
    file = tmp_path / "queues.yaml"
    file.write_text(
        "apiVersion: kueue.x-k8s.io/v1beta2\n"
        "kind: ClusterQueue\n"
        "metadata: {name: a}\n"
        "spec:\n"
        "  preemption:\n"
        "    reclaimWithinCohort: Any\n"
    )
    said = CliRunner().invoke(app, ["validate", "--advise", str(file)])
    assert said.exit_code == 0
    assert f"advice: {file}:6: ClusterQueue/a: spec.preemption.reclaimWithinCohort" in said.stdout
    assert "advice" not in CliRunner().invoke(app, ["validate", str(file)]).stdout
    data = CliRunner().invoke(app, ["validate", "--advise", "--json", str(file)])
    assert '"kind": "preemptionWithoutEffect"' in data.stdout
