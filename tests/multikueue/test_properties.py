"""What holds in any world, whatever befalls it; hazards of the version aside."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kueuelab.multikueue import World

sys.path.insert(0, str(Path(__file__).parent))
from worlds import INCREMENTAL, job, plan, world

pytestmark = pytest.mark.filterwarnings("error")

_DISPATCHERS: list[dict[str, Any]] = [
    {},
    {"dispatcherName": INCREMENTAL, "incrementalDispatcherConfig": {"stepSize": 1}},
    {"dispatcherName": INCREMENTAL},
]

#: What may befall a world, at a time in seconds: faults that Kueue itself gets over.
_FAULT = st.tuples(
    st.integers(0, 30),
    st.sampled_from(["restart-manager", "restart-worker", "blink", "deactivate", "delete"]),
    st.integers(0, 5),
)


class Watcher:
    """Notes, as it happens, what must never happen."""

    def __init__(self, watched: World) -> None:
        self.world = watched
        self.cluster_names: dict[str, str] = {}
        self.broken: list[str] = []
        for site in watched.sites.values():
            site.observers.append(self)

    def workload_written(self, site: Any, key: str) -> None:
        """Look at ``clusterName``: once set it may only be cleared."""
        if site is not self.world.manager.site:
            return
        state = site.workloads.get(key)
        name = "" if state is None else state.cluster_name or ""
        before = self.cluster_names.get(key, "")
        if before and name and before != name:
            self.broken.append(f"{key}: {before} became {name}")
        self.cluster_names[key] = name

    def job_written(self, site: Any, job: Any, gone: bool) -> None:
        """Look where pods are alive: in one cluster at a time."""
        now = self.world.now
        places = [
            name
            for name, each in self.world.workers.items()
            if (found := each.jobs.get(job.key)) is not None
            and not found.suspend
            and any(pod.is_alive(now) for pod in found.pods)
        ]
        if len(places) > 1:
            self.broken.append(f"{job.key} runs in {places}")

    def objects_written(self, site: Any) -> None:
        """Nothing to look at."""


def _befall(made: World, what: str, which: int) -> None:
    names = list(made.workers)
    worker = names[which % len(names)]
    workloads = sorted(made.manager.site.workloads)
    match what:
        case "restart-manager":
            if made.manager.site.kueue_up:
                made.restart_kueue("manager")
        case "restart-worker":
            if made.workers[worker].kueue_up:
                made.restart_kueue(worker)
        case "blink":
            made.disconnect(worker)
            made.loop.after(2_000_000_000, lambda: made.reconnect(worker))
        case "deactivate" if workloads:
            made.set_active("manager", workloads[which % len(workloads)], False)
        case "delete" if workloads:
            found = made.manager.site.job_of(workloads[which % len(workloads)])
            if found is not None:
                made.delete_job("manager", found.key)


@given(
    workers=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    manager=st.integers(1, 12),
    jobs=st.lists(
        st.tuples(st.integers(0, 20), st.integers(1, 3), st.integers(1, 6)), min_size=1, max_size=5
    ),
    dispatcher=st.sampled_from(_DISPATCHERS),
    faults=st.lists(_FAULT, max_size=3),
    seed=st.integers(0, 3),
)
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
def test_worlds_come_to_rest(
    workers: list[int],
    manager: int,
    jobs: list[tuple[int, int, int]],
    dispatcher: dict[str, Any],
    faults: list[tuple[int, str, int]],
    seed: int,
) -> None:
    timeouts = {"workerLostTimeout": "60s"}
    made = world(
        {f"w{n}": cpu for n, cpu in enumerate(workers, start=1)},
        manager=manager,
        configuration={**dispatcher, **timeouts},
        seed=seed,
    )
    watcher = Watcher(made)
    for number, (at, cpu, seconds) in enumerate(jobs):
        manifest = job(f"job-{number}", min(cpu, *workers, manager))
        made.loop.at(
            at * 1_000_000_000,
            lambda manifest=manifest, seconds=seconds: made.submit(
                "manager", manifest, plan(seconds)
            ),
        )
    for at, what, which in faults:
        made.loop.at(
            at * 1_000_000_000 + 500_000_000,
            lambda what=what, which=which: _befall(made, what, which),
        )
    made.advance(6000)
    assert not watcher.broken
    for state in made.manager.site.workloads.values():
        assert state.is_finished or not state.active, made.log.facts if made.log else ""
    for name, site in made.sites.items():
        for queue, node in site.cluster.tree.cluster_queues.items():
            assert not any(node.usage.values()), (name, queue, dict(node.usage))
    for name, site in made.workers.items():
        assert not site.workloads, name
        assert not site.jobs, name


@given(seed=st.integers(0, 50))
@settings(max_examples=10)
def test_the_same_seed_gives_the_same_world(seed: int) -> None:
    def facts() -> list[str]:
        made = world({"w1": 4, "w2": 4}, seed=seed)
        for number in range(3):
            made.submit("manager", job(f"job-{number}"), plan(3))
        made.advance(30)
        assert made.log is not None
        return [str(fact) for fact in made.log.facts]

    assert facts() == facts()
