"""Scenarios with several clusters, from the one place where everything is loaded."""

from __future__ import annotations

import kueuelab as kl
import kueuelab.multikueue as mk
from kueuelab import scenarios


def test_a_scenario_with_workers_is_run_with_its_workers() -> None:
    loaded = kl.load(scenarios.text("lost-worker"))
    assert isinstance(loaded, mk.MultiKueueScenario)
    assert loaded.run().passed


def test_a_scenario_with_one_cluster_is_a_lab() -> None:
    assert isinstance(kl.load(scenarios.text("reclaim-1-take-back")), kl.Lab)


def test_a_scenario_of_the_package_is_loaded_by_its_name() -> None:
    for name in scenarios.names("multikueue"):
        assert isinstance(scenarios.load(name), mk.MultiKueueScenario)
