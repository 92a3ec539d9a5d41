"""Verdicts of other releases of Kueue, where they are not those of v0.19.2."""

from __future__ import annotations

import shutil
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import kueuelab
from kueuelab.cli.app import app
from kueuelab.errors import UnknownObjectError
from kueuelab.manifests import load_scenario
from kueuelab.manifests.server import Verdict, judge
from kueuelab.manifests.server.proof import proven
from kueuelab.manifests.shapes.tables import tables_of
from kueuelab.model import RELEASES

PACKAGE = Path(kueuelab.__file__).parent
V1BETA2 = "kueue.x-k8s.io/v1beta2"
HOSTNAME = "kubernetes.io/hostname"
TEMPLATE = {"spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}}


def verdicts(manifest: dict[str, Any], existing: dict[str, Any] | None = None) -> list[Verdict]:
    """Return the verdicts of all releases, in order."""
    return [judge(manifest, existing=existing, release=each) for each in RELEASES.values()]


def accepted(manifest: dict[str, Any], existing: dict[str, Any] | None = None) -> list[bool]:
    return [verdict.is_accepted for verdict in verdicts(manifest, existing)]


def kueue(kind: str, spec: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": V1BETA2,
        "kind": kind,
        "metadata": {"name": "a", **metadata},
        "spec": spec,
    }


def workload(*pod_sets: dict[str, Any]) -> dict[str, Any]:
    return kueue("Workload", {"podSets": list(pod_sets)})


def pods(name: str, **request: Any) -> dict[str, Any]:
    found = {"name": name, "count": 2, "template": TEMPLATE}
    return {**found, "topologyRequest": request} if request else found


def job(**annotations: str) -> dict[str, Any]:
    template = deepcopy(TEMPLATE) | {"metadata": {"annotations": annotations}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "a"},
        "spec": {"parallelism": 4, "template": template},
    }


def test_v0_20_does_not_serve_v1beta1() -> None:
    queue = {**kueue("LocalQueue", {"clusterQueue": "a"}), "apiVersion": "kueue.x-k8s.io/v1beta1"}
    assert [verdict.code for verdict in verdicts(queue)] == [201, 201, 404]


def test_v0_18_has_fewer_pod_sets() -> None:
    large = workload(*(pods(f"p{number}") for number in range(11)))
    assert accepted(large) == [False, True, True]
    refused = verdicts(large)[0]
    assert "spec.podSets: Too many: 11: must have at most 10 items" in refused.message


def test_a_slice_has_at_least_one_pod_in_v0_20() -> None:
    request = {"required": "rack", "podSetSliceRequiredTopology": "rack", "podSetSliceSize": 0}
    # The schema refuses it before the webhook does.
    assert [each.code for each in verdicts(workload(pods("p", **request)))] == [403, 403, 422]


def test_a_negative_count_of_sub_groups() -> None:
    negative = workload(pods("p", required="rack", subGroupCount=-1))
    found = verdicts(negative)
    assert [verdict.code for verdict in found] == [201, 201, 422]
    assert [len(verdict.warnings) for verdict in found] == [0, 1, 0]
    assert [proven(negative, each) is None for each in RELEASES.values()] == [False, True, True]


def test_a_flavor_with_a_topology_may_change_in_v0_20() -> None:
    spec = {"nodeLabels": {"pool": "a"}, "topologyName": "racks"}
    flavor = kueue("ResourceFlavor", spec, resourceVersion="1")
    before = dict(judge(flavor).object)
    labels = kueue("ResourceFlavor", {**spec, "nodeLabels": {"pool": "b"}}, resourceVersion="1")
    assert accepted(labels, before) == [False, False, True]
    tolerations = [{"key": "gpu", "operator": "Exists"}]
    tolerating = kueue("ResourceFlavor", {**spec, "tolerations": tolerations}, resourceVersion="1")
    assert accepted(tolerating, before) == [False, False, True]
    other = kueue("ResourceFlavor", {**spec, "topologyName": "rows"}, resourceVersion="1")
    assert accepted(other, before) == [False, False, False]


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        (("rack", HOSTNAME), ("block", "rack", HOSTNAME), [422, 422, 200]),
        (("block", "rack"), ("rack",), [422, 422, 422]),
        (("rack", HOSTNAME), ("rack",), [422, 422, 422]),
        (("rack",), ("rack",), [200, 200, 200]),
    ],
)
def test_levels_change_above_the_hostname_in_v0_20(
    old: tuple[str, ...], new: tuple[str, ...], codes: list[int]
) -> None:
    before, after = (
        kueue("Topology", {"levels": [{"nodeLabel": name} for name in names]}, resourceVersion="1")
        for names in (old, new)
    )
    found = verdicts(after, dict(judge(before).object))
    assert [verdict.code for verdict in found] == codes
    if codes[2] == 422:
        words = (
            "levels are mutable only when kubernetes.io/hostname is the lowest level both before "
            "and after the change"
        )
        assert found[2].causes[0].message.endswith(words)


def test_the_same_cluster_twice_has_another_reason_in_v0_18() -> None:
    found = verdicts(kueue("MultiKueueConfig", {"clusters": ["east", "east"]}))
    assert [verdict.causes[0].reason for verdict in found] == [
        "FieldValueDuplicate",
        "FieldValueInvalid",
        "FieldValueInvalid",
    ]


def test_webhooks_go_by_the_gates_of_the_release() -> None:
    layers = '[{"topology": "rack", "size": 4}, {"topology": "host", "size": 2}]'
    name = "kueue.x-k8s.io/podset-slice-required-topology-constraints"
    asks = job(**{name: layers, "kueue.x-k8s.io/podset-required-topology": "block"})
    assert accepted(asks) == [False, True, True]
    assert verdicts(asks)[0].message.endswith(
        "Forbidden: the TASMultiLayerTopology feature gate must be enabled to use this annotation"
    )
    gates = {"kueue.x-k8s.io/admission-gated-by": ","}
    assert accepted({**job(), "metadata": {"name": "a", "annotations": gates}}) == [
        True,
        False,
        False,
    ]


def test_a_missing_priority_class_is_an_event_in_v0_20() -> None:
    labels = {"kueue.x-k8s.io/queue-name": "lq", "kueue.x-k8s.io/priority-class": "high"}
    manifest = {**job(), "metadata": {"name": "a", "labels": labels}}
    said = [str(load_scenario(manifest, release=each).notes[0]) for each in RELEASES.values()]
    words = "Job/a: it gets no Workload: there is no WorkloadPriorityClass named 'high'"
    event = "; an Event on the job says so (WorkloadPriorityClassNotFound)"
    assert said == [words, words, words + event]


def test_the_command_says_what_a_version_refuses(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(
        "apiVersion: config.kueue.x-k8s.io/v1beta2\n"
        "kind: Configuration\n"
        "integrations: {frameworks: [batch/job]}\n"
        "multiKueue: {dispatcherName: kueue.x-k8s.io/multikueue-dispatcher-incremental, "
        "incrementalDispatcherConfig: {stepSize: 2}}\n"
        "---\n"
        "apiVersion: kueue.x-k8s.io/v1beta1\n"
        "kind: LocalQueue\n"
        "metadata: {name: a}\n"
        "spec: {clusterQueue: a}\n",
        "utf-8",
    )
    codes, texts = [], []
    for version in RELEASES:
        found = CliRunner().invoke(app, ["validate", str(file), "--kueue-version", version])
        codes.append(found.exit_code)
        texts.append(found.stdout)
    assert codes == [1, 0, 1]
    assert 'unknown field "multiKueue.incrementalDispatcherConfig"' in texts[0]
    assert 'no matches for kind "LocalQueue" in version "kueue.x-k8s.io/v1beta1"' in texts[2]
    assert "apiVersion: kueue.x-k8s.io/v1beta2" in texts[2]


def test_a_version_without_tables_leaves_the_others(tmp_path: Path) -> None:
    lab = tmp_path / "kueuelab"
    left_out = shutil.ignore_patterns("v0.18", "app", "frontend", "__pycache__")
    shutil.copytree(PACKAGE, lab, ignore=left_out)
    code = """
from kueuelab.errors import UnknownObjectError
from kueuelab.manifests.server import judge
from kueuelab.model import RELEASES
queue = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue", "metadata": {"name": "a"},
         "spec": {"clusterQueue": "a"}}
for version, release in RELEASES.items():
    try:
        print(version, judge(queue, release=release).code)
    except UnknownObjectError as error:
        print(version, error)
"""
    call = [sys.executable, "-c", code]
    found = subprocess.run(call, cwd=tmp_path, env={}, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == [
        "v0.18.6 there is no set of tables of Kueue's kinds named 'v0.18'. Did you mean 'v0.19'?",
        "v0.19.2 201",
        "v0.20-dev 201",
    ]


def test_a_minor_version_without_tables_is_named() -> None:
    with pytest.raises(UnknownObjectError, match=r"set of tables of Kueue's kinds named 'v1\.0'"):
        tables_of("v1.0")
