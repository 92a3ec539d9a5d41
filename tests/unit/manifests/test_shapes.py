"""The tables of shapes: what they name exists, and one set serves loading and verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest

from kueuelab.errors import InputError
from kueuelab.manifests import load
from kueuelab.manifests.scenario import SCENARIO_VERSION, VERBS, WorkloadStateName
from kueuelab.manifests.server.rules import RULES as SERVER_RULES
from kueuelab.manifests.shapes.rules import RULES
from kueuelab.manifests.shapes.shape import Shape
from kueuelab.manifests.shapes.tables import (
    _CHECKED,
    _JUDGED,
    _WITH_STATUS,
    KUEUE_KINDS,
    record_of,
    tables_of,
)
from kueuelab.model import RELEASE, RELEASES

CONFIGURATIONS = tuple(f"config.kueue.x-k8s.io/{version}" for version in ("v1beta1", "v1beta2"))
OF_SCENARIO = ("Scenario", "NodePool", "Action", "Submit", "Expectation")

CHECKED = [
    *((version, kind) for version, kinds in _CHECKED.items() for kind in kinds),
    *((version, "Configuration") for version in CONFIGURATIONS),
    *((SCENARIO_VERSION, kind) for kind in OF_SCENARIO),
    *(("status", kind) for kind in _WITH_STATUS),
    ("v1", "JobMeta"),
]
JUDGED = [
    *((version, kind, RELEASE) for version, kinds in _JUDGED.items() for kind in kinds),
    *(
        (f"kueue.x-k8s.io/{version}", kind, release)
        for release in RELEASES.values()
        for version in release.api_versions
        for kind in KUEUE_KINDS
    ),
]


def rules_in(shape: Shape) -> Iterator[str]:
    yield from shape.rules
    if shape.item is not None:
        yield from rules_in(shape.item)
    for field in shape.fields.values():
        yield from rules_in(field.shape)


def test_the_rules_that_tables_name_are_the_rules_that_there_are() -> None:
    checked = {name for each in CHECKED for name in rules_in(record_of(*each))}
    judged = {name for each in JUDGED for name in rules_in(record_of(*each))}
    assert checked == set(RULES)
    assert judged == set(SERVER_RULES)


def test_every_table_serves_an_api_version() -> None:
    folder = Path(str(files("kueuelab.manifests.shapes"))) / "tables"
    found = {str(file.relative_to(folder).with_suffix("")) for file in folder.rglob("*.shapes")}
    assert found == {
        name
        for release in RELEASES.values()
        for tables in tables_of(release.minor).values()
        for name in tables
    }


def test_the_table_of_actions_has_the_verbs_of_the_timeline() -> None:
    action = record_of(SCENARIO_VERSION, "Action")
    assert set(action.fields) == {"at", "cluster", "runs", "stops", *VERBS}


def test_the_table_of_expectations_has_the_states_of_workloads() -> None:
    state = record_of(SCENARIO_VERSION, "Expectation").fields["is"].shape
    assert state.choices == get_args(WorkloadStateName)


OLD_WORKLOAD = """\
apiVersion: kueue.x-k8s.io/v1alpha2
kind: Workload
metadata: {name: a}
spec:
  queueName: team-a
  podSets:
  - spec:
      containers:
      - image: busybox
"""


def test_a_mistake_in_the_pods_of_an_old_version_is_found_where_it_was_written() -> None:
    with pytest.raises(InputError) as raised:
        load(OLD_WORKLOAD, name="old.yaml")
    (problem,) = raised.value.problems
    assert problem.field == "spec.podSets[0].spec.containers[0].name"
    assert problem.location is not None
    assert problem.location.line == 9


def test_names_are_judged_in_the_words_of_kubernetes() -> None:
    with pytest.raises(InputError) as raised:
        load("{apiVersion: v1, kind: Node, metadata: {name: Node_1}}")
    assert "regex used for validation is" in raised.value.problems[0].message
