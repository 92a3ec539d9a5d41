"""Edits change their field and nothing else, and are not made where they cannot."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
import yaml

from kueuelab.lint import Settings, lint
from kueuelab.lint.fixing import FixedFile, fixed_files
from kueuelab.lint.reading import Source
from kueuelab.lint.rule import REMOVE, Rename
from kueuelab.lint.yaml_edit import NotEditableError, edited

EDITS: list[Any] = yaml.safe_load((Path(__file__).parent / "edits.yaml").read_text("utf-8"))


def value_of(case: dict[str, Any]) -> Any:
    if "rename" in case:
        return Rename(case["rename"])
    return case.get("value", REMOVE)


@pytest.mark.parametrize("case", EDITS, ids=lambda case: case["name"])
def test_an_edit_changes_its_field_alone(case: dict[str, Any]) -> None:
    arguments = (case["text"], "a.yaml", case.get("document", 0), tuple(case["path"]))
    if "after" in case:
        assert edited(*arguments, value_of(case)) == case["after"]
    else:
        with pytest.raises(NotEditableError):
            edited(*arguments, value_of(case))


OLD = """\
# of team a
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: team-a} # ours
spec:
  cohort: all # of two teams
  namespaceSelector: {}
"""
NEW = OLD.replace("v1beta1", "v1beta2").replace("cohort:", "cohortName:")


def fixed(path: Path) -> list[FixedFile]:
    settings = Settings(only=frozenset({"deprecated-api-version"}))
    return fixed_files(lint([Source(path)], settings))


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_mark_stay(tmp_path: Path, ends: str, mark: str) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes((mark + OLD.replace("\n", ends)).encode())
    (found,) = fixed(file)
    assert "+  cohortName: all # of two teams" in list(found.diff())
    found.write()
    assert file.read_bytes() == (mark + NEW.replace("\n", ends)).encode()
    assert fixed(file) == []


def test_json_stays_json(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    text = '{\n  "apiVersion": "kueue.x-k8s.io/v1beta1",\n  "kind": "Cohort",\n'
    file.write_text(text + '  "metadata": {"name": "all"}\n}\n')
    (found,) = fixed(file)
    assert found.after == found.before.replace("v1beta1", "v1beta2")


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(OLD.encode()),
        OLD.replace("\n", "\r\n", 2).encode(),
        OLD.encode("utf-16"),
    ],
    ids=["compressed", "mixed line ends", "another encoding"],
)
def test_a_file_that_would_not_stay_what_it_is_is_left_alone(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(content)
    assert fixed(file) == []


def test_a_configuration_within_a_config_map_is_left_alone(tmp_path: Path) -> None:
    inner = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
    inner += "featureGates: {PartialAdmission: true}\n"
    obj = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kueue-manager-config"},
        "data": {"controller_manager_config.yaml": inner},
    }
    file = tmp_path / "map.yaml"
    file.write_text(yaml.safe_dump(obj, default_style="|"))
    result = lint([Source(file)])
    assert [each.rule.name for each in result.findings] == ["gate-at-default"]
    assert fixed_files(result) == []


def test_each_object_of_a_list_and_of_a_file_that_a_scenario_names(tmp_path: Path) -> None:
    objects = [
        f"- {line}" if not index else f"  {line}"
        for index, line in enumerate(
            ["apiVersion: kueue.x-k8s.io/v1beta1", "kind: Cohort", "metadata: {name: all}"]
        )
    ]
    (tmp_path / "queues.yaml").write_text(OLD)
    (tmp_path / "list.yaml").write_text("apiVersion: v1\nkind: List\nitems:\n" + "\n".join(objects))
    scenario = "apiVersion: kueuelab/v1\nkind: Scenario\nmetadata: {name: a}\nspec:\n"
    (tmp_path / "a.scenario.yaml").write_text(scenario + "  manifests: [queues.yaml, list.yaml]\n")
    found = fixed(tmp_path / "a.scenario.yaml")
    assert {each.path.name for each in found} == {"queues.yaml", "list.yaml"}
    assert all("v1beta1" not in each.after for each in found)
