"""What Kueue remembers, as the decisions that were seen tell: no later decision contradicts it."""

from __future__ import annotations

import pytest
from stand_in import shared

from kueuelab.errors import UnknownObjectError
from kueuelab.live.mirror import Mirror
from kueuelab.live.recordings import read_recording
from kueuelab.manifests import load_scenario
from kueuelab.model import Configuration
from kueuelab.model.times import SECOND


@pytest.mark.parametrize(
    ("name", "every", "set_aside"),
    [("m10-ends", 1, 3), ("soak-6-min", 10, 20)],
)
def test_what_is_set_aside_is_not_decided_about(name: str, every: int, set_aside: int) -> None:
    folder = shared(f"recorded/{name}")
    scenario = folder / "scenario.yaml"
    configuration = load_scenario(scenario).configuration if scenario.exists() else Configuration()
    recording = read_recording(folder)
    mirror = Mirror(configuration, recording.start, name)
    mirror.load(recording.objects)
    found: set[str] = set()
    for number, (seconds, type_, obj) in enumerate(recording.changes):
        meta = obj["metadata"]
        key = f"{meta.get('namespace')}/{meta.get('name')}"
        known = obj.get("kind") == "Workload" and key in mirror.workloads
        is_set_aside = known and mirror.memory(key).set_aside > 0
        before = len(mirror.decisions)
        mirror.feed(recording.start + round(seconds * SECOND), type_, obj)
        for decision in mirror.decisions[before:]:
            observed = decision.observed
            assert observed.target or observed.workload != key or not is_set_aside, decision
        if number % every == 0:
            found.update(each for each in mirror.workloads if mirror.memory(each).set_aside)
    assert len(found) >= set_aside


def test_memory_of_a_workload_that_is_not_there() -> None:
    with pytest.raises(UnknownObjectError, match="default/none"):
        Mirror(Configuration(), 0).memory("default/none")
