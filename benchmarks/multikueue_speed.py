"""How fast a large MultiKueue scenario is simulated, with each dispatcher.

Run ``python benchmarks/multikueue_speed.py [workers] [jobs]`` (20 and 2,000 by default); it
prints seconds of processor time and checks nothing. All jobs are there at the start. Sent all at
once, each gets a copy on every worker, 40,000 Workloads in all; otherwise on as many as a round
nominates. Each scenario is run three times: the clusters alone; with the facts that
``kueuelab run`` prints; and with the record of every step that ``why`` and the board need.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import process_time

from multikueue_board import fleet

import kueuelab.multikueue as mk
from kueuelab.manifests.scenario import Submit
from kueuelab.model.times import SECOND

DISPATCHERS = {
    "all at once": "",
    "incremental": "kueue.x-k8s.io/multikueue-dispatcher-incremental",
    "external": "example.com/cheapest",
}
#: cpu of each worker, and how many seconds all jobs have.
CPU, SECONDS = 20, 3600.0


def scenario(workers: int, jobs: int, dispatcher: str) -> mk.MultiKueueScenario:
    """Return a fleet to which all jobs are submitted at once."""
    name = DISPATCHERS[dispatcher]
    made = fleet(workers, jobs, sizes=[CPU], quota=CPU * workers, every=0, dispatcher=name)
    if dispatcher != "external":
        return made
    price = {f"w{number}": float(number) for number in range(1, workers + 1)}
    return replace(made, dispatcher=mk.cheapest_first(price))


def clusters_alone(scenario: mk.MultiKueueScenario) -> mk.ClusterSet:
    """Run the clusters of a fleet, and write nothing down."""
    spec = scenario.spec
    configurations = {"manager": spec.configuration}
    configurations.update((worker.name, worker.configuration) for worker in spec.workers)
    cluster_set = mk.ClusterSet(configurations, dispatcher=scenario.dispatcher)
    objects = {"manager": list(spec.manifests)}
    objects.update((worker.name, list(worker.manifests)) for worker in spec.workers)
    cluster_set.load(objects)
    for action in spec.timeline:
        assert isinstance(action, Submit)
        for workload in action.workloads:
            plan = mk.PodPlan(action.runs)
            cluster_set.loop.at(action.at, partial(cluster_set.submit_workload, "", workload, plan))
    cluster_set.run_until(round(SECONDS * SECOND))
    return cluster_set


def main(workers: int, jobs: int) -> None:
    """Print the figures of each dispatcher."""
    ways: dict[str, Callable[[mk.MultiKueueScenario], mk.ClusterSet]] = {
        "clusters alone": clusters_alone,
        "with facts": lambda made: made.run(until=SECONDS, record=False).cluster_set,
        "recorded": lambda made: made.run(until=SECONDS).cluster_set,
    }
    print(f"{workers} workers, {jobs} jobs")
    for dispatcher in DISPATCHERS:
        for how, run in ways.items():
            made = scenario(workers, jobs, dispatcher)
            start = process_time()
            cluster_set = run(made)
            took = process_time() - start
            states = cluster_set.manager.member.workloads.values()
            done = sum(state.is_finished for state in states)
            print(f"  {dispatcher:12} {how:15} {took:6.1f} s, {done} jobs done", flush=True)
            del cluster_set, states


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 20,
        int(sys.argv[2]) if len(sys.argv) > 2 else 2000,
    )
