"""What the lab makes of each feature gate, and what flipping one changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.cli.app import app
from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.model import RELEASE, FeatureGate, Release
from kueuelab.whatif.gates import GATES_NOT_FLIPPED, GATES_WITHOUT_EFFECT, flips, treatment, why

PACKAGE = Path(kl.__file__).parent
PAGE = Path(__file__).parents[3] / "docs" / "feature-gates.md"
RUNNER = CliRunner()

#: The code that decides, converts or judges, as text; where gates are listed does not count.
CODE = "".join(
    path.read_text("utf-8")
    for path in PACKAGE.rglob("*.py")
    if "releases" not in path.parts and path.name != "gates.py"
)
#: Gates whose other value the Configuration's own rules treat, or a field of a kind of job.
ELSEWHERE: frozenset[str] = frozenset()


@pytest.mark.parametrize("gate", RELEASE.gates.values(), ids=lambda gate: gate.name)
def test_both_values_are_modelled_where_code_asks(gate: FeatureGate) -> None:
    asked = f'"{gate.name}"' in CODE
    if treatment(gate) == "both" and gate.name not in ELSEWHERE:
        assert asked
    if treatment(gate) == "nothing":
        assert not asked
        assert "nothing: " in why(gate)


def test_every_gate_that_is_named_is_a_gate() -> None:
    assert set(GATES_WITHOUT_EFFECT) | GATES_NOT_FLIPPED <= set(RELEASE.gates)
    assert not set(GATES_WITHOUT_EFFECT) & GATES_NOT_FLIPPED


def test_the_page_has_a_row_for_each_gate() -> None:
    page = PAGE.read_text("utf-8")
    for gate in RELEASE.gates.values():
        default = "on" if gate.default else "off"
        assert f"| `{gate.name}` | {default} | {gate.stage} |" in page, gate.name
        reason = why(gate) or "both values"
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{gate.name}` |")]
        assert reason in row


def test_flipping_a_gate_shows_what_it_decides() -> None:
    def load(release: Release) -> ScenarioSpec:
        return load_scenario(scenarios.text("version-1-overlapping-targets"), release=release)

    found = {each.gate.name: each for each in flips(load, RELEASE)}
    assert set(found) == {
        "RecomputeAssignmentUponPreemptionTargetsOverlap",
        "SchedulingEquivalenceHashing",
    }
    assert found["RecomputeAssignmentUponPreemptionTargetsOverlap"].value is True


def test_a_gate_that_the_configuration_sets_is_flipped_too() -> None:
    def load(release: Release) -> ScenarioSpec:
        text = scenarios.text("version-1-overlapping-targets")
        name = "RecomputeAssignmentUponPreemptionTargetsOverlap"
        gates = f"spec:\n  configuration: {{featureGates: {{{name}: true}}}}\n"
        return load_scenario(text.replace("spec:\n", gates, 1), release=release)

    found = {each.gate.name: each.value for each in flips(load, RELEASE)}
    assert found["RecomputeAssignmentUponPreemptionTargetsOverlap"] is False


def test_gates_are_listed() -> None:
    lines = RUNNER.invoke(app, ["gates"]).stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(RELEASE.gates)
    rows = json.loads(RUNNER.invoke(app, ["gates", "--json", "--kueue-version", "0.18"]).stdout)
    assert {"name", "default", "modelled"} <= set(rows[0])
    shown = RUNNER.invoke(app, ["gates", "--diff", "version-2-undeclared-resource"]).stdout
    assert shown.startswith("QuotaCheckStrategy off:\n  The first decision that differs is number")


def test_a_gate_with_which_objects_are_refused() -> None:
    text = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  queueingStrategy: StrictFIFO
  concurrentAdmissionPolicy: {migration: {mode: TryPreferredFlavors}}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: a, resources: [{name: cpu, nominalQuota: 1}]}]
"""
    (found,) = flips(lambda release: load_scenario(text, release=release), RELEASE)
    assert (found.gate.name, found.value, found.decisions) == ("ConcurrentAdmission", True, None)
    assert "StrictFIFO queueing strategy cannot be used" in str(found.refused[0])
