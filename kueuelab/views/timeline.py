"""The timeline: phases of every workload, lengths of queues and use of quota over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kueuelab.messages import Catalog, language_of
from kueuelab.model import UNLIMITED
from kueuelab.model.times import SECOND, format_duration
from kueuelab.trace.text_table import text_table
from kueuelab.trace.trace import Trace
from kueuelab.views.run_index import RunIndex

__all__ = ["Phase", "Sample", "Timeline", "timeline_of"]

_MOST_ROWS: Final = 60
_MOST_SAMPLES: Final = 300


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of a workload's life, in seconds since the start; ``step`` is its first."""

    workload: str
    phase: str
    start: float
    end: float
    step: int


@dataclass(frozen=True, slots=True)
class Sample:
    """Lengths of queues and use of quota at a time, after a step.

    ``used`` has, per resource, the part of all nominal quota that is in use.
    """

    time: float
    step: int
    pending: int
    admitted: int
    used: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Timeline:
    """The whole run. ``hidden`` counts the workloads that are left out of the phases.

    The last phase of a workload goes on for a little after the last step, until ``end``.
    """

    phases: tuple[Phase, ...]
    workloads: tuple[str, ...]
    hidden: int
    samples: tuple[Sample, ...]
    end: float

    def as_text(self, language: str | Catalog | None = None) -> str:
        """Return one line per workload: its phases and when each began."""
        words = language_of(language)
        rows = []
        for key in self.workloads:
            stretches = [
                words.text("views.timeline.phase", phase=phase.phase, time=_time(phase.start))
                for phase in self.phases
                if phase.workload == key
            ]
            rows.append((key, words.separated(stretches)))
        head = (words.text("views.column.workload"), words.text("views.timeline.phases"))
        text = text_table(head, rows)
        if self.hidden:
            text += "\n" + words.text("views.timeline.more", count=self.hidden)
        return text


def _time(seconds: float) -> str:
    return format_duration(round(seconds * SECOND))


def timeline_of(run_index: RunIndex, *, always: Sequence[str] = ()) -> Timeline:
    """Return the timeline of a run.

    Parameters
    ----------
    run_index
        The run.
    always
        Workloads that are shown however many there are.
    """
    trace = run_index.trace
    if not len(trace):
        return Timeline((), (), 0, (), 0.0)
    start = trace[0].time
    end = trace[-1].time + max((trace[-1].time - start) // 20, SECOND // 10)
    phases = _phases(trace, start, end)
    workloads = _chosen(phases, always)
    shown = set(workloads)
    return Timeline(
        tuple(phase for key in workloads for phase in phases[key]),
        tuple(workloads),
        sum(key not in shown for key in phases),
        tuple(_samples(run_index, start)),
        (end - start) / SECOND,
    )


def _phases(trace: Trace, start: int, end: int) -> dict[str, list[Phase]]:
    running: dict[str, tuple[str, int, int]] = {}
    found: dict[str, list[Phase]] = {}

    def close(key: str, time: int) -> None:
        phase, since, step = running.pop(key)
        stretch = Phase(key, phase, (since - start) / SECOND, (time - start) / SECOND, step)
        found.setdefault(key, []).append(stretch)

    for step in trace.steps.stored:
        for change in step.changes:
            if len(change.path) == 3 and change.path[0] == "workloads":
                key, what = change.path[1:]
                if what != "phase":
                    continue
                if key in running:
                    close(key, step.time)
                if change.after is not None:
                    running[key] = (change.after, step.time, step.index)
    for key in list(running):
        close(key, end)
    return found


def _chosen(phases: Mapping[str, Sequence[Phase]], always: Sequence[str]) -> list[str]:
    """Return the workloads to show: those wanted, those evicted, then the first to come."""
    if len(phases) <= _MOST_ROWS:
        return list(phases)
    wanted = [key for key in always if key in phases]
    evicted = [key for key, them in phases.items() if any(p.phase == "Evicted" for p in them)]
    chosen = dict.fromkeys([*wanted, *evicted, *phases])
    kept = set(list(chosen)[:_MOST_ROWS])
    return [key for key in phases if key in kept]


def _samples(run_index: RunIndex, start: int) -> list[Sample]:
    """Sample the last step of some times: what is only simulated in a cycle is undone there."""
    trace = run_index.trace
    steps = trace.steps
    last = list(steps.last_of_each_time())
    every = max(1, -(-len(last) // _MOST_SAMPLES))
    chosen = sorted({*last[::every], last[-1]})
    return [_sample(run_index, (steps[index].time - start) / SECOND, index) for index in chosen]


def _sample(run_index: RunIndex, time: float, index: int) -> Sample:
    state = run_index.state(index)
    phases = [workload.phase for workload in state.workloads.values()]
    nominal: dict[str, int] = {}
    used: dict[str, int] = {}
    for node in run_index.tree(index).nodes:
        if node.kind != "ClusterQueue":
            continue
        for quota in node.own:
            if quota.nominal < UNLIMITED:
                nominal[quota.resource] = nominal.get(quota.resource, 0) + quota.nominal
        for (_, resource), amount in state.cluster_queue(node.name).usage.items():
            used[resource] = used.get(resource, 0) + amount
    return Sample(
        time,
        index,
        pending=phases.count("Pending"),
        admitted=phases.count("Admitted") + phases.count("QuotaReserved"),
        used={
            resource: used.get(resource, 0) / total for resource, total in nominal.items() if total
        },
    )
