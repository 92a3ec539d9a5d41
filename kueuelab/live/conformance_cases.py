"""A cluster's decisions as conformance cases, which can be checked again at any time.

A watch shows the result of a decision, but not the cycles without a result. So there is a
case for each cycle that decided something, from the state just before it, and a case for
the whole run, with a cycle wherever a decision requires one. All cases are ``partial``:
they expect what can be seen of the cluster.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.files import check_ending, replacing
from kueuelab.live.assigned_flavors import Flavors
from kueuelab.live.decisions import Decision, DecisionInput, ObservedDecision
from kueuelab.live.history_to_case import history_to_case
from kueuelab.live.mirror import Mirror
from kueuelab.live.playing import PlayedScenario
from kueuelab.live.resources import Json
from kueuelab.manifests.encode import encode_configuration, encode_object
from kueuelab.messages import Message
from kueuelab.model import ClusterObject
from kueuelab.model.times import format_time
from kueuelab.simulation.objects import kind_of

__all__ = ["ENDINGS", "cases_of", "write_cases"]

#: Kinds that a case may hold.
_KINDS: Final = (
    "ResourceFlavor",
    "ClusterQueue",
    "Cohort",
    "LocalQueue",
    "AdmissionCheck",
    "WorkloadPriorityClass",
    "Topology",
    "Namespace",
    "Node",
    "LimitRange",
    "RuntimeClass",
    "DeviceClass",
    "ResourceClaimTemplate",
    "ResourceSlice",
    "PriorityClass",
)

#: What the name of a file of cases may end in.
ENDINGS: Final = (".json", ".jsonl", ".json.gz", ".jsonl.gz")


def cases_of(played: PlayedScenario) -> list[Json]:
    """Return the cases of a run: first the whole run, then each cycle.

    Parameters
    ----------
    played
        The run, which has kept the states of its decisions.

    Raises
    ------
    InputError
        If nothing was decided.
    """
    found: list[Json] = []
    for cluster, mirror in played.mirrors.items():
        if mirror.decisions:
            name = played.spec.name or mirror.name
            found += _cases_of_mirror(mirror, f"{name}-{cluster}" if cluster else name)
    if not found:
        raise InputError(Problem(Message("live.cases.nothing")))
    return found


def _cases_of_mirror(mirror: Mirror, name: str) -> list[Json]:
    head = {
        "source": f"live:{mirror.name}",
        "partial": True,
        "kueueVersion": mirror.configuration.release.version,
        "configuration": _configuration(mirror),
    }
    found: list[Json] = []
    for part, case in enumerate(history_to_case(mirror, _objects), start=1):
        title, notes = (name, "whole") if part == 1 else (f"{name}-part-{part}", "part")
        found.append({"name": title, **head, "notes": Message(f"live.cases.{notes}"), **case})
    for number, (decided_from, decisions) in enumerate(_by_cycle(mirror.decisions), start=1):
        what = decisions[0].observed
        verb = "preempts" if what.target else "admitted" if what.cluster_queue else "waits"
        title = f"{name}-{number:02}-{what.workload.replace('/', '-')}-{verb}"
        found.append(
            {
                "name": title,
                **head,
                "notes": Message("live.cases.cycle"),
                **_case(decided_from, decisions),
            }
        )
    return found


def write_cases(cases: Iterable[Json], path: Path) -> None:
    """Write cases as a JSON array, or one case a line if the name ends in ``.jsonl``.

    Raises
    ------
    InputError
        If the file name has no known ending.
    """
    check_ending(path, ENDINGS)
    listed = list(cases)
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        text = "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in listed)
    else:
        text = "[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in listed) + "\n]\n"
    data = text.encode()
    with replacing(path) as stream:
        stream.write(gzip.compress(data, mtime=0) if path.name.endswith(".gz") else data)


def _configuration(mirror: Mirror) -> Json:
    """Return the Configuration of a case: jobs and their controllers are not part of it."""
    encoded = encode_configuration(mirror.configuration)
    known = ("fairSharing", "admissionFairSharing", "waitForPodsReady", "resources")
    found = {field: encoded[field] for field in known if encoded.get(field) is not None}
    gates = {**(encoded.get("featureGates") or {}), "FinishOrphanedWorkloads": False}
    return {**found, "featureGates": gates}


def _objects(objects: Iterable[ClusterObject]) -> list[Json]:
    return [encode_object(obj) for obj in objects if kind_of(obj) in _KINDS]


def _by_cycle(decisions: Iterable[Decision]) -> Iterator[tuple[DecisionInput, list[Decision]]]:
    """Yield the decisions of each cycle together, in the order in which they were observed.

    A case has objects only: cycles that depend on what Kueue remembers are left out.
    """
    groups: dict[int, tuple[DecisionInput, list[Decision]]] = {}
    for decision in decisions:
        if decision.decided_from is not None:
            group = groups.setdefault(id(decision.decided_from), (decision.decided_from, []))
            group[1].append(decision)
    for group in groups.values():
        if not any(decision.resumed_after or decision.silent_head for decision in group[1]):
            yield group


def _case(decided_from: DecisionInput, decisions: list[Decision]) -> Json:
    state = decided_from.state
    heads = frozenset(decided_from.heads)
    present = [
        workload
        for workload in state.workloads.values()
        if workload.status.admission is not None or workload.key in heads
    ]
    objects = _objects(state.objects)
    objects += [encode_object(workload) for workload in present]
    nominated: dict[str, Json] = {}
    rejected: dict[str, Json] = {}
    workloads: Json = {}
    for decision in decisions:
        observed = decision.observed
        entries = rejected if decision.inadmissible else nominated
        entry = entries.setdefault(observed.workload, {"workload": observed.workload})
        _add(entry, observed)
        if observed.cluster_queue:
            workloads[observed.workload] = {"admission": admission(observed)}
    cycle = {"entries": list(nominated.values())} if nominated else {}
    if rejected:
        cycle["inadmissible"] = list(rejected.values())
    expect: Json = {"op": "cycle", "cycles": [cycle]}
    if workloads:
        expect["state"] = {"workloads": workloads}
    return {
        "startTime": format_time(state.time),
        "objects": objects,
        "steps": [{"op": "cycle"}],
        "expect": [expect],
    }


def _add(entry: Json, observed: ObservedDecision) -> None:
    if observed.target:
        target = {"workload": observed.target, "reason": observed.reason}
        entry.setdefault("targets", []).append(target)
    elif observed.cluster_queue:
        entry |= {"clusterQueue": observed.cluster_queue, "status": "assumed"}
        entry["podSets"] = pod_sets(observed.flavors, named=True)
    else:
        entry["message"] = observed.message


def pod_sets(flavors: Flavors, *, named: bool = False) -> list[Json]:
    """Return pod sets with their counts and flavors (``{name: ...}`` if they are named)."""
    return [
        {
            "name": name,
            "count": count,
            "flavors": {r: {"name": f} if named else f for r, f in given.items()},
        }
        for name, count, given in flavors
    ]


def admission(observed: ObservedDecision) -> Json:
    """Return an admission as the state of a case has it."""
    return {"clusterQueue": observed.cluster_queue, "podSets": pod_sets(observed.flavors)}
