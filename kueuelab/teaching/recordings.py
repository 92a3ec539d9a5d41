"""Real clusters in a lesson: where there are none, recordings of them are read instead.

``KUEUELAB_LIVE_CONTEXT`` names a cluster; ``KUEUELAB_LIVE_MANAGER`` and ``KUEUELAB_LIVE_WORKERS``
name a manager and its workers (``w1=CONTEXT,w2=CONTEXT``).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kueuelab.messages import english

if TYPE_CHECKING:
    from kueuelab.live.live_run import LiveRun

__all__ = [
    "cluster_conditions",
    "connecting_steps",
    "judged_by",
    "kept_decisions",
    "played",
    "where_jobs_run",
]


def played(lab: Any, recording: str | Path) -> LiveRun:
    """Return the run of a scenario on a cluster: on one's own, or else a recorded one.

    Parameters
    ----------
    lab
        The scenario.
    recording
        The folder of the recording.
    """
    from kueuelab import live
    from kueuelab.live.live_run import LiveRun
    from kueuelab.live.recordings import played_from

    context = os.environ.get("KUEUELAB_LIVE_CONTEXT", "")
    if not context:
        return LiveRun(played_from(Path(recording), keep=True))
    with live.connect(context, allow=[context], tell=print) as cluster:
        found: LiveRun = lab.run(on=cluster)
        return found


def judged_by(real: LiveRun, lab: Any) -> LiveRun:
    """Return a played run as if another scenario had been meant: they must not agree."""
    from kueuelab.live.live_run import LiveRun

    return LiveRun(replace(real.played, spec=lab.spec))


def kept_decisions(real: LiveRun) -> None:
    """Write the decisions of a played run as conformance cases, and print how the lab does."""
    from kueuelab.conformance import check_file, report_lines
    from kueuelab.live.conformance_cases import cases_of, write_cases

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "case.json"
        write_cases(cases_of(real.played), file)
        print(list(report_lines([check_file(file)]))[-1])


def connecting_steps(workers: int = 2) -> list[str]:
    """Print what `kueuelab live up` does, do nothing, and return its commands and manifests."""
    from kueuelab.live.clusters import DryRun, Layout, up

    commands: list[str] = []
    up(Layout("lab", workers=workers), DryRun(commands.append), print)
    return commands


def where_jobs_run(folder: str | Path, workers: Sequence[str] = ("w1", "w2")) -> dict[str, str]:
    """Print on which cluster each job runs and which worker has copies; return the former.

    Parameters
    ----------
    folder
        ``scenario.yaml``, and beside it a recording of each cluster as ``NAME.yaml``.
    workers
        The workers.
    """
    words, seen = english(), _seen(Path(folder), workers)
    originals = sorted(seen["manager"], key=lambda each: str(each.key))
    names = {each.key: each.metadata.owner_references[0].name for each in originals}
    nowhere = words.text("teaching.jobs.nowhere")
    found = {names[each.key]: each.status.cluster_name or nowhere for each in originals}
    for job, cluster in found.items():
        print(words.text("teaching.jobs.runs-on", job=job, cluster=cluster))
    for worker in workers:
        copies = sorted(names[each.key] for each in seen[worker] if each.key in names)
        print(words.text("teaching.jobs.copies", cluster=worker, jobs=", ".join(copies)))
    return found


def cluster_conditions(file: str | Path) -> None:
    """Print the conditions of the MultiKueueClusters in a recording, and where its jobs run."""
    from kueuelab.manifests import load_scenario

    found = load_scenario(Path(file)).manifests
    clusters: Any = found.objects["MultiKueueCluster"]
    for cluster in clusters:
        for each in cluster.conditions:
            print(f"{cluster.metadata.name}: {each.type} is {each.status}: {each.reason}")
    for workload in found.workloads:
        if workload.status.cluster_name:
            job = workload.metadata.owner_references[0].name
            where = workload.status.cluster_name
            print(english().text("teaching.jobs.runs-on", job=job, cluster=where))


def _seen(folder: Path, workers: Sequence[str]) -> Mapping[str, Any]:
    from kueuelab.manifests import load_scenario

    manager = os.environ.get("KUEUELAB_LIVE_MANAGER", "")
    if not manager:
        return {
            name: load_scenario(folder / f"{name}.yaml").manifests.workloads
            for name in ("manager", *workers)
        }
    from kueuelab.live.live_run import play_on

    named = os.environ.get("KUEUELAB_LIVE_WORKERS", "").split(",")
    contexts = dict(each.split("=") for each in named)
    spec = load_scenario(folder / "scenario.yaml")
    found = play_on(spec, manager, workers=contexts, seconds=120, tell=print)
    return {name or "manager": mirror.seen.values() for name, mirror in found.mirrors.items()}
