"""Frames of runs of several clusters: each patch leads to the frame of the next step."""

from __future__ import annotations

import gzip
import json

import pytest

import kueuelab.multikueue as mk
from kueuelab.scenarios import names
from kueuelab.views.frame.multikueue import MultiKueueMaker
from kueuelab.views.merge_patch import apply_patch
from kueuelab.views.run_index import RunIndex


@pytest.mark.parametrize("name", names("multikueue"))
def test_patches_lead_to_the_frames(name: str) -> None:
    run = mk.load(name).run()
    maker, anew = (MultiKueueMaker(run, RunIndex(run.trace)) for _ in range(2))
    maker.go(0)
    frame = maker.frame()
    for index in range(1, len(run.trace)):
        frame = apply_patch(frame, maker.next())
        anew.go(index)
        assert frame == anew.frame(), run.trace[index]


@pytest.mark.parametrize("name", names("multikueue"))
def test_a_step_costs_few_bytes(name: str) -> None:
    run = mk.load(name).run()
    maker = MultiKueueMaker(run, RunIndex(run.trace))
    maker.go(0)
    frames = [maker.frame(), *(maker.next() for _ in range(1, len(run.trace)))]
    packed = gzip.compress(json.dumps(frames, separators=(",", ":")).encode())
    assert len(packed) / len(frames) < 60
