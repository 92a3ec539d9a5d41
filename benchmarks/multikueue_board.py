"""How fast the MultiKueue board steps: 8 workers, many jobs, every kind of step.

Run ``python benchmarks/multikueue_board.py [workers] [jobs]``; it prints figures and checks
nothing. It times what the kernel does for the browser: the first document, a chunk of frames, a
frame far away, why a job is where it is; then a fault with its rerun and comparison. How long a
step takes to be seen is measured by ``benchmarks/lab_view.py board``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from statistics import median
from time import perf_counter, process_time
from typing import Any

import kueuelab.multikueue as mk
from kueuelab.views.frame.multikueue_document import MultiKueueDocument
from kueuelab.widgets import multikueue_board

#: cpu of the workers, again and again.
SIZES = (1, 2, 3, 4)


def queue(cpu: int, *, checked: bool = False) -> list[dict[str, Any]]:
    """Return a ClusterQueue with its flavor and LocalQueue."""
    api = "kueue.x-k8s.io/v1beta2"
    flavors = [{"name": "generic", "resources": [{"name": "cpu", "nominalQuota": cpu}]}]
    spec: dict[str, Any] = {
        "namespaceSelector": {},
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": flavors}],
    }
    if checked:
        spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": "multikueue"}]}
    return [
        {"apiVersion": api, "kind": "ResourceFlavor", "metadata": {"name": "generic"}},
        {"apiVersion": api, "kind": "ClusterQueue", "metadata": {"name": "dispatch"}, "spec": spec},
        {
            "apiVersion": api,
            "kind": "LocalQueue",
            "metadata": {"name": "team", "namespace": "default"},
            "spec": {"clusterQueue": "dispatch"},
        },
    ]


def fleet(
    workers: int,
    jobs: int,
    *,
    sizes: Sequence[int] = SIZES,
    quota: int = 0,
    every: int = 1,
    dispatcher: str = "",
) -> mk.MultiKueueScenario:
    """Return a scenario with so many workers and jobs, one job every so many seconds.

    ``sizes`` are the cpu of the workers, again and again, ``quota`` is that of the manager.
    """
    api = "kueue.x-k8s.io/v1beta2"
    names = [f"w{number}" for number in range(1, workers + 1)]
    manager = queue(quota or 2 * workers, checked=True)
    for name in names:
        location = {"kubeConfig": {"locationType": "Secret", "location": f"{name}-secret"}}
        manager.append(
            {
                "apiVersion": api,
                "kind": "MultiKueueCluster",
                "metadata": {"name": name},
                "spec": {"clusterSource": location},
            }
        )
    parameters = {"apiGroup": "kueue.x-k8s.io", "kind": "MultiKueueConfig", "name": "fleet"}
    check = {"controllerName": "kueue.x-k8s.io/multikueue", "parameters": parameters}
    manager += [
        {
            "apiVersion": api,
            "kind": "MultiKueueConfig",
            "metadata": {"name": "fleet"},
            "spec": {"clusters": names},
        },
        {
            "apiVersion": api,
            "kind": "AdmissionCheck",
            "metadata": {"name": "multikueue"},
            "spec": check,
        },
    ]
    timeline = []
    for number in range(jobs):
        job = {"job": f"job-{number:03}", "queue": "team", "requests": {"cpu": 1 + number % 2}}
        timeline.append({"at": f"{number * every}s", "submit": job | {"runs": "20s"}})
    configuration = {"multiKueue": {"dispatcherName": dispatcher}} if dispatcher else {}
    document = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": f"fleet-of-{workers}"},
        "spec": {
            "clusters": {
                "manager": {"configuration": configuration, "manifests": manager},
                "workers": {
                    name: {"manifests": queue(sizes[at % len(sizes)])}
                    for at, name in enumerate(names)
                },
            },
            "timeline": timeline,
        },
    }
    return mk.load(document)


def timed(what: str, moves: Iterable[Callable[[], object]]) -> None:
    """Make moves, and print how long one takes and how much it gives, as JSON."""
    times, sizes = [], []
    for move in moves:
        start = perf_counter()
        made = move()
        times.append((perf_counter() - start) * 1e3)
        sizes.append(len(json.dumps(made)))
    print(
        f"  {what:<30}{len(times):>6} times{median(times):>8.1f} ms median"
        f"{sorted(times)[int(len(times) * 0.95)]:>8.1f} ms p95{max(times):>8.1f} ms max"
        f"{max(sizes) / 1024:>8.1f} KiB most"
    )


def main(workers: int, jobs: int) -> None:
    """Print the figures of one fleet."""
    start = process_time()
    run = fleet(workers, jobs).run()
    count = len(run.trace)
    print(f"{workers} workers, {jobs} jobs: {count} steps, run in {process_time() - start:.2f} s")
    start = perf_counter()
    view = multikueue_board(run)
    document = view.pane.document
    assert isinstance(document, MultiKueueDocument)
    document.as_data()
    print(f"  {'the first document':<30}{(perf_counter() - start) * 1e3:>23.1f} ms")
    timed("a chunk", [partial(document.chunk, at) for at in range(1, min(document.count, 20))])
    places = [(17 * number * count // 100) % count for number in range(1, 60)]
    timed("a frame far away", [partial(document.frame, place) for place in places])
    key = f"default/job-{jobs // 3:03}"
    timed("why", [partial(document.placement, place, key) for place in places])
    view.to(count // 2)
    timed("a fault, rerun, compared", [lambda: view.inject("disconnect", "w1")] * 5)


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 8, int(sys.argv[2]) if len(sys.argv) > 2 else 80
    )
