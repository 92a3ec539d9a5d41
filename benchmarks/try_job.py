"""What ``kueuelab try`` costs on a dump of 30,000 workloads, once the dump is loaded.

Run ``python benchmarks/try_job.py [queues]`` (1,000 ClusterQueues if omitted, 30 workloads each);
it prints figures and checks nothing. Loading is reading the dump and bringing the cluster to rest.
Each job is submitted to a copy, since submitting changes the cluster.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from io import StringIO
from typing import Any, TypeVar

from kueuelab.bench.cluster_dump import DumpShape, write_dump
from kueuelab.collector import without_collection
from kueuelab.forecast import Baselines, try_job
from kueuelab.manifests import load_scenario
from kueuelab.whatif.lab import Lab

T = TypeVar("T")

#: Jobs that are admitted or pending: cores, and how many pods.
JOBS = {"small": (1, 1), "large": (4, 64)}


def main() -> None:
    """Load, try and print."""
    shape = DumpShape(queues=int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
    stream = StringIO()
    write_dump(shape, stream)
    spec = measured("read the dump", lambda: load_scenario(stream.getvalue()))
    print(f"  {shape.workloads:,} workloads in {shape.queues:,} ClusterQueues")
    baselines = Baselines(Lab(spec))
    for name, (cpu, pods) in JOBS.items():
        lent = ExitStack()
        another = measured("bring to rest, or copy", partial(lent.enter_context, baselines.lend()))
        now = partial(try_job, manifest(name, cpu, pods), another, when=False, changes=False)
        answer = measured(f"what happens at once ({name})", now)
        print(f"  {answer.jobs[0].now.outcome}")
        lent.close()


def measured(label: str, do: Callable[[], T]) -> T:
    """Do something, print how long it took, and return what came of it."""
    with without_collection(circles=False):
        start, cpu = time.perf_counter(), time.process_time()
        found = do()
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        print(f"{label:<32} {cpu:8.3f} s of processor time, {wall:8.3f} s")
    return found


def manifest(name: str, cpu: int, pods: int) -> dict[str, Any]:
    """Return a Job of the first queue."""
    container = {"name": "main", "image": "a", "resources": {"requests": {"cpu": str(cpu)}}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": "team-0",
            "labels": {"kueue.x-k8s.io/queue-name": "main"},
        },
        "spec": {"parallelism": pods, "completions": pods, "template": template},
    }


if __name__ == "__main__":
    main()
