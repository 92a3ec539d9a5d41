"""Where objects and their fields are written."""

from __future__ import annotations

import yaml

from kueuelab.whatif.advice.places import Places
from kueuelab.whatif.references import Reference

LOCAL = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "LocalQueue",
    "metadata": {"name": "late"},
    "spec": {"clusterQueue": "main"},
}


def test_a_damaged_entry_of_a_timeline_does_not_hide_what_comes_later() -> None:
    scenario = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "spec": {"timeline": ["damaged", {"at": "1s", "apply": LOCAL}]},
    }
    text = yaml.safe_dump(scenario, sort_keys=False)
    place = Places(text).find(Reference("LocalQueue", "default", "late"), "spec.clusterQueue")
    assert place is not None
    assert text.splitlines()[place.line - 1].strip() == "clusterQueue: main"
