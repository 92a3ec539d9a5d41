"""How fast any step of a long run is reached: Kueue's baseline scenario, recorded.

Run ``python benchmarks/time_travel.py [large-scale]``; it prints figures and checks nothing.
15,000 workloads are recorded from the first arrival to the last job; then the state is asked
for at steps drawn at random (the same ones every time), a cursor jumps between them and walks,
and the story of some workloads is told.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Iterable
from functools import partial
from random import Random
from time import process_time

from kueuelab.bench.drive import Drive, arrive
from kueuelab.bench.runs import SHAPES, START
from kueuelab.bench.shapes import Shape, objects_of
from kueuelab.collector import without_collection
from kueuelab.simulation import Cluster
from kueuelab.trace import Breakpoint, Cursor, Recorder, Trace
from kueuelab.trace.explain import why

JUMPS = 200


def recorded(shape: Shape, recorder: Recorder | None) -> int:
    """Run a scenario to its end, and return how many workloads there were."""
    cluster = Cluster(start=START, recorder=recorder)
    for obj in objects_of(shape):
        cluster.apply(obj)
    drive = Drive(cluster)
    arrive(drive, shape, START)
    return drive.run().created


def timed(what: str, calls: Iterable[Callable[[], object]]) -> None:
    """Print how long a processor worked on some calls: median, nearly all, and the longest."""
    times = []
    for call in calls:
        start = process_time()
        call()
        times.append((process_time() - start) * 1000)
    times.sort()
    count = len(times)
    print(
        f"{what:34} {count:5} times: median {times[count // 2]:8.3f} ms, "
        f"95% {times[count * 95 // 100]:8.3f} ms, most {times[-1]:8.3f} ms"
    )


def main() -> None:
    """Record, then travel."""
    shape = SHAPES[sys.argv[1] if len(sys.argv) > 1 else "baseline"]
    with without_collection():
        start = process_time()
        workloads = recorded(shape, None)
        plain = process_time() - start
        recorder = Recorder()
        start = process_time()
        recorded(shape, recorder)
        seconds = process_time() - start
    trace = Trace.of(recorder, shape.name)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{workloads} workloads, {len(trace)} steps, {len(trace.frames.steps)} kept states")
    print(f"processor time {plain:.1f} s, recorded {seconds:.1f} s; peak memory {memory:.0f} MiB")

    random = Random(20260101)
    places = [random.randrange(len(trace)) for _ in range(JUMPS)]
    timed("state at a step", (partial(trace.state_at, at) for at in places))
    timed("the same again", (partial(trace.state_at, at) for at in places))
    cursor = Cursor(trace)
    timed("cursor to a step", (partial(cursor.to, at) for at in places))
    timed("cursor forward and its state", (lambda: (cursor.forward(), cursor.state),) * JUMPS)
    timed("cursor back and its state", (lambda: (cursor.back(), cursor.state),) * JUMPS)
    start = process_time()
    keys = random.sample(trace.workloads, 50)
    print(f"index of workloads made in {process_time() - start:.1f} s of processor time")
    timed("next about a workload", (partial(cursor.next_about, key) for key in keys))
    cursor.start()
    skipped = Breakpoint.event("skipped")
    timed("next skipped entry", (lambda: cursor.until(skipped),) * 50)
    timed("why, at the end", (partial(why, trace, key) for key in keys))
    moments = [(trace.index.about(key, "subject")[8], key) for key in keys]
    timed("why, while it waits", (partial(why, trace, key, at) for at, key in moments))


if __name__ == "__main__":
    main()
