"""Why workloads are pending, as data by which they are grouped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kueuelab.trace import steps
from kueuelab.trace.explain_reason import queue_trouble
from kueuelab.trace.uncounted_devices import uncounted_devices
from kueuelab.trace.wording import verdict_of
from kueuelab.trace.workload_moment import WorkloadMoment, workload_at

__all__ = ["CAUSES", "Cause", "cause_of"]

#: The kinds of causes; those that only a person can end come first.
CAUSES: Final = (
    "tooLarge",
    "queue",
    "deactivated",
    "devices",
    "quota",
    "flavor",
    "behindHead",
    "skipped",
    "preempting",
    "check",
    "podsReady",
    "backoff",
    "notLookedAt",
    "said",
    "other",
)


@dataclass(frozen=True, slots=True)
class Cause:
    """What keeps workloads pending.

    Attributes
    ----------
    kind
        One of :data:`CAUSES`.
    queue
        The ClusterQueue; the LocalQueue as ``namespace/name`` where there is none.
    lacking
        The flavors and resources of which there is too little, sorted; ``(flavor, resource)``.
    about
        What else it is about: the AdmissionCheck, for example; or ``""``. Before the first
        cycle, what Kueue said last.
    """

    kind: str
    queue: str
    lacking: tuple[tuple[str, str], ...] = ()
    about: str = ""

    @property
    def id(self) -> str:
        """The same as a text, to name it in an address.

        Examples
        --------
        >>> Cause("quota", "team-a", (("a100", "nvidia.com/gpu"),)).id
        'quota team-a a100/nvidia.com/gpu'
        """
        lacking = (f"{flavor}/{resource}" for flavor, resource in self.lacking)
        return " ".join(filter(None, (self.kind, self.queue, *lacking, self.about)))


def cause_of(at: WorkloadMoment) -> Cause:
    """Return what keeps a workload pending after a step.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> from kueuelab.trace.workload_moment import workload_moment
    >>> trace = scenarios.load("reclaim-1-take-back").run().trace
    >>> cause_of(workload_moment(trace, "default/job-1")).id
    'quota team-b default/cpu'
    """
    queue = at.queue or at.view.local_queue
    if at.phase == "QuotaReserved":
        left = next((each.name for each in at.view.checks if each.state != "Ready"), "")
        return Cause("check", queue, about=left)
    if not at.view.active:
        return Cause("deactivated", queue)
    if queue_trouble(at):
        # A LocalQueue that is missing or stopped is one of a namespace, not of the ClusterQueue.
        return Cause("queue", at.view.local_queue)
    if uncounted_devices(at.view) is not None:
        return Cause("devices", queue)
    if "requeueAt" in at.view.requeue_state:
        return Cause("backoff", queue)
    if at.held and at.view.place in ("active", "inflight"):
        return Cause("podsReady", queue)
    if at.is_as_read and at.view.waiting:
        return Cause("said", "", about=at.view.waiting)
    if at.cycle is None or at.is_stale:
        if like := at.set_aside_with:
            twin = workload_at(at.instant, like, at.words)
            if twin.cycle is not None and not twin.is_stale:
                return _looked_at(twin, queue)
        strict = at.state.cluster_queue(at.queue).queueing_strategy == "StrictFIFO"
        return Cause("behindHead" if strict and at.cycle is None else "notLookedAt", queue)
    return _looked_at(at, queue)


def _looked_at(at: WorkloadMoment, queue: str) -> Cause:
    processed = at.last("EntryProcessed", "NotNominated")
    facts = None if processed is None else processed.facts
    if not isinstance(facts, steps.EntryProcessed):
        return Cause("other", queue)
    if facts.status in ("skipped", "preemptionGated"):
        return Cause("skipped", queue)
    if facts.requeue_reason == "PendingPreemption" and facts.targets:
        return Cause("preempting", queue)
    return _no_fit(at, queue)


def _no_fit(at: WorkloadMoment, queue: str) -> Cause:
    """Return the quota that is lacking; of a resource that no flavor can ever hold, only that."""
    verdicts: dict[str, dict[str, str]] = {}
    rejected = False
    for step in at.own:
        if isinstance(step.facts, steps.FewerPodsTried):
            break
        if isinstance(step.facts, steps.FlavorConsidered):
            of_resource = verdicts.setdefault(step.facts.resource, {})
            of_resource[step.facts.flavor] = verdict_of(step.facts)
        rejected = rejected or isinstance(step.facts, steps.FlavorRejected)
    never = {
        (flavor, resource)
        for resource, found in verdicts.items()
        if set(found.values()) == {"ExceedsMaximum"}
        for flavor in found
    }
    if never:
        return Cause("tooLarge", queue, tuple(sorted(never)))
    lacking = {
        (flavor, resource)
        for resource, found in verdicts.items()
        if not {"Fit", "FitBorrowing"} & set(found.values())
        for flavor in found
    }
    if lacking:
        return Cause("quota", queue, tuple(sorted(lacking)))
    return Cause("flavor" if rejected else "other", queue)
