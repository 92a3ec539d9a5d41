"""Each rule finds its example, at the line that says so, and nothing in one that is right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kueuelab as kl
from kueuelab.lint import CATALOGUE, Result, Rule, Settings, lint, rule_named
from kueuelab.lint.fixing import fixed_files
from kueuelab.lint.reading import Source
from kueuelab.manifests import load

from .page import EXAMPLES, MARK, PAGE, near, text

#: What these are about, the API server refuses, too.
REFUSED = ("borrow-within-cohort-needs-reclaim",)


def judged(example: str, rule: Rule) -> Result:
    settings = Settings(only=frozenset({rule.name}))
    return lint([Source(example, "example.yaml")], settings)


def each_rule() -> list[object]:
    return [pytest.param(rule, id=rule.name) for rule in CATALOGUE]


@pytest.mark.parametrize("rule", each_rule())
def test_it_finds_its_example(rule: Rule) -> None:
    example = EXAMPLES[rule.name]["found"]
    marked = [n for n, line in enumerate(example.splitlines(), 1) if line.rstrip().endswith(MARK)]
    assert marked, "no line is marked"
    result = judged(example, rule)
    found = result.findings
    assert not result.problems or rule.name in REFUSED
    assert sorted({each.location.line for each in found if each.location}) == marked
    assert all(each.location is not None and each.text and each.fix for each in found)


@pytest.mark.parametrize("rule", each_rule())
def test_it_finds_nothing_in_what_is_right(rule: Rule) -> None:
    result = judged(near(rule), rule)
    assert result.findings == ()
    assert not result.problems


@pytest.mark.parametrize("name", ["quota-out-of-reach", "lending-limit-strands-quota"])
def test_without_local_queues_in_the_input_none_is_missed(name: str) -> None:
    rule = rule_named(name)
    alone = EXAMPLES[name]["found"].replace("stopPolicy: Hold", "stopPolicy: None")
    parts = [part for part in alone.split("---\n") if "LocalQueue" not in part]
    selecting = "---\n".join(parts).replace("spec:\n", "spec:\n  namespaceSelector: {}\n")
    if "namespaceSelector" in alone:
        selecting = "---\n".join(parts)
    assert judged(selecting, rule).findings == ()


PROVISIONED = """\
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: capacity}
spec: {controllerName: kueue.x-k8s.io/provisioning-request}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: other}
spec: {admissionChecksStrategy: {admissionChecks: [{name: capacity}]}}
"""


@pytest.mark.parametrize(
    "name",
    [
        *("flavor-without-nodes", "resource-not-on-nodes", "quota-above-nodes"),
        *("topology-level-without-nodes", "never-placed"),
    ],
)
def test_nodes_that_are_made_on_demand_are_not_missed(name: str) -> None:
    assert judged(EXAMPLES[name]["found"], rule_named(name)).findings
    assert not judged(EXAMPLES[name]["found"] + PROVISIONED, rule_named(name)).findings


def test_each_example_is_of_a_rule() -> None:
    assert set(EXAMPLES) == {rule.name for rule in CATALOGUE}


def test_ids_and_names_are_unique_and_in_order() -> None:
    ids = [rule.id for rule in CATALOGUE]
    assert ids == sorted(set(ids))
    assert len({rule.name for rule in CATALOGUE}) == len(CATALOGUE)
    assert all(re.fullmatch(r"KL\d{3}", each) for each in ids)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", rule.name) for rule in CATALOGUE)


def test_the_page_is_made_from_the_catalogue() -> None:
    assert PAGE.read_text("utf-8") == text(), "python -m tests.unit.lint.page writes it anew"


def is_admitted(example: str) -> bool:
    (workload,) = kl.load(example.replace(MARK, "")).run().cluster.plane.workloads.values()
    return workload.is_admitted


@pytest.mark.parametrize(
    "name", ["larger-than-its-queue", "resource-not-covered", "no-flavor-suits", "never-placed"]
)
def test_what_can_never_be_admitted_is_not(name: str) -> None:
    assert not is_admitted(EXAMPLES[name]["found"])
    assert is_admitted(near(rule_named(name)))


@pytest.mark.parametrize("name", ["topology-not-offered", "unknown-topology-level"])
def test_what_has_no_topology_is_not_admitted(name: str) -> None:
    assert not is_admitted(EXAMPLES[name]["found"])


@pytest.mark.parametrize("name", [rule.name for rule in CATALOGUE if rule.is_safe])
def test_a_safe_edit_changes_nothing_that_kueue_decides_by(name: str, tmp_path: Path) -> None:
    file = tmp_path / "example.yaml"
    file.write_text(EXAMPLES[name]["found"])
    before = load(file)
    (fixed,) = fixed_files(lint([Source(file)], Settings(only=frozenset({name}))))
    fixed.write()
    after = load(file)
    assert before.objects == after.objects
    gates = [each.configuration and dict(each.configuration.gates) for each in (before, after)]
    assert gates[0] == gates[1]
    assert lint([Source(file)], Settings(only=frozenset({name}))).findings == ()


@pytest.mark.parametrize("rule", each_rule())
def test_what_it_would_change_is_right_then(rule: Rule, tmp_path: Path) -> None:
    file = tmp_path / "example.yaml"
    file.write_text(EXAMPLES[rule.name]["found"].replace(f" {MARK}", ""))
    settings = Settings(only=frozenset({rule.name}))
    result = lint([Source(file)], settings)
    if rule.name in REFUSED or not any(each.edits for each in result.findings):
        return
    # Of two fields that exclude each other, one is changed at a time.
    for _ in range(2):
        for fixed in fixed_files(result, unsafe=True):
            fixed.write()
        result = lint([Source(file)], settings)
    assert (result.findings, result.problems) == ((), ())
