"""Advice on whole files: all of it, with its words and its places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from small_labs import flavor, manifest

from kueuelab.errors import Location
from kueuelab.manifests import load, load_scenario
from kueuelab.whatif.advice import Advice, advise

FOLDER = Path(__file__).parent / "advice"
EXPECTED: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (FOLDER / "expected.yaml").read_text("utf-8")
)


@pytest.mark.parametrize("file", EXPECTED)
def test_everything_is_said_once_and_where_it_is_written(file: str) -> None:
    found = [each.as_data() for each in advise(load_scenario(FOLDER / file), FOLDER / file)]
    for each in found:
        each["file"] = each["file"].removeprefix(f"{FOLDER}/")
    assert found == EXPECTED[file]


@pytest.mark.parametrize("file", EXPECTED)
def test_without_its_source_no_place_is_known(file: str) -> None:
    spec = load_scenario(FOLDER / file)
    assert {each.location for each in advise(spec)} == {None}
    for advice, data in zip(advise(spec), EXPECTED[file], strict=True):
        assert advice.as_data() == {**data, "file": "", "line": 0}


def test_a_line_of_advice() -> None:
    place = Location("queues.yaml", 7)
    advice = Advice("kind", "ClusterQueue/a", "spec.x", "it is odd", "of a rule", "Do it", place)
    assert str(advice) == "queues.yaml:7: ClusterQueue/a: spec.x: it is odd: of a rule. Do it"
    bare = Advice("kind", "Job/team/a", "", "it is odd", "of a rule", "Do it")
    assert str(bare) == "Job/team/a: it is odd: of a rule. Do it"


def test_what_the_cluster_has_already_is_not_missing() -> None:
    existing = load(flavor("sport"), manifest("LocalQueue", "stopped", {"clusterQueue": "x"}))
    spec = load_scenario(FOLDER / "objects.yaml")
    before = {(each.object, each.what) for each in advise(spec)}
    after = {(each.object, each.what) for each in advise(spec, existing=existing)}
    assert before - after == {
        ("ClusterQueue/stopped", "it names ResourceFlavor 'sport'"),
        ("Job/default/elsewhere", "it names LocalQueue 'stopped'"),
    }
    assert after < before
