"""The manifest and the container of the service: valid, and with the least rights."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml
from lightkube.codecs import load_all_yaml
from typer.testing import CliRunner

from kueuelab.cli import app
from kueuelab.live.rbac import reader_role
from kueuelab.service.deployment import deployment

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "docs" / "serve"
OBJECTS: list[dict[str, Any]] = list(yaml.safe_load_all(deployment("localhost/kueuelab:0.1.0")))


def only(kind: str) -> dict[str, Any]:
    (found,) = (each for each in OBJECTS if each["kind"] == kind)
    return found


def test_the_manifest_of_the_docs_is_the_one_that_is_written() -> None:
    written = (FOLDER / "kueuelab.yaml").read_text("utf-8")
    assert written == deployment("localhost/kueuelab:0.1.0")
    found = CliRunner().invoke(app, ["serve", "--manifest", "localhost/kueuelab:0.1.0"])
    assert (found.exit_code, found.stdout) == (0, written)


def test_every_object_is_one_of_kubernetes() -> None:
    kinds = [type(each).__name__ for each in load_all_yaml(deployment("image"))]
    assert kinds == [
        *("Namespace", "ServiceAccount", "ClusterRole", "Role"),
        *("ClusterRoleBinding", "RoleBinding", "Deployment", "Service", "NetworkPolicy"),
    ]


def test_the_rights_are_those_of_a_snapshot_and_no_others() -> None:
    roles = [each for each in OBJECTS if each["kind"] in ("ClusterRole", "Role")]
    assert roles == list(yaml.safe_load_all(reader_role()))
    verbs = {verb for role in roles for rule in role["rules"] for verb in rule["verbs"]}
    assert verbs == {"get", "list", "watch"}
    account = {"kind": "ServiceAccount", "name": "kueuelab", "namespace": "kueuelab"}
    for role, binding in zip(roles, ("ClusterRoleBinding", "RoleBinding"), strict=True):
        found = only(binding)
        assert found["subjects"] == [account]
        assert found["roleRef"]["name"] == role["metadata"]["name"]
        assert found["metadata"].get("namespace") == role["metadata"].get("namespace")


def test_the_parts_fit_together() -> None:
    template = only("Deployment")["spec"]["template"]
    (container,) = template["spec"]["containers"]
    labels = template["metadata"]["labels"]
    assert only("Service")["spec"]["selector"] == labels
    assert only("NetworkPolicy")["spec"]["podSelector"]["matchLabels"] == labels
    port = container["ports"][0]["containerPort"]
    (ingress,) = only("NetworkPolicy")["spec"]["ingress"]
    assert [each["port"] for each in ingress["ports"]] == [port]
    assert str(port) in container["args"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    file = container["args"][container["args"].index("--token-file") + 1]
    assert file.startswith(container["volumeMounts"][0]["mountPath"])


def test_the_command_of_the_container_has_the_options_of_its_arguments() -> None:
    (container,) = only("Deployment")["spec"]["template"]["spec"]["containers"]
    command, *arguments = container["args"]
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).stdout
    assert all(each in shown for each in arguments if each.startswith("--"))


def test_the_container_runs_as_the_user_of_the_manifest() -> None:
    text = (FOLDER / "Containerfile").read_text("utf-8")
    known = {"FROM", "COPY", "RUN", "ENV", "USER", "EXPOSE", "ENTRYPOINT", "CMD"}
    lines = re.sub(r"\\\n", "", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
    instructions = [line.split(maxsplit=1) for line in lines if line]
    assert {name for name, _ in instructions} == known
    found = dict(instructions)
    pod = only("Deployment")["spec"]["template"]["spec"]["securityContext"]
    assert found["USER"].split(":") == [str(pod["runAsUser"]), str(pod["fsGroup"])]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (extra,) = re.findall(r"/src\[(\w+)\]", text)
    assert extra in project["optional-dependencies"]
    assert found["ENTRYPOINT"] == '["kueuelab"]'
