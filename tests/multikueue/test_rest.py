"""When a run is over, no cluster has an active head that fits: nothing comes of more cycles."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kueuelab.manifests import load, load_configuration
from kueuelab.model.times import SECOND
from kueuelab.multikueue import ClusterSet
from kueuelab.multikueue.member_cluster import MemberCluster
from kueuelab.scheduler.assignment import Mode

sys.path.insert(0, str(Path(__file__).parent))
from cluster_sets import API, dispatching, job, plan

_FLAVORS = ("a", "b", "c")
#: More cycles in a row than there are flavors to go on from.
_ENOUGH = 8
_PRIORITIES = (1, 10, 100)

#: Nominal quotas by flavor, and whether the queue is a strict one.
_Queue = tuple[tuple[int, int, int], bool]
#: When, in which cluster (0 is the manager), to which queue, cpu, priority, seconds.
_Job = tuple[int, int, int, int, int, int]

_QUOTAS = st.tuples(*[st.integers(0, 3)] * 3)
_QUEUES: st.SearchStrategy[list[_Queue]] = st.lists(
    st.tuples(_QUOTAS, st.booleans()), min_size=2, max_size=2
)
_FUNGIBILITY = st.sampled_from(
    [
        {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
        {"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "TryNextFlavor"},
        {"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "MayStopSearch"},
    ]
)
_PREEMPTION = st.sampled_from(
    [
        {},
        {"withinClusterQueue": "LowerPriority"},
        {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"},
        {"reclaimWithinCohort": "LowerPriority"},
    ]
)
_JOBS: st.SearchStrategy[list[_Job]] = st.lists(
    st.tuples(
        st.integers(0, 8),
        st.integers(0, 2),
        st.integers(0, 1),
        st.integers(1, 4),
        st.sampled_from(_PRIORITIES),
        st.sampled_from([2, 6, 10_000]),
    ),
    min_size=2,
    max_size=8,
)


def _objects(queues: list[_Queue], spec: dict[str, Any], *, manager: bool) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": name}}
        for name in _FLAVORS
    ]
    found += [
        {
            "apiVersion": API,
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": f"p{value}"},
            "value": value,
        }
        for value in _PRIORITIES
    ]
    for number, (quotas, strict) in enumerate(queues):
        flavors = [
            {"name": name, "resources": [{"name": "cpu", "nominalQuota": str(quota)}]}
            for name, quota in zip(_FLAVORS, quotas, strict=True)
        ]
        made = {
            "cohortName": "all",
            "namespaceSelector": {},
            "queueingStrategy": "StrictFIFO" if strict else "BestEffortFIFO",
            "resourceGroups": [{"coveredResources": ["cpu"], "flavors": flavors}],
            **spec,
        }
        if manager:
            made["admissionChecksStrategy"] = {"admissionChecks": [{"name": "multikueue"}]}
        meta = {"name": f"q{number}"}
        found.append({"apiVersion": API, "kind": "ClusterQueue", "metadata": meta, "spec": made})
        local = {"name": f"q{number}", "namespace": "team"}
        to = {"clusterQueue": f"q{number}"}
        found.append({"apiVersion": API, "kind": "LocalQueue", "metadata": local, "spec": to})
    return found


def _situation(member: MemberCluster) -> object:
    """Return all that can be seen of a cluster, and where everything pending is."""
    queues = member.cluster.queues
    places = {
        name: (queues.pending_active(name), queues.inadmissible(name))
        for name in member.cluster.cluster_queues
    }
    return member.cluster.state(), places


@given(
    queues=st.lists(_QUEUES, min_size=3, max_size=3),
    preemption=_PREEMPTION,
    fungibility=_FUNGIBILITY,
    jobs=_JOBS,
)
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
def test_no_cluster_has_an_active_head_that_fits_when_the_run_is_over(
    queues: list[list[_Queue]],
    preemption: dict[str, Any],
    fungibility: dict[str, Any],
    jobs: list[_Job],
) -> None:
    spec = {"preemption": preemption, "flavorFungibility": fungibility}
    names = ("manager", "w1", "w2")
    made = ClusterSet({name: load_configuration({"namespace": "k"}) for name in names})
    loaded = {
        name: list(
            load(
                [
                    *_objects(own, spec, manager=name == "manager"),
                    *(dispatching(["w1", "w2"]) if name == "manager" else ()),
                ]
            )
        )
        for name, own in zip(names, queues, strict=True)
    }
    made.load(loaded)
    for number, (at, where, queue, cpu, priority, seconds) in enumerate(jobs):
        manifest = job(f"job-{number}", cpu, f"p{priority}")
        manifest["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = f"q{queue}"

        def submit(
            name: str = names[where], manifest: Any = manifest, seconds: int = seconds
        ) -> None:
            made.submit(name, manifest, plan(seconds))

        made.loop.at(round((at + number / 10) * SECOND), submit)
    made.advance(120)
    for member in made.members.values():
        end = _situation(member)
        for _ in range(_ENOUGH):
            record = member.cluster.cycle()
            fitting = [
                entry.key
                for entry in record.entries
                if entry.assignment is not None and entry.assignment.mode is Mode.Fit
            ]
            assert not fitting, (member.name, fitting)
            assert _situation(member) == end, member.name
