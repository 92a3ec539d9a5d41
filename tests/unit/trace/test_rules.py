"""Each excluded candidate carries a rule, and removing that rule makes it a candidate.

For every search of every case, for everybody whom ``why`` says was kept out: the rule is
removed by an edit (of a policy, quota, weight, priority or of what is used), and the same
search is made again. Where another rule stands behind it, that one is removed, too; the
rule that was removed never comes back, and at the end it is a candidate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from kueuelab.conformance.cases import Case
from kueuelab.trace.explain import why
from kueuelab.trace.explanation import Line
from kueuelab.trace.search import Search, SkippedQueue
from kueuelab.trace.searches import searches
from kueuelab.trace.step import Step
from kueuelab.trace.steps import EntryProcessed, PreemptionStarted
from kueuelab.trace.trace import Trace

from .conftest import CASES, UPSTREAM, cases, record
from .removing import RULES, Decision, against, remove, watched

_MOST_RULES = 6

UPSTREAM_FILES = sorted(
    path.name.partition(".")[0] for path in UPSTREAM.glob("upstream-*.jsonl.gz")
)


class Checked(Counter[str]):
    """How often each rule was removed."""


def check(case: Case, monkeypatch: pytest.MonkeyPatch, rules: Checked) -> None:
    with watched(monkeypatch) as decisions:
        trace = record(case)
    if trace is None:
        return
    for step in trace:
        # Searches in which domains of topologies decide, too, are not kept.
        if isinstance(step.facts, PreemptionStarted) and step.index in decisions:
            _none_is_left_out(trace, step, decisions[step.index])
    done: set[tuple[int, str]] = set()
    for search, line in _kept_out(trace):
        decision = decisions.get(search.first)
        if decision is None:
            continue
        for key in _meant(decision, search, line):
            if (search.first, key) not in done:
                done.add((search.first, key))
                _free(decision, key, line, rules)


def _none_is_left_out(trace: Trace, started: Step, decision: Decision) -> None:
    """Each workload that holds quota in the same cohort tree has its verdict, with a rule."""
    end = trace.next(started.index, lambda step: step.kind == "TargetsChosen")
    assert end is not None
    (search,) = searches(trace.steps[started.index : end.index + 1], started.workload)
    for each in decision.neighbours():
        found = against(search, each, decision.tree)
        assert found is None or found.rule in RULES


def _kept_out(trace: Trace) -> Iterator[tuple[Search, Line]]:
    """Yield whom the explanation of each decision says was kept out, with the search."""
    for step in trace:
        if not isinstance(step.facts, EntryProcessed):
            continue
        section = why(trace, step.workload, step.index).section("candidates")
        if section is None:
            continue
        cycle = trace.cycle_at(step.index)
        assert cycle is not None
        found = searches(trace.steps[cycle.first : step.index], step.workload)
        for line in section.lines:
            if line.verdict in ("excluded", "passed-over"):
                assert line.rule in RULES, line
                assert line.text != f"{line.about}: {line.rule}"
                assert line.step is not None
                (search,) = (each for each in found if each.first <= line.step <= each.last)
                yield search, line


def _meant(decision: Decision, search: Search, line: Line) -> list[str]:
    """Return the workloads that a line is about: itself, or those of the queue or cohort."""
    if search.verdict_on(line.about) is not None:
        return [line.about]
    return [
        each.key
        for each in decision.neighbours()
        if search.verdict_on(each.key) is None
        and isinstance(found := against(search, each, decision.tree), SkippedQueue)
        and found.queue == line.about
    ]


def _free(decision: Decision, key: str, line: Line, rules: Checked) -> None:
    """Remove one rule after the other until the workload is a candidate."""
    edited = decision.copy()
    removed: list[str] = []
    for _ in range(_MOST_RULES):
        found = against(edited.made(), edited.holder(key), edited.tree)
        if found is None:
            assert removed
            return
        if not removed:
            assert found.rule == line.rule
        # The same rule may hold of the next cohort up.
        named = f"{found.rule} {found.numbers.get('queue', found.queue)}"
        assert named not in removed, (key, removed, edited.edits)
        remove(edited, found, key)
        removed.append(named)
        rules[found.rule] += 1
    pytest.fail(f"{key} is no candidate even after {edited.edits}")


def _check_file(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, limit: int = 1000
) -> Checked:
    rules = Checked()
    for case in cases(name, limit, folder):
        check(case, monkeypatch, rules)
    return rules


@pytest.mark.parametrize("file", ["curated", "curated-preemption-policies"])
def test_curated_cases(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _check_file(file, CASES, monkeypatch)


@pytest.mark.parametrize("file", UPSTREAM_FILES)
def test_upstream_cases(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _check_file(file, UPSTREAM, monkeypatch)


def test_generated_cases_meet_every_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = Checked()
    for family in ("classical", "hierarchical", "fairsharing", "podsets", "churn"):
        rules += _check_file(f"gen-{family}", CASES, monkeypatch, limit=24)
    assert set(rules) == RULES
