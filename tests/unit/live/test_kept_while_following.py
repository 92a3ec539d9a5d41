"""What is kept of a cluster that is followed is what its objects say, change by change."""

from __future__ import annotations

from pathlib import Path

import pytest

from kueuelab.live.mirror import Mirror
from kueuelab.live.recordings import read_recording
from kueuelab.manifests import load_scenario
from kueuelab.testing.kept_state import stale

RECORDED = Path(__file__).parents[2] / "data" / "live" / "recorded"


@pytest.mark.parametrize("name", ["m10-ends", "m11-affinity", "m14-inactive"])
def test_nothing_is_stale_after_a_change(name: str) -> None:
    recording = read_recording(RECORDED / name)
    configuration = load_scenario(RECORDED / name / "scenario.yaml").configuration
    mirror = Mirror(configuration, recording.start, name)
    changes = 0
    for _ in recording.feed(mirror):
        assert list(stale(mirror.cluster)) == []
        changes += 1
    assert changes > 50
