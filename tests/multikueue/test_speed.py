"""How long large worlds take; only run when asked for with ``KUEUELAB_BENCH=1``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from time import process_time

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from worlds import INCREMENTAL, job, plan, world

pytestmark = pytest.mark.skipif(not os.environ.get("KUEUELAB_BENCH"), reason="a benchmark")


@pytest.mark.parametrize(
    ("dispatcher", "limit"),
    # All at once, each job has 20 copies: 40,000 workloads in all. That is not under 10 s yet.
    [({"dispatcherName": INCREMENTAL}, 10), ({}, 20)],
    ids=["incremental", "all-at-once"],
)
def test_twenty_workers_and_two_thousand_jobs(dispatcher: dict[str, str], limit: float) -> None:
    made = world(
        {f"w{n:02}": 20 for n in range(20)}, manager=400, configuration=dispatcher, facts=False
    )
    began = process_time()
    for number in range(2000):
        made.submit("manager", job(f"job-{number}"), plan(30))
    made.advance(60)
    while not all(state.is_finished for state in made.manager.site.workloads.values()):
        made.advance(60)
    took = process_time() - began
    print(f"{took:.1f}s of processor time for {made.now / 1e9:.0f}s")
    assert took < limit
