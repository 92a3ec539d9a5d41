"""What a table of runs can show of each run: which jobs were preempted, when they finished, ...

A measure is called with a run. Those that are about a job or a time are made by a function:
``finished("job-1")``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from kueuelab.messages import Message
from kueuelab.model.times import format_duration
from kueuelab.trace.names import short_name

__all__ = [
    "Measure",
    "admitted",
    "cpu_at",
    "cpu_used",
    "evictions",
    "finished",
    "first_placed",
    "flavor_of",
    "loop",
    "mean_wait",
    "placed",
    "preempted",
    "reasons",
    "replaced",
    "running",
    "starts",
    "step_at",
    "waited",
    "whole_hosts",
    "work_lost",
]

#: A run of one cluster.
AnyRun: TypeAlias = Any

_SECOND: Final = 10**9
_NONE: Final = "-"


@dataclass(frozen=True, slots=True)
class Measure:
    """A name for the head of a column, and how it is read from a run.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> cycles = Measure("cycles", lambda run: str(len(run.trace.cycles)))
    >>> cycles(scenarios.load("within-cq-1-which-candidate").run())
    '7'
    """

    name: str
    read: Callable[[AnyRun], str]

    def __call__(self, run: AnyRun) -> str:
        """Return what it reads from a run."""
        return self.read(run)

    def __repr__(self) -> str:
        return f"<Measure {self.name!r}>"


def _jobs(run: AnyRun, what: str) -> list[str]:
    return [short_name(row.subject) for row in run.timeline if row.what == what]


def _listed(found: list[str]) -> str:
    return ", ".join(dict.fromkeys(found)) or _NONE


def _times(run: AnyRun, what: str) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row in run.timeline:
        if row.what == what:
            found.setdefault(short_name(row.subject), []).append(row.since)
    return found


def _lost(run: AnyRun) -> str:
    began: dict[str, int] = {}
    total = 0
    for row in run.timeline:
        if row.what == "admittedAtOnce":
            began[row.subject] = row.since
        elif row.what == "preempted":
            total += row.since - began.get(row.subject, row.since)
    return format_duration(total)


def _running(run: AnyRun) -> str:
    state = run.state_at(len(run.trace) - 1)
    names = [short_name(key) for key, each in state.workloads.items() if each.phase == "Admitted"]
    return ", ".join(names) or _NONE


def _waited(run: AnyRun) -> str:
    came, began = _times(run, "created"), _times(run, "admittedAtOnce")
    spans = [began[job][0] - came[job][0] for job in came if job in began]
    return format_duration(sum(spans) // len(spans) // _SECOND * _SECOND) if spans else _NONE


def _whole_hosts(run: AnyRun) -> str:
    """Return how many nodes no admitted pod uses before the last workload arrives."""
    last = [row for row in run.timeline if row.what == "created"][-1]
    state = run.state_at(last.step)
    used = {
        values[-1]
        for workload in state.workloads.values()
        if workload.admission
        for pod_set in workload.admission.pod_sets
        for values, _ in pod_set.places
    }
    return str(len(state.names("Node")) - len(used))


#: Which jobs were preempted, in order.
preempted: Final = Measure(
    Message("teaching.measure.preempted"), lambda run: _listed(_jobs(run, "preempted"))
)
#: Which jobs were admitted, in order.
admitted: Final = Measure(
    Message("teaching.measure.admitted"), lambda run: _listed(_jobs(run, "admittedAtOnce"))
)
#: Which jobs are admitted when the run ends.
running: Final = Measure(Message("teaching.measure.running"), _running)
#: Kueue's reasons for evictions, in order.
reasons: Final = Measure(
    Message("teaching.measure.reason"),
    lambda run: _listed(
        [
            step.facts.preemption_reason or step.facts.reason
            for step in run.trace
            if step.kind == "Evicted"
        ]
    ),
)
#: How long preempted jobs had run before: that work is lost.
work_lost: Final = Measure(Message("teaching.measure.work-lost"), _lost)
#: How long jobs were pending before they were admitted for the first time, on average.
mean_wait: Final = Measure(Message("teaching.measure.mean-wait"), _waited)
#: How much cpu each ClusterQueue uses when the run ends.
cpu_used: Final = Measure(
    Message("teaching.measure.cpu-used"), lambda run: _cpu_text(run, len(run.trace) - 1)
)
#: How often a workload was evicted.
evictions: Final = Measure(
    Message("teaching.measure.evictions"), lambda run: str(len(run.trace.of_kind("Evicted")))
)
#: How often pods of a failed node got a replacement.
replaced: Final = Measure(
    Message("teaching.measure.replaced"), lambda run: str(len(run.trace.of_kind("PodsPlaced")))
)
#: Whether the run ended because it came back to an earlier state.
loop: Final = Measure(
    Message("teaching.measure.loop"),
    lambda run: (
        Message("teaching.measure.loop") if run.loop else Message("teaching.measure.no-loop")
    ),
)
#: How many nodes have no pod before the last workload arrives.
whole_hosts: Final = Measure(Message("teaching.measure.whole-hosts"), _whole_hosts)


def finished(job: str) -> Measure:
    """Return the measure: when a job is finished.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> finished("big")(scenarios.load("within-cq-2-overtaken").run())
    '2m1s'
    """

    def read(run: AnyRun) -> str:
        times = _times(run, "finished").get(job)
        return format_duration(times[-1]) if times else _NONE

    return Measure(Message("teaching.measure.finished", job=job), read)


def waited(job: str) -> Measure:
    """Return the measure: how long a job was pending before it was admitted for the first time.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> waited("big")(scenarios.load("within-cq-2-overtaken").run())
    '56s'
    """

    def read(run: AnyRun) -> str:
        came = _times(run, "created").get(job, [0])
        began = _times(run, "admittedAtOnce").get(job)
        return format_duration(began[0] - came[0]) if began else _NONE

    return Measure(Message("teaching.measure.waited", job=job), read)


def starts(job: str) -> Measure:
    """Return the measure: at which times a job was started.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> starts("small-1")(scenarios.load("within-cq-2-overtaken").run())
    '10s, 2m1s'
    """

    def read(run: AnyRun) -> str:
        return ", ".join(map(format_duration, _times(run, "admittedAtOnce").get(job, []))) or _NONE

    return Measure(Message("teaching.measure.starts", job=job), read)


def flavor_of(job: str) -> Measure:
    """Return the measure: which flavors a job was assigned when it was last admitted.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> flavor_of("urgent")(scenarios.load("flavors-1-borrow-or-free").run())
    'on-demand'
    """

    def read(run: AnyRun) -> str:
        state = run.state_at(len(run.trace) - 1)
        found = state.workload(run.key_of(job)).admission
        if not found:
            return _NONE
        return _listed([each for part in found.pod_sets for each in part.flavors.values()])

    return Measure(Message("teaching.measure.flavor", job=job), read)


def placed(job: str, at: Any = None) -> Measure:
    """Return the measure: on which hosts a job's pods are, at a step or in the end.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> run = scenarios.load("racks-1-levels").run()
    >>> placed("train", run.until(workload="train", event="admitted"))(run)
    '2 on b1-r2-h1, 2 on b1-r2-h2'
    """

    def read(run: AnyRun) -> str:
        found = run.state_at(step_at(run, at)).workload(run.key_of(job)).admission
        if not found:
            return _NONE
        places = [place for pod_set in found.pod_sets for place in pod_set.places]
        return ", ".join(f"{count} on {values[-1]}" for values, count in places) or _NONE

    return Measure(Message("teaching.measure.pods", job=job), read)


def first_placed(job: str) -> Measure:
    """Return the measure: on which hosts a job's pods were when it was first admitted.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> first_placed("train")(scenarios.load("racks-2-node-fails").run())
    '2 on r1-h1, 2 on r1-h2'
    """

    def read(run: AnyRun) -> str:
        key = run.key_of(job)
        found = [i for i in run.trace.of_kind("Admitted") if run.trace[i].workload == key]
        return placed(job, found[0])(run) if found else _NONE

    return Measure(Message("teaching.measure.pods", job=job), read)


def cpu_at(seconds: float) -> Measure:
    """Return the measure: how much cpu each ClusterQueue uses, so many seconds after the start.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> cpu_at(20)(scenarios.load("within-cq-1-which-candidate").run())
    'shared 8'
    """

    def read(run: AnyRun) -> str:
        return _cpu_text(run, _last_step_by(run, seconds))

    return Measure(Message("teaching.measure.cpu-at", seconds=f"{seconds:g}"), read)


def step_at(run: AnyRun, at: Any) -> int:
    """Return the index of a step: of a cursor, of an index, or of the last step for ``None``."""
    if at is None:
        return len(run.trace) - 1
    return at if isinstance(at, int) else int(at.index)


def _last_step_by(run: AnyRun, seconds: float) -> int:
    limit = run.trace[0].time + round(seconds * _SECOND)
    return int(max(step.index for step in run.trace if step.time <= limit))


def _cpu_text(run: AnyRun, index: int) -> str:
    queues = run.state_at(index).cluster_queues
    return ", ".join(f"{queue.name} {_cpu(queue.usage):g}" for queue in queues)


def _cpu(usage: Any) -> float:
    return float(sum(amount for (_, resource), amount in usage.items() if resource == "cpu")) / 1000
