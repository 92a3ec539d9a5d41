"""Copies of a run, in which changes are tried: who is evicted, who holds quota, what it costs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from small_labs import flavor, job, lab, queue

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.manifests.scenario import Delete, Finish, Submit
from kueuelab.model.times import SECOND
from kueuelab.whatif.changes import Change, Edit
from kueuelab.whatif.fork import Fork
from kueuelab.whatif.lab import LabRun
from kueuelab.whatif.references import Reference
from kueuelab.whatif.replay import player_at
from kueuelab.whatif.sandbox import Sandbox, _Patience, _TooLongError

PREEMPTING = {"preemption": {"withinClusterQueue": "LowerPriority"}}
#: ``low`` holds all quota, and ``late`` waits.
JOBS = [job("low", "q", 2), job("late", "q", 2)]


def run_of() -> LabRun:
    return lab([flavor(), queue("q", {"default": 2}, **PREEMPTING)], JOBS).run()


def sandbox_of(run: LabRun) -> Sandbox:
    return Sandbox(run.player, "default/late")


def priority(value: int, workload: str = "late") -> Change:
    return Edit(Reference("Workload", "default", workload), {"spec.priority": value})


def submitted(run: LabRun, *jobs: dict[str, Any]) -> list[Change]:
    fork: Fork = run.fork()
    for each in jobs:
        fork = fork.submit(each)
    return list(fork.changes)


def test_who_is_evicted_holds_quota_if_nothing_is_changed() -> None:
    trial = sandbox_of(run_of()).attempt([priority(5)])
    assert (trial.evicted, trial.lasts) == (("default/low",), True)
    assert trial.pods == (("main", 1),)


def test_who_would_have_finished_later_is_evicted_too() -> None:
    run = ending(until=3)
    sandbox = sandbox_of(run)
    assert sandbox.unchanged.lasts
    assert sandbox.attempt([priority(5)]).evicted == ("default/low",)


def test_who_comes_only_with_the_changes_is_not_evicted() -> None:
    run = run_of()
    changes = [Finish("default/low"), *submitted(run, job("new", "q", 2, 1)), priority(5)]
    trial = sandbox_of(run).attempt(changes)
    assert (trial.lasts, trial.evicted, trial.pending) == (True, (), ("default/new",))


@pytest.mark.parametrize(
    ("jobs", "pending"),
    [
        ((), ()),
        ((job("small", "q", 1),), ("default/small",)),
        ((job("none", "q", 0),), ()),
        ((job("small", "q", 1), job("none", "q", 0)), ("default/small",)),
    ],
)
def test_what_the_changes_submit_may_hold_quota_beside_it_or_not(
    jobs: tuple[dict[str, Any], ...], pending: tuple[str, ...]
) -> None:
    run = run_of()
    changes = [*submitted(run, *jobs), priority(5)]
    submits = [each for each in changes if isinstance(each, Submit)]
    assert len(submits) == len(jobs)
    trial = sandbox_of(run).attempt(changes)
    assert (trial.lasts, trial.pending) == (True, pending)


def test_what_is_submitted_and_deleted_holds_none() -> None:
    run = run_of()
    gone = [*submitted(run, job("gone", "q", 0)), Delete("default/gone")]
    assert sandbox_of(run).attempt([*gone, priority(5)]).pending == ("default/gone",)


def test_each_trial_adds_to_the_work() -> None:
    sandbox = sandbox_of(run_of())
    before = (sandbox.trials, sandbox.work)
    assert before[0] == 1
    assert before[1] >= sandbox.workloads == 2
    sandbox.attempt([priority(5)])
    once = sandbox.work - before[1]
    assert once > sandbox.workloads
    sandbox.attempt([priority(5)])
    assert (sandbox.trials, sandbox.work) == (3, before[1] + 2 * once)
    # Changes that are refused cost a copy, too.
    sandbox.attempt([Delete("default/nobody")])
    assert sandbox.trials == 4
    assert sandbox.work >= before[1] + 2 * once + sandbox.workloads


def test_a_workload_that_is_deleted_gets_no_quota() -> None:
    trial = sandbox_of(run_of()).attempt([Delete("default/late")])
    assert (trial.time, trial.lasts, trial.admitted, trial.pods) == (None, False, False, ())


def timed(manifests: list[Any], timeline: list[dict[str, Any]], until: float) -> LabRun:
    head = {"apiVersion": "kueuelab/v1", "kind": "Scenario", "metadata": {"name": "timed"}}
    run = kl.load({**head, "spec": {"manifests": manifests, "timeline": timeline}}).run(until=until)
    assert isinstance(run, LabRun)
    return run


def ending(*, until: float) -> LabRun:
    """Return a run that stands where ``low`` will end after a minute."""
    timeline = [
        {"at": "1s", "submit": JOBS[0], "runs": "60s"},
        {"at": "2s", "submit": JOBS[1]},
    ]
    return timed([flavor(), *queue("q", {"default": 2}, **PREEMPTING)], timeline, until)


def test_it_looks_no_further_than_asked() -> None:
    run = ending(until=3)
    now = run.cluster.now
    for seconds, lasts in ((10, False), (90, True)):
        found = Sandbox(run.player, "default/late", now + seconds * 10**9)
        assert found.unchanged.lasts is lasts
        assert found.attempt([]).lasts is lasts


def test_the_player_is_left_as_it_is() -> None:
    player = run_of().player

    def paused() -> bool:
        raise AssertionError

    player.on_pause = paused
    sandbox = Sandbox(player, "default/late")
    assert player.on_pause is paused
    assert sandbox.attempt([priority(5)]).lasts


def test_one_that_was_preempted_and_ends_later_got_quota_that_it_keeps() -> None:
    run = timed(
        [flavor(), *queue("q", {"default": 2}, **PREEMPTING)],
        [
            {"at": "1s", "submit": job("low", "q", 2)},
            {"at": "2s", "submit": job("late", "q", 2), "runs": "20s"},
            {"at": "9s", "submit": job("urgent", "q", 2, 7), "runs": "5s"},
        ],
        until=3,
    )
    trial = sandbox_of(run).attempt([Finish("default/low")])
    assert trial.lasts
    assert trial.time == run.start + 14 * SECOND


def test_one_that_is_deleted_and_submitted_again_got_quota_before() -> None:
    run = timed(
        [flavor(), *queue("q", {"default": 2})],
        [
            {"at": "1s", "submit": job("low", "q", 2)},
            {"at": "2s", "submit": job("late", "q", 2)},
            {"at": "9s", "delete": "late"},
            {"at": "9s", "submit": job("late", "q", 3)},
        ],
        until=3,
    )
    trial = sandbox_of(run).attempt([Finish("default/low")])
    assert trial.lasts
    assert trial.time == run.cluster.now


def test_decisions_tell_flavors_apart_and_not_amounts() -> None:
    objects = [flavor(), flavor("spot"), queue("q", {"default": 0, "spot": 0})]
    sandbox = sandbox_of(lab(objects, [job("late", "q", 2)]).run())

    def decisions(name: str, amount: int) -> tuple[object, ...]:
        path = f"spec.resourceGroups[0].flavors[{name}].resources[cpu].nominalQuota"
        trial = sandbox.attempt([Edit(Reference("ClusterQueue", "", "q"), {path: str(amount)})])
        assert trial.lasts
        return trial.decisions

    assert decisions("spot", 2) == decisions("spot", 3)
    assert decisions("default", 2) == decisions("default", 3)
    assert decisions("default", 2) != decisions("spot", 2)


def test_how_far_it_looks_depends_on_what_comes_after_the_first_instant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is decided at once has to be seen, however much that is."""
    names = [f"job-{number}" for number in range(5)]
    timeline: list[dict[str, Any]] = [
        {"at": "1s", "submit": [job(name, "q", 1) for name in names]},
        {"at": "9s", "submit": job("late", "q", 9)},
    ]
    run = timed([flavor(), *queue("q", {"default": 9})], timeline, until=20)
    fork = run.fork(at=run.trace.of_kind("WorkloadCreated")[0])
    player = player_at(fork.spec, fork.earlier, fork.step, fork.time)
    monkeypatch.setattr("kueuelab.whatif.sandbox._WORK_OF_A_HEAD", 1)
    for heads, until in ((2, None), (0, player.start + 9 * SECOND)):
        work = len(player.cluster.workloads) + heads
        monkeypatch.setattr("kueuelab.whatif.sandbox._MOST_WORK", work)
        assert Sandbox(player, "default/job-0").until == until


@pytest.mark.parametrize("work", [600, 5, 0])
@pytest.mark.parametrize("workload", ["default/guest", "default/other", "default/holder"])
def test_in_a_large_cluster_a_loop_without_the_workload_is_not_played_again(
    monkeypatch: pytest.MonkeyPatch, work: int, workload: str
) -> None:
    """What comes of no change is the same, and so is what comes of one."""
    document = yaml.safe_load(scenarios.text("loop-1-the-victim-returns"))
    spec = document["spec"]
    del spec["expect"]
    spec["manifests"] += queue("apart", {"default": 2})
    for name in ("holder", "other"):
        spec["timeline"].insert(0, {"at": "1s", "submit": job(name, "apart", 2)})
    spec["timeline"].insert(0, spec["timeline"].pop(1))
    player = kl.load(document).run().player
    assert player.loop is not None
    monkeypatch.setattr("kueuelab.whatif.sandbox._MOST_WORK", work)
    sandbox = Sandbox(player, workload)
    assert sandbox.unchanged.lasts == (workload == "default/holder")
    assert sandbox.unchanged.looped == (workload == "default/guest")
    assert bool(sandbox.unchanged.decisions) == (work > 0 or sandbox.unchanged.looped)
    trial = sandbox.attempt([Finish("default/holder")])
    assert trial.time == (sandbox.now if workload == "default/other" else None)


def test_an_instant_has_so_many_heads_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kueuelab.whatif.sandbox._MOST_HEADS_AT_ONCE", 10)
    cycles: list[Any] = []
    player: Any = SimpleNamespace(cycles=cycles, cluster=SimpleNamespace(now=5))

    def passed(*heads: int) -> int:
        """Return after how many of these cycles it takes too long."""
        cycles.clear()
        player.cluster.now = 5
        patience = _Patience(player)
        for number, count in enumerate(heads):
            if not count:
                player.cluster.now += 1
                continue
            cycles.append(SimpleNamespace(heads=range(count)))
            try:
                assert patience.end() is False
            except _TooLongError:
                return number
        return len(heads)

    assert passed(11) == 0
    assert passed(10) == passed(10, 0, 10) - 2 == 1
    assert passed(4, 6, 1) == passed(4, 6, 0, 4, 6, 1) - 3 == 2
