"""Sweeps: a trace of 100,000 jobs without a record, and 1,000 runs on one and on two cores.

    python benchmarks/sweeps.py trace [JOBS]
    python benchmarks/sweeps.py linear [RUNS]

Wall time counts on a quiet machine only; the time of the processor is beside it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from time import perf_counter

import kueuelab as kl
from kueuelab.sweeps import WorkloadModel, read_swf
from kueuelab.sweeps.observation import observe
from kueuelab.sweeps.sweeping import plan_of

QUEUE = """
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: team-{name}}}
spec:
  cohortName: all
  namespaceSelector: {{}}
  preemption: {{reclaimWithinCohort: Any}}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{{name: default, resources: [{{name: cpu, nominalQuota: {cpu}}}]}}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {{name: team-{name}}}
spec: {{clusterQueue: team-{name}}}
"""
FLAVOR = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}"


def lab(queues: int, cpu: int) -> kl.Lab:
    """Return so many queues of one cohort, each with so many cores."""
    text = FLAVOR + "".join(QUEUE.format(name=name, cpu=cpu) for name in range(queues))
    found = kl.load(text)
    assert isinstance(found, kl.Lab)
    return found


def processor_time() -> float:
    """Return the seconds that this process and its children computed."""
    used = (getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def trace(jobs: int) -> None:
    """Replay a trace of so many jobs without a record."""
    model = WorkloadModel(jobs=jobs, per_hour=600, users=50, arrivals="diurnal", peak=2)
    lines = []
    for number, job in enumerate(model.draw(1), 1):
        times = f"{job.submitted // 10**9} -1 {job.runs // 10**9}"
        lines.append(
            f"{number} {times} {job.pods} -1 -1 {job.pods} -1 -1 1 {job.user[5:]} -1 -1 -1 -1 -1 -1"
        )
    with TemporaryDirectory() as folder:
        file = Path(folder, "jobs.swf")
        file.write_text("\n".join(lines))
        start, cpu = perf_counter(), processor_time()
        read = read_swf(file, mapped=kl.sweeps.Mapped("user"))
        print(f"read {len(read):,} jobs: {perf_counter() - start:.1f} s")
    spec = plan_of(lab(8, 64), workloads=read).scenario(0)
    found = observe(spec)
    finished = sum(state.is_finished for state in found.cluster.workloads.values())
    wall, used = perf_counter() - start, processor_time() - cpu
    print(f"replayed, {finished:,} finished: {wall:.1f} s in all, {used:.1f} s of a processor")


def linear(runs: int) -> None:
    """Run a sweep on one core and on two."""
    factor = "cluster-queue/*:spec.preemption.reclaimWithinCohort"
    vary = {factor: ["Never", "Any"]}
    model = WorkloadModel(jobs=500, per_hour=60)
    times = {}
    for jobs in (1, 2):
        start, cpu = perf_counter(), processor_time()
        kl.sweep(lab(4, 16), vary, seeds=runs // 2, workloads=model, jobs=jobs)
        times[jobs] = perf_counter() - start
        used = processor_time() - cpu
        print(f"{runs} runs, {jobs} cores: {times[jobs]:.1f} s, {used:.1f} s of processors")
    print(f"two cores take {times[2] / times[1]:.2f} of the time of one")


if __name__ == "__main__":
    what, *number = sys.argv[1:]
    {"trace": trace, "linear": linear}[what](
        int(number[0]) if number else {"trace": 100_000, "linear": 1_000}[what]
    )
