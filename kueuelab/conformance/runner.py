"""Checking cases: replay, compare, and keep what came of it; many at a time if asked."""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from kueuelab.conformance.cases import Case, CaseText, Json, parse_case, read_texts
from kueuelab.conformance.compare import Difference, Level, compare_step
from kueuelab.conformance.partial import named_part
from kueuelab.conformance.parts import PARTS, parts_not_modelled
from kueuelab.errors import InputError, Location, NotModelledError, Problem
from kueuelab.messages import Message
from kueuelab.model import RELEASE, Release, release_named

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = [
    "NOT_MODELLED",
    "CaseResult",
    "Crash",
    "FileResult",
    "Options",
    "Replay",
    "check_case",
    "check_file",
    "simulator",
    "total",
]

#: Replays a case and hands out the record of one step after the other.
Replay: TypeAlias = Callable[[Case], Iterator[Json]]

Verdict = Literal["passed", "failed", "not modelled"]
NOT_MODELLED: Final = "not modelled"

# So many cases wait for each worker: enough to keep it busy, and few enough to stop soon.
_AHEAD: Final = 4


@dataclass(frozen=True, slots=True)
class Crash:
    """The simulator raised an exception in the middle of a case."""

    step: int
    kind: str
    message: str
    traceback: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came of one case.

    Attributes
    ----------
    case : str
        The name of the case.
    location : Location
        Where it is recorded.
    verdict : str
        ``passed``, ``failed`` or ``not modelled``.
    steps : tuple of str
        The operations of the case.
    parts : tuple of str
        The parts it needs that are not modelled.
    differences : tuple of Difference
        Those of the first step that differs.
    crash : Crash, optional
        The exception that ended it.
    """

    case: str
    location: Location
    verdict: Verdict
    steps: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    crash: Crash | None = None


@dataclass(slots=True)
class FileResult:
    """What came of the cases of one file, and what is wrong with the file itself."""

    file: str
    results: list[CaseResult] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def with_verdict(self, verdict: Verdict) -> list[CaseResult]:
        """Return the cases with this verdict, in the order of the file."""
        return [result for result in self.results if result.verdict == verdict]


@dataclass(frozen=True, slots=True)
class Options:
    """What is checked, and how.

    Attributes
    ----------
    level : Level
        How much is compared.
    only : tuple of str
        The names of the cases to check; all of them if empty.
    limit : int, optional
        The number of cases to check of each file.
    fail_fast : bool
        Whether to stop at the first case that fails.
    jobs : int
        The number of processes.
    release : Release
        The release of Kueue that decided, where a case does not say so.
    """

    level: Level = Level.ALL
    only: tuple[str, ...] = ()
    limit: int | None = None
    fail_fast: bool = False
    jobs: int = 1
    release: Release = RELEASE


def check_case(
    case: Case,
    level: Level = Level.ALL,
    *,
    replay: Replay | None = None,
    release: Release = RELEASE,
) -> CaseResult:
    """Replay a case and compare it with what was recorded.

    Parameters
    ----------
    case : Case
        The recorded case.
    level : Level, optional
        How much is compared.
    replay : callable, optional
        What plays the part of Kueue; the simulator, if left out.
    release : Release, optional
        The release of Kueue that decided.

    Returns
    -------
    CaseResult
        Whether it passed, and if not, where it differs.

    Examples
    --------
    >>> case = Case("a", ({"op": "cycle"},), ({"op": "cycle", "cycles": []},))
    >>> check_case(case, replay=lambda case: iter(case.expect)).verdict
    'passed'
    """
    replay = replay or simulator(
        release_named(case.kueue_version) if case.kueue_version else release
    )
    operations = tuple(step["op"] for step in case.steps)

    def result(verdict: Verdict, **more: object) -> CaseResult:
        return CaseResult(case.name, case.location, verdict, operations, **more)  # type: ignore[arg-type]

    if parts := parts_not_modelled(case):
        return result(NOT_MODELLED, parts=parts)
    differences: list[Difference] = []
    crash = None
    step = 0
    try:
        for want, got in zip(case.expect, replay(case), strict=True):
            seen = named_part(want, got) if case.partial else got
            differences += compare_step(step, want, seen, level)
            if differences:
                break
            step += 1
    except NotModelledError as error:
        if error.feature in PARTS:
            return result(NOT_MODELLED, parts=(error.feature,))
        crash = _crash(step, error)
    except Exception as error:  # whatever it is, the other cases are still worth checking
        crash = _crash(step, error)
    if differences or crash is not None:
        return result("failed", differences=tuple(differences), crash=crash)
    return result("passed")


def simulator(release: Release = RELEASE) -> Replay:
    """Return what replays cases on the simulator."""
    from kueuelab.conformance.replay import replay_case  # it needs the whole simulator

    return partial(replay_case, release=release)


def _crash(compared: int, error: Exception) -> Crash:
    text = "".join(traceback.format_exception(error))
    return Crash(compared, type(error).__name__, str(error), text)


def check_file(
    path: str | Path,
    options: Options = Options(),
    *,
    replay: Replay | None = None,
    progress: Callable[[CaseResult], None] = lambda result: None,
) -> FileResult:
    """Check the cases of a file.

    Parameters
    ----------
    path : str or Path
        A file of recorded cases.
    options : Options, optional
        What is checked, and how.
    replay : callable, optional
        What plays the part of Kueue; the simulator, if left out.
    progress : callable, optional
        Called with each result, in the order of the file.

    Returns
    -------
    FileResult
        Also for a damaged file: its problems, and the results of what could be read.
    """
    from kueuelab.conformance.multikueue import check_multikueue_file, is_recording

    if is_recording(path):
        return check_multikueue_file(path, options, progress)
    from kueuelab.conformance.verdicts import check_verdict_file, is_verdict_file

    if is_verdict_file(path):
        return check_verdict_file(path, options, progress)
    outcome = FileResult(str(path))
    seen: set[str] = set()
    texts = _listening(islice(read_texts(path), options.limit), outcome.problems)
    for checked in _checked(texts, options, replay):
        if isinstance(checked, InputError):
            outcome.problems += checked.problems
            continue
        if checked is None:
            continue
        if checked.case in seen:
            twice = Message("conformance.case.same-name")
            about = Message("conformance.case.about", name=checked.case)
            outcome.problems.append(Problem(twice, about, "", checked.location))
        seen.add(checked.case)
        outcome.results.append(checked)
        progress(checked)
        if options.fail_fast and checked.verdict == "failed":
            break
    return outcome


_Checked: TypeAlias = CaseResult | InputError | None


def _listening(texts: Iterable[CaseText], problems: list[Problem]) -> Iterator[CaseText]:
    """Hand on texts until the file is at its end, or damaged."""
    try:
        yield from texts
    except InputError as error:
        problems.extend(error.problems)


def _checked(
    texts: Iterable[CaseText], options: Options, replay: Replay | None
) -> Iterator[_Checked]:
    if options.jobs <= 1:
        for text in texts:
            yield _check_text(text, options, replay)
        return
    from concurrent.futures import ProcessPoolExecutor  # only many processes need it

    waiting: deque[Future[_Checked]] = deque()
    pool = ProcessPoolExecutor(options.jobs)
    try:
        for text in texts:
            waiting.append(pool.submit(_check_text, text, options, replay))
            if len(waiting) >= options.jobs * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _check_text(text: CaseText, options: Options, replay: Replay | None) -> _Checked:
    """Check one case; this is what workers do."""
    try:
        case = parse_case(text)
    except InputError as error:
        return error
    if options.only and case.name not in options.only:
        return None
    return check_case(case, options.level, replay=replay, release=options.release)


def total(files: Sequence[FileResult], verdict: Verdict) -> int:
    """Count the cases with this verdict.

    Examples
    --------
    >>> total([FileResult("a.jsonl")], "failed")
    0
    """
    return sum(len(file.with_verdict(verdict)) for file in files)
