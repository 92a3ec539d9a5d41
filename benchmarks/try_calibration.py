"""Whether forecasts of ``kueuelab try`` are calibrated: 200 jobs on clusters that are made up.

Run ``python benchmarks/try_calibration.py [jobs] [seeds]``; it prints figures and checks nothing.
Each job is tried on a cluster of its own (:mod:`kueuelab.testing.forecast_clusters`). The lab sees
what a dump has: running, pending and finished workloads, and no run time. Then the same
cluster is played on with the run times that its jobs really have. Of the intervals that hold nine
of ten runs of a forecast, nine of ten should hold what then happens.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from kueuelab.testing.forecast_clusters import Outcome, outcomes


def main() -> None:
    """Forecast, play on and print."""
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    start = time.perf_counter()
    found = list(outcomes(jobs, seeds))
    for line in report(found):
        print(line)
    print(f"{time.perf_counter() - start:.0f} s")


def report(found: list[Outcome]) -> Iterator[str]:
    """Yield how many intervals hold what happened."""
    for part in (0.5, 0.8, 0.9):
        held = sum(each.is_within(part) for each in found)
        yield f"{part:.0%} interval: holds {held} of {len(found)} ({held / len(found):.1%})"
    for part in (0.5, 0.9):
        early = sum(each.started <= each.forecast.within(part) for each in found)
        yield f"started by the time of {part:.0%} of the runs: {early / len(found):.1%}"


if __name__ == "__main__":
    main()
