"""Three releases of Kueue: what a release holds, and how one is chosen."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kueuelab.cli.app import app
from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.manifests import load_scenario
from kueuelab.model import (
    RELEASE,
    RELEASES,
    Configuration,
    FeatureGates,
    Release,
    nearest_release,
    release_named,
    releases,
)
from kueuelab.model.release import RULES
from kueuelab.simulation import Scenario

ROOT = Path(__file__).parents[3]
RUNNER = CliRunner()


def scenario(version: str | None, gates: dict[str, bool] | None = None) -> dict[str, Any]:
    spec: dict[str, Any] = {"timeline": []}
    if version:
        spec["kueueVersion"] = version
    if gates:
        spec["configuration"] = {"featureGates": gates}
    return {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": "s"},
        "spec": spec,
    }


def test_there_are_three() -> None:
    assert list(RELEASES) == ["v0.18.6", "v0.19.2", "v0.20-dev"]
    assert [release.minor for release in RELEASES.values()] == ["v0.18", "v0.19", "v0.20"]


@pytest.mark.parametrize("release", RELEASES.values(), ids=str)
def test_every_gate_that_code_asks_for_has_a_value(release: Release) -> None:
    every = {name for each in RELEASES.values() for name in each.gates}
    asked = every & set(RELEASE.gates)
    gates = FeatureGates({}, release)
    assert {name for name in asked if name not in gates} == set()
    assert not set(release.decides_as_if) & set(release.gates)
    for gate in release.gates.values():
        assert set(gate.needs) <= set(release.gates), gate


@pytest.mark.parametrize("release", RELEASES.values(), ids=str)
def test_a_release_is_itself_in_another_process(release: Release) -> None:
    gates = FeatureGates({"PartialAdmission": False}, release)
    for again in (copy.deepcopy(gates), pickle.loads(pickle.dumps(gates))):
        assert (again, again.release) == (gates, release)


def test_rules_are_attributes_of_releases() -> None:
    names = {each.name for each in fields(Release)}
    assert set(RULES) <= names
    for name in RULES:
        assert len({getattr(release, name) for release in RELEASES.values()}) > 1, name


@pytest.mark.parametrize("version", ["v0.18.6", "0.18.6", "v0.18", "0.18"])
def test_a_release_has_several_names(version: str) -> None:
    assert release_named(version).version == "v0.18.6"


def test_an_unknown_version_is_named_with_those_that_there_are() -> None:
    with pytest.raises(UnknownObjectError, match=r"'0\.17'. There are: 'v0\.18\.6'"):
        release_named("0.17")


def test_a_scenario_chooses_its_version() -> None:
    run = Scenario(load_scenario(scenario("v0.18.6"))).run()
    assert run.trace.kueue_version == "v0.18.6"
    assert Scenario(load_scenario(scenario(None))).run().trace.kueue_version == RELEASE.version
    with pytest.raises(InputError, match=r"spec\.kueueVersion: there is no release"):
        load_scenario(scenario("v9"))


def test_a_configuration_before_the_scenario_is_of_its_version() -> None:
    configuration = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "integrations": {"frameworks": ["batch/job"]},
    }
    spec = load_scenario([configuration, scenario("v0.18.6")])
    assert spec.configuration.release.version == "v0.18.6"


def deployment(image: str) -> dict[str, Any]:
    containers = [{"name": "manager", "image": image}]
    spec = {"selector": {}, "template": {"spec": {"containers": containers}}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "kueue-controller-manager", "namespace": "kueue-system"},
        "spec": spec,
    }


@pytest.mark.parametrize(
    ("image", "version", "said"),
    [
        ("registry.k8s.io/kueue/kueue:v0.18.2", "v0.18.6", True),
        ("registry.k8s.io/kueue/kueue:v0.19.2@sha256:0a1b", "v0.19.2", True),
        ("registry.example/kueue/kueue:main", "v0.19.2", False),
        ("registry.example/other:v0.18.0", "v0.19.2", False),
    ],
)
def test_a_dump_is_decided_as_the_image_of_its_controller_says(
    image: str, version: str, said: bool
) -> None:
    queue = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "team-a"},
    }
    dump = {"apiVersion": "v1", "kind": "List", "items": [queue, deployment(image)]}
    spec = load_scenario(dump)
    assert spec.configuration.release.version == version
    words = "runs where this was read from; the lab decides as"
    assert any(words in str(note) for note in spec.notes) is said
    chosen = load_scenario(dump, release=release_named("v0.20-dev"))
    assert chosen.configuration.release.version == "v0.20-dev"


def test_what_a_caller_chooses_comes_first() -> None:
    spec = load_scenario(scenario("v0.18.6"), release=release_named("v0.20-dev"))
    assert spec.configuration.release.version == "v0.20-dev"


def test_a_gate_that_a_release_lacks_is_named_and_left_out() -> None:
    written = scenario("v0.20-dev", {"SchedulerLongRequeueInterval": True, "TLSOptions": False})
    found = Scenario(load_scenario(written))
    assert found.spec.configuration.gates["SchedulerLongRequeueInterval"] is False
    assert [text for text in found.assumptions if "feature gate" in text] == [
        "Kueue v0.20-dev has no feature gate SchedulerLongRequeueInterval, and would not start: "
        "it is left out",
        "Kueue v0.20-dev has the feature gate TLSOptions locked to true, and would not start: "
        "what the Configuration sets is left out",
    ]
    with pytest.raises(InputError, match="unrecognized feature gate"):
        load_scenario(scenario(None, {"NoSuchGate": True}))


def test_there_and_back_is_the_same_configuration() -> None:
    written = Configuration(gates=FeatureGates({"SchedulerLongRequeueInterval": True}))
    there = written.of_release(release_named("v0.20-dev"))
    assert there.of_release(RELEASE) == written
    assert there.of_release(RELEASE).gates.overrides == written.gates.overrides


def test_the_command_line_chooses_a_version() -> None:
    name = "version-2-undeclared-resource"
    run = RUNNER.invoke(app, ["run", name, "--kueue-version", "0.18"])
    assert "(Kueue v0.18.6)" in run.stdout
    assert "resource example.com/nic unavailable" in run.stdout
    env = {"KUEUELAB_KUEUE_VERSION": "v0.20-dev"}
    assert "(Kueue v0.20-dev)" in RUNNER.invoke(app, ["run", name], env=env).stdout
    wrong = RUNNER.invoke(app, ["run", name, "--kueue-version", "0.17"])
    assert wrong.exit_code == 2
    assert "There are: 'v0.18.6', 'v0.19.2', 'v0.20-dev'" in wrong.stderr


def test_versions_are_listed() -> None:
    lines = RUNNER.invoke(app, ["versions"]).stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(RELEASES)
    assert [line for line in lines if line.endswith("(default)")] == [lines[1]]


def test_every_rule_is_on_the_page() -> None:
    page = (ROOT / "docs" / "kueue-versions.md").read_text("utf-8")
    for name, pull_request in RULES.items():
        assert f"`{name}`" in page
        assert f"#{pull_request}" in page


def test_every_gate_that_differs_is_on_the_page() -> None:
    page = (ROOT / "docs" / "kueue-versions.md").read_text("utf-8")
    for release in RELEASES.values():
        for name in {*release.gates, *RELEASE.gates}:
            if release.gates.get(name) != RELEASE.gates.get(name):
                assert f"`{name}`" in page, (release, name)


def test_another_patch_of_a_minor_version_can_be_added(monkeypatch: pytest.MonkeyPatch) -> None:
    older = replace(RELEASE, version="v0.19.1")
    found = dict(sorted({**RELEASES, older.version: older}.items()))
    monkeypatch.setattr(releases, "RELEASES", found)
    assert release_named("0.19") is RELEASE
    assert release_named("0.19.1") is older
    assert [nearest_release(version) for version in ("v0.19.0", "v0.19.2", "v0.19.7")] == [
        older,
        RELEASE,
        RELEASE,
    ]
