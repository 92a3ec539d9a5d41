"""What a dump of a large cluster costs: to load, to run, to record, to ask, to save, to open.

What depends on each other is measured in one process, and each such group in a process of its
own: memory that one group needed is not counted for the next.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from kueuelab.bench.cluster_dump import DumpShape, write_dumps
from kueuelab.bench.measure import measured, peak_memory
from kueuelab.collector import without_collection
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.simulation import Player
    from kueuelab.trace.trace import Trace
    from kueuelab.whatif.lab import Lab

__all__ = [
    "DUMP_FACTOR",
    "DUMP_GOALS",
    "GROUPS",
    "MEASURES",
    "DumpGoal",
    "DumpRow",
    "measure_group",
    "run_dumps",
]

_STATES: Final = 200
#: Less processor time than this is not compared, in seconds.
_MEASURABLE: Final = 0.001
_RUN: Final = "run.json.gz"


@dataclass(frozen=True, slots=True)
class DumpGoal:
    """What something may cost with 1,000 ClusterQueues, on one idle core.

    Attributes
    ----------
    cpu_seconds
        Processor time.
    peak_memory
        Memory in bytes, where there is a goal.
    """

    cpu_seconds: float
    peak_memory: int | None = None


_GIB: Final = 2**30
#: The goals for 1,000 ClusterQueues, by measure.
DUMP_GOALS: Final[Mapping[str, DumpGoal]] = {
    "load-yaml": DumpGoal(8, _GIB),
    "load-json": DumpGoal(3, _GIB),
    "cycle": DumpGoal(0.5),
    "rest": DumpGoal(10),
    "record": DumpGoal(20, 3 * _GIB // 2),
    "save": DumpGoal(5),
    "open": DumpGoal(3),
    "state": DumpGoal(0.03),
    "why": DumpGoal(0.2),
    "view": DumpGoal(1),
    "advice": DumpGoal(10),
}
#: Twice the size may cost so many times as much.
DUMP_FACTOR: Final = 2.3


@dataclass(frozen=True, slots=True)
class DumpRow:
    """What one thing costs.

    Attributes
    ----------
    measure
        What was done (one of :data:`MEASURES`).
    cpu_seconds
        Processor time.
    peak_memory
        The most memory that the process held until then, in bytes.
    detail
        What came of it.
    heads
        How many heads were considered in it, or are in what it is about; 0 if that says nothing.
    """

    measure: str
    cpu_seconds: float
    peak_memory: int | None
    detail: str = ""
    heads: int = 0

    @property
    def goal(self) -> DumpGoal:
        """What it may cost with 1,000 ClusterQueues."""
        return DUMP_GOALS[self.measure]

    def factor(self, half: DumpRow | None) -> float | None:
        """Return how many times as much it costs as half the size, if that took any time.

        One preemption leads to others, and how far that goes does not depend on the size: half
        the size may have more heads. So what follows from heads counts as if it had half as many.

        Examples
        --------
        >>> DumpRow("open", 5.0, None).factor(DumpRow("open", 2.0, None))
        2.5
        >>> DumpRow("save", 5.0, None, heads=300).factor(DumpRow("save", 2.0, None, heads=100))
        1.6666666666666667
        """
        if half is None or half.cpu_seconds < _MEASURABLE:
            return None
        factor = self.cpu_seconds / half.cpu_seconds
        return factor * 2 * half.heads / self.heads if self.heads and half.heads else factor

    def as_json(self, half: DumpRow | None = None) -> dict[str, Any]:
        """Return the row as plain JSON values, beside that of half the size."""
        factor = self.factor(half)
        return {
            "measure": self.measure,
            "cpuSeconds": round(self.cpu_seconds, 4),
            "goalSeconds": self.goal.cpu_seconds,
            "peakMemoryBytes": self.peak_memory,
            "goalMemoryBytes": self.goal.peak_memory,
            "halfCpuSeconds": None if half is None else round(half.cpu_seconds, 4),
            "factor": None if factor is None else round(factor, 2),
            "heads": self.heads,
            "halfHeads": None if half is None else half.heads,
            "detail": self.detail,
        }


def run_dumps(
    shapes: Sequence[DumpShape],
    groups: tuple[str, ...] | None = None,
    progress: Callable[[DumpRow], object] = lambda row: None,
) -> list[list[DumpRow]]:
    """Make dumps in a temporary folder and measure what is done with them.

    Each group is measured with all dumps before the next one is: the machine may be faster or
    slower some minutes later.

    Parameters
    ----------
    shapes : sequence of DumpShape
        How large the clusters are.
    groups : tuple of str, optional
        The groups of measures; all of them by default.
    progress : callable, optional
        Called with each row.

    Returns
    -------
    list of list of DumpRow
        The rows of each dump.
    """
    rows: list[list[DumpRow]] = [[] for _ in shapes]
    with TemporaryDirectory() as root:
        folders = [Path(root, str(number)) for number in range(len(shapes))]
        for shape, folder in zip(shapes, folders, strict=True):
            folder.mkdir()
            write_dumps(shape, folder)
        for group in groups or tuple(GROUPS):
            for measures, folder in zip(rows, folders, strict=True):
                for row in _measured_apart(group, folder):
                    measures.append(row)
                    progress(row)
    return rows


def _measured_apart(group: str, folder: Path) -> Iterator[DumpRow]:
    """Measure one group in a process of its own."""
    command = [sys.executable, "-m", "kueuelab.bench", group, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield DumpRow(**json.loads(line))
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)


def measure_group(group: str, folder: Path) -> Iterator[DumpRow]:
    """Measure one group in this process; ``folder`` has the dump, and the run once it is saved."""
    with without_collection():
        yield from GROUPS[group](folder)


def _row(measure: str, do: Callable[[], Any]) -> tuple[DumpRow, Any]:
    with measured() as measurement:
        found = do()
    return DumpRow(measure, measurement.cpu_seconds, peak_memory()), found


def _load(folder: Path) -> Lab:
    from kueuelab.manifests import load_scenario
    from kueuelab.whatif.lab import Lab

    return Lab(load_scenario(folder / "dump.json"))


def _loading(name: str, measure: str) -> Callable[[Path], Iterator[DumpRow]]:
    def rows(folder: Path) -> Iterator[DumpRow]:
        from kueuelab.manifests import load_scenario

        yield _row(measure, lambda: load_scenario(folder / name))[0]

    return rows


def _cycle(folder: Path) -> Iterator[DumpRow]:
    from kueuelab.simulation import Player

    player = Player(_load(folder).spec)
    row, record = _row("cycle", player.cluster.cycle)
    yield _with(row, Message("bench.dump.heads", count=len(record.heads)))


def _rest(folder: Path) -> Iterator[DumpRow]:
    from kueuelab.simulation import Player

    player = Player(_load(folder).spec)
    row, _ = _row("rest", player.play)
    heads = _heads(player)
    counts = {"cycles": len(player.cycles), "heads": heads}
    detail = Message("bench.dump.cycles", count=len(player.cycles), **counts)
    yield replace(row, detail=detail, heads=heads)


def _record(folder: Path) -> Iterator[DumpRow]:
    lab = _load(folder)
    row, run = _row("record", lab.run)
    heads = _heads(run.player)
    detail = Message("bench.dump.steps", count=len(run.trace))
    yield replace(row, detail=detail, heads=heads)
    path = folder / _RUN
    row, _ = _row("save", lambda: run.save(path))
    yield replace(row, detail=f"{path.stat().st_size / 2**20:.1f} MiB", heads=heads)


def _saved(folder: Path) -> Iterator[DumpRow]:
    from kueuelab.trace.explain import why
    from kueuelab.trace.export import load_trace
    from kueuelab.views import Document

    row, trace = _row("open", lambda: load_trace(folder / _RUN))
    heads = _recorded_heads(trace)
    yield replace(row, heads=heads)
    random = Random(0)
    places = [random.randrange(len(trace)) for _ in range(_STATES)]
    row, _ = _row("state", lambda: [trace.state_at(place) for place in places])
    each = replace(row, cpu_seconds=row.cpu_seconds / _STATES, heads=heads)
    yield _with(each, Message("bench.dump.mean", count=_STATES, all=len(trace)))
    row, _ = _row("why", lambda: str(why(trace, _pending(trace))))
    yield replace(row, heads=heads)
    row, _ = _row("view", lambda: Document(trace, view="stepper").as_data())
    yield row


def _advice(folder: Path) -> Iterator[DumpRow]:
    run = _load(folder).run()
    row, report = _row("advice", lambda: run.what_would_admit(_pending(run.trace)))
    yield _with(row, Message("bench.dump.suggestions", count=len(report.suggestions)))


def _pending(trace: Trace) -> str:
    """Return the last workload that is pending at the end."""
    return trace[trace.of_kind("Requeued")[-1]].workload


def _recorded_heads(trace: Trace) -> int:
    """Return how many heads are in a record, without making its index: that is measured."""
    from kueuelab.trace.step import Step
    from kueuelab.trace.steps import NominationStarted

    steps = (entry for entry in trace.steps.stored if isinstance(entry, Step))
    return sum(isinstance(step.facts, NominationStarted) for step in steps)


def _heads(player: Player) -> int:
    return sum(len(cycle.heads) for cycle in player.cycles)


def _with(row: DumpRow, detail: str) -> DumpRow:
    return replace(row, detail=detail)


#: What is measured in one process each, in this order: the run that one saves the next opens.
GROUPS: Final[dict[str, Callable[[Path], Iterator[DumpRow]]]] = {
    "load-yaml": _loading("dump.yaml", "load-yaml"),
    "load-json": _loading("dump.json", "load-json"),
    "cycle": _cycle,
    "rest": _rest,
    "record": _record,
    "saved": _saved,
    "advice": _advice,
}
#: What is measured.
MEASURES: Final = (
    "load-yaml",
    "load-json",
    "cycle",
    "rest",
    "record",
    "save",
    "open",
    "state",
    "why",
    "view",
    "advice",
)
