"""A scenario in the lab beside the same scenario on a cluster: decision by decision."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from kueuelab.live.errors import LiveError
from kueuelab.live.mirror import Mirror
from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.model import Workload
from kueuelab.model.times import parse_time
from kueuelab.trace import Trace
from kueuelab.whatif.lab import Lab

__all__ = ["Comparison", "compare", "is_recording", "mirror_of"]

_STREAM: Final = "stream.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the lab's decisions compare to a cluster's.

    Attributes
    ----------
    name
        The scenario.
    agree, differ
        How many decisions are the same, and how many are not.
    differences
        The latter, a sentence each.
    """

    name: str
    agree: int
    differences: tuple[str, ...]

    @property
    def differ(self) -> int:
        """How many decisions are not the same."""
        return len(self.differences)

    def lines(self) -> Iterator[str]:
        """Yield what a person wants to read: the counts, and the first difference."""
        yield f"{self.name}: {self.agree} agree, {self.differ} differ"
        if self.differences:
            yield f"  first difference: {self.differences[0]}"


def compare(spec: ScenarioSpec, cluster: Mirror) -> Comparison:
    """Compare what a cluster did in a scenario to what the lab does.

    Each decision of the cluster is held against the lab's from the state just before it,
    messages included. Then the lab plays the scenario by itself; for each job, where it is
    admitted and by whom it is evicted has to be the same, in the same order.

    Parameters
    ----------
    spec
        The scenario.
    cluster
        What followed the cluster while it was played there.
    """
    differences = [str(each) for each in cluster.decisions if not each.agrees]
    agree = len(cluster.decisions) - len(differences)
    played = Lab(spec).run()
    lab = _course(played.trace, _jobs(_submitted(spec)))
    real = _course(cluster.trace, _jobs(cluster.seen))
    for job in sorted(lab.keys() | real.keys()):
        ours, theirs = lab.get(job, []), real.get(job, [])
        if ours == theirs:
            agree += 1
        else:
            told = f"in the lab {_told(ours)}; in the cluster {_told(theirs)}"
            differences.append(f"{job}: {told}")
    return Comparison(spec.name or cluster.name, agree, tuple(differences))


def _told(course: list[str]) -> str:
    return ", then ".join(course) or "nothing happens"


def _submitted(spec: ScenarioSpec) -> dict[str, Workload]:
    found = list(spec.manifests.workloads)
    for action in spec.timeline:
        found += getattr(action, "workloads", ())
    return {workload.key: workload for workload in found}


def _jobs(workloads: Mapping[str, Workload]) -> dict[str, str]:
    """Return the jobs of workloads, by the workloads' keys; they have the same names in both."""
    found = {}
    for key, workload in workloads.items():
        owners = workload.metadata.owner_references
        name = owners[0].name if owners else workload.metadata.name
        found[key] = f"{workload.namespace}/{name}"
    return found


def _course(trace: Trace, jobs: Mapping[str, str]) -> dict[str, list[str]]:
    """Return what became of each job, in order: admitted where, evicted by whom, finished."""
    found: dict[str, list[str]] = {}
    for step in trace:
        job = jobs.get(step.workload)
        if job is None:
            continue
        facts: Any = step.facts
        match step.kind:
            case "QuotaReserved":
                flavors = {
                    f"{r} on {f}": None for _, _, g in facts.assignment for r, f in g.items()
                }
                told = f"admitted to {step.cluster_queue} ({', '.join(sorted(flavors))})"
            case "Evicted":
                by = f" by {jobs.get(facts.preemptor, facts.preemptor)}" if facts.preemptor else ""
                told = f"evicted{by} ({facts.preemption_reason or facts.reason})"
            case "Finished":
                told = "finished"
            case _:
                continue
        found.setdefault(job, []).append(told)
    return found


# --- recorded runs -----------------------------------------------------------------------


def is_recording(path: Path) -> bool:
    """Tell whether a folder holds a recorded run."""
    return (path / _STREAM).is_file()


def mirror_of(path: Path) -> tuple[ScenarioSpec, Mirror]:
    """Replay a recorded run: ``scenario.yaml``, ``before/`` and the watch stream.

    Raises
    ------
    LiveError
        If it cannot be read.
    """
    spec = load_scenario(path / "scenario.yaml")
    try:
        objects = [
            obj
            for file in sorted((path / "before").glob("*.yaml"))
            for obj in yaml.safe_load(file.read_text("utf-8"))["items"]
        ]
        with gzip.open(path / _STREAM, "rt", encoding="utf-8") as stream:
            lines = [json.loads(line) for line in stream]
        first = next(line["object"] for line in lines if line["resource"] == "jobs")
        start = parse_time(first["metadata"]["creationTimestamp"])
    except (OSError, EOFError, ValueError, LookupError, StopIteration, yaml.YAMLError) as error:
        raise LiveError(f"the recording {path} cannot be read: {error}", "config") from error
    mirror = Mirror(spec.configuration, start, path.name)
    mirror.load(objects)
    for line in lines:
        mirror.feed(start + round(line["t"] * 1_000_000_000), line["type"], line["object"])
    mirror.settle()
    return spec, mirror
