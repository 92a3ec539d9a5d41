"""``kueuelab try`` against what happened: each job of a recording, predicted at its creation.

Run ``python benchmarks/try_against_recording.py FOLDER``, a recording of ``kueuelab live record``
without a scenario; it prints figures and checks nothing. At the creation of each Workload the
cluster is as the watch has shown it so far; what the lab predicts from that is compared with the
first decision of Kueue that the watch shows: admitted, preempting or pending. Until Kueue decides,
the cluster goes on to change. So where the two differ, the lab decides once more from the state
that Kueue decided from (:mod:`kueuelab.live.redecide`), which the watch shows only later: with the
other heads of its cycle, and with the quota that Kueue had assumed. If that is what Kueue decided,
the cause is what changed in between, which is printed. Anything else is not explained.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kueuelab.forecast import Answer, try_job
from kueuelab.live.kueue_configuration import installed_configuration
from kueuelab.live.mirror import Mirror
from kueuelab.live.recordings import Recording, read_recording
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.result import Manifests
from kueuelab.model import RELEASE
from kueuelab.model.times import SECOND
from kueuelab.whatif.lab import Lab

_KEPT = ("name", "namespace", "labels", "annotations", "creationTimestamp", "ownerReferences")
#: Delays by which jobs are counted, in seconds.
_DELAYS = (0.1, 1.0, 10.0, float("inf"))


@dataclass
class Tried:
    """A job: what was predicted, and what Kueue decided first."""

    workload: str
    created: float
    predicted: str
    decided: float | None = None
    outcome: str = "pending"
    #: Workloads that were created, admitted, evicted or ended in between.
    changed: int = 0
    #: Whether the lab decides as Kueue did from the state that Kueue decided from.
    agrees: bool = False

    @property
    def delay(self) -> float:
        """How long Kueue took to decide, in seconds; nothing decided yet is infinite."""
        return float("inf") if self.decided is None else self.decided - self.created

    @property
    def is_same(self) -> bool:
        """Whether the prediction came true."""
        return self.predicted == self.outcome

    @property
    def is_same_side(self) -> bool:
        """Whether it got quota, at once or by preempting, or none, as predicted."""
        return (self.predicted == "pending") == (self.outcome == "pending")

    @property
    def cause(self) -> str:
        """Why the prediction did not come true; empty if that is not explained."""
        if not self.agrees:
            return ""
        if self.changed:
            return f"{self.changed} changes of quota before Kueue decided {self.delay:.2f} s later"
        return (
            "other heads of its cycle, or quota that Kueue had assumed before the watch showed it"
        )


def main() -> None:
    """Predict, compare and print."""
    recording = read_recording(Path(sys.argv[1]))
    mirror = Mirror(installed_configuration(RELEASE), recording.start, recording.name)
    jobs = follow(recording, mirror)
    judged: dict[str, bool] = {}
    for decision in mirror.decisions:
        if not decision.observed.target:
            judged.setdefault(decision.observed.workload, decision.agrees)
    for job in jobs:
        job.agrees = judged.get(job.workload, False)
    for line in report(jobs):
        print(line)


def follow(recording: Recording, mirror: Mirror) -> list[Tried]:
    """Show a mirror the recording, and predict each job at its creation."""
    mirror.load(recording.objects)
    jobs: dict[str, Tried] = {}
    for seconds, type_, obj in recording.changes:
        now = recording.start + round(seconds * SECOND)
        if obj["kind"] == "Workload" and type_ != "BOOKMARK":
            key = f"{obj['metadata']['namespace']}/{obj['metadata']['name']}"
            if type_ == "ADDED" and key not in jobs:
                jobs[key] = Tried(key, seconds, predicted(obj, cluster_at(mirror, now)))
            note_decision(jobs.get(key), obj, seconds)
            if is_change(mirror, key, obj, type_):
                for job in jobs.values():
                    job.changed += job.decided is None and job.workload != key
        mirror.feed(now, type_, obj)
    mirror.settle()
    return list(jobs.values())


def cluster_at(mirror: Mirror, now: int) -> Lab:
    """Return a lab in the state that the watch has shown."""
    workloads = {"Workload": tuple(mirror.workloads.values())}
    manifests = Manifests({**mirror.objects_by_kind(), **workloads})
    configuration = mirror.configuration
    return Lab(ScenarioSpec(start=now, configuration=configuration, manifests=manifests))


def predicted(obj: dict[str, Any], lab: Lab) -> str:
    """Return what the lab predicts of a Workload that is created now."""
    metadata = {name: obj["metadata"][name] for name in _KEPT if name in obj["metadata"]}
    manifest = {name: obj[name] for name in ("apiVersion", "kind", "spec")}
    answer: Answer = try_job(
        {**manifest, "metadata": metadata}, lab, at=0, when=False, changes=False
    )
    if answer.displaced_by(f"{metadata['namespace']}/{metadata['name']}"):
        return "preempting"
    return answer.jobs[0].now.outcome


def note_decision(job: Tried | None, obj: dict[str, Any], seconds: float) -> None:
    """Note the first decision of Kueue on a job."""
    reserved = condition(obj, "QuotaReserved")
    if job is None or job.decided is not None or reserved is None:
        return
    job.decided = seconds
    if reserved["status"] == "True":
        job.outcome = "admitted"
    elif "Pending the preemption of" in reserved["message"]:
        job.outcome = "preempting"


def is_change(mirror: Mirror, key: str, obj: dict[str, Any], type_: str) -> bool:
    """Tell whether quota moves: a workload is created, deleted, gets quota or loses it."""
    before = mirror.workloads.get(key)
    if before is None or type_ == "DELETED":
        return True
    had = any(
        each.type == "QuotaReserved" and each.status == "True" for each in before.status.conditions
    )
    ended = any(each.type == "Finished" for each in before.status.conditions)
    reserved = condition(obj, "QuotaReserved")
    has = reserved is not None and reserved["status"] == "True"
    return (had, ended) != (has, condition(obj, "Finished") is not None)


def condition(obj: dict[str, Any], type_: str) -> dict[str, Any] | None:
    """Return a condition of a Workload."""
    found = (obj.get("status") or {}).get("conditions") or ()
    return next((each for each in found if each["type"] == type_), None)


def report(jobs: list[Tried]) -> Iterator[str]:
    """Yield the figures, and each miss with its cause."""
    same = sum(job.is_same for job in jobs)
    misses = [job for job in jobs if not job.is_same]
    explained = sum(bool(job.cause) for job in misses)
    sides = sum(job.is_same_side for job in jobs)
    yield f"{len(jobs)} jobs; as predicted at their creation: {share(same, len(jobs))}"
    least = 0.0
    for most in _DELAYS:
        of = [job for job in jobs if least <= job.delay < most or job.delay == most]
        least, text = most, "later or not at all" if most == float("inf") else f"within {most:g} s"
        yield f"  Kueue decided {text:<20} {share(sum(job.is_same for job in of), len(of))}"
    yield f"with quota (at once or by preempting), or without: {share(sides, len(jobs))}"
    yield f"otherwise, and decided as Kueue did from the state that Kueue decided from: {explained}"
    together = share(same + explained, len(jobs))
    yield f"as predicted, or as the lab decides from the state that Kueue decided from: {together}"
    yield f"not explained: {len(misses) - explained}"
    for (before, after), count in sorted(Counter((j.predicted, j.outcome) for j in misses).items()):
        yield f"  predicted {before}, then {after}: {count}"
    for job in misses:
        text = f"predicted {job.predicted}, then {job.outcome}"
        yield f"{job.workload}: {text}: {job.cause or 'NOT EXPLAINED'}"


def share(part: int, all_: int) -> str:
    """Return a part of a number, also as a percentage."""
    return f"{part} of {all_} ({100 * part / max(1, all_):.1f} %)"


if __name__ == "__main__":
    main()
