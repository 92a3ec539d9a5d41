"""A scenario in the lab beside the same scenario on a cluster: decision by decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kueuelab.live.copies import job_name
from kueuelab.live.playing import Played
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import ClusterSpec
from kueuelab.model import Workload
from kueuelab.trace import Trace
from kueuelab.whatif.lab import Lab

__all__ = ["Comparison", "compare"]


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


def compare(played: Played) -> Comparison:
    """Compare what clusters did in a scenario to what the lab does.

    Each decision of a cluster is held against the lab's from the state just before it,
    messages included. Then the lab plays the scenario by itself: for each job, where it is
    admitted and by whom it is evicted has to be the same, in the same order; and each
    ClusterQueue has to admit in the same order. What else is in a cluster does not count.

    Parameters
    ----------
    played
        The scenario, and what followed the clusters while it was played there.
    """
    spec = played.spec
    submitted = _jobs(_submitted(spec))
    traces = _lab_traces(spec)
    agree, differences = 0, []
    for name, mirror in played.mirrors.items():
        known = set(submitted.values())
        originals = played.mirror.seen if name else {}
        names = {key: job for key, job in _jobs(mirror.seen, originals).items() if job in known}
        where = f"{name}: " if name else ""
        for decision in mirror.decisions:
            if decision.observed.workload in names:
                agree += decision.agrees
                differences += [] if decision.agrees else [f"{where}{decision}"]
        lab = _course(traces[name], submitted, seen_from=spec.workers)
        real = _course(mirror.trace, names, seen_from=spec.workers)
        for subject in sorted(lab.keys() | real.keys()):
            ours, theirs = lab.get(subject, []), real.get(subject, [])
            agree += ours == theirs
            if ours != theirs:
                told = f"in the lab {_told(ours)}; in the cluster {_told(theirs)}"
                differences.append(f"{where}{subject}: {told}")
    context = played.mirror.name
    return Comparison(spec.name or context, agree, tuple(differences))


def _lab_traces(spec: ScenarioSpec) -> dict[str, Trace]:
    """Return what the lab does in each cluster."""
    if not spec.workers:
        return {"": Lab(spec).run().trace}
    from kueuelab.multikueue import MultiKueueScenario

    traces = MultiKueueScenario(spec).run().traces
    return {"" if name == "manager" else name: trace for name, trace in traces.items()}


def _told(course: list[str]) -> str:
    return ", then ".join(course) or "nothing happens"


def _submitted(spec: ScenarioSpec) -> dict[str, Workload]:
    found = list(spec.manifests.workloads)
    for action in spec.timeline:
        found += getattr(action, "workloads", ())
    return {workload.key: workload for workload in found}


def _jobs(
    workloads: Mapping[str, Workload], originals: Mapping[str, Workload] | None = None
) -> dict[str, str]:
    """Return the jobs of workloads, by the workloads' keys; they have the same names in both."""
    return {
        key: f"{workload.namespace}/{job_name(workload, originals)}"
        for key, workload in workloads.items()
    }


def _course(
    trace: Trace, jobs: Mapping[str, str], *, seen_from: tuple[ClusterSpec, ...] = ()
) -> dict[str, list[str]]:
    """Return what became of each job, and whom each ClusterQueue admitted, in order."""
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
                if not seen_from:  # several clusters race each other
                    queue = f"ClusterQueue {step.cluster_queue}"
                    found.setdefault(queue, []).append(job)
            case "Evicted":
                by = f" by {jobs.get(facts.preemptor, facts.preemptor)}" if facts.preemptor else ""
                told = f"evicted{by} ({facts.preemption_reason or facts.reason})"
            case "Finished":
                told = "finished"
            case _:
                continue
        found.setdefault(job, []).append(told)
    return found
