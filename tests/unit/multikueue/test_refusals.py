"""What Kueue and its API refuse: configurations, nominations, kubeconfigs and their places."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from kueuelab.errors import InputError
from kueuelab.manifests import load, load_configuration
from kueuelab.multikueue import ClusterSet

sys.path.insert(0, str(Path(__file__).parents[2] / "multikueue"))
from cluster_sets import API, cluster_set, dispatching, job, plan, queues

_INCREMENTAL = "kueue.x-k8s.io/multikueue-dispatcher-incremental"
_EXEC = {"command": "get-token", "apiVersion": "client.authentication.k8s.io/v1"}
_GOOD = {"name": "a", "execConfig": {**_EXEC, "interactiveMode": "Never"}}


@pytest.mark.parametrize(
    ("section", "problems"),
    [
        (
            {"incrementalDispatcherConfig": {"stepSize": 2}},
            [
                'incrementalDispatcherConfig: Invalid value: {"stepSize":2}: '
                "incrementalDispatcherConfig is only valid when dispatcherName is set to the "
                "incremental dispatcher"
            ],
        ),
        (
            {"dispatcherName": _INCREMENTAL, "incrementalDispatcherConfig": {"stepSize": 0}},
            [
                "incrementalDispatcherConfig.stepSize: Invalid value: 0: "
                "must be greater than or equal to 1"
            ],
        ),
        (
            {"externalFrameworks": [{"name": "PipelineRun"}]},
            [
                'externalFrameworks[0].name: Invalid value: "PipelineRun": '
                "must be in 'kind.version.group' format"
            ],
        ),
        (
            {"externalFrameworks": [{"name": "A.v1.example.com"}, {"name": "A.v1.example.com"}]},
            ['externalFrameworks[1].name: Duplicate value: "A.v1.example.com"'],
        ),
        (
            {"externalFrameworks": [{"name": "Job.v1.batch"}]},
            [
                'externalFrameworks[0].name: Invalid value: "Job.v1.batch": '
                "conflicts with a built-in MultiKueue adapter"
            ],
        ),
        (
            {"clusterProfile": {"accessProviders": [_GOOD], "credentialsProviders": [_GOOD]}},
            [
                "clusterProfile.credentialsProviders: Forbidden: "
                "must not be specified when accessProviders is specified"
            ],
        ),
        (
            {"clusterProfile": {"credentialsProviders": [{"execConfig": {"env": [{}]}}]}},
            [
                f"clusterProfile.credentialsProviders.{name}: Required value: must be specified"
                for name in (
                    "name",
                    "execConfig.command",
                    "execConfig.apiVersion",
                    "execConfig.env.name",
                    "execConfig.interactiveMode",
                )
            ],
        ),
        (
            {
                "clusterProfile": {
                    "accessProviders": [
                        {"name": "a", "execConfig": {**_EXEC, "interactiveMode": "Maybe"}}
                    ]
                }
            },
            [
                "clusterProfile.accessProviders.execConfig.interactiveMode: Unsupported value: "
                '"Maybe": supported values: "Always", "IfAvailable", "Never"'
            ],
        ),
    ],
)
def test_the_section_is_refused_in_kueues_words(
    section: dict[str, Any], problems: list[str]
) -> None:
    with pytest.raises(InputError) as caught:
        load_configuration({"multiKueue": section})
    found = [f"{p.field}: {p.message}" for p in caught.value.problems]
    assert found == [f"multiKueue.{text}" for text in problems]


def test_what_is_not_enabled_conflicts_with_nothing() -> None:
    configuration = {
        "integrations": {"frameworks": ["pod"]},
        "multiKueue": {"externalFrameworks": [{"name": "Job.v1.batch"}]},
    }
    assert load_configuration(configuration).multi_kueue.external_frameworks == ("Job.v1.batch",)


def _nominated(names: list[str]) -> str:
    made = cluster_set({"w1": 4}, configuration={"dispatcherName": "example.com/by-hand"})
    made.submit("manager", job("a"), plan(30))
    made.advance(1)
    (key,) = made.manager.member.workloads
    return made.nominate(key, names)


def test_the_api_takes_twenty_nominations_and_names_that_are_not_too_long() -> None:
    assert _nominated([f"w{n}" for n in range(20)]) == ""
    assert _nominated([f"w{n}" for n in range(21)]) == (
        "status.nominatedClusterNames: Too many: 21: must have at most 20 items"
    )
    assert _nominated(["w1", "w" * 257]) == (
        "status.nominatedClusterNames[1]: Too long: may not be more than 256 bytes"
    )


def _connected(source: dict[str, Any], gates: dict[str, bool], state: str = "valid") -> str:
    objects = [*queues(9, checks=["multikueue"]), *dispatching(["w1"])[:2]]
    objects.append(
        {
            "apiVersion": API,
            "kind": "MultiKueueCluster",
            "metadata": {"name": "w1"},
            "spec": {"clusterSource": source},
        }
    )
    manager = load_configuration({"featureGates": gates})
    made = ClusterSet({"manager": manager, "w1": load_configuration({"namespace": "k"})})
    loaded = {"manager": list(load(objects)), "w1": list(load(queues(4)))}
    made.load(loaded, kubeconfigs={"w1": state})
    condition = made.manager.connections.conditions["w1"]
    return f"{condition.status} {condition.reason}: {condition.message}"


_BAD = "False BadKubeConfig: load client config failed: "
_NOT_ALLOWED = f"{_BAD}kubeconfig path is not under the allowed prefix: "
_PREFIX = "/etc/multikueue/kubeconfigs"


@pytest.mark.parametrize(
    ("path", "gate", "state", "expected"),
    [
        ("/tmp/w1", False, "valid", "True Active: Connected"),
        ("/tmp/w1", False, "missing-secret", f"{_BAD}open /tmp/w1: no such file or directory"),
        ("/tmp/w1", True, "valid", f'{_NOT_ALLOWED}"/tmp/w1" is not under "{_PREFIX}"'),
        ("w1", True, "valid", f"{_NOT_ALLOWED}path must be absolute"),
        ("../w1", True, "valid", f'{_NOT_ALLOWED}path contains ".."'),
        (
            f"{_PREFIX}/../x",
            True,
            "valid",
            f'{_NOT_ALLOWED}"/etc/multikueue/x" is not under "{_PREFIX}"',
        ),
        (f"{_PREFIX}/a/../w1", True, "valid", "True Active: Connected"),
        (
            f"{_PREFIX}/w1",
            True,
            "missing-secret",
            f"{_BAD}cannot resolve kubeconfig path symlinks: "
            f"lstat {_PREFIX}/w1: no such file or directory",
        ),
    ],
)
def test_paths_of_kubeconfigs(path: str, gate: bool, state: str, expected: str) -> None:
    source = {"kubeConfig": {"locationType": "Path", "location": path}}
    assert _connected(source, {"MultiKueueKubeConfigPathValidation": gate}, state) == expected


@pytest.mark.parametrize(
    ("gate", "state", "expected"),
    [
        (
            False,
            "valid",
            "False MultiKueueClusterProfileFeatureDisabled: load client config failed: "
            "MultiKueueClusterProfile feature gate is disabled",
        ),
        (
            True,
            "valid",
            "False BadClusterProfile: load client config failed: no access provider configured",
        ),
        (
            True,
            "missing-secret",
            "False BadClusterProfile: load client config failed: "
            'ClusterProfile.multicluster.x-k8s.io "fleet-w1" not found',
        ),
    ],
)
def test_cluster_profiles(gate: bool, state: str, expected: str) -> None:
    source = {"clusterProfileRef": {"name": "fleet-w1"}}
    assert _connected(source, {"MultiKueueClusterProfile": gate}, state) == expected


def test_without_its_gate_nothing_of_multikueue_runs() -> None:
    manager = load_configuration({"featureGates": {"MultiKueue": False}})
    made = ClusterSet({"manager": manager, "w1": load_configuration({"namespace": "k"})})
    objects = {"manager": list(load([*queues(9, checks=["multikueue"]), *dispatching(["w1"])]))}
    made.load({**objects, "w1": list(load(queues(4)))}, facts=True)
    created = made.submit("manager", job("a"), plan(3))
    made.restart_kueue("manager")
    made.advance(30)
    (state,) = made.manager.member.workloads.values()
    assert state.conditions["QuotaReserved"].message == "ClusterQueue cq is inactive"
    assert created.managed_by == ""
    assert not made.manager.connections.conditions
    assert not made.workers["w1"].workloads
