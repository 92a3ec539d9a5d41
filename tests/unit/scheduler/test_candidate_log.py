"""What searches share of a record is what each of them would record by itself."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.bench.cluster_dump import DumpShape, dump_objects
from kueuelab.manifests.scenario import ScenarioSpec
from kueuelab.scheduler.preemption.candidate_log import _CandidateLog
from kueuelab.whatif.lab import Lab


def dump(queues: int, policy: str) -> ScenarioSpec:
    """Return a cluster in which ClusterQueues preempt within themselves, too."""
    objects = list(dump_objects(DumpShape(queues=queues)))
    for obj in objects:
        if obj["kind"] == "ClusterQueue":
            obj["spec"].setdefault("preemption", {})["withinClusterQueue"] = policy
    found = kl.load(objects)
    assert isinstance(found, Lab)
    return found.spec


SPECS = [
    *(scenarios.load(name).spec for name in scenarios.names("preemption-policies")),
    *(dump(6, policy) for policy in ("LowerPriority", "LowerOrNewerEqualPriority")),
]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name or "dump")
def test_verdicts_that_are_shared_are_those_of_each_search(
    spec: ScenarioSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def saved(name: str) -> bytes:
        path = tmp_path / name
        Lab(spec).run().save(path)
        return gzip.decompress(path.read_bytes())

    shared = saved("shared.json.gz")
    monkeypatch.setattr(_CandidateLog, "verdicts", _CandidateLog._verdicts)
    assert saved("each.json.gz") == shared
