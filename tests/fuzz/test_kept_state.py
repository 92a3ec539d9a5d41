"""What a cluster keeps up to date is what its objects say, whatever happens to it."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from kueuelab.testing.cluster_machine import ClusterMachine

#: How many worlds, and how many actions each has at most; the nightly run sets larger numbers.
WORLDS = int(os.environ.get("KUEUELAB_WORLDS", "150"))
ACTIONS = int(os.environ.get("KUEUELAB_ACTIONS", "40"))

TestClusterMachine = ClusterMachine.TestCase
TestClusterMachine.settings = settings(
    max_examples=WORLDS,
    stateful_step_count=ACTIONS,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def test_every_action_was_tried() -> None:
    """Runs after the machine; prints what that did (``pytest -s``)."""
    counts = ClusterMachine.counts
    actions = sum(count for what, count in counts.items() if what not in ("worlds", "comparisons"))
    print(f"{counts['worlds']} worlds, {actions} actions, {counts['comparisons']} comparisons")
    tried = {what.split()[0] for what in counts}
    assert tried >= {"cycle", "settle", "create", "delete", "finish", "set", "apply", "remove"}
    assert actions > counts["worlds"]
