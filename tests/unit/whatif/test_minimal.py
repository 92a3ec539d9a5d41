"""Suggestions ask for no more than is needed, in random scenarios; each checked by forks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from forked import Forks
from hypothesis import HealthCheck, Phase, given, settings
from small_labs import FAIR, flavor, job, lab, manifest, queue

import kueuelab as kl
from kueuelab.model import quota_amount
from kueuelab.testing import strategies
from kueuelab.whatif.changes import Change, Edit
from kueuelab.whatif.fields import field_of
from kueuelab.whatif.lab import Lab, LabRun
from kueuelab.whatif.references import ObjectIndex
from kueuelab.whatif.report import Report

# Its random worlds would be followed for an hour by each of hundreds of simulations.
pytestmark = pytest.mark.usefixtures("minutes_of_timers")
DUMPS = Path(kl.__file__).parent / "scenarios" / "dumps"


def smaller(run: LabRun, changes: tuple[Change, ...]) -> Iterator[tuple[Change, ...]]:
    """Yield the changes without each part, and with a little less of each amount."""
    index = ObjectIndex(run.fork().objects())
    for place, change in enumerate(changes):
        others = changes[:place] + changes[place + 1 :]
        if others:
            yield others
        if not isinstance(change, Edit):
            continue
        for path, value in change.values.items():
            rest = {key: each for key, each in change.values.items() if key != path}
            # Nothing is gained by these themselves: they have to go with the field before.
            if path.endswith("minCount") and value is None:
                continue
            if rest and not ("limits[" in path or "limits[" in next(iter(rest))):
                yield (*changes[:place], Edit(change.object, rest), *changes[place + 1 :])
            before = field_of(index[change.object], path)
            if (less := a_little_less(path, value, before)) is not None:
                less_of_it = Edit(change.object, {**change.values, path: less})
                yield (*changes[:place], less_of_it, *changes[place + 1 :])


def a_little_less(path: str, value: Any, before: Any) -> Any:
    """Return a value a bit nearer to what was, ``None`` where there is none between."""
    if path.endswith(("nominalQuota", "borrowingLimit", "lendingLimit")):
        resource = path.rpartition("resources[")[2].partition("]")[0]
        now, was = quota_amount(resource, str(value)), quota_amount(resource, str(before or 0))
        return amount(resource, now - 1) if now - 1 > was else None
    if "requests[" in path:
        resource = path.rpartition("[")[2].partition("]")[0]
        now, was = quota_amount(resource, str(value)), quota_amount(resource, str(before))
        return amount(resource, now + 1) if now + 1 < was else None
    if path == "spec.priority":
        return value - 1 if value - 1 > before else None
    if path.endswith((".count", ".minCount")) and value is not None and before is not None:
        return value + 1 if value + 1 < before else None
    return None


def amount(resource: str, value: int) -> str:
    return f"{value}m" if resource == "cpu" else str(value)


def check(run: LabRun, report: Report) -> int:
    """Hold each suggestion against forks; return how many smaller changes were tried."""
    tried = 0
    forks = Forks(run, report.workload)
    for suggestion in report:
        all_of_it = forks.outcome(suggestion.changes)
        assert all_of_it.time == suggestion.time, suggestion
        assert all_of_it.evicted == set(suggestion.evicts), suggestion
        assert suggestion.kind == "wait" or forks.helps(all_of_it), suggestion
        # Of a search that ended early the report says that smaller changes may help, too.
        for less in smaller(run, suggestion.changes) if report.complete else ():
            tried += 1
            some_of_it = forks.outcome(less)
            assert (
                not forks.helps(some_of_it)
                or len(some_of_it.evicted) > len(all_of_it.evicted)
                or some_of_it.time > all_of_it.time
            ), (suggestion, less)
    return tried


@given(strategies.scenarios(max_queues=3, max_actions=8))
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    # What is found is small as it is; to make it smaller takes minutes.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
def test_no_suggestion_asks_for_more_than_is_needed(document: Any) -> None:
    scenario = kl.load(document)
    assert isinstance(scenario, Lab)
    run = scenario.run()
    if run.loop is not None:
        return
    pending = [k for k, s in sorted(run.cluster.workloads.items()) if not s.has_quota_reservation]
    for key in pending[:2]:
        if not run.cluster.workloads[key].is_finished:
            check(run, run.what_would_admit(key))


@pytest.mark.parametrize("fair", [False, True])
def test_in_a_crowded_cohort(fair: bool) -> None:
    limits = {"borrowingLimit": 2, "lendingLimit": 1}
    reclaim = {"reclaimWithinCohort": "LowerPriority"}
    objects = [
        flavor(),
        flavor("spot"),
        queue("a", {"default": 3, "spot": 1}, limits=limits, cohortName="all", preemption=reclaim),
        queue("b", {"default": 4, "spot": 2}, limits=limits, cohortName="all"),
        queue("c", {"default": 2}, cohortName="all"),
    ]
    jobs = [
        *(job(f"b{number}", "b", 1, number % 3) for number in range(6)),
        *(job(f"c{number}", "c", 2, 1) for number in range(2)),
        job("late", "a", 3, 0),
        job("wide", "a", 2, 1, count=2),
    ]
    run = lab(objects, jobs, FAIR if fair else None).run()
    reports = [run.what_would_admit(key) for key in ("default/wide", "default/c1")]
    assert all(report.complete for report in reports)
    kinds = {kind for report in reports for each in report for kind in each.kind.split("+")}
    assert kinds >= {"quota", "finish", "preemption", "priority", "fewerPods"}
    assert sum(check(run, report) for report in reports) > 8


def test_a_job_whose_cpu_keeps_it_from_its_gpus() -> None:
    loaded = kl.load(DUMPS / "two-teams")
    assert isinstance(loaded, Lab)
    run = loaded.run()
    report = run.what_would_admit("b-gpu-1")
    assert check(run, report) > 8
    texts = {suggestion.text: suggestion.evicts for suggestion in report}
    victim = ("team-a/job-a-gpu-2-104cf",)
    name = "team-b/job-b-gpu-1-5202f"
    # When it finishes there is no room yet: others of team-b take it, and one of team-a goes.
    assert texts["wait until team-b/job-b-cpu-hi-2da09 finishes"] == victim
    # Neither helps alone.
    policy = "set borrowWithinCohort: {policy: LowerPriority} of ClusterQueue cq-b"
    assert texts[f"{policy} and raise the priority of {name} from 10 to 11"] == victim
    # Quota of one resource alone, or of both, so that nobody has to go.
    raise_quota = "raise the nominal quota of ClusterQueue cq-b by"
    assert texts[f"{raise_quota} 8 cpu/generic"] == victim
    assert texts[f"{raise_quota} 6 cpu/generic and 4 nvidia.com/gpu/gpu-h100"] == ()
    assert texts["ask for only 500m cpu and 1 nvidia.com/gpu per pod"] == ()
    # Requests and limits of what isn't Kubernetes' own have to be the same.
    (smaller_request,) = [each for each in report if each.kind == "smallerRequest"]
    (edit,) = smaller_request.changes
    assert isinstance(edit, Edit)
    assert [path.rpartition(".resources.")[2] for path in edit.values] == [
        "requests[cpu]",
        "requests[nvidia.com/gpu]",
        "limits[nvidia.com/gpu]",
    ]
    # All three of team-a, for nobody in team-b would have to go then.
    sets = [each for each in report if each.kind == "finish" and len(each.changes) > 1]
    assert [len(each.changes) for each in sets] == [3]


def test_a_threshold_is_raised_to_what_it_has_to_reach() -> None:
    borrow = {"policy": "LowerPriority", "maxPriorityThreshold": 1}
    preemption = {"reclaimWithinCohort": "Any", "borrowWithinCohort": borrow}
    objects = [
        flavor(),
        queue("a", {"default": 0}, cohortName="all", preemption=preemption),
        queue("b", {"default": 0}, cohortName="all"),
        queue("c", {"default": 4}, cohortName="all"),
    ]
    jobs = [job("mid", "b", 2, 5), job("upper", "b", 2, 7), job("late", "a", 2, 9)]
    run = lab(objects, jobs).run()
    report = run.what_would_admit("late")
    check(run, report)
    (found,) = [each for each in report if each.kind == "preemption"]
    shown = "{policy: LowerPriority, maxPriorityThreshold: 5}"
    assert found.text == f"set borrowWithinCohort: {shown} of ClusterQueue a"
    assert found.evicts == ("default/mid",)


def test_what_stands_in_the_way_and_the_quota_together() -> None:
    jobs = [job("early", "team", 3), job("late", "team", 3)]
    objects = [flavor(), queue("team", {"default": 4}), queue("none", {"default": 0})]
    hold = {"apply": {**objects[1][0], "spec": {**objects[1][0]["spec"], "stopPolicy": "Hold"}}}
    stopped = lab(objects, jobs).fork(at="1500ms").apply(hold["apply"]).run()
    report = stopped.what_would_admit("late")
    assert {each.kind for each in report.obstacles} == {"inactiveQueue"}
    check(stopped, report)
    assert "stopPolicy+quota" in {each.kind for each in report}


def test_the_quota_of_a_cohort() -> None:
    groups = [
        {
            "coveredResources": ["cpu"],
            "flavors": [{"name": "default", "resources": [{"name": "cpu", "nominalQuota": 2}]}],
        }
    ]
    cohort = manifest("Cohort", "all", {"resourceGroups": groups})
    objects = [flavor(), cohort, queue("a", {"default": 1}, cohortName="all")]
    run = lab(objects, [job("late", "a", 5)]).run()
    report = run.what_would_admit("late")
    check(run, report)
    (found,) = [each for each in report if each.kind == "cohortQuota"]
    assert found.text == "raise the nominal quota of Cohort all by 2 cpu/default"


def test_nothing_helps_and_why() -> None:
    taint = {"key": "spot", "value": "true", "effect": "NoSchedule"}
    objects = [
        flavor("default", nodeLabels={"zone": "a"}, nodeTaints=[taint]),
        queue("team", {"default": 4}),
    ]
    affinity = {"nodeSelector": {"zone": "b"}}
    report = lab(objects, [job("late", "team", 1, **affinity)]).run().what_would_admit("late")
    # Neither alone, but both.
    assert [each.kind for each in report] == ["nodeSelector+toleration"]
    why = "flavor default has the taint spot=true:NoSchedule, which it does not tolerate"
    assert report.obstacles[0].text == f"No flavor for cpu suits it: {why}."
    gpus = {"job": "late", "queue": "team", "requests": {"gpu": 1}}
    report = lab([flavor(), queue("team", {"default": 4})], [gpus]).run().what_would_admit("late")
    kinds = ["coverage", "excludeResource", "ignoreUndeclared", "dropRequest"]
    assert [each.kind for each in report] == kinds
    assert report.as_text().splitlines()[1] == "  ClusterQueue team has no quota for gpu."
