"""Runs in several processes of this machine."""

from __future__ import annotations

import signal
from collections.abc import Collection, Generator, Iterable
from contextlib import closing
from typing import TYPE_CHECKING, Final

from kueuelab.messages import Message
from kueuelab.sweeps.plan import Plan, Row

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["rows_by_processes"]

#: How often a run is begun whose process dies; then its row says so.
_ATTEMPTS: Final = 3


def rows_by_processes(plan: Plan, runs: Collection[int], jobs: int) -> Generator[Row, None, None]:
    """Yield the rows of runs as they end, from so many processes; with one, from this one.

    A process that dies is replaced, and what it did is done again.
    """
    if jobs <= 1 or len(runs) <= 1:
        for run in runs:
            yield plan.row(run)
        return
    left = dict.fromkeys(runs, 0)
    while left:
        # What was under way when a process died runs alone, so that it is known which one ends it.
        suspect = next((run for run, attempts in left.items() if attempts), None)
        if suspect is not None and left[suspect] >= _ATTEMPTS:
            attempts = left.pop(suspect)
            yield plan.failed(suspect, Message("sweeps.process-died", count=attempts))
            continue
        batch = left if suspect is None else [suspect]
        with closing(_rows_until_broken(plan, batch, left, min(jobs, len(batch)))) as found:
            for row in found:
                left.pop(row["run"])
                yield row


def _rows_until_broken(
    plan: Plan, runs: Iterable[int], attempts: dict[int, int], jobs: int
) -> Generator[Row, None, None]:
    """Yield rows until all are there or a process dies; count the runs that were under way."""
    # A browser has no processes; there one run follows another.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, _begin, (plan,))
    futures: dict[Future[Row], int] = {}
    waiting = iter(tuple(runs))
    try:
        # Few are handed out at once, so that it is known what a process did when it died.
        for run in waiting:
            futures[pool.submit(_row, run)] = run
            if len(futures) >= 2 * jobs:
                break
        while futures:
            done = next(as_completed(futures))
            run = futures.pop(done)
            try:
                row = done.result()
            except BrokenProcessPool:
                for each in (run, *futures.values()):
                    attempts[each] += 1
                return
            yield row
            following = next(waiting, None)
            if following is not None:
                futures[pool.submit(_row, following)] = following
    except BrokenProcessPool:  # it broke between two runs
        for each in futures.values():
            attempts[each] += 1
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_plan: Plan


def _begin(plan: Plan) -> None:
    global _plan
    _plan = plan
    # Ctrl-C is for the process that began the sweep: it ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _row(run: int) -> Row:
    return _plan.row(run)
