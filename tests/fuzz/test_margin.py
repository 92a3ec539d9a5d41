"""Searches for targets find the same with a margin as by looking at the quota tree each time."""

from __future__ import annotations

from typing import Any

import pytest
from how_many import SCENARIOS, many
from hypothesis import given, settings

from kueuelab.manifests import load_scenario
from kueuelab.scheduler.preemption.search import Search
from kueuelab.simulation import Scenario
from kueuelab.testing.strategies import scenarios
from kueuelab.trace.export import trace_to_json


@settings(many, max_examples=max(SCENARIOS // 10, 1))
@given(scenario=scenarios())
def test_a_margin_changes_no_decision(scenario: dict[str, Any]) -> None:
    spec = load_scenario(scenario)
    with_margins = trace_to_json(Scenario(spec).run().trace)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Search, "margin", lambda self, removed=(), *, borrowing: None)
        without = trace_to_json(Scenario(spec).run().trace)
    assert with_margins == without
