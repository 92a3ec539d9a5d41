"""Frames of random scenarios: forwards, backwards and after jumps they are the same."""

from __future__ import annotations

from typing import Any

from how_many import SCENARIOS, many
from hypothesis import given, settings

from kueuelab.manifests import load_scenario
from kueuelab.simulation import Scenario
from kueuelab.testing.strategies import scenarios
from kueuelab.views import Document
from kueuelab.views.merge_patch import apply_patch


def far_apart(count: int) -> list[int]:
    """Return some steps in an order that jumps back and forth."""
    steps = list(range(0, count, 1 + count // 12))
    return [each for pair in zip(steps, reversed(steps), strict=True) for each in pair]


@settings(many, max_examples=max(SCENARIOS // 100, 1))
@given(scenarios())
def test_a_frame_is_the_same_by_patches_and_made_directly(scenario: dict[str, Any]) -> None:
    trace = Scenario(load_scenario(scenario)).run().trace
    if not len(trace):
        return
    document = Document(trace)
    frames = []
    for number in range(document.count):
        chunk = document.chunk(number)
        frames.append(chunk["key"])
        for patch in chunk["patches"]:
            frames.append(apply_patch(frames[-1], patch))
    assert len(frames) == len(trace)
    for index in far_apart(len(trace)):
        assert document.frame(index) == frames[index]
    fresh = Document(trace)
    for index in range(len(trace) - 1, -1, -1 - len(trace) // 12):
        assert fresh.frame(index) == frames[index]
