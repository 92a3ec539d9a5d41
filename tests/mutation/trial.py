"""What notices a mutant: unit tests that are collected once, and recorded cases.

One pytest session collects all tests and runs them once, without any damage. Each mutant is put in
place in a fork of that process, which runs only the tests that reach a changed line: a fork costs a
few hundredths of a second, where a process that imports and collects costs seconds.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from itertools import accumulate, islice
from mmap import mmap
from pathlib import Path
from typing import Any

import mutants as mutation
import pytest

ROOT = Path(__file__).parents[2]
FAMILIES = ("classical", "hierarchical", "fairsharing", "podsets", "checks", "churn", "admissionfs")
#: Processor seconds beyond three times what a test takes after which it no longer ends.
PATIENCE = 10
#: How a process ends, by what noticed its mutant.
_ENDS = {"survived": 0, "cases": 10, "tests": 11, "crash": 12}

#: What reaches a line of a function (0: any of its lines), with the time that each takes.
Reach = dict[tuple[str, int], list[tuple[float, int]]]


class Trial:
    """A pytest session that tries mutants instead of running its tests.

    ``reached`` has, for the tests of the room itself, the recorded cases and the tests of other
    rooms, which of them reach each line: numbers of ``session.items`` and of ``cases``.
    """

    def __init__(
        self,
        cases: int | None,
        folders: Iterable[str],
        todo: list[mutation.Mutant],
        *,
        jobs: int,
        seconds: float,
    ) -> None:
        self.cases = [] if cases is None else list(_cases(cases))
        self.folders = tuple(folders)
        self.todo = todo
        self.jobs = jobs
        self.seconds = seconds
        self.reached: dict[str, Reach] = {"near": {}, "cases": {}, "far": {}}
        self.verdicts: dict[str, str] = {}
        #: Which tests noticed other mutants of a function: they are tried first.
        self._noticed: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        #: The number of the test that a mutant's process has begun, shared with that process.
        self._begun: dict[str, mmap] = {}
        self.session: pytest.Session
        self._keep: Callable[[mutation.Mutant, str], None]
        #: The function of each line of each file that something can stop at.
        self._functions: dict[str, dict[int, str]] = {}
        #: And the lines of each function.
        self._lines: dict[str, set[int]] = {}
        for name, whole in mutation.functions():
            for code in mutation.all_code(whole):
                lines = {line for _, _, line in code.co_lines() if line} - {whole.co_firstlineno}
                self._functions.setdefault(code.co_filename, {}).update(dict.fromkeys(lines, name))
                self._lines.setdefault(name, set()).update(lines)

    def try_all(self, keep: Callable[[mutation.Mutant, str], None]) -> dict[str, str]:
        """Try all mutants, keep each verdict as soon as it is known, and return them by name."""
        self._keep = keep
        options = ["-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:nbval"]
        with Path(os.devnull).open("w") as nowhere:  # noqa: SIM117
            with redirect_stdout(nowhere), redirect_stderr(nowhere):
                outcome = pytest.main([*options, *self.folders], plugins=[self])
        assert outcome in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED), outcome
        return self.verdicts

    # --- what pytest calls ------------------------------------------------------------

    def pytest_collection(self) -> None:
        """Let properties only say whether an example fails: not the smallest, not for later."""
        from hypothesis import Phase, settings

        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("trial", settings(), phases=phases, database=None)
        settings.load_profile("trial")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try the mutants, when all tests are collected."""
        self.session = session
        self._learn()
        self._try_each()
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """End a process at the first test that fails."""
        if report.failed:
            if mutation.in_place() is None:
                _say(f"{report.nodeid} {report.longreprtext}")
            os._exit(_ENDS["tests"])

    # --- what reaches which line ------------------------------------------------------

    def _learn(self) -> None:
        """Run everything once, without any damage; fixtures are gone afterwards, imports stay."""
        from coverage import Coverage

        watch = Coverage(data_file=None, config_file=False, include=[*self._functions])
        took: dict[str, float] = {}

        @contextmanager
        def timed(context: str) -> Iterator[None]:
            watch.switch_context(context)
            began = time.process_time()
            yield
            took[context] = time.process_time() - began

        watch.start()
        for number in range(len(self.cases)):
            with timed(f"cases {number}"):
                assert not self._differs(number), f"{self.cases[number].name} fails"
        items = self.session.items
        for number, (item, following) in enumerate(zip(items, [*items[1:], None], strict=True)):
            near = item.nodeid.startswith(self.folders[0])
            with timed(f"{'near' if near else 'far'} {number}"):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        watch.stop()
        tests = len(items)
        _say(f"{len(self.cases)} cases, {tests} tests in {', '.join(self.folders)}")
        for file, functions in self._functions.items():
            places: dict[str, set[tuple[str, int]]] = {}
            for line, contexts in watch.get_data().contexts_by_lineno(file).items():
                for context in contexts if line in functions else ():
                    here = functions[line]
                    places.setdefault(context, set()).update({(here, line), (here, 0)})
            for context, reached in places.items():
                kind, number = context.split()
                for place in reached:
                    self.reached[kind].setdefault(place, []).append((took[context], int(number)))

    def _reaching(self, kind: str, mutant: mutation.Mutant) -> list[tuple[float, int]]:
        """Return what reaches a line that a mutant changes, the fastest first, for some time."""
        function = mutant.name.partition("__mutmut_")[0]
        # Nothing stops at the lines of a signature: then it is all that reaches the function.
        lines = mutant.touched & self._lines.get(function, set()) or {0}
        reach = self.reached[kind]
        noticed = self._noticed[mutant.path, mutant.function] if kind != "cases" else set()
        found = sorted(
            {each for line in lines for each in reach.get((function, line), ())},
            key=lambda each: (each[1] not in noticed, each),
        )
        sums = accumulate(took for took, _ in found)
        return [each for each, total in zip(found, sums, strict=True) if total < self.seconds]

    # --- one mutant --------------------------------------------------------------------

    def _try_each(self) -> None:
        running: dict[int, mutation.Mutant] = {}
        waiting = iter(self.todo)
        began = time.monotonic()
        mutation.prepare()
        while True:
            for mutant in islice(waiting, self.jobs - len(running)):
                running[self._attempt(mutant)] = mutant
            if not running:
                return
            child, status = os.wait()
            mutant = running.pop(child)
            self.verdicts[mutant.name] = said = verdict(status)
            with self._begun.pop(mutant.name) as begun:
                if said == "tests":
                    number = int.from_bytes(begun[:], "little")
                    self._noticed[mutant.path, mutant.function].add(number)
            self._keep(mutant, said)
            if said == "survived":
                _say(str(mutant))
            if len(self.verdicts) % 50 == 0:
                survived = Counter(self.verdicts.values())["survived"]
                progress = f"{len(self.verdicts)} of {len(self.todo)} tried, {survived} survived"
                _say(f"{progress}, {time.monotonic() - began:.0f} s")

    def _attempt(self, mutant: mutation.Mutant) -> int:
        """Try a mutant in a process of its own; return the process."""
        self._begun[mutant.name] = mmap(-1, 8)
        child = os.fork()
        if child:
            return child
        try:
            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
            mutation.put_in_place(mutant)
            self._run_tests("near", mutant)
            for took, number in self._reaching("cases", mutant):
                limit(took)
                if self._differs(number):
                    os._exit(_ENDS["cases"])
            self._run_tests("far", mutant)
            os._exit(_ENDS["survived"])
        except BaseException:
            os._exit(_ENDS["crash"])

    def _run_tests(self, kind: str, mutant: mutation.Mutant) -> None:
        """Run the tests that reach a mutant; the first that fails ends this process."""
        reaching = self._reaching(kind, mutant)
        chosen = [self.session.items[number] for _, number in reaching]
        for place, (took, _) in enumerate(reaching):
            limit(took)
            self._begun[mutant.name][:] = reaching[place][1].to_bytes(8, "little")
            item, after = chosen[place], next(iter(chosen[place + 1 :]), None)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)

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


def _say(text: str) -> None:
    """Print something for the user, whatever pytest captures."""
    print(text, file=sys.__stdout__, flush=True)


def limit(seconds: float) -> None:
    """End this process unless what takes so long without any damage ends in time."""
    signal.setitimer(signal.ITIMER_PROF, PATIENCE + 3 * seconds)


def verdict(status: int) -> str:
    """Return what the end of a process says: survived, or by what the mutant was noticed."""
    if os.WIFSIGNALED(status):
        return "no end"
    return {code: said for said, code in _ENDS.items()}[os.WEXITSTATUS(status)]
