"""What another release of Kueue decides: the packaged scenarios that differ, and bad settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kueuelab import scenarios
from kueuelab.cli.app import app
from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.model import Release, release_named
from kueuelab.whatif.upgrade import Upgrade, upgrade

RUNNER = CliRunner()


def compared(name: str, before: str, after: str) -> Upgrade:
    def load(release: Release) -> ScenarioSpec:
        return load_scenario(scenarios.text(name), release=release)

    return upgrade(load, release_named(before), release_named(after))


@pytest.mark.parametrize(
    ("name", "before", "after", "cause"),
    [
        (
            "version-1-overlapping-targets",
            "v0.19.2",
            "v0.20-dev",
            "RecomputeAssignmentUponPreemptionTargetsOverlap",
        ),
        ("version-2-undeclared-resource", "v0.18.6", "v0.19.2", "QuotaCheckStrategy"),
        ("version-3-slices-within-slices", "v0.18.6", "v0.19.2", "TASMultiLayerTopology"),
    ],
)
def test_the_cause_of_a_difference_is_found(name: str, before: str, after: str, cause: str) -> None:
    found = compared(name, before, after)
    assert found.causes == (cause,)
    assert not found.is_safe
    assert found.decisions


def test_most_scenarios_are_decided_the_same() -> None:
    for name in ("reclaim-1-take-back", "fair-1-three-teams", "lost-worker"):
        found = compared(name, "v0.18.6", "v0.19.2")
        assert found.decisions.divergence is None, name
        assert found.causes == ()


def test_what_has_to_be_changed_comes_first(tmp_path: Path) -> None:
    (tmp_path / "configuration.yaml").write_text(
        "apiVersion: config.kueue.x-k8s.io/v1beta2\n"
        "kind: Configuration\n"
        "featureGates: {HierarchicalCohorts: true, TLSOptions: false, "
        "WorkloadPriorityClassDefaulting: false}\n",
        "utf-8",
    )
    (tmp_path / "queue.yaml").write_text(
        "apiVersion: kueue.x-k8s.io/v1beta1\n"
        "kind: ClusterQueue\n"
        "metadata: {name: team-a}\n"
        "spec: {namespaceSelector: {}}\n",
        "utf-8",
    )
    call = ["upgrade", str(tmp_path), "--from", "0.19", "--to", "0.20"]
    page = tmp_path.parent / "upgrade.html"
    shown = RUNNER.invoke(app, [*call, "--html", str(page)])
    assert shown.exit_code == 1
    lines = shown.stdout.splitlines()
    at = lines.index("To change before the upgrade:")
    assert lines[at + 1 : at + 3] == [
        "  TLSOptions is locked: Kueue does not start until it is taken out of featureGates",
        "  HierarchicalCohorts is gone: Kueue does not start until it is taken out of featureGates",
    ]
    at = lines.index("API versions that Kueue v0.20-dev does not serve (write v1beta2):")
    assert lines[at + 1].endswith("queue.yaml:3: ClusterQueue/team-a")
    assert any(
        line.startswith("  WorkloadPriorityClassDefaulting is true by default, it was false; the")
        for line in lines
    )
    assert "<h1>Kueue v0.19.2 to v0.20-dev" in page.read_text("utf-8")
    data = json.loads(RUNNER.invoke(app, [*call, "--json"]).stdout)
    assert [gate["name"] for gate in data["gates"] if gate["refused"]] == [
        "TLSOptions",
        "HierarchicalCohorts",
    ]


def test_what_the_new_version_refuses_is_listed_and_played(tmp_path: Path) -> None:
    file = tmp_path / "workload.yaml"
    file.write_text(
        "apiVersion: kueue.x-k8s.io/v1beta2\n"
        "kind: Workload\n"
        "metadata: {name: train}\n"
        "spec:\n"
        "  queueName: main\n"
        "  podSets:\n"
        "  - name: main\n"
        "    count: 1\n"
        "    topologyRequest: {required: rack, subGroupCount: -1}\n"
        "    template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}\n",
        "utf-8",
    )
    call = ["upgrade", str(file), "--from", "0.19", "--to", "0.20"]
    found = RUNNER.invoke(app, call)
    lines = found.stdout.splitlines()
    at = lines.index("Manifests that Kueue v0.20-dev refuses:")
    assert "topologyRequest.subGroupCount: Invalid value: -1" in lines[at + 1]
    assert found.exit_code == 1
    data = json.loads(RUNNER.invoke(app, [*call, "--json"]).stdout)
    assert len(data["rejected"]) == 1
    assert data["causes"] == []


def test_known_bugs_are_those_that_the_workloads_meet() -> None:
    # All of v0.19.2 are still there in v0.20-dev.
    found = compared("version-1-overlapping-targets", "v0.19.2", "v0.20-dev")
    assert (found.fixed, found.brought) == ((), ())


def test_a_saved_run_keeps_its_version(tmp_path: Path) -> None:
    saved = tmp_path / "run.json"
    RUNNER.invoke(
        app, ["run", "reclaim-1-take-back", "--kueue-version", "0.18", "--save", str(saved)]
    )
    assert "(Kueue v0.18.6)" in RUNNER.invoke(app, ["run", str(saved)]).stdout
    refused = RUNNER.invoke(app, ["upgrade", str(saved), "--from", "0.18", "--to", "0.19"])
    assert refused.exit_code == 2
    assert "is a saved run" in refused.stderr


def test_bisecting_names_the_first_version() -> None:
    found = RUNNER.invoke(app, ["bisect-version", "version-2-undeclared-resource"])
    assert found.exit_code == 1
    assert found.stdout.startswith(
        "v0.19.2 is the first that decides as v0.20-dev does; v0.18.6 decides otherwise:"
    )
    same = RUNNER.invoke(app, ["bisect-version", "reclaim-1-take-back"])
    assert same.exit_code == 0
    assert same.stdout == "All versions decide the same: v0.18.6, v0.19.2, v0.20-dev.\n"
