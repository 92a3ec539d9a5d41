"""Looking for a run that comes back to the same state costs no more the more has finished."""

from __future__ import annotations

from collections import Counter

import pytest
import yaml

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.model.times import SECOND
from kueuelab.simulation import Player
from kueuelab.simulation.recurrence import deciding_state
from kueuelab.workload import WorkloadState


def test_finished_workloads_are_not_looked_at_again_and_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = yaml.safe_load(scenarios.text("loop-4-pods-never-ready"))
    done = {"job": "done", "queue": "team-a-jobs", "requests": {"cpu": 1}, "runs": "0s"}
    document["spec"]["timeline"].insert(0, {"at": "0s", "submit": done})
    lab = kl.load(document)
    assert isinstance(lab, kl.Lab)
    asked: Counter[str] = Counter()
    is_finished = vars(WorkloadState)["is_finished"]

    def count(state: WorkloadState) -> bool:
        asked[state.key] += 1
        return bool(is_finished.__get__(state))

    monkeypatch.setattr(WorkloadState, "is_finished", property(count, is_finished.__set__))
    player = Player(lab.spec)
    player.play(player.start + 45 * SECOND)
    assert player.cluster.workloads["default/done"].is_finished
    assert not player.cluster.workloads["default/stuck"].is_finished
    before = asked.copy()
    player.play(player.start + 95 * SECOND)
    assert asked["default/done"] == before["default/done"]
    assert asked["default/stuck"] > before["default/stuck"]


def test_the_same_workloads_with_other_amounts_are_another_state() -> None:
    lab = kl.load(yaml.safe_load(scenarios.text("loop-4-pods-never-ready")))
    assert isinstance(lab, kl.Lab)
    player = Player(lab.spec)
    player.play(player.start + 10 * SECOND)
    before, again = deciding_state(player.cluster), deciding_state(player.cluster)
    assert (before, hash(before)) == (again, hash(again))
    holder = next(player.cluster.tree.workloads())
    holder.usage = {fr: amount + 1 for fr, amount in holder.usage.items()}
    assert deciding_state(player.cluster) != before
