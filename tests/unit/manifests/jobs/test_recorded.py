"""The Workloads of jobs from real clusters must be the recorded ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from job_samples import DATA, summary

from kueuelab.manifests.decode import decode_object
from kueuelab.manifests.jobs import Conversion, JobContext, workloads_for_all
from kueuelab.model import Workload, WorkloadPriorityClass

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LIVE = Path(__file__).parents[5] / "shared" / "live"
_CLUSTERS = sorted(path.parent for path in _LIVE.glob("*/*/*/jobs.yaml"))


def read(path: Path) -> Any:
    return yaml.load(path.read_text(), _LOADER)


def items(path: Path) -> list[dict[str, Any]]:
    return read(path)["items"] if path.exists() else []


def classes(objs: list[dict[str, Any]]) -> dict[str, WorkloadPriorityClass]:
    decoded = [decode_object(obj) for obj in objs]
    return {c.metadata.name: c for c in decoded if isinstance(c, WorkloadPriorityClass)}


def facts(workload: Workload) -> dict[str, Any]:
    """Return what must be equal; running jobs hold changes of Kueue's in their templates."""
    return {
        "metadata": replace(workload.metadata, uid="", generation=0, creation_timestamp=None),
        "queue": workload.queue_name,
        "priority": (workload.priority, workload.priority_class_ref),
        "time": workload.maximum_execution_time_seconds,
        "pod sets": [summary(pod_set) for pod_set in workload.pod_sets],
        "min counts": [pod_set.min_count for pod_set in workload.pod_sets],
        "topology": [pod_set.topology_request for pod_set in workload.pod_sets],
        "labels": [pod_set.template.labels for pod_set in workload.pod_sets],
        "finished": [
            (c.reason, c.message) for c in workload.status.conditions if c.type == "Finished"
        ],
    }


def compare(
    conversions: tuple[Conversion, ...], recorded: list[dict[str, Any]], *, jobs: list[Any]
) -> int:
    """Compare Workloads made with those recorded; return how many were compared."""
    assert [p for conversion in conversions for p in conversion.problems] == []
    made = {w.key: (w, c.notes) for c in conversions for w in c.workloads}
    prebuilt = {c.prebuilt_workload for c in conversions}
    expected: dict[str, Workload] = {}
    for obj in recorded:
        workload = decode_object(obj)
        assert isinstance(workload, Workload)
        if workload.name not in prebuilt:
            expected[workload.key] = workload
    assert sorted(made) == sorted(expected)
    for key, (workload, notes) in made.items():
        got, want = facts(workload), facts(expected[key])
        if any("admitted partially" in note for note in notes):
            # Only the Workload remembers how many pods the job was created with.
            del got["pod sets"], want["pod sets"]
        assert got == want
    return len(made)


def test_recorded_examples() -> None:
    data = read(DATA / "recorded.yaml")
    context = JobContext(workload_priority_classes=classes(data["classes"]))
    conversions = workloads_for_all(data["jobs"], context)
    assert compare(conversions, data["workloads"], jobs=data["jobs"]) == 9


def test_templates_of_pending_jobs_are_equal() -> None:
    data = read(DATA / "recorded.yaml")
    context = JobContext(workload_priority_classes=classes(data["classes"]))
    made = {w.key: w for c in workloads_for_all(data["jobs"], context) for w in c.workloads}
    for name in ("job-toobig-d7969", "job-orphanjob-36fdb", "grp", "pod-solo-pod-a6c35"):
        recorded = next(w for w in data["workloads"] if w["metadata"]["name"] == name)
        workload = decode_object(recorded)
        assert isinstance(workload, Workload)
        assert made[workload.key].pod_sets == workload.pod_sets


@pytest.mark.skipif(not _CLUSTERS, reason="the recordings of live clusters are not here")
@pytest.mark.parametrize("folder", _CLUSTERS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_recordings(folder: Path) -> None:
    jobs = items(folder / "jobs.yaml") + items(folder / "pods.yaml")
    priorities = items(folder / "workloadpriorityclasses.yaml")
    priorities += items(folder.parent / "before" / "workloadpriorityclasses.yaml")
    context = JobContext(workload_priority_classes=classes(priorities))
    conversions = workloads_for_all(jobs, context)
    compare(conversions, items(folder / "workloads.yaml"), jobs=jobs)
