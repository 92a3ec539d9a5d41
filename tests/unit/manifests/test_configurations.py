"""Configurations with which Kueue does not start, in its words; and all that are shipped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings

import kueuelab as kl
from kueuelab.errors import InputError
from kueuelab.manifests import dump, load, load_configuration, load_scenario
from kueuelab.manifests.decode import decode_configuration
from kueuelab.model import Configuration, FairSharing, WaitForPodsReady
from kueuelab.model.times import SECOND
from kueuelab.testing.strategies import configurations

ROOT = Path(__file__).parents[3]
PACKAGE = Path(kl.__file__).parent

FINAL, INITIAL = "LessThanOrEqualToFinalShare", "LessThanInitialShare"
SELECTOR = {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}


def problems(configuration: dict[str, Any]) -> list[str]:
    with pytest.raises(InputError) as raised:
        load_configuration(configuration)
    return [f"{each.field}: {each.message}" for each in raised.value.problems]


@pytest.mark.parametrize(
    ("configuration", "words"),
    [
        (
            {"fairSharing": {}},
            "fairSharing.preemptionStrategies: Required value: must be specified",
        ),
        (
            {"fairSharing": {"preemptionStrategies": []}},
            "fairSharing.preemptionStrategies: Required value: must be specified",
        ),
        (
            {"fairSharing": {"preemptionStrategies": [INITIAL, FINAL]}},
            f'fairSharing.preemptionStrategies: Unsupported value: ["{INITIAL}","{FINAL}"]: '
            f'supported values: "{FINAL}", "{INITIAL}", "{FINAL},{INITIAL}"',
        ),
        (
            {"waitForPodsReady": {"timeout": "-1s"}},
            'waitForPodsReady.timeout: Invalid value: "-1s": must be greater than or equal to 0',
        ),
        (
            {"admissionFairSharing": {"resourceWeights": {"cpu": -1}}},
            'admissionFairSharing.resourceWeights.cpu: Invalid value: {"cpu":-1}: '
            "must be greater than or equal to 0",
        ),
        (
            {"featureGates": {"Nonsense": True}},
            'featureGates: Invalid value: {"Nonsense":true}: unrecognized feature gate: Nonsense',
        ),
        (
            {"featureGates": {"UnadmittedWorkloadsExplicitStatus": True}},
            'featureGates: Invalid value: "UnadmittedWorkloadsExplicitStatus": '
            "UnadmittedWorkloadsExplicitStatus requires UnadmittedWorkloadsObservability "
            "to be enabled",
        ),
        (
            {"managedJobsNamespaceSelector": SELECTOR},
            "managedJobsNamespaceSelector: Invalid value: "
            '{"matchLabels":{"kubernetes.io/metadata.name":"kube-system"}}: '
            'should not match the "kube-system" namespace',
        ),
        (
            {"integrations": {"externalFrameworks": ["Foo.v1"]}},
            'integrations.externalFrameworks[0]: Invalid value: "Foo.v1": '
            "must be format, 'Kind.version.group.com'",
        ),
        (
            {"integrations": {"externalFrameworks": ["Job.v1.batch"]}},
            'integrations.externalFrameworks[0]: Duplicate value: "Job.v1.batch"',
        ),
        (
            {"integrations": {"frameworks": ["batch/job", "batch/job"]}},
            'integrations.frameworks[1]: Duplicate value: "batch/job"',
        ),
        (
            {"visibilityServer": {"bindAddress": "here"}},
            'visibilityServer.bindAddress: Invalid value: "here": must be a valid IP address',
        ),
        (
            {"visibilityServer": {"bindPort": 0}},
            "visibilityServer.bindPort: Invalid value: 0: must be a valid port number (1-65535)",
        ),
        (
            {"tls": {"minVersion": "VersionTLS13", "cipherSuites": ["A"]}},
            'tls.cipherSuites: Invalid value: ["A"]: '
            "may not be specified when `minVersion` is 'VersionTLS13'",
        ),
        (
            {"metrics": {"customLabels": [{"name": "1st"}]}},
            'metrics.customLabels[0].name: Invalid value: "1st": '
            "must match ^[a-zA-Z][a-zA-Z0-9_]*$",
        ),
        (
            {"metrics": {"customLabels": [{"name": "a"}, {"name": "a"}]}},
            'metrics.customLabels[1].name: Duplicate value: "a"',
        ),
        (
            {"metrics": {"customLabels": [{"name": "a", "sourceKind": "Workload"}]}},
            "metrics.customLabels[0].trackedValues: Invalid value: null: "
            "must not be empty when sourceKind is 'Workload'",
        ),
        (
            {"internalCertManagement": {"webhookServiceName": "-"}},
            'internalCertManagement.webhookServiceName: Invalid value: "-": a DNS-1035 label',
        ),
        (
            {"objectRetentionPolicies": {"workloads": {"afterFinished": "-1s"}}},
            'objectRetentionPolicies.workloads.afterFinished: Invalid value: "-1s": '
            "must be greater than or equal to 0",
        ),
    ],
)
def test_kueue_does_not_start(configuration: dict[str, Any], words: str) -> None:
    assert any(each.startswith(words) for each in problems(configuration)), problems(configuration)


@pytest.mark.parametrize(
    "configuration",
    [
        {},
        {"fairSharing": {"preemptionStrategies": [INITIAL]}},
        {"waitForPodsReady": {"timeout": "0s"}},  # as if it were left out
        {"metrics": {"bindAddress": ":8443", "customLabels": [{"name": "team"}]}},
        {"internalCertManagement": {"enable": False, "webhookServiceName": "-"}},
        {"visibilityServer": {"bindAddress": "::", "bindPort": 8082}},
        {"apiVersion": "config.kueue.x-k8s.io/v1beta1", "fairSharing": {"enable": True}},
        {"apiVersion": "config.kueue.x-k8s.io/v1beta1", "fairSharing": {}},
    ],
)
def test_kueue_starts(configuration: dict[str, Any]) -> None:
    load_configuration(configuration)


def test_the_older_version_has_its_strategies_by_default() -> None:
    old = {"apiVersion": "config.kueue.x-k8s.io/v1beta1", "fairSharing": {"enable": True}}
    sharing = load_configuration(old).fair_sharing
    assert sharing is not None
    assert sharing.preemption_strategies == (FINAL, INITIAL)


def config_map(configuration: dict[str, Any], version: str = "v1beta2") -> dict[str, Any]:
    head = {"apiVersion": f"config.kueue.x-k8s.io/{version}", "kind": "Configuration"}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kueue-manager-config", "namespace": "kueue-system"},
        "data": {"controller_manager_config.yaml": yaml.safe_dump({**head, **configuration})},
    }


@pytest.mark.parametrize("configuration", [{}, {"waitForPodsReady": None}])
def test_an_installed_kueue_waits_for_ready_pods_by_default(configuration: dict[str, Any]) -> None:
    found = load_configuration(config_map(configuration)).wait_for_pods_ready
    assert found == WaitForPodsReady(1800 * SECOND, False, 1800 * SECOND)


def test_what_a_config_map_names_counts() -> None:
    named = {"waitForPodsReady": {"timeout": "5m"}}
    found = load_configuration(config_map(named)).wait_for_pods_ready
    assert found is not None
    assert (found.timeout, found.recovery_timeout) == (300 * SECOND, 300 * SECOND)


def test_the_older_version_and_scenarios_do_not_wait_unless_they_name_it() -> None:
    assert load_configuration(config_map({}, "v1beta1")).wait_for_pods_ready is None
    assert load_configuration({}).wait_for_pods_ready is None


def test_recorded_decisions_are_replayed_with_any_configuration() -> None:
    """The recorder set the decision core up by itself, without Kueue's check at the start."""
    assert decode_configuration({"fairSharing": {}}).fair_sharing_enabled


def shipped() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every Configuration in the files of scenarios and exercises, with its file."""
    folders = (PACKAGE / "scenarios", ROOT / "exercises", ROOT / "tests" / "fuzz" / "files")
    for path in (path for folder in folders for path in sorted(folder.rglob("*.y*ml"))):
        for document in yaml.safe_load_all(path.read_text("utf-8")):
            yield from ((str(path), found) for found in within(document))


def within(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for each in value:
            yield from within(each)
    if not isinstance(value, dict):
        return
    if str(value.get("apiVersion", "")).startswith("config.kueue.x-k8s.io/"):
        yield value
    for name, each in value.items():
        if name == "configuration" and isinstance(each, dict):
            yield each
        elif name == "controller_manager_config.yaml":
            yield yaml.safe_load(each)
        else:
            yield from within(each)


def test_kueue_starts_with_every_configuration_that_is_shipped() -> None:
    found = list(shipped())
    assert len(found) > 10
    for path, configuration in found:
        try:
            load_configuration(configuration)
        except InputError as error:
            pytest.fail(f"{path}: {error}")


@pytest.mark.parametrize("folder", ["kueuelab", "notebooks", "exercises", "docs", "tests"])
def test_no_text_shows_a_configuration_with_which_kueue_does_not_start(folder: str) -> None:
    empty = re.compile(r"""fairSharing["']?\\?["']?: *(\{\}|null)""")
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix in (".py", ".md", ".ipynb", ".yaml") and path != Path(__file__):
            for match in empty.finditer(path.read_text("utf-8")):
                pytest.fail(f"{path}: {match[0]}")


@settings(max_examples=100, deadline=None, database=None)
@given(configurations())
def test_kueue_starts_with_every_random_configuration(configuration: dict[str, Any]) -> None:
    load_configuration(configuration)


# --- a file for a cluster, and a section of a scenario -----------------------------------------

_HEAD = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}
_DEFAULT = WaitForPodsReady(timeout=1800 * SECOND, recovery_timeout=1800 * SECOND)
_SHORT = WaitForPodsReady(timeout=300 * SECOND, recovery_timeout=300 * SECOND)


def test_a_file_for_a_cluster_has_what_an_installed_kueue_adds() -> None:
    manifests = load([_HEAD])
    assert manifests.configuration is not None
    assert manifests.configuration.wait_for_pods_ready == _DEFAULT
    assert load_configuration(_HEAD).wait_for_pods_ready == _DEFAULT
    assert load_scenario([_HEAD]).configuration.wait_for_pods_ready == _DEFAULT
    short = {**_HEAD, "waitForPodsReady": {"timeout": "5m"}}
    assert load_configuration(short).wait_for_pods_ready == _SHORT


def test_an_older_file_that_does_not_name_it_has_it_off() -> None:
    older = {**_HEAD, "apiVersion": "config.kueue.x-k8s.io/v1beta1"}
    assert load_configuration(older).wait_for_pods_ready is None


def test_the_section_of_a_scenario_has_what_it_names() -> None:
    scenario = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": "a"},
        "spec": {"configuration": {"featureGates": {"PartialAdmission": False}}},
    }
    assert load_scenario(scenario).configuration.wait_for_pods_ready is None
    assert load_configuration({"featureGates": {}}).wait_for_pods_ready is None


@pytest.mark.parametrize("fair", [None, FairSharing()])
@pytest.mark.parametrize("wait", [None, _SHORT, _DEFAULT])
def test_a_configuration_is_written_so_that_it_loads_as_it_is(
    wait: WaitForPodsReady | None, fair: FairSharing | None
) -> None:
    written = Configuration(wait_for_pods_ready=wait, fair_sharing=fair)
    assert load(dump(written)).configuration == written
