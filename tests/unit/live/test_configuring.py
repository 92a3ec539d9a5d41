"""Kueue gets the Configuration that a scenario needs, and in the end the one that it had."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from pretend import RESOURCES, Pretend
from typer.testing import CliRunner

from kueuelab.cli import app
from kueuelab.live import clusters
from kueuelab.live.clusters.runner import Command, Done
from kueuelab.live.configuring import KueueConfigurer
from kueuelab.live.errors import LiveError, NotPlayableError
from kueuelab.live.kueue_configuration import configuration_text, require_configuration
from kueuelab.model import Configuration, FairSharing

HEAD = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
#: With a comment, and with what decides nothing.
ORIGINAL = f"# as it was\n{HEAD}health: {{healthProbeBindAddress: ':8081'}}\n"
FAIR = "fairSharing: {preemptionStrategies: [LessThanInitialShare]}"
WANTED = Configuration(fair_sharing=FairSharing(preemption_strategies=("LessThanInitialShare",)))
SCENARIO = """apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: NAME}
spec:
  configuration: {FAIR}
  manifests:
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: NAME}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: NAME}
    spec:
      namespaceSelector: {}
      resourceGroups:
      - coveredResources: [cpu]
        flavors: [{name: NAME, resources: [{name: cpu, nominalQuota: 2}]}]
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: main, namespace: NAME}
    spec: {clusterQueue: NAME}
  timeline:
  - at: 0s
    submit: {job: a, namespace: NAME, queue: main, requests: {cpu: 1}, runs: 1s}
"""


class Kubectl:
    """Does to a pretended cluster what kubectl would do; tests may make a command fail."""

    is_dry = False

    def __init__(self, cluster: Pretend, *, own: bool = True) -> None:
        self.cluster, self.own = cluster, own
        self.lines: list[str] = []
        self.failing = ""

    def config_map(self) -> dict[str, Any]:
        resource = RESOURCES["", "configmaps"]
        with self.cluster.store.lock:
            return self.cluster.store.get(resource, "kueue-system", "kueue-manager-config")

    @property
    def text(self) -> str:
        return str(self.config_map()["data"]["controller_manager_config.yaml"])

    def run(self, command: Command) -> Done:
        line = " ".join(command.args)
        self.lines.append(line)
        if self.failing and self.failing in line:
            return Done(1, "", "it fails")
        assert f"--context {self.cluster.context}" in line
        if "get nodes -l app.kubernetes.io/managed-by=kueuelab" in line:
            return Done(0, "node/a\n" if self.own else "")
        if "metadata.annotations.kueuelab/configuration-before" in line:
            found = self.config_map()["metadata"].get("annotations") or {}
            return Done(0, found.get("kueuelab/configuration-before", ""))
        if "get configmap/kueue-manager-config" in line:
            return Done(0, self.text)
        if "apply --server-side" in line:
            applied = yaml.safe_load(command.stdin)
            there = self.config_map()
            there["data"] = applied["data"]
            there["metadata"]["annotations"] = applied["metadata"].get("annotations", {})
            return Done(0)
        if "rollout restart" in line:
            self.cluster.restart()
            return Done(0)
        assert "rollout status" in line
        return Done(0)

    def pause(self, seconds: float) -> None:
        raise AssertionError("nothing is waited for")


@pytest.fixture
def kubectl(cluster: Pretend, monkeypatch: pytest.MonkeyPatch) -> Kubectl:
    cluster.configure(ORIGINAL)
    found = Kubectl(cluster)
    monkeypatch.setattr(clusters, "Subprocess", lambda: found)
    return found


def file(folder: Path, name: str, fair: str = FAIR) -> str:
    path = folder / f"{name}.yaml"
    path.write_text(SCENARIO.replace("NAME", name).replace("{FAIR}", f"{{{fair}}}"), "utf-8")
    return str(path)


def verify(cluster: Pretend, *arguments: str) -> Any:
    options = ["--context", cluster.context, "--allow-context", cluster.context]
    return CliRunner().invoke(app, ["live", "verify", *arguments, *options])


def test_what_a_scenario_needs_is_set_and_put_back(
    cluster: Pretend, kubectl: Kubectl, tmp_path: Path
) -> None:
    names = file(tmp_path, "one"), file(tmp_path, "two"), file(tmp_path, "three", "")
    result = verify(cluster, *names, "--configure")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == "3 decisions agree, 0 differ"
    assert kubectl.text == ORIGINAL
    assert (
        "annotations" not in kubectl.config_map()["metadata"]
        or not (kubectl.config_map()["metadata"]["annotations"])
    )
    # Once for the two that need the same, once for the third, once in the end.
    assert sum("rollout restart" in line for line in kubectl.lines) == 3
    assert sum("rollout status" in line for line in kubectl.lines) == 3


def test_it_is_put_back_after_an_error(cluster: Pretend, kubectl: Kubectl, tmp_path: Path) -> None:
    seen = []

    def play(*_: object, **options: Any) -> None:
        from kueuelab.live.access import open_cluster

        api = open_cluster(cluster.context)
        try:
            assert options["configurer"].provide(api, WANTED)
        finally:
            api.close()
        seen.append(kubectl.text)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("kueuelab.live.live_run.play_on", play)
        result = verify(cluster, file(tmp_path, "one"), "--configure")
    assert result.exit_code == 130
    assert yaml.safe_load(seen[0])["fairSharing"] == {
        "preemptionStrategies": ["LessThanInitialShare"]
    }
    assert kubectl.text == ORIGINAL


def test_without_the_option_nothing_is_set_and_the_map_is_shown(
    cluster: Pretend, kubectl: Kubectl, tmp_path: Path
) -> None:
    result = verify(cluster, file(tmp_path, "one"))
    assert result.exit_code == 2
    assert kubectl.lines == []
    assert kubectl.text == ORIGINAL
    assert "--configure" in result.stderr
    shown = yaml.safe_load(
        result.stderr[result.stderr.index("apiVersion: v1") :].split("\nkueuel")[0]
    )
    assert shown["kind"] == "ConfigMap"
    assert shown["metadata"] == {"name": "kueue-manager-config", "namespace": "kueue-system"}
    text = shown["data"]["controller_manager_config.yaml"]
    # Applied as it is, it is what the scenario needs, and all else stays.
    kubectl.config_map()["data"] = {"controller_manager_config.yaml": text}
    assert yaml.safe_load(text)["health"] == {"healthProbeBindAddress": ":8081"}
    cluster.restart()
    assert verify(cluster, file(tmp_path, "one")).exit_code == 0


def test_a_cluster_of_others_is_left_as_it_is(
    cluster: Pretend, kubectl: Kubectl, tmp_path: Path
) -> None:
    kubectl.own = False
    result = verify(cluster, file(tmp_path, "one"), "--configure")
    assert result.exit_code == 2
    assert "kind: ConfigMap" in result.stderr
    assert not [line for line in kubectl.lines if "apply" in line or "rollout" in line]


def test_what_a_killed_run_left_is_put_back_by_clean(cluster: Pretend, kubectl: Kubectl) -> None:
    """Also by the next run, which does not take it for what was there."""
    from kueuelab.live.access import open_cluster

    api = open_cluster(cluster.context)
    try:
        # Nothing is restored, as if the process were killed.
        assert KueueConfigurer(kubectl, lambda sentence: None).provide(api, WANTED)
        assert kubectl.text != ORIGINAL
        with KueueConfigurer(kubectl, lambda sentence: None) as again:
            assert again.provide(api, Configuration())
        assert kubectl.text == ORIGINAL
        assert KueueConfigurer(kubectl, lambda sentence: None).provide(api, WANTED)
    finally:
        api.close()
    options = ["--context", cluster.context, "--allow-context", cluster.context]
    result = CliRunner().invoke(app, ["live", "clean", *options])
    assert result.exit_code == 0, result.output
    assert kubectl.text == ORIGINAL


def test_what_cannot_be_put_back_is_said(cluster: Pretend, kubectl: Kubectl) -> None:
    from kueuelab.live.access import open_cluster

    said: list[str] = []
    api = open_cluster(cluster.context)
    try:
        configurer = KueueConfigurer(kubectl, said.append)
        assert configurer.provide(api, WANTED)
        kubectl.failing = "apply"
        with pytest.raises(LiveError, match="it fails"):
            configurer.__exit__(None, None, None)
        assert f"live clean --context {cluster.context}" in said[-1]
    finally:
        api.close()


def test_only_what_decides_is_changed() -> None:
    found = yaml.safe_load(
        configuration_text(f"{ORIGINAL}featureGates: {{A: true}}\nwaitForPodsReady: {{}}\n", WANTED)
    )
    assert "featureGates" not in found
    assert "waitForPodsReady" not in found
    assert found["health"] == {"healthProbeBindAddress": ":8081"}
    with pytest.raises(NotPlayableError, match="not one of"):
        configuration_text("apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: x\n", WANTED)


def test_the_first_difference_is_named(cluster: Pretend, kubectl: Kubectl) -> None:
    from kueuelab.live.access import open_cluster

    api = open_cluster(cluster.context)
    try:
        with pytest.raises(NotPlayableError) as caught:
            require_configuration(api, WANTED)
    finally:
        api.close()
    assert re.search(r"does not set fairSharing .*kubectl --context", str(caught.value), re.DOTALL)
