"""What a search, a fork, a loop and advice say can be said in any language."""

from __future__ import annotations

import re

from small_labs import flavor, job, lab, queue

from kueuelab import scenarios
from kueuelab.messages import Catalog, english, language_of
from kueuelab.whatif.advice import advise
from kueuelab.whatif.lab import LabRun

PSEUDO = language_of("en-XA")
#: Names, amounts, paths of fields and their values: what is the same in any language.
_DATA = re.compile(
    r"default(/[\w-]+)?|[\w-]+/default|ClusterQueue(/[\w-]+)*|Workload/[\w/-]+|(edit|spec)\S*|\w+:|"
    r"\b[a-z]\b|\b\w*[a-z][A-Z]\w*|\d\w*(\.\w+)*|cpu|until="
)


def _plain_words(text: str) -> list[str]:
    """Return the words that are still English."""
    return re.findall(r"\b[A-Za-z]{3,}\b", _DATA.sub(" ", text))


def test_a_report_in_another_language() -> None:
    made = lab(
        [flavor(), queue("a", {"default": 2}), queue("b", {"default": 0}, namespaceSelector=None)],
        [job("x", "a", 2, runs=100), job("y", "a", 1, priority=1), job("z", "b", 1)],
    )
    run = made.run(until=10)
    for workload in "x", "y", "z":
        report = run.what_would_admit(f"default/{workload}")
        assert report.as_text() == report.as_text(english())
        assert _plain_words(report.as_text(PSEUDO)) == []
        for suggestion in report:
            assert _plain_words(suggestion.as_text(PSEUDO)) == []


def test_forks_in_another_language() -> None:
    run = scenarios.load("reclaim-1-take-back").run()
    assert isinstance(run, LabRun)
    for at, where in (0, "the start"), (3, "step 3"), ("2s", "2s"), (None, "the end"):
        fork = run.fork(at)
        assert fork.as_text() == f"At {where}:\n  nothing changes"
        assert _plain_words(fork.as_text(PSEUDO)) == []
        assert repr(fork) == f"<Fork at {where}: 0 changes>"
    changed = run.fork("2s").finish(min(run.trace.workloads)).remove("cluster-queue/team-b")
    assert _plain_words(changed.as_text(PSEUDO)) == []


def test_a_loop_in_another_language() -> None:
    german = Catalog("de", {"whatif.loop.rules": "Regeln: {rules}."}, english())
    report = scenarios.load("loop-1-the-victim-returns").run().loop_report
    assert report is not None
    assert report.as_text(german).splitlines()[:-1] == report.as_text().splitlines()[:-1]
    assert report.as_text(german).splitlines()[-1].startswith("Regeln: ClusterQueue/")


def test_advice_in_another_language() -> None:
    made = lab(
        [flavor(), queue("a", {"default": 2}, preemption={"reclaimWithinCohort": "Any"})], []
    )
    (advice,) = advise(made.spec)
    assert _plain_words(advice.as_text(PSEUDO)) == ["Any"]
