"""A cluster that runs another release of Kueue than the lab models: every command says so."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest
import yaml
from pretend import Pretend
from stand_in import Serving, api, shared
from typer.testing import CliRunner

from kueuelab.cli.app import app
from kueuelab.live.following import Following
from kueuelab.live.installed_release import difference, installed_version
from kueuelab.live.rbac import reader_role
from kueuelab.live.snapshot import take
from kueuelab.live.why import lab_of, why
from kueuelab.manifests import load_scenario
from kueuelab.manifests.loading.dumped_version import version_of_image
from kueuelab.model import RELEASE

PATH = "/apis/apps/v1/namespaces/kueue-system/deployments/kueue-controller-manager"


def serving(version: str) -> Serving:
    """Serve a recorded cluster in which another release of Kueue is installed."""
    found = Serving(shared("snapshots/queues-2-preempted/main"))
    container = {"name": "manager", "image": f"registry.k8s.io/kueue/kueue:{version}"}
    body = {"spec": {"template": {"spec": {"containers": [container]}}}}
    found.instead[PATH] = lambda request: httpx2.Response(200, json=body)
    return found


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("registry.k8s.io/kueue/kueue:v0.19.2", "v0.19.2"),
        ("registry.k8s.io/kueue/kueue:v0.19.2@sha256:0a1b", "v0.19.2"),
        ("registry.example:5000/kueue", ""),
        ("registry.example:5000/kueue:v0.20.0", "v0.20.0"),
        ("", ""),
    ],
)
def test_the_version_is_the_tag_of_the_image(image: str, version: str) -> None:
    assert version_of_image(image) == version


def test_only_another_release_is_reported() -> None:
    assert difference(RELEASE.version, "kind-lab") == difference("", "kind-lab") == ""
    assert "Decisions can differ" in difference("v0.20.0", "kind-lab")
    assert "Only fixes" in difference("v0.19.4", "kind-lab")


@pytest.mark.parametrize(
    ("version", "notes", "nearest"), [(RELEASE.version, 0, "v0.19.2"), ("v0.20.1", 1, "v0.20-dev")]
)
def test_a_snapshot_and_what_follows_say_it(version: str, notes: int, nearest: str) -> None:
    there = f"the lab decides as {nearest} does"
    found = take(api(serving(version)))
    assert found.kueue == version
    assert f"# Kueue {version}\n" in found.as_yaml()
    assert sum(there in note for note in found.notes) == notes
    assert found.as_yaml().count(there) == notes
    # A snapshot is decided as its cluster would, also once it is a file.
    assert lab_of(found).spec.configuration.release.version == nearest
    assert load_scenario(found.as_yaml()).configuration.release.version == nearest
    answer = why(api(serving(version)), found.of_kind("Workload")[0]["metadata"]["name"])
    assert answer.as_text().count(there) == notes
    assert sum(there in note for note in answer.as_data()["notes"]) == notes
    with Following(api(serving(version))) as following:
        assert sum(there in note for note in following.notes) == notes
        assert following.mirror.configuration.release.version == nearest


@pytest.mark.parametrize("code", [403, 404])
def test_without_the_right_to_read_it_the_version_is_not_known(code: int) -> None:
    found = Serving(shared("snapshots/queues-2-preempted/main"))
    body = {"kind": "Status", "code": code, "reason": "", "message": "no"}
    found.instead[PATH] = lambda request: httpx2.Response(code, json=body)
    assert installed_version(api(found)) == ""
    assert "# Kueue v" not in take(api(found)).as_yaml()


def test_the_role_for_readers_lets_the_version_be_read() -> None:
    _, role = yaml.safe_load_all(reader_role())
    assert {"apps"} <= {group for rule in role["rules"] for group in rule["apiGroups"]}


SCENARIO = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: small}
spec:
  manifests:
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
  timeline:
  - {at: 0s, advance: 1s}
"""


def test_verify_says_it_before_it_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Pretend(tmp_path)
    cluster.install("v0.18.3")
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig))
    (tmp_path / "small.yaml").write_text(SCENARIO)
    try:
        file = str(tmp_path / "small.yaml")
        result = CliRunner().invoke(app, ["live", "verify", file, "--context", cluster.context])
    finally:
        cluster.close()
    assert result.exit_code == 0, result.output
    assert "Kueue in 'kind-pretend' is v0.18.3" in result.stderr
