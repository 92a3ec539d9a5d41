"""Checking recorded scenarios of MultiKueue, and the configurations that Kueue refuses."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, Final

from kueuelab.conformance.cases import Json
from kueuelab.conformance.compare import ABSENT, Difference
from kueuelab.conformance.multikueue.compare import compare_facts
from kueuelab.conformance.multikueue.final import compare_final, final_state
from kueuelab.conformance.multikueue.recording import RaceOutcomes, Recording, read_recording
from kueuelab.conformance.multikueue.replay import check_operations, replay
from kueuelab.conformance.runner import NOT_MODELLED, CaseResult, Crash, FileResult, Options
from kueuelab.errors import InputError, Location, NotModelledError
from kueuelab.model.times import MILLISECOND, SECOND
from kueuelab.multikueue import ClusterSet, Race, Timing

__all__ = ["check_multikueue_file", "differences_of"]

#: Latencies that are tried: as they are by default; then of slow networks and quick ones, of
#: watches that are quick, and of controllers that are slow, of which others see the half. Of
#: reads that take two requests, and of a start between two collections of garbage.
_TIMINGS: Final = (
    Timing(),
    Timing(remote_call=200 * MILLISECOND),
    Timing(job=40 * MILLISECOND, kubernetes=15 * MILLISECOND, slow_start=200 * MILLISECOND),
    Timing(watch=10 * MILLISECOND),
    Timing(workload=40 * MILLISECOND),
    Timing(workload=40 * MILLISECOND, watch=10 * MILLISECOND),
    Timing(remote_call=30 * MILLISECOND, read=2 * MILLISECOND),
    Timing(watch=150 * MILLISECOND),
    Timing(scheduler=25 * MILLISECOND),
    Timing(read=80 * MILLISECOND),
    Timing(since_collection=5 * SECOND),
)
#: So many ties of a scenario are tried in all their outcomes: each may have gone either way.
_TIES: Final = 4
_STEPS: Final = ("facts", "final")


def check_multikueue_file(
    path: str | Path,
    options: Options,
    progress: Callable[[CaseResult], None] = lambda result: None,
) -> FileResult:
    """Check one recorded scenario, or the configurations of a file.

    Parameters
    ----------
    path : str or Path
        The recording.
    options : Options
        Only ``only`` counts here.
    progress : callable, optional
        Called with each result.

    Returns
    -------
    FileResult
        As for other cases.
    """
    outcome = FileResult(str(path))
    try:
        document = read_recording(path)
    except InputError as error:
        outcome.problems += error.problems
        return outcome
    for result in _results(document, Location(str(path), 1)):
        if not options.only or result.case in options.only:
            outcome.results.append(result)
            progress(result)
    return outcome


def _results(document: Json, location: Location) -> Iterator[CaseResult]:
    if "cases" in document:
        from kueuelab.conformance.multikueue.refused import check_refused

        yield from check_refused(document, location)
        return
    name = str(document.get("name") or Path(location.file).stem)
    yield check_recording(Recording(name, document, location))


def check_recording(recording: Recording) -> CaseResult:
    """Replay a recorded scenario and compare it."""

    def result(verdict: Any, **more: Any) -> CaseResult:
        return CaseResult(recording.name, recording.location, verdict, _STEPS, **more)

    try:
        check_operations(recording)
        found = differences_of(recording)
    except NotModelledError as error:
        return result(NOT_MODELLED, parts=(error.feature,))
    except Exception as error:  # whatever it is, the other scenarios are still worth checking
        text = "".join(traceback.format_exception(error))
        return result("failed", crash=Crash(0, type(error).__name__, str(error), text))
    return result("failed", differences=tuple(found)) if found else result("passed")


def differences_of(recording: Recording) -> list[Difference]:
    """Return how a replay differs; where outcomes decided, how the luckiest one does.

    A recording is one of many possible courses: which worker won a tie, whether a
    worker was quicker than the manager, how far apart two requests were, which worker the
    manager went to first, how long before the start garbage was collected. It is reproduced
    if it is among the ways in which they go here.
    """
    best: list[Difference] | None = None
    workers = max(len(recording.data["clusters"]) - 1, 1)
    for first, timing in product(range(workers), _TIMINGS):
        outcomes = RaceOutcomes(timing=timing, first_worker=first)
        cluster_set = replay(recording, outcomes)
        for script in _scripts(cluster_set.races.drawn):
            found = _with_slow_starts(recording, replace(outcomes, script=script))
            if not found:
                return []
            if best is None or len(found) < len(best):
                best = found
    return best or []


def _scripts(drawn: Sequence[Race]) -> Iterator[tuple[int, ...]]:
    """Yield what ties are to be drawn for: all that may have happened."""
    sizes = [len(race.others) + 1 for race in drawn[:_TIES]]
    yield from product(*(range(size) for size in sizes))


def _with_slow_starts(recording: Recording, outcomes: RaceOutcomes) -> list[Difference]:
    """Compare, with those workers slow that were slow to start a job in the recording."""
    while True:
        found = _compare(recording.data, replay(recording, outcomes))
        slow = outcomes.slow_starts | {key for d in found if (key := _started_late(recording, d))}
        if slow == outcomes.slow_starts:
            return found
        outcomes = replace(outcomes, slow_starts=slow)


def _started_late(recording: Recording, difference: Difference) -> str:
    """Return the job that a manager saw suspended on a worker, though not here; or ``""``."""
    text = str(difference.expected)
    prefix, suffix = f"{recording.manager} Job ", ": condition Suspended=True reason=JobSuspended"
    if difference.got is not ABSENT or not text.startswith(prefix) or suffix not in text:
        return ""
    return f"Job/{recording.namespace}/{text.removeprefix(prefix).partition(suffix)[0]}"


def _compare(data: Mapping[str, Any], cluster_set: ClusterSet) -> list[Difference]:
    assert cluster_set.log is not None
    found = list(compare_facts(data, cluster_set.log.facts))
    state = final_state(cluster_set)
    ends = [data["final"]]
    if data.get("finalOtherRun"):
        ends.append(data["finalOtherRun"])
    each = sorted((list(compare_final(end, state)) for end in ends), key=len)
    found += each[0]
    return found
