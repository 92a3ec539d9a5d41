"""Advice: each rule where it is due, and where it isn't."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_labs import FAIR, flavor, job, lab, manifest, queue
from typer.testing import CliRunner

from kueuelab import scenarios
from kueuelab.cli import app
from kueuelab.manifests import load_scenario
from kueuelab.whatif.advice import Advice, advise
from kueuelab.whatif.advice.queues import is_typo

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
        (pair(preemption=BORROW), FAIR, "fair sharing"),
        (pair(preemption=BORROW, limits={"borrowingLimit": 0}), None, "borrowing limits are 0"),
    ],
)
def test_borrowing_without_effect(objects: list[Any], configuration: Any, why: str) -> None:
    (found,) = advice(objects, configuration=configuration)
    assert (found.kind, found.object) == ("preemptionWithoutEffect", "ClusterQueue/a")
    assert found.field == "spec.preemption.borrowWithinCohort"
    assert why in found.why


def test_quota_that_no_queue_can_reach() -> None:
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


def test_a_parent_that_differs_by_a_typo() -> None:
    members = named("labs", "labs")
    root, misspelt = manifest("Cohort", "institute", {}), {"parentName": "institut"}
    (found,) = advice([root, manifest("Cohort", "labs", misspelt), *members])
    assert (found.object, found.field) == ("Cohort/labs", "spec.parentName")
    assert found.what == "only this Cohort is in cohort 'institut'"
    right = manifest("Cohort", "labs", {"parentName": "institute"})
    assert advice([root, right, *members]) == []


NEAR_MISSES: dict[str, tuple[list[Any], Any]] = {
    "one borrowing limit lets it borrow": (
        pair(preemption=BORROW, limits={"borrowingLimit": 1}), None),
    "fair sharing without borrowWithinCohort": (
        pair(preemption={"reclaimWithinCohort": "Any"}), FAIR),
    "said to be never, in no cohort": (
        [queue("a", {"default": 4}, preemption={"borrowWithinCohort": {"policy": "Never"}})], None),
    "nobody submits, but another one may borrow a part of it": (
        [queue("a", {"default": 4}, cohortName="all", local=False, limits={"lendingLimit": 4}),
         queue("b", {"default": 1}, cohortName="all")], None),
    "no quota, and nobody for it": ([queue("a", {"default": 0}, local=False)], None),
    "a lending limit, and somebody to use what it keeps": (
        pair(limits={"lendingLimit": 0}), None),
    "flavors of one group select different nodes": (
        [flavor("spot", nodeLabels={"pool": "spot"}), flavor("large", nodeLabels={"pool": "large"}),
         queue("a", {"spot": 1, "large": 1})], None),
    "flavors of two groups select the same nodes": (
        [flavor("spot", nodeLabels={"pool": "spot"}), flavor("large", nodeLabels={"pool": "spot"}),
         queue("a", {}, **groups("spot", "large"))], None),
    "cohorts that are numbered": (named("gpu-pool-1", "gpu-pool-1", "gpu-pool-2"), None),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_what_is_nearly_a_mistake_is_none(name: str) -> None:
    objects, configuration = NEAR_MISSES[name]
    assert advice(objects, configuration=configuration) == []


def test_a_limit_that_lends_nothing_and_no_borrower() -> None:
    limits = {"lendingLimit": 0}
    idle = queue("a", {"default": 4}, cohortName="all", limits=limits, local=False)
    found = advice([idle, queue("b", {"default": 0}, cohortName="all")])
    assert kinds(found) == ["quotaOutOfReach"]
    assert "it lends nothing" in found[0].why


def test_a_head_that_blocks_no_other() -> None:
    strict = queue("a", {"default": 4}, queueingStrategy="StrictFIFO")
    # Who has a higher priority goes first; who fits some time blocks only until then.
    higher = [job("large", "a", 5), job("first", "a", 1, 1)]
    assert kinds(advice([strict], higher)) == ["largerThanItsQueue"]
    assert advice([strict], [job("whole", "a", 4, 1), job("behind", "a", 1)]) == []


#: What is the point of a scenario, and so is meant.
MEANT = {
    "no-loop-1-the-head-that-never-fits": ["largerThanItsQueue"],
    "queues-1-flavors-and-namespaces": ["largerThanItsQueue", "missingObjects"],
    "racks-1-levels": ["neverPlaced"],
}


@pytest.mark.parametrize("name", [*scenarios.names(), *scenarios.names("multikueue")])
def test_scenarios_of_the_package_need_no_advice(name: str) -> None:
    assert kinds(advise(scenarios.load(name).spec)) == MEANT.get(name, [])


@pytest.mark.parametrize("name", ["two-teams", "two-teams-later"])
def test_dumps_of_the_package_need_no_advice(name: str) -> None:
    folder = Path(scenarios.__file__).parent / "dumps" / name
    assert advise(load_scenario(folder), folder) == []


EXERCISES = Path(__file__).parents[3] / "exercises"


@pytest.mark.parametrize(
    "file", sorted(EXERCISES.glob("*/start.yaml")), ids=lambda f: f.parent.name
)
def test_exercises_need_none_but_for_the_mistake_to_be_found(file: Path) -> None:
    found = advise(load_scenario(file), file)
    meant = {"unreachable-quota": ["cohortsNamedAlike"]}
    assert kinds(found) == meant.get(file.parent.name, [])
    for each in found:
        assert each.location is not None
        line = file.read_text("utf-8").splitlines()[each.location.line - 1]
        assert "institut}" in line


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


# --- names ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["MultiKueueConfig", "ProvisioningRequestConfig"])
def test_the_parameters_of_a_check_that_are_missing_are_named(kind: str) -> None:
    parameters = {"apiGroup": "kueue.x-k8s.io", "kind": kind, "name": "gone"}
    check = manifest(
        "AdmissionCheck", "check", {"controllerName": "example.com/x", "parameters": parameters}
    )
    (found,) = [each for each in advice([check]) if each.field == "spec.parameters.name"]
    assert (found.object, found.what) == ("AdmissionCheck/check", f"it names {kind} 'gone'")


def test_parameters_of_a_kind_that_is_not_kueues_are_left_alone() -> None:
    parameters = {"apiGroup": "example.com", "kind": "Budget", "name": "gone"}
    check = manifest(
        "AdmissionCheck", "check", {"controllerName": "example.com/x", "parameters": parameters}
    )
    assert [each for each in advice([check]) if each.field == "spec.parameters.name"] == []


def test_where_other_namespaces_have_the_queue_all_of_them_are_named() -> None:
    queues = [queue("team", {"default": 4}, local=False)]
    for namespace in ("two", "one"):
        local = manifest("LocalQueue", "main", {"clusterQueue": "team"})
        local["metadata"]["namespace"] = namespace
        queues.append([local])
    found = [each for each in advice(queues, [job("a", "main", 1)]) if "'main'" in each.what]
    assert ["one, two" in each.do for each in found] == [True]


def test_cohorts_in_a_cycle_do_not_hide_the_others() -> None:
    quotas = [{"name": "default", "resources": [{"name": "cpu", "nominalQuota": 3}]}]
    groups = [{"coveredResources": ["cpu"], "flavors": quotas}]
    objects = [
        manifest("Cohort", "a", {"parentName": "b"}),
        manifest("Cohort", "b", {"parentName": "a"}),
        manifest("Cohort", "z", {"resourceGroups": groups}),
    ]
    found = [each.object for each in advice(objects) if each.kind == "quotaOutOfReach"]
    assert found == ["Cohort/z"]


@pytest.mark.parametrize(("limit", "kept"), [("0", "2 memory"), ("1", "1 memory"), ("2", "")])
def test_a_stopped_queue_that_keeps_quota_back(limit: str, kept: str) -> None:
    """Down to the last byte, and also where it lends nothing at all."""
    quota = {"name": "memory", "nominalQuota": "2", "lendingLimit": limit}
    flavors = [{"name": "default", "resources": [quota]}]
    groups = [{"coveredResources": ["memory"], "flavors": flavors}]
    spec = {"cohortName": "all", "stopPolicy": "Hold", "resourceGroups": groups}
    stopped = manifest("ClusterQueue", "stopped", {"namespaceSelector": {}, **spec})
    local = manifest("LocalQueue", "stopped", {"clusterQueue": "stopped"})
    other = queue("other", {"default": 4}, cohortName="all")
    found = [each for each in advice([stopped, local, other]) if "lendingLimit" in each.field]
    assert [each.what for each in found] == (
        [f"the lending limit keeps back {kept} of flavor default"] if kept else []
    )


# --- flavors, cohorts and heads, case by case ----------------------------------------------


def test_flavors_some_of_which_exclude_each_other_may_be_admitted_and_never_scheduled() -> None:
    names = ("spot", "large", "plain")
    labels = ({"pool": "spot"}, {"pool": "large"}, {})
    flavors = [flavor(n, nodeLabels=each) for n, each in zip(names, labels, strict=True)]
    both = groups("spot", "large")
    quota = {"name": "memory", "nominalQuota": 1}
    both["resourceGroups"][1]["flavors"].append({"name": "plain", "resources": [quota]})
    (found,) = advice([*flavors, queue("a", {}, **both)])
    assert found.field == "spec.resourceGroups[1].flavors[0].name"
    assert found.why == (
        "pods that get cpu of flavor spot and memory of flavor large could be admitted but "
        "never scheduled: no node has both"
    )
    # Where all of several exclude each other, none of their pods is ever scheduled.
    labelled = flavor("plain", nodeLabels={"pool": "plain"})
    found = advice([*flavors[:2], labelled, queue("a", {}, **both)])
    assert ["are never scheduled" in each.why for each in found] == [True, True]


@pytest.mark.parametrize(
    ("one", "other", "typo"),
    [
        ("research", "researhc", True),  # swapped
        ("abcd", "bacd", True),
        ("abcd", "badc", False),
        ("research", "resarch", True),  # missing
        ("research", "esearch", True),
        ("research", "researc", True),
        ("research", "resear", False),
        ("research", "ressearch", True),  # doubled
        ("research", "resxarch", True),  # wrong
        ("research", "researcx", True),
        ("research", "rexxarch", False),
        ("abc", "abd", False),  # too short to tell
        ("abcd", "abce", True),
        ("team-research1", "team-research2", False),  # numbers
        ("a-research", "a-reserach", True),
        ("a-research", "b-reserach", False),
        ("a.research", "a_research", True),
        ("my-research", "myreserach", True),
        ("Research", "research", True),
    ],
)
def test_what_is_a_typo(one: str, other: str, typo: bool) -> None:
    assert (is_typo(one, other), is_typo(other, one)) == (typo, typo)


def test_of_two_cohorts_that_one_queue_each_names_the_later_is_the_typo() -> None:
    names = ("research", "reserach")
    objects = [queue(f"q{n}", {"default": 4}, cohortName=n) for n in names]
    (found,) = [each for each in advice(objects) if each.field == "spec.cohortName"]
    assert (found.object, found.what) == (
        "ClusterQueue/qreserach",
        "only this ClusterQueue is in cohort 'reserach'",
    )
    # The one that more of them name is right, whatever comes first.
    more = queue("more", {"default": 4}, cohortName="reserach")
    (found,) = [each for each in advice([*objects, more]) if each.field == "spec.cohortName"]
    assert found.object == "ClusterQueue/qresearch"
    # And a name that several use, or that an object has, is no typo.
    assert advice([*objects, more, queue("again", {"default": 4}, cohortName="research")]) == []
    assert (
        advice([*objects, manifest("Cohort", "reserach", {}), manifest("Cohort", names[0], {})])
        == []
    )


def test_a_queue_is_said_to_be_blocked_once_with_the_number_of_those_behind() -> None:
    strict = queue("a", {"default": 4}, queueingStrategy="StrictFIFO")
    jobs = [
        job("first", "a", 5, 2),
        job("second", "a", 6, 2),
        job("same", "a", 1, 2),
        job("behind", "a", 1, 1),
        job("before", "a", 1, 3),
    ]
    found = [each for each in advice([strict], jobs) if each.kind == "headsThatBlock"]
    assert [each.object for each in found] == ["ClusterQueue/a"]
    assert "Workload/default/first" in found[0].what
    assert "3 workloads" in found[0].why
    # A head that nothing is behind does not hide one that blocks.
    low = [job("last", "a", 5, 0), job("first", "a", 6, 2), job("behind", "a", 1, 1)]
    found = [each for each in advice([strict], low) if each.kind == "headsThatBlock"]
    assert ["Workload/default/first" in each.what for each in found] == [True]
