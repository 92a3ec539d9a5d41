"""Checking recorded scenarios of MultiKueue, and the configurations that Kueue refuses."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, Final

from kueuelab.conformance.cases import Json
from kueuelab.conformance.compare import ABSENT, Difference
from kueuelab.conformance.multikueue.compare import compare_facts
from kueuelab.conformance.multikueue.final import compare_final, final_state
from kueuelab.conformance.multikueue.recording import Recording, read_recording
from kueuelab.conformance.multikueue.replay import check_operations, replay
from kueuelab.conformance.runner import CaseResult, Crash, FileResult, Options
from kueuelab.errors import InputError, Location, NotModelledError
from kueuelab.multikueue import World

__all__ = ["check_multikueue_file", "differences_of"]

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
        Told of each result.

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
        return result("not modelled", parts=(error.feature,))
    except Exception as error:  # whatever it is, the other scenarios are still worth checking
        text = "".join(traceback.format_exception(error))
        return result("failed", crash=Crash(0, type(error).__name__, str(error), text))
    return result("failed", differences=tuple(found)) if found else result("passed")


def differences_of(recording: Recording) -> list[Difference]:
    """Return how a replay differs; where luck decided, how the luckiest one does."""
    best: list[Difference] | None = None
    for script in _scripts(recording):
        world = replay(recording, script)
        found = _compare(recording.data, world)
        if not found:
            return []
        if best is None or len(found) < len(best):
            best = found
    return best or []


def _scripts(recording: Recording) -> Iterator[tuple[int, ...]]:
    """Yield what ties are to be drawn for: nothing first, then all that may have happened."""
    yield (0,) * _TIES
    drawn = replay(recording, (0,) * _TIES).races.drawn
    sizes = [len(race.others) + 1 for race in drawn[:_TIES]]
    for script in product(*(range(size) for size in sizes)):
        if any(script):
            yield script


def _compare(data: Mapping[str, Any], world: World) -> list[Difference]:
    assert world.log is not None
    found = list(compare_facts(data, world.log.facts))
    state = final_state(world)
    ends = [data["final"]]
    if data.get("finalOtherRun"):
        ends.append(data["finalOtherRun"])
    found += min((list(compare_final(end, state)) for end in ends), key=len)
    return found


def absent_or(value: Any) -> Any:
    """Return a value, or the mark for none."""
    return ABSENT if value is None else value
