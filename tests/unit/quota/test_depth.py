"""Cohorts far below one another: they work, or are refused at once and in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import kueuelab as kl
from kueuelab.cli import app
from kueuelab.errors import NotModelledError
from kueuelab.model import Cohort, ObjectMeta
from kueuelab.quota.tree import DEEPEST, QuotaTree
from kueuelab.trace.export import load_trace

runner = CliRunner()

QUEUE = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: {name}}}
spec:
  cohortName: {cohort}
  namespaceSelector: {{}}
  preemption: {{reclaimWithinCohort: Any}}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{{name: default, resources: [{{name: cpu, nominalQuota: 4}}]}}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {{name: {name}, namespace: default}}
spec: {{clusterQueue: {name}}}
"""
HEAD = """apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: deep}
spec:
  timeline:
  - {at: 0s, submit: {job: job-0, queue: bottom, requests: {cpu: 6}, runs: 60s}}
  - {at: 1s, submit: {job: job-1, queue: top, requests: {cpu: 4}, runs: 60s}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
spec: {}
"""
COHORT = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {{name: c{number}}}
spec: {{{parent}}}
"""


def chain(depth: int) -> str:
    cohorts = (
        COHORT.format(number=number, parent=f"parentName: c{number - 1}" if number else "")
        for number in range(depth)
    )
    bottom = QUEUE.format(name="bottom", cohort=f"c{depth - 1}")
    return HEAD + "".join(cohorts) + bottom + QUEUE.format(name="top", cohort="c0")


COMMANDS = (
    ("run", "deep.yaml"),
    ("explain", "deep.yaml", "job-0"),
    ("step", "deep.yaml", "--keys", "nnnccc"),
    ("diff", "deep.yaml", "deep.yaml", "--table"),
    ("run", "deep.yaml", "--save", "deep.html"),
    ("validate", "deep.yaml", "--advise"),
)


@pytest.mark.parametrize("depth", [DEEPEST, 1500, 5000])
def test_a_chain_of_cohorts(depth: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep.yaml").write_text(chain(depth), "utf-8")
    for command in COMMANDS if depth == DEEPEST else COMMANDS[:2]:
        result = runner.invoke(app, list(command))
        if depth == DEEPEST:
            assert result.exit_code == 0, (command, result.output, result.exception)
            continue
        assert result.exit_code == 2
        (line,) = result.stderr.splitlines()
        assert f"a tree of more than {DEEPEST} levels of cohorts" in line
        assert line.startswith("kueuelab: Cohort/c")


def test_the_record_of_a_chain_is_read_again(tmp_path: Path) -> None:
    run = kl.load(chain(DEEPEST)).run()
    run.save(tmp_path / "deep.json.gz")
    assert load_trace(tmp_path / "deep.json.gz").steps == run.trace.steps
    assert any(facts.kind == "CandidateConsidered" for facts in run.trace.steps)


def test_a_chain_is_refused_in_whatever_order_it_comes() -> None:
    numbers = range(1, DEEPEST + 1)
    middle = DEEPEST // 2
    for order in (
        numbers,
        reversed(numbers),
        [*numbers[middle:], *numbers[:middle]],
        [*numbers[::2], *numbers[1::2]],
    ):
        tree = QuotaTree()
        *first, last = (
            Cohort(ObjectMeta(f"c{number}"), parent_name=f"c{number - 1}") for number in order
        )
        for cohort in first:
            tree.set_cohort(cohort)
        with pytest.raises(NotModelledError, match="more than 100 levels of cohorts"):
            tree.set_cohort(last)


def test_a_cycle_of_cohorts_is_as_deep_as_it_likes() -> None:
    tree = QuotaTree()
    for number in range(DEEPEST // 2):
        parent = f"c{(number + 1) % (DEEPEST // 2)}"
        tree.set_cohort(Cohort(ObjectMeta(f"c{number}"), parent_name=parent))
    for number in range(2 * DEEPEST):
        parent = f"d{number - 1}" if number else "c0"
        tree.set_cohort(Cohort(ObjectMeta(f"d{number}"), parent_name=parent))


def test_an_edit_that_makes_it_too_deep() -> None:
    lab = kl.load(chain(DEEPEST))
    with pytest.raises(NotModelledError, match="more than 100 levels of cohorts"):
        lab.fork().edit("cohort/c0", {"spec.parentName": "above"}).run()
