"""Less of a change may admit a workload where more does not: each amount is tried out here."""

from __future__ import annotations

import random
from typing import Any

import pytest
from small_labs import flavor, job, lab, queue

from kueuelab.model import quota_amount
from kueuelab.whatif import sandbox as sandbox_module
from kueuelab.whatif.changes import Edit
from kueuelab.whatif.lab import Lab, LabRun
from kueuelab.whatif.references import Reference
from kueuelab.whatif.replay import player_at
from kueuelab.whatif.report import Report, Suggestion
from kueuelab.whatif.sandbox import Sandbox, Trial

NOMINAL = "spec.resourceGroups[0].flavors[default].resources[cpu].nominalQuota"
SECOND = 10**9


def offered(report: Report, name: str) -> dict[int, Suggestion]:
    """Return the quota that suggestions give a ClusterQueue, and nothing else, in milli-cpu."""
    found = {}
    for suggestion in report:
        change = suggestion.changes[0] if len(suggestion.changes) == 1 else None
        if not isinstance(change, Edit) or change.object != Reference("ClusterQueue", "", name):
            continue
        if set(change.values) == {NOMINAL}:
            found[quota_amount("cpu", str(change.values[NOMINAL]))] = suggestion
    return found


def random_lab(seed: int, *, runs: bool = False, fair: bool = False) -> Lab:
    rng = random.Random(seed)
    objects: list[Any] = [flavor()]
    count = rng.randint(1, 3)
    for number in range(count):
        quota = rng.randint(0, 8)
        cohort = rng.choice([None, "all", "all", "other"])
        limits = {}
        if cohort and rng.random() < 0.3:
            limits["borrowingLimit"] = rng.randint(0, 4)
        if cohort and rng.random() < 0.3:
            limits["lendingLimit"] = rng.randint(0, quota)
        within = ["Never", "LowerPriority", "LowerOrNewerEqualPriority"]
        preemption: dict[str, Any] = {"withinClusterQueue": rng.choice(within)}
        if cohort:
            reclaim = rng.choice(["Never", "LowerPriority", "Any"])
            preemption["reclaimWithinCohort"] = reclaim
            if reclaim != "Never" and not fair and rng.random() < 0.4:
                preemption["borrowWithinCohort"] = {"policy": "LowerPriority"}
        strategy = rng.choice(["BestEffortFIFO", "BestEffortFIFO", "StrictFIFO"])
        objects.append(
            queue(
                f"q{number}",
                {"default": quota},
                limits=limits,
                cohortName=cohort,
                preemption=preemption,
                queueingStrategy=strategy,
            )
        )
    jobs = []
    for number in range(rng.randint(3, 7)):
        more: dict[str, Any] = {"count": rng.randint(1, 3)} if rng.random() < 0.3 else {}
        if runs and rng.random() < 0.7:
            more["runs"] = f"{rng.randint(1, 12)}s"
        where = f"q{rng.randrange(count)}"
        jobs.append(job(f"j{number}", where, rng.randint(1, 5), rng.randint(0, 3), **more))
    fair_sharing = {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}
    return lab(objects, jobs, {"fairSharing": fair_sharing} if fair else None)


def check_every_amount(run: LabRun, at: str | None, step: int) -> int:
    """Hold the quota that is offered against all smaller amounts; return how many offers."""
    fork = run.fork(at)
    player = player_at(fork.spec, fork.earlier, fork.step, fork.time or 0)
    count = 0
    for key, state in sorted(player.cluster.workloads.items()):
        if state.has_quota_reservation or state.is_finished:
            continue
        report = run.what_would_admit(key, at)
        assert report.complete
        name = player.cluster.plane.queueing.get(state.queue_key, "")
        nominal = player.cluster.tree.cluster_queues[name].quota(("default", "cpu")).nominal
        found = {amount - nominal: each for amount, each in offered(report, name).items()}
        sandbox = Sandbox(player, key)
        unchanged = sandbox.unchanged
        if unchanged.lasts and unchanged.time == sandbox.now:
            assert not found
            continue
        helping: dict[int, Trial] = {}
        for more in range(step, max(found, default=24_000) + 1, step):
            change = Edit(Reference("ClusterQueue", "", name), {NOMINAL: f"{nominal + more}m"})
            trial = sandbox.attempt([change])
            if not trial.lasts or trial.time is None:
                continue
            if not unchanged.lasts or trial.time < (unchanged.time or 0):
                helping[more] = trial
        expected = list(helping)[:1]
        if helping and helping[expected[0]].time != sandbox.now:
            expected += [more for more, each in helping.items() if each.time == sandbox.now][:1]
        if helping and helping[expected[0]].evicted:
            expected += [more for more, each in helping.items() if not each.evicted][:1]
        assert sorted(found) == sorted(set(expected)), (key, found, helping)
        for more, suggestion in found.items():
            assert suggestion.evicts == helping[more].evicted
            assert suggestion.time == (helping[more].time or 0) - run.start
        count += len(found)
    return count


def test_less_quota_does_where_more_does_not() -> None:
    # With 7 more `other` and `late` get in; from 8 on `large` comes first, and it takes 15.
    jobs = [
        job("early", "team", 4),
        job("large", "team", 8, 2),
        job("other", "team", 2, 1),
        job("late", "team", 5),
    ]
    run = lab([flavor(), queue("team", {"default": 4})], jobs).run()
    assert list(offered(run.what_would_admit("late"), "team")) == [4000 + 7000]


@pytest.mark.parametrize("seed", [0, 1, 10, 18, 25, 27, 33, 36])
def test_quota_is_the_least_of_all_amounts(seed: int) -> None:
    run = random_lab(seed).run()
    assert check_every_amount(run, None, 1000)


@pytest.mark.parametrize("seed", range(6))
def test_quota_is_the_least_where_jobs_end(seed: int) -> None:
    check_every_amount(random_lab(seed, runs=True).run(), f"{4 + seed}s", 1000)


def waiting(**late: Any) -> LabRun:
    """Return a run in which ``late`` waits at 3s; ``middle`` comes before it and ends."""
    jobs = [
        job("early", "team", 4),
        job("middle", "team", 3, 1, runs="10s"),
        job("late", "team", 3, **late),
    ]
    return lab([flavor(), queue("team", {"default": 4})], jobs).run()


def test_a_change_that_helps_later_says_when() -> None:
    run = waiting()
    report = run.what_would_admit("late", at="3s")
    found = offered(report, "team")
    # The quota goes to `middle` first, and to `late` when that has run.
    assert {more: each.time for more, each in found.items()} == {
        7000: 13 * SECOND,
        10_000: 3 * SECOND,
    }
    assert found[7000].as_text().endswith("by 3 cpu/default (admitted at 13s; evicts no workload)")
    assert found[7000].as_data()["time"] == "13s"
    last = "  Changes are made at 3s; the simulation runs to the end."
    assert report.as_text().splitlines()[-1] == last
    assert report.as_data()["until"] is None
    for each in report:
        forked = run.fork("3s").change(*each.changes).run()
        steps = [forked.trace[index] for index in forked.trace.of_kind("Admitted")]
        *_, admitted = (step for step in steps if step.workload == "default/late")
        assert admitted.time - run.start == each.time


@pytest.mark.parametrize("until", ["3s", 3, 3.0, "1s"])
def test_what_helps_at_once(until: Any) -> None:
    report = waiting().what_would_admit("late", at="3s", until=until)
    assert list(offered(report, "team")) == [10_000]
    assert {each.time for each in report} == {3 * SECOND}
    assert report.as_text().splitlines()[-1] == (
        "  Changes are made at 3s; only what happens at once is simulated. until= looks further."
    )


def test_up_to_a_time() -> None:
    report = waiting().what_would_admit("late", at="3s", until="12s")
    assert list(offered(report, "team")) == [10_000]
    assert report.as_text().splitlines()[-1] == (
        "  Changes are made at 3s; the simulation runs up to 12s. until= looks further."
    )
    later = waiting().what_would_admit("late", at="3s", until="13s")
    assert sorted(offered(later, "team")) == [7000, 10_000]


def test_what_comes_by_itself_and_what_is_sooner() -> None:
    jobs = [job("early", "team", 3, runs="20s"), job("late", "team", 3)]
    run = lab([flavor(), queue("team", {"default": 4})], jobs).run()
    report = run.what_would_admit("late", at="2s")
    assert (report[0].kind, report[0].time) == ("wait", 21 * SECOND)
    assert report[0].as_text() == "Nothing has to change. (admitted at 21s; evicts no workload)"
    assert list(offered(report, "team")) == [6000]
    assert {each.time for each in report[1:]} == {2 * SECOND}


def test_a_preemptor_waits_for_the_pods_of_its_target() -> None:
    objects = [flavor(), queue("team", {"default": 4})]
    jobs = [job("early", "team", 3, stops="30s"), job("late", "team", 3, 1)]
    run = lab(objects, jobs).run()
    policies = [each for each in run.what_would_admit("late", at="2s") if each.kind == "preemption"]
    assert [(each.evicts, each.time) for each in policies] == [(("default/early",), 32 * SECOND)]


@pytest.mark.parametrize(("seed", "workload"), [(33, "default/j1"), (47, "default/j0")])
def test_what_gets_quota_by_a_change_and_loses_it_again_is_not_evicted_by_it(
    seed: int, workload: str
) -> None:
    run = random_lab(seed).run()
    held = {key for key, state in run.cluster.workloads.items() if state.has_quota_reservation}
    lost = set()
    for suggestion in run.what_would_admit(workload):
        forked = run.fork().change(*suggestion.changes).run()
        since = forked.trace.steps[len(run.trace) :]
        evicted = {step.workload for step in since if step.kind == "Evicted"} - {workload}
        assert set(suggestion.evicts) == evicted & held
        lost |= evicted - held
    assert lost


def test_in_a_large_cluster_it_looks_less_far_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    run = waiting()
    monkeypatch.setattr(sandbox_module, "_MOST_WORK", 3)
    report = run.what_would_admit("late", at="3s")
    # `middle` would end at 13s: nothing else happens until the run is over.
    assert report.until is None
    jobs = [
        *(job(f"early{number}", "team", 1, runs=f"{5 + number}s") for number in range(4)),
        job("middle", "team", 3, 1, runs="10s"),
        job("late", "team", 3),
    ]
    many = lab([flavor(), queue("team", {"default": 4})], jobs).run()
    assert many.what_would_admit("late", at="6s").until == 6 * SECOND
    monkeypatch.setattr(sandbox_module, "_MOST_WORK", 12)
    report = many.what_would_admit("late", at="6s")
    assert report.until is not None
    assert 6 * SECOND < report.until < 20 * SECOND
    seconds = report.until // SECOND
    assert report.as_text().splitlines()[-1] == (
        f"  Changes are made at 6s; the simulation runs up to {seconds}s. until= looks further."
    )
    assert all(each.time <= report.until for each in report)
    # Asked for a time, it looks that far.
    assert many.what_would_admit("late", at="6s", until="60s").until == 60 * SECOND


def test_quota_that_is_lost_to_a_preemptor_is_no_answer() -> None:
    jobs = [
        job("early", "team", 4),
        job("late", "team", 2),
        *(job(f"filler{number}", "none", 1) for number in range(3)),
        job("boss", "team", 2, 9),
    ]
    preemption = {"withinClusterQueue": "LowerPriority"}
    objects = [
        flavor(),
        queue("team", {"default": 4}, preemption=preemption),
        queue("none", {"default": 0}),
    ]
    run = lab(objects, jobs).run()
    report = run.what_would_admit("late", at="2s")
    # With 2 more it gets in at 2s, and `boss` preempts it at 6s: it takes 4 to stay.
    assert list(offered(report, "team")) == [8000]
    at_once = run.what_would_admit("late", at="2s", until="5s")
    assert list(offered(at_once, "team")) == [6000]


def test_a_workload_that_has_run_has_been_admitted() -> None:
    jobs = [
        job("early", "team", 4),
        job("late", "team", 2, runs="2s"),
        *(job(f"filler{number}", "none", 1) for number in range(3)),
        job("boss", "team", 2, 9),
    ]
    preemption = {"withinClusterQueue": "LowerPriority"}
    objects = [
        flavor(),
        queue("team", {"default": 4}, preemption=preemption),
        queue("none", {"default": 0}),
    ]
    report = lab(objects, jobs).run().what_would_admit("late", at="2s")
    found = offered(report, "team")
    assert {more: (each.time, each.evicts) for more, each in found.items()} == {
        6000: (2 * SECOND, ())
    }
