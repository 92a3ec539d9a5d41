"""How far a command is: what is sent on the way, and what ends it."""

from __future__ import annotations

import json

import pytest

from kueuelab import scenarios
from kueuelab.progress import WorkStopped
from kueuelab.session.handler import Handler


def _open(jobs: int) -> str:
    """Return a command that opens a scenario of many actions."""
    before, mark, _ = scenarios.text("reclaim-1-take-back").partition("  timeline:\n")
    lines = [
        f"  - {{at: {number}s, submit: {{job: job-{number}, queue: team-a-jobs,"
        " requests: {cpu: 100m}, runs: 1s}}"
        for number in range(jobs)
    ]
    text = "\n".join([before + mark.rstrip(), *lines, ""])
    return json.dumps({"do": "open", "name": "many.yaml", "text": text, "id": 3})


def test_how_far_a_command_is_is_sent_before_its_answer() -> None:
    sent: list[str] = []
    answer = Handler().reply(_open(300), sent.append)
    found = [json.loads(each) for each in sent]
    assert {each["id"] for each in found} == {3}
    assert all(0 <= each["progress"]["done"] <= each["progress"]["total"] for each in found)
    texts = [each["progress"]["text"] for each in found]
    assert "Playing the timeline: 150 of 300 actions" in texts
    assert len(texts) == len(set(texts))
    # The answer is the same, whether anything is sent before it or not.
    assert answer == Handler().reply(_open(300))


def test_a_command_that_is_stopped_changes_nothing() -> None:
    handler = Handler()
    handler.answer({"do": "open", "source": "two-teams"})
    before = handler.history
    turns: list[int] = []

    def turn() -> None:
        turns.append(1)
        if len(turns) == 50:
            raise WorkStopped

    with pytest.raises(WorkStopped):
        handler.reply(_open(300), turn=turn)
    assert handler.history is before
    assert handler.answer({"do": "overview"})["pending"] == 3
