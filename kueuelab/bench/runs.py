"""The benchmarks: Kueue's scalability scenarios, from the first arrival to the last job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final

from kueuelab.bench.drive import Drive, Tally, arrive
from kueuelab.bench.measure import Profile, measured, peak_memory, profiled
from kueuelab.bench.shapes import BASELINE, LARGE_SCALE, ONE_COHORT, TAS, Shape, objects_of
from kueuelab.collector import without_collection
from kueuelab.messages import Message
from kueuelab.model import Configuration, FairSharing
from kueuelab.model.times import SECOND, parse_time
from kueuelab.trace.recorder import Recorder

__all__ = ["SHAPES", "START", "Result", "configured", "run_shape"]

#: The scenarios by name.
SHAPES: Final = {shape.name: shape for shape in (BASELINE, LARGE_SCALE, ONE_COHORT, TAS)}

#: The clock at the start; any time would do.
START: Final = parse_time("2026-01-01T00:00:00Z")


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a benchmark.

    Attributes
    ----------
    name : str
        The scenario.
    tally : Tally
        Workloads, cycles, evictions and so on.
    virtual_seconds : float
        How long it took on the simulated clock.
    wall_seconds : float
        How long it took here.
    cpu_seconds : float
        How long a processor worked on it; less than the wall time on a busy machine.
    peak_memory : int, optional
        The most memory that the process held, in bytes.
    profile : Profile, optional
        Where the time went, if that was asked for.
    steps : int, optional
        How many steps were recorded, if any were.
    """

    name: str
    tally: Tally
    virtual_seconds: float
    wall_seconds: float
    cpu_seconds: float
    peak_memory: int | None
    profile: Profile | None = None
    steps: int | None = None

    @property
    def microseconds_per_head(self) -> float:
        """Wall time for each workload considered in a cycle, everything included."""
        return self.wall_seconds * 1e6 / max(1, self.tally.heads)

    def as_json(self) -> dict[str, Any]:
        """Return the result as plain JSON values."""
        record: dict[str, Any] = {
            "scenario": self.name,
            "workloads": self.tally.created,
            **asdict(self.tally),
            "virtualSeconds": self.virtual_seconds,
            "wallSeconds": round(self.wall_seconds, 3),
            "cpuSeconds": round(self.cpu_seconds, 3),
            "microsecondsPerHead": round(self.microseconds_per_head, 1),
            "peakMemoryBytes": self.peak_memory,
        }
        if self.steps is not None:
            record["steps"] = self.steps
        if self.profile is not None:
            record["secondsByRoom"] = self.profile.rooms
        return record


def configured(*, fair_sharing: bool) -> Configuration:
    """Return Kueue's defaults, with fair sharing if asked for."""
    return Configuration(fair_sharing=FairSharing() if fair_sharing else None)


def run_shape(
    shape: Shape,
    *,
    fair_sharing: bool = False,
    profile: bool = False,
    record: bool = False,
    progress: Callable[[], object] = lambda: None,
) -> Result:
    """Run a scenario to its end in virtual time.

    Parameters
    ----------
    shape : Shape
        The scenario.
    fair_sharing : bool, optional
        Whether fair sharing is on, with Kueue's default strategies.
    profile : bool, optional
        Whether to find out where the time goes, which slows it down.
    record : bool, optional
        Whether every step is recorded.
    progress : callable, optional
        Called for each workload that finishes.

    Returns
    -------
    Result
        What happened, and what it cost.
    """
    from kueuelab.simulation import Cluster

    configuration = configured(fair_sharing=fair_sharing)
    recorder = Recorder() if record else None

    def run() -> tuple[Tally, float]:
        cluster = Cluster(configuration, start=START, recorder=recorder)
        for obj in objects_of(shape):
            cluster.apply(obj)
        drive = Drive(cluster, progress)
        arrive(drive, shape, START)
        return drive.run(), (cluster.now - START) / SECOND

    found: Profile | None = None
    with measured() as measurement, without_collection(circles=False):
        if profile:
            (tally, virtual), found = profiled(run)
        else:
            tally, virtual = run()
    seconds, cpu_seconds = measurement.seconds, measurement.cpu_seconds
    name = Message("bench.fair-sharing", name=shape.name) if fair_sharing else shape.name
    steps = None if recorder is None else len(recorder.steps)
    return Result(name, tally, virtual, seconds, cpu_seconds, peak_memory(), found, steps)
