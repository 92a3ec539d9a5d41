"""How long large worlds take; only run when asked for with ``KUEUELAB_BENCH=1``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from time import process_time

import pytest

from kueuelab.multikueue import cheapest_first

sys.path.insert(0, str(Path(__file__).parent))
from worlds import INCREMENTAL, job, plan, world

pytestmark = pytest.mark.skipif(not os.environ.get("KUEUELAB_BENCH"), reason="a benchmark")


#: Seconds of processor time, on a machine that has nothing else to do.
_LIMIT = 10.0


@pytest.mark.parametrize("dispatcher", ["all-at-once", "incremental", "external"])
def test_twenty_workers_and_two_thousand_jobs(dispatcher: str) -> None:
    """All at once, each job has 20 copies: 40,000 workloads in all."""
    workers = {f"w{n:02}": 20 for n in range(20)}
    configuration = {
        "all-at-once": {},
        "incremental": {"dispatcherName": INCREMENTAL},
        "external": {"dispatcherName": "example.com/cheapest"},
    }[dispatcher]
    price = {name: float(number) for number, name in enumerate(workers)}
    more = {"dispatcher": cheapest_first(price)} if dispatcher == "external" else {}
    made = world(workers, manager=400, configuration=configuration, facts=False, **more)
    began = process_time()
    for number in range(2000):
        made.submit("manager", job(f"job-{number}"), plan(30))
    made.advance(60)
    while not all(state.is_finished for state in made.manager.site.workloads.values()):
        made.advance(60)
    took = process_time() - began
    print(f"{dispatcher}: {took:.1f}s of processor time for {made.now / 1e9:.0f}s")
    assert took < _LIMIT
