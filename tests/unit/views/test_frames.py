"""Frames: each that patches lead to is the one made directly; and how large they are."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Any

import pytest
from example_runs import busy_trace, scenario_trace
from hypothesis import given
from hypothesis import strategies as st

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.trace import Trace
from kueuelab.views import Document, frames
from kueuelab.views.merge_patch import apply_patch


@cache
def document_of(name: str) -> Any:
    return frames(scenario_trace(name))


def frame_by_patches(document: Any, index: int) -> Any:
    chunk = document["chunks"][str(index // document["chunk"])]
    frame = chunk["key"]
    for patch in chunk["patches"][: index - chunk["first"]]:
        frame = apply_patch(frame, patch)
    return frame


@given(st.data())
def test_a_frame_reached_by_patches_is_the_one_made_directly(data: Any) -> None:
    name = data.draw(st.sampled_from(scenarios.names()))
    trace = scenario_trace(name)
    index = data.draw(st.integers(0, len(trace) - 1))
    assert frame_by_patches(document_of(name), index) == Document(trace).frame(index)


def test_every_frame_of_many_queues_with_many_workloads_is_reached_by_patches(busy: Trace) -> None:
    document = Document(busy)
    chunk = document.chunk(document.count // 2)
    frame = chunk["key"]
    for offset, patch in enumerate(chunk["patches"], 1):
        frame = apply_patch(frame, patch)
        if offset % 25 == 0:
            assert frame == Document(busy).frame(chunk["first"] + offset)


def test_of_several_clusters_every_frame_is_reached_by_patches() -> None:
    trace = scenario_trace("lost-worker")
    document = frames(trace)
    for index in range(0, len(trace), 7):
        frame = frame_by_patches(document, index)
        assert frame == Document(trace).frame(index)
        assert frame["cluster"] == trace[index].cluster
    names = {node["cluster"] for node in frame["tree"].values()}
    assert names == {"manager", "w1", "w2"}


def test_a_document_is_plain_json_without_null(within: Trace) -> None:
    document = frames(within)
    keys = [chunk["key"] for chunk in document["chunks"].values()]
    assert json.loads(json.dumps(document)) == document
    assert "null" not in json.dumps(keys)


def test_the_same_run_gives_the_same_bytes() -> None:
    first, again = (frames(scenarios.load("loop-1-the-victim-returns").run()) for _ in range(2))
    assert json.dumps(first) == json.dumps(again)


def test_a_step_takes_sixty_bytes_at_most_on_average(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = {}
    for name in scenarios.names():
        document = document_of(name)
        text = json.dumps(document["chunks"], separators=(",", ":"), ensure_ascii=False)
        sizes[name] = (len(gzip.compress(text.encode())), document["steps"])
    average = sum(size for size, _ in sizes.values()) / sum(steps for _, steps in sizes.values())
    with capsys.disabled():
        print(f"\nframes: {average:.1f} bytes a step over {len(sizes)} scenarios")
    assert average <= 60


def test_many_workloads_of_a_queue_are_counted_together() -> None:
    trace = busy_trace()
    frame = Document(trace).frame(len(trace) // 2)
    chips = frame["chips"].values()
    places = [chip.get("bar", chip.get("queue")) for chip in chips]
    assert max(map(places.count, places)) <= 33
    assert any(chip.get("count", 0) > 1 for chip in chips)


def test_a_large_setup_is_laid_out_once() -> None:
    objects = [manifest for number in range(160) for manifest in queue_of(number)]
    document = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": "many"},
        "spec": {
            "manifests": objects,
            "timeline": [{"at": "1s", "submit": {"job": "a", "queue": "q7"}}],
        },
    }
    trace = kl.load(document).run().trace
    made = Document(trace)
    first = made.chunk(0)
    assert len(first["key"]["tree"]) == 321
    frame = first["key"]
    for patch in first["patches"]:
        assert not patch.get("tree")
        frame = apply_patch(frame, patch)
    assert frame == Document(trace).frame(len(first["patches"]))
    for index in (0, 5, 150, 300, len(trace) - 1):
        assert Document(trace).frame(index)["tree"] == frame["tree"]


def queue_of(number: int) -> list[dict[str, Any]]:
    name, version = f"q{number}", "kueue.x-k8s.io/v1beta2"
    return [
        {
            "apiVersion": version,
            "kind": "ClusterQueue",
            "metadata": {"name": name},
            "spec": {"cohortName": "all", "namespaceSelector": {}},
        },
        {
            "apiVersion": version,
            "kind": "LocalQueue",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"clusterQueue": name},
        },
    ]


def test_a_document_has_the_description_and_the_longest_sentence() -> None:
    run = scenarios.load("reclaim-1-take-back").run()
    document = Document(run).as_data()
    assert document["description"] == run.trace.description == run.scenario.spec.description
    assert document["description"].startswith("job-1 runs in team-b")
    (chunk,) = document["chunks"].values()
    sentences = [each.get("sentence", "") for each in (chunk["key"], *chunk["patches"])]
    assert len(document["longest"]) >= max(map(len, sentences))
    assert "description" not in Document(Trace(run.trace.steps)).as_data()
