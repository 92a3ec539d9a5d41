"""Hypothesis strategies for clusters with nodes, and for what happens to them."""

from __future__ import annotations

from typing import Any, TypeAlias

from hypothesis import strategies as st

__all__ = ["placed_scenarios"]

_Written: TypeAlias = dict[str, Any]

_API = "kueue.x-k8s.io/v1beta2"
_LEVELS = ("block", "rack", "host")


@st.composite
def _pools(draw: st.DrawFn) -> _Written:
    pool: _Written = {"hosts": draw(st.integers(1, 3)), "cpu": draw(st.integers(2, 6))}
    if draw(st.booleans()):
        pool["racks"] = draw(st.integers(1, 3))
        if draw(st.booleans()):
            pool["blocks"] = draw(st.integers(1, 2))
    if draw(st.integers(0, 2)) == 0:
        pool["pods"] = draw(st.integers(1, 3))
    return pool


def _hosts(pool: _Written) -> list[str]:
    parts: list[str] = [""]
    for word in ("blocks", "racks", "hosts"):
        if word in pool:
            numbers = range(1, pool[word] + 1)
            parts = [f"{part}-{word[0]}{number}" for part in parts for number in numbers]
    return [part.removeprefix("-") for part in parts]


@st.composite
def _queues(draw: st.DrawFn) -> list[_Written]:
    found: list[_Written] = []
    together = draw(st.booleans())
    for number in range(draw(st.integers(1, 2))):
        quota: _Written = {"name": "cpu", "nominalQuota": draw(st.sampled_from([2, 6, 12, 40]))}
        spec: _Written = {
            "namespaceSelector": {},
            "resourceGroups": [
                {
                    "coveredResources": ["cpu"],
                    "flavors": [{"name": "default", "resources": [quota]}],
                }
            ],
            "preemption": {
                "withinClusterQueue": draw(st.sampled_from(["Never", "LowerPriority"])),
                "reclaimWithinCohort": draw(st.sampled_from(["Never", "Any"])),
            },
        }
        if together:
            spec["cohortName"] = "all"
        found += [
            _object("ClusterQueue", f"cq-{number}", spec),
            _object("LocalQueue", f"lq-{number}", {"clusterQueue": f"cq-{number}"}),
        ]
    return found


def _object(kind: str, name: str, spec: _Written) -> _Written:
    meta = {"name": name, **({"namespace": "default"} if kind == "LocalQueue" else {})}
    return {"apiVersion": _API, "kind": kind, "metadata": meta, "spec": spec}


@st.composite
def _topologies(draw: st.DrawFn, levels: list[str], count: int) -> _Written | None:
    """Return how pods ask to be placed; a size of slices divides their number."""
    level = draw(st.sampled_from(levels))
    sizes = [size for size in range(1, count + 1) if count % size == 0]
    match draw(st.integers(0, 5)):
        case 0:
            return None
        case 1:
            return {"unconstrained": True}
        case 2:
            return {"preferred": level}
        case 3:
            inner = draw(st.sampled_from(levels[levels.index(level) :]))
            slices = [{"level": inner, "size": draw(st.sampled_from(sizes))}]
            return {draw(st.sampled_from(["required", "preferred"])): level, "slices": slices}
        case _:
            return {"required": level}


@st.composite
def _jobs(draw: st.DrawFn, name: str, queues: int, levels: list[str]) -> _Written:
    job: _Written = {
        "job": name,
        "queue": f"lq-{draw(st.integers(0, queues - 1))}",
        "priority": draw(st.integers(0, 2)),
    }
    if draw(st.booleans()):
        job["runs"] = draw(st.integers(5, 400))
    if draw(st.integers(0, 3)) == 0:
        together = {"required": draw(st.sampled_from(levels)), "group": "all"}
        job["podSets"] = [
            {"name": "leader", "requests": {"cpu": 1}, "topology": together},
            {
                "name": "workers",
                "count": draw(st.integers(1, 4)),
                "requests": {"cpu": draw(st.integers(1, 2))},
                "topology": together,
            },
        ]
        return job
    count = draw(st.integers(1, 6))
    job |= {"pods": count, "requests": {"cpu": draw(st.integers(1, 2))}}
    if (topology := draw(_topologies(levels, count))) is not None:
        job["topology"] = topology
    return job


@st.composite
def _happenings(draw: st.DrawFn, hosts: list[str], number: int) -> _Written:
    host = draw(st.sampled_from(hosts))
    match draw(st.integers(0, 7)):
        case 0:
            return {"pod": {"name": f"pod-{number}", "node": host, "requests": {"cpu": 1}}}
        case 1:
            return {"node": {"name": host, "cordoned": draw(st.booleans())}}
        case 2 | 3 | 4:
            effects = ["NoExecute", "NoExecute", "NoSchedule", "PreferNoSchedule"]
            effect = draw(st.sampled_from(effects))
            taints = [{"key": "broken", "effect": effect}] if draw(st.booleans()) else []
            return {"node": {"name": host, "taints": taints}}
        case 5:
            return {"node": {"name": host, "cpu": draw(st.integers(0, 4))}}
        case _:
            return {"node": {"name": host, "ready": draw(st.booleans())}}


@st.composite
def placed_scenarios(draw: st.DrawFn, max_actions: int = 12) -> _Written:
    """Scenario files with nodes: jobs ask for places, nodes fail, shrink and come back.

    Parameters
    ----------
    max_actions : int, optional
        The most actions.

    Returns
    -------
    strategy of dict
        What `kueuelab.manifests.load_scenario` takes.
    """
    pool, manifests = draw(_pools()), draw(_queues())
    hosts = _hosts(pool)
    levels = [level for level in _LEVELS if f"{level}s" in pool]
    queues = len(manifests) // 2
    now, timeline = 0, []
    for number in range(draw(st.integers(min(5, max_actions), max_actions))):
        now += draw(st.integers(0, 200))
        action: _Written
        if draw(st.integers(0, 2)):
            action = {"submit": draw(_jobs(f"job-{number}", queues, levels))}
        elif hosts and draw(st.integers(0, 4)) == 0:
            action = {"remove": f"Node/{hosts.pop(draw(st.integers(0, len(hosts) - 1)))}"}
        else:
            action = draw(_happenings(hosts, number)) if hosts else {"advance": "1s"}
        timeline.append({"at": f"{now}s", **action})
    strategies = ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]
    configuration: _Written = {}
    if draw(st.booleans()):
        configuration["fairSharing"] = {"preemptionStrategies": strategies}
    return {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": "placed"},
        "spec": {
            "configuration": configuration,
            "nodes": pool,
            "manifests": manifests,
            "timeline": timeline,
        },
    }
