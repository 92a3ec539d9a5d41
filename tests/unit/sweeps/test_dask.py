"""Sweeps on a Dask cluster: a real scheduler and two worker processes on 127.0.0.1."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import kueuelab as kl
from kueuelab.errors import KueueLabError
from kueuelab.sweeps.sweeping import plan_of, run_plan

from .small import preempted

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@dataclass
class Cluster:
    address: str
    workers: list[subprocess.Popen[bytes]]

    def seen_by_scheduler(self) -> dict[str, int]:
        """Return how many tasks the scheduler has, and how many workers."""
        import distributed

        with distributed.Client(self.address) as client:
            return client.run_on_scheduler(_counts)


def _counts(dask_scheduler: object) -> dict[str, int]:
    return {
        "tasks": len(dask_scheduler.tasks),  # type: ignore[attr-defined]
        "workers": len(dask_scheduler.workers),  # type: ignore[attr-defined]
    }


def wait_until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.05)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    import distributed

    place = tmp_path / "scheduler.json"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        with open(tmp_path / "log.txt", "ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *arguments],
                env=env,
                cwd=tmp_path,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        started.append(process)
        return process

    file = ("--scheduler-file", str(place))
    start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show", *file)
    worker = ("--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard")
    workers = [start("worker", *worker, *file) for _ in range(2)]
    try:
        wait_until(lambda: place.exists() and place.stat().st_size > 0)
        with distributed.Client(scheduler_file=str(place)) as client:
            client.wait_for_workers(2)
            address = client.scheduler.address
        yield Cluster(address, workers)
    finally:
        for process in started:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()


def test_a_worker_that_is_killed_costs_no_row(cluster: Cluster, tmp_path: Path) -> None:
    plan = plan_of(preempted(), seeds=40)
    seen: list[int] = []

    def kill_one(row: dict[str, object]) -> None:
        if not seen:
            cluster.workers[0].send_signal(signal.SIGKILL)
            cluster.workers[0].wait()
        seen.append(int(str(row["run"])))

    file = tmp_path / "found.parquet"
    found = run_plan(plan, dask=cluster.address, out=file, progress=kill_one)
    assert sorted(seen) == list(range(40))
    assert found.rows == run_plan(plan).rows
    assert cluster.seen_by_scheduler()["workers"] == 1


def test_a_sweep_that_is_interrupted_leaves_no_work_behind(cluster: Cluster) -> None:
    def interrupt(row: dict[str, object]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_plan(plan_of(preempted(), seeds=200), dask=cluster.address, progress=interrupt)
    wait_until(lambda: cluster.seen_by_scheduler()["tasks"] == 0)


def test_a_cluster_of_this_machine() -> None:
    pytest.importorskip("distributed")
    assert (
        kl.sweep(preempted(), seeds=4, dask="local", jobs=2).rows
        == kl.sweep(preempted(), seeds=4).rows
    )


def test_an_address_where_nothing_answers_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("kueuelab.sweeps.dask_cluster._PATIENCE", "1s")
    with pytest.raises(KueueLabError, match="nothing answers as a Dask scheduler at tcp://127"):
        kl.sweep(preempted(), dask="tcp://127.0.0.1:9")
