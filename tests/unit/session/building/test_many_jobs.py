"""Many jobs are one edit: regular in time, of sizes that a seed draws."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from kueuelab.errors import InputError
from kueuelab.session.handler import Handler


@pytest.fixture
def handler() -> Handler:
    found = Handler()
    found.answer({"do": "buildBegin", "shape": "teams-that-share"})
    return found


def make(handler: Handler, **fields: Any) -> dict[str, Any]:
    found: dict[str, Any] = handler.answer({"do": "buildJobs", **fields})
    return found


def test_forty_jobs_of_two_gpus_one_a_minute_are_one_edit(handler: Handler) -> None:
    before = handler.answer({"do": "build"})
    found = make(
        handler,
        name="train",
        queue="team-a-jobs",
        jobs=40,
        every="1m",
        runs="30m",
        requests="nvidia.com/gpu: 2",
    )
    jobs = [each for each in found["jobs"] if each["job"].startswith("train-")]
    assert len(jobs) == 40
    assert {each["queue"] for each in jobs} == {"team-a-jobs"}
    assert {each["runs"] for each in jobs} == {"30m"}
    seconds = [each["atSeconds"] for each in jobs]
    assert {late - early for early, late in pairwise(seconds)} == {60.0}
    assert found["text"].count("nvidia.com/gpu: 2") == 40
    assert found["chosen"] == "train-1"
    handler.answer({"do": "undo"})
    assert handler.answer({"do": "build"})["text"] == before["text"]


def test_the_same_seed_draws_the_same_sizes(handler: Handler) -> None:
    first = make(handler, name="a", jobs=30, pods="1, 2, 4", seed=3)
    handler.answer({"do": "undo"})
    again = make(handler, name="a", jobs=30, pods="1, 2, 4", seed=3)
    handler.answer({"do": "undo"})
    other = make(handler, name="a", jobs=30, pods="1, 2, 4", seed=4)
    assert first["text"] == again["text"] != other["text"]
    pods = {each["pods"] for each in first["jobs"] if each["job"].startswith("a-")}
    assert pods == {"1", "2", "4"}


def test_names_are_free_and_the_draft_runs(handler: Handler) -> None:
    make(handler, name="load", jobs=3)
    found = make(handler, name="load", jobs=3)
    names = [each["job"] for each in found["jobs"] if each["job"].startswith("load-")]
    assert names == [f"load-{number}" for number in range(1, 7)]
    assert handler.answer({"do": "buildRun"})["sentence"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"jobs": 0}, "from 1 to 1000"),
        ({"jobs": 1001}, "from 1 to 1000"),
        ({"jobs": 2, "every": "soon"}, "is a duration"),
        ({"jobs": 2, "pods": "1, none"}, "numbers above 0"),
        ({"jobs": 2, "requests": "two gpus"}, "two gpus"),
    ],
)
def test_what_cannot_be_made_changes_nothing(
    handler: Handler, fields: dict[str, Any], said: str
) -> None:
    before = handler.answer({"do": "build"})["text"]
    with pytest.raises(InputError, match=said):
        make(handler, **fields)
    assert handler.answer({"do": "build"})["text"] == before
