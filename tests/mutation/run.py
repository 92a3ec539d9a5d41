"""Which small damages to a room do the tests not notice?

Usage: ``python tests/mutation/run.py ROOM [--jobs N] [--cases N] [--only PATTERN] [--again]
[--quick] [--tests PATH]``; ``make mutants`` runs it for every room. mypy looks at all mutants at
once. The others are tried, each in a process of its own: first the room's own tests that reach a
changed line, then recorded cases that do, then tests of other rooms. A mutant that survives is
printed, unless ``equivalent.yaml`` says why it can't be noticed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from itertools import islice
from pathlib import Path
from random import Random
from types import CodeType
from typing import Any

import yaml

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
import mutants as mutation  # noqa: E402

#: The files of each room, and the tests that are about it: its own first.
ROOMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "scheduler": (
        ("kueuelab/scheduler/**/*.py",),
        ("tests/unit/scheduler", "tests/unit/simulation", "tests/unit/trace"),
    ),
    "quota": (("kueuelab/quota/*.py",), ("tests/unit/quota", "tests/unit/scheduler")),
    "queues": (("kueuelab/queues/*.py",), ("tests/unit/queues", "tests/unit/simulation")),
    "multikueue": (
        ("kueuelab/multikueue/reconciler.py",),
        ("tests/multikueue/test_recorded.py", "tests/unit/multikueue"),
    ),
    "whatif": (
        ("kueuelab/whatif/**/*.py",),
        (
            "tests/unit/whatif",
            "tests/unit/cli/test_validate.py",
            "tests/unit/cli/test_diff.py",
            "tests/unit/cli/test_run.py",
            "tests/unit/live/test_why.py",
            "tests/unit/multikueue/test_hazards.py",
            "tests/unit/simulation/test_end_of_instant.py",
            "tests/unit/widgets/test_multikueue_what_if.py",
            "tests/unit/widgets/test_what_if.py",
            "tests/unit/workshop/test_exercise.py",
        ),
    ),
}
FAMILIES = ("classical", "hierarchical", "fairsharing", "podsets", "checks", "churn", "admissionfs")
#: Processor seconds beyond three times what a test takes after which it no longer ends.
PATIENCE = 10

#: What reaches a line of a function (0: any of its lines), with the time that each takes.
Reach = dict[tuple[str, int], list[tuple[float, Any]]]


class Tests:
    """Recorded cases and unit tests, and which lines of which functions each of them reaches."""

    def __init__(self, cases: int | None, folders: Iterable[str]) -> None:
        self.cases = [] if cases is None else list(_cases(cases))
        self.folders = tuple(folders)
        self.reached: Reach = {}
        self.near: Reach = {}
        self.far: Reach = {}
        self._names: dict[CodeType, str] = {}
        #: The lines of each function that something can stop at.
        self._lines: dict[str, set[int]] = {}
        for name, whole in mutation.functions():
            for code in mutation.all_code(whole):
                self._names[code] = name
                lines = (line for _, _, line in code.co_lines() if line)
                self._lines.setdefault(name, set()).update(lines)
            self._lines[name].discard(whole.co_firstlineno)

    def learn(self) -> None:
        """Run everything once, without any damage."""
        for number in range(len(self.cases)):
            began = time.process_time()
            with self._watched() as seen:
                noticed = self._differs(number)
            assert not noticed, f"{self.cases[number].name} fails without any damage"
            took = time.process_time() - began
            for place in self._places(seen):
                self.reached.setdefault(place, []).append((took, number))
        if self.folders:
            own, *others = self.folders
            self.near = self._learn_unit_tests(own)
            if others:
                self.far = self._learn_unit_tests(*others)

    def _learn_unit_tests(self, *folders: str) -> Reach:
        import pytest

        outer = self
        reach: Reach = {}

        class Watcher:
            @pytest.hookimpl(hookwrapper=True)
            def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
                began = time.process_time()
                with outer._watched() as seen:
                    yield
                took = time.process_time() - began
                for place in outer._places(seen):
                    reach.setdefault(place, []).append((took, item.nodeid))

        outcome = _pytest([*folders], [Watcher()])
        assert outcome == 0, f"the tests fail without any damage ({outcome})"
        return reach

    @contextmanager
    def _watched(self) -> Iterator[set[tuple[CodeType, int]]]:
        seen: set[tuple[CodeType, int]] = set()
        names = self._names

        def at_line(frame: Any, event: str, _: object) -> Any:
            if event == "line":
                seen.add((frame.f_code, frame.f_lineno))
            return at_line

        def called(frame: Any, event: str, _: object) -> Any:
            if frame.f_code not in names:
                return None
            seen.add((frame.f_code, 0))
            return at_line

        sys.settrace(called)
        try:
            yield seen
        finally:
            sys.settrace(None)

    def _places(self, seen: Iterable[tuple[CodeType, int]]) -> set[tuple[str, int]]:
        return {(self._names[code], line) for code, line in seen}

    def notice(self, mutant: mutation.Mutant) -> str:
        """Return what notices a mutant in this process: a case, a test, nothing."""
        if self._fails(self.near, mutant):
            return "tests"
        for took, number in self._reaching(self.reached, mutant):
            limit(took)
            if self._differs(number):
                return "cases"
        return "tests" if self._fails(self.far, mutant) else ""

    def _reaching(self, reach: Reach, mutant: mutation.Mutant) -> list[tuple[float, Any]]:
        """Return what reaches a line that a mutant changes, the fastest first."""
        function = mutant.name.partition("__mutmut_")[0]
        # Nothing stops at the lines of a signature: then it is all that reaches the function.
        lines = mutant.touched & self._lines.get(function, set()) or {0}
        return sorted({each for line in lines for each in reach.get((function, line), ())})

    def _fails(self, reach: Reach, mutant: mutation.Mutant) -> bool:
        import pytest

        took = {name: seconds for seconds, name in self._reaching(reach, mutant)}

        class Limits:
            @pytest.hookimpl(tryfirst=True)
            def pytest_runtest_protocol(self, item: Any) -> None:
                limit(took.get(item.nodeid, 0.0))

        return bool(took) and _pytest([*took], [Limits()]) != 0

    def _differs(self, number: int) -> bool:
        from kueuelab.conformance import check_case
        from kueuelab.conformance.replay import replay_case
        from kueuelab.trace.recorder import Recorder

        # The second half is replayed as users see it: with a record.
        record = number % 2 == 1
        result = check_case(
            self.cases[number],
            replay=lambda case: replay_case(case, Recorder() if record else None),
        )
        return result.verdict == "failed"


def _cases(number: int) -> Iterator[Any]:
    """Yield the cases written by hand, and the first of each generated family."""
    from kueuelab.conformance.cases import read_cases

    recorded = ROOT / "tests" / "conformance"
    for name in ("curated", "curated-preemption-policies"):
        yield from read_cases(recorded / f"{name}.jsonl.gz")
    for family in FAMILIES:
        yield from islice(read_cases(recorded / f"gen-{family}.jsonl.gz"), number)


def _pytest(arguments: list[str], plugins: list[Any]) -> int:
    import pytest

    options = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:nbval"]
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        return int(pytest.main([*options, *arguments], plugins=plugins))


def limit(seconds: float) -> None:
    """End this process unless what takes so long without any damage ends in time."""
    signal.setitimer(signal.ITIMER_PROF, PATIENCE + 3 * seconds)


def attempt(mutant: mutation.Mutant, tests: Tests) -> int:
    """Try a mutant in a process of its own; return the process."""
    child = os.fork()
    if child:
        return child
    try:
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        mutation.put_in_place(mutant)
        limit(0)
        noticed = tests.notice(mutant)
        os._exit({"": 0, "cases": 10, "tests": 11}[noticed])
    except BaseException:
        os._exit(12)


def verdict(status: int) -> str:
    """Return what the end of a process says: survived, or by what the mutant was noticed."""
    if os.WIFSIGNALED(status):
        return "no end"
    return {0: "survived", 10: "cases", 11: "tests", 12: "crash"}[os.WEXITSTATUS(status)]


def try_all(
    found: list[mutation.Mutant],
    tests: Tests,
    jobs: int,
    keep: Callable[[mutation.Mutant, str], None],
) -> dict[str, str]:
    """Try mutants, some at a time, and keep each verdict; return them by name."""
    verdicts: dict[str, str] = {}
    running: dict[int, mutation.Mutant] = {}
    waiting = iter(found)
    began = time.monotonic()
    while True:
        for mutant in islice(waiting, jobs - len(running)):
            running[attempt(mutant, tests)] = mutant
        if not running:
            return verdicts
        child, status = os.wait()
        mutant = running.pop(child)
        verdicts[mutant.name] = said = verdict(status)
        keep(mutant, said)
        if said == "survived":
            print(mutant, flush=True)
        if len(verdicts) % 50 == 0:
            survived = Counter(verdicts.values())["survived"]
            spent = time.monotonic() - began
            print(
                f"{len(verdicts)} of {len(found)} tried, {survived} survived, {spent:.0f} s",
                flush=True,
            )


def known() -> dict[mutation.Identity, str]:
    """Return why certain mutants can't be noticed, by path, function and change."""
    entries = yaml.safe_load((HERE / "equivalent.yaml").read_text("utf-8")) or []
    return {
        (entry["path"], entry["function"], tuple(change)): entry["why"]
        for entry in entries
        for change in entry.get("changes") or [entry["change"]]
    }


def without_mutant(
    reasons: Iterable[mutation.Identity], found: Iterable[mutation.Mutant], patterns: Iterable[str]
) -> set[mutation.Identity]:
    """Return the entries about files of some patterns that match none of their mutants."""
    paths = {str(path.relative_to(ROOT)) for pattern in patterns for path in ROOT.glob(pattern)}
    entries = {each for each in reasons if each[0] in paths or not (ROOT / each[0]).exists()}
    return entries - {mutant.identity for mutant in found}


def main() -> int:
    """Try the mutants of one room; return 1 if more than a tenth survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("room", choices=ROOMS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--cases", type=int, default=15, help="cases of each generated family")
    parser.add_argument("--only", default="", help="mutants that this pattern finds")
    parser.add_argument("--quick", action="store_true", help="without the tests of other rooms")
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="only these, and no cases")
    parser.add_argument("--again", action="store_true", help="not those noticed or excused before")
    options = parser.parse_args()
    os.chdir(ROOT)
    patterns, folders = ROOMS[options.room]
    target = ROOT / "build" / "mutants" / options.room
    target.parent.mkdir(parents=True, exist_ok=True)
    report = target.parent / f"{options.room}.json"
    written = mutation.write(target, patterns)
    reasons = known()
    if stale := sorted(without_mutant(reasons, written, patterns)):
        print("Entries of equivalent.yaml that match no mutant:")
        for path, function, change in stale:
            print(path, function, *change, sep="\n  ")
        return 1
    found = [each for each in written if re.search(options.only, each.name)]
    kept = json.loads(report.read_text("utf-8")) if report.exists() else {}
    last = kept if options.again else {}
    verdicts = {
        each.name: said
        for each in found
        if (said := last.get(each.key)) is not None
        and (said != "survived" or each.identity in reasons)
    }
    refused = mutation.refused_by_types(target, [m for m in found if m.name not in verdicts])
    verdicts |= dict.fromkeys(refused, "types")
    print(f"{len(found)} mutants, {len(verdicts)} refused by mypy or known", flush=True)
    mutation.load(target)
    if options.tests:
        tests = Tests(None, options.tests)
    else:
        tests = Tests(options.cases, folders[: 1 if options.quick else None])
    tests.learn()
    print(f"{len(tests.cases)} cases and the tests in {', '.join(tests.folders)}", flush=True)

    def keep(mutant: mutation.Mutant, said: str) -> None:
        # At once: a run of hours may be cut short.
        kept[mutant.key] = said
        report.write_text(json.dumps(kept, indent=1, ensure_ascii=False), "utf-8")

    kept |= {each.key: verdicts[each.name] for each in found if each.name in verdicts}
    todo = [mutant for mutant in found if mutant.name not in verdicts]
    # In no order of files: what a run that is cut short has tried is a sample of the room.
    Random(0).shuffle(todo)
    verdicts |= try_all(todo, tests, options.jobs, keep)

    survivors, excused = [], 0
    for mutant in found:
        if verdicts[mutant.name] == "survived":
            if mutant.identity in reasons:
                excused += 1
            else:
                survivors.append(mutant)
    if survivors:
        print("\nNot known to be equivalent:")
    for mutant in survivors:
        print(mutant)
    counts = Counter(verdicts.values())
    said = ", ".join(f"{counts[each]} {each}" for each in sorted(counts))
    share = len(survivors) / max(1, len(found))
    print(f"{options.room}: {len(found)} mutants: {said}.")
    print(f"{excused} survivors are equivalent, {len(survivors)} are not known: {share:.1%}.")
    return int(share > 0.1)


if __name__ == "__main__":
    sys.exit(main())
