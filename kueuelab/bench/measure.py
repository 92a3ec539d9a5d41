"""Measuring: wall time, memory, and in which room the time is spent."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final

__all__ = ["Measurement", "Profile", "measured", "peak_memory", "profiled"]

_PACKAGE: Final = Path(__file__).resolve().parent.parent

# So many functions are listed.
_LISTED: Final = 15


@dataclass(slots=True)
class Measurement:
    """Seconds of wall time and of processor time, known once the measured block has ended."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0


@contextmanager
def measured() -> Iterator[Measurement]:
    """Measure the time that a block takes.

    Examples
    --------
    >>> with measured() as measurement:
    ...     pass
    >>> measurement.seconds < 1
    True
    """
    measurement = Measurement()
    start, cpu_start = perf_counter(), process_time()
    yield measurement
    measurement.seconds = perf_counter() - start
    measurement.cpu_seconds = process_time() - cpu_start


def peak_memory() -> int | None:
    """Return the most memory this process ever held, in bytes; ``None`` where it is unknown."""
    try:
        import resource
    except ImportError:  # not on this system
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


@dataclass(frozen=True, slots=True)
class Profile:
    """Where the time goes: seconds by room, and the functions that take most of it."""

    rooms: dict[str, float]
    functions: list[tuple[str, int, float]] = field(default_factory=list)


def profiled(run: Callable[[], Any]) -> tuple[Any, Profile]:
    """Run something under the profiler.

    The profiler itself costs time for each call, so that what calls much looks slower than
    it is; the shares are a hint where to look.

    Parameters
    ----------
    run : callable
        What to run.

    Returns
    -------
    tuple
        What it returned, and the profile.
    """
    import cProfile
    import pstats

    profiler = cProfile.Profile()
    result = profiler.runcall(run)
    rooms: Counter[str] = Counter()
    functions = []
    stats: Any = pstats.Stats(profiler)
    for (file, line, name), (_, calls, own, _, _) in stats.stats.items():
        room = _room(file)
        rooms[room] += own
        functions.append((f"{room}: {name} ({Path(file).name}:{line})", calls, own))
    functions.sort(key=lambda function: -function[2])
    return result, Profile(dict(rooms.most_common()), functions[:_LISTED])


def _room(file: str) -> str:
    """Return the room that a source file belongs to."""
    path = Path(file)
    if _PACKAGE not in path.parents:
        return "Python" if file.startswith(("~", "<")) or "python" in file.lower() else "other"
    return path.relative_to(_PACKAGE).parts[0].removesuffix(".py")
