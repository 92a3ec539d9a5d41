"""What the proof accepts, the server accepts; nothing else changes a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from kueuelab.bench.cluster_dump import DumpShape, dump_objects
from kueuelab.conformance.cases import read_texts
from kueuelab.conformance.verdicts.recording import parse_verdict
from kueuelab.manifests import load
from kueuelab.manifests.loading import verdicts
from kueuelab.manifests.server import judge
from kueuelab.manifests.server.proof import proven
from kueuelab.manifests.shapes.check import is_certainly_sound, mistakes
from kueuelab.manifests.shapes.tables import status_shape

RECORDED = Path(__file__).parents[3] / "validation"
#: What takes the place of a value, one after the other; all of it stands for a mistake somewhere.
WRONG = (None, "", "A_b", "-1", -1, 0, 1, 2**31, 2**63, 1.5, 2.0, True, [], {}, [None], {"a": None})


def manifests() -> Iterator[dict[str, Any]]:
    for name in ("verdicts", "more"):
        for text in read_texts(RECORDED / f"{name}.jsonl.gz"):
            yield parse_verdict(text).manifest


def without_given(obj: Any) -> dict[str, Any]:
    """Return an object without what the proof returns as it was given, or not at all."""
    return {name: part for name, part in obj.items() if name not in ("metadata", "status")}


def agrees(manifest: dict[str, Any]) -> bool:
    """Tell whether a manifest is proven; the server must accept it then, without a warning."""
    obj = proven(manifest)
    if obj is None:
        return False
    verdict = judge(manifest)
    assert (verdict.is_accepted, verdict.warnings) == (True, ()), manifest
    assert without_given(obj) == without_given(verdict.object)
    return True


def test_recorded_verdicts() -> None:
    outcomes = [agrees(manifest) for manifest in manifests()]
    assert sum(outcomes) > 300


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, dict | list):
        for name, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths_of(part, (*path, name))


def changed(manifest: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a manifest with one value changed, one field gone, one field more, one item twice."""
    for path in paths_of(manifest):
        for wrong in (*WRONG, ...):
            copy = deepcopy(manifest)
            inner: Any = copy
            for part in path[:-1]:
                inner = inner[part]
            if wrong is not ...:
                inner[path[-1]] = deepcopy(wrong)
            elif isinstance(inner, list):
                inner.append(deepcopy(inner[path[-1]]))
            else:
                inner["added"] = inner.pop(path[-1])
            yield copy


@pytest.mark.parametrize("kind", ["Workload", "ClusterQueue", "Cohort", "LocalQueue"])
def test_one_mistake_in_an_object(kind: str) -> None:
    objects = [obj for obj in dump_objects(DumpShape(queues=2)) if obj["kind"] == kind]
    # The last of its kind that the dump has, and the first: one is admitted, one is pending.
    outcomes = [agrees(copy) for obj in (objects[0], objects[-1]) for copy in changed(obj)]
    assert 0 < sum(outcomes) < len(outcomes)


def test_an_older_version_is_not_proven() -> None:
    queue = {"kind": "LocalQueue", "metadata": {"name": "a"}, "spec": {"clusterQueue": "b"}}
    assert proven({"apiVersion": "kueue.x-k8s.io/v1beta2", **queue})
    assert proven({"apiVersion": "kueue.x-k8s.io/v1beta1", **queue}) is None


def test_a_dump_is_read_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """No object of it goes through the stages of the full verdict, some of which read it all."""
    judged = []
    monkeypatch.setattr(verdicts, "judge", lambda obj, **rest: judged.append(obj))
    shape = DumpShape(queues=4)
    assert len(load(list(dump_objects(shape))).workloads) == shape.workloads
    assert judged == []


@pytest.mark.parametrize("kind", ["Workload", "ClusterQueue"])
def test_a_status_that_is_certainly_sound_has_no_mistakes(kind: str) -> None:
    shape = status_shape(kind)
    assert shape is not None
    statuses = [obj["status"] for obj in dump_objects(DumpShape(queues=2)) if "status" in obj]
    copies = [copy for status in (statuses[0], statuses[-1]) for copy in changed(status)]
    certain = [status for status in copies if is_certainly_sound(status, shape)]
    assert 0 < len(certain) < len(copies)
    assert [mistakes(status, shape) for status in certain] == [[]] * len(certain)


def test_the_model_keeps_what_a_python_object_was() -> None:
    workload = next(obj for obj in dump_objects(DumpShape(queues=2)) if obj["kind"] == "Workload")
    loaded = load(workload).workloads[0]
    before = deepcopy(loaded.pod_sets)
    container = workload["spec"]["podSets"][0]["template"]["spec"]["containers"][0]
    container["args"].append("--fast")
    workload["spec"]["podSets"][0]["template"]["metadata"]["labels"]["new"] = "label"
    assert loaded.pod_sets == before


def test_the_second_object_of_a_form_is_read_like_the_first() -> None:
    """Nulls go and defaults come again where it is known already what fields there are."""
    workload = next(obj for obj in dump_objects(DumpShape(queues=2)) if obj["kind"] == "Workload")
    pods = workload["spec"]["podSets"][0]
    workload["spec"]["maximumExecutionTimeSeconds"] = None
    del pods["name"], workload["spec"]["active"]
    other = deepcopy(workload)
    other["spec"]["podSets"][0]["count"] = 7
    wrong = deepcopy(workload)
    wrong["spec"]["podSets"][0]["count"] = -7
    assert [agrees(each) for each in (workload, other, wrong)] == [True, True, False]
