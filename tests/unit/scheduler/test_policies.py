"""Preemption policies, one comparison at a time."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kueuelab.scheduler.preemption.policies import POLICIES


@dataclass(frozen=True)
class Pair:
    preemptor_priority: int = 10
    candidate_priority: int = 10
    preemptor_timestamp: int = 100
    candidate_timestamp: int = 100
    buffered: bool = False


@pytest.mark.parametrize(
    ("policy", "pair", "rule"),
    [
        ("Never", Pair(candidate_priority=0), "policy-never"),
        ("Any", Pair(candidate_priority=99), ""),
        ("LowerPriority", Pair(candidate_priority=9), ""),
        ("LowerPriority", Pair(), "not-lower-priority"),
        ("LowerOrNewerEqualPriority", Pair(candidate_priority=9, candidate_timestamp=0), ""),
        ("LowerOrNewerEqualPriority", Pair(candidate_priority=11), "not-lower-priority"),
        ("LowerOrNewerEqualPriority", Pair(candidate_timestamp=101), ""),
        ("LowerOrNewerEqualPriority", Pair(), "not-newer"),
        (
            "LowerOrNewerEqualPriority",
            Pair(candidate_timestamp=100 + 300 * 10**9, buffered=True),
            "not-newer",
        ),
        (
            "LowerOrNewerEqualPriority",
            Pair(candidate_timestamp=101 + 300 * 10**9, buffered=True),
            "",
        ),
    ],
)
def test_policy(policy: str, pair: Pair, rule: str) -> None:
    assert POLICIES[policy](pair) == rule
