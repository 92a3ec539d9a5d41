"""A cluster's decisions as cases of ``tests/conformance``: to be judged again, any time.

A watch shows what became of a decision, not when the scheduler looked again to no avail.
So there is a case for each cycle in which something was decided, from the state just
before it, and one for the whole run, in which cycles stand where decisions call for them.
All of them are ``partial``: they expect what the cluster did, as far as it can be seen.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.files import check_ending, replacing
from kueuelab.live.mirror import Mirror
from kueuelab.live.playing import Played
from kueuelab.live.reach import holding
from kueuelab.live.redecide import Basis, Decision, Flavors, Observed
from kueuelab.live.resources import Json
from kueuelab.live.retelling import retold
from kueuelab.manifests.encode import encode_configuration, encode_object
from kueuelab.model.times import format_time
from kueuelab.simulation.objects import ClusterObject, kind_of

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
    "PriorityClass",
)

#: What the name of a file of cases may end in.
ENDINGS: Final = (".json", ".jsonl", ".json.gz", ".jsonl.gz")

_ALONE: Final = (
    "The state just before a decision; of those who wait, only whom the cycle decided about: "
    "who else waited cannot be seen"
)
_WHOLE: Final = (
    "The whole run; cycles stand where decisions call for them, and the state is expected "
    "where nothing happened for a while"
)
_PART: Final = (
    "The run from here on: what the cluster did last, it decided while writes of a moment "
    "earlier were under way, which no order of steps tells"
)


def cases_of(played: Played) -> list[Json]:
    """Return the cases of a run that was kept: the whole run, then cycle by cycle.

    Parameters
    ----------
    played
        The run, with what its decisions were made from.

    Raises
    ------
    InputError
        If nothing was decided.
    """
    found: list[Json] = []
    for cluster, mirror in played.mirrors.items():
        if mirror.decisions:
            name = played.spec.name or mirror.name
            found += _of_cluster(mirror, f"{name}-{cluster}" if cluster else name)
    if not found:
        raise InputError(Problem("nothing was decided in this run, so there is nothing to judge"))
    return found


def _of_cluster(mirror: Mirror, name: str) -> list[Json]:
    head = {
        "source": f"live:{mirror.name}",
        "partial": True,
        "configuration": _configuration(mirror),
    }
    found: list[Json] = []
    for part, case in enumerate(retold(mirror, _objects), start=1):
        title, notes = (name, _WHOLE) if part == 1 else (f"{name}-part-{part}", _PART)
        found.append({"name": title, **head, "notes": notes, **case})
    for number, (basis, decisions) in enumerate(_by_cycle(mirror.decisions), start=1):
        what = decisions[0].observed
        verb = "preempts" if what.victim else "admitted" if what.cluster_queue else "waits"
        title = f"{name}-{number:02}-{what.workload.replace('/', '-')}-{verb}"
        found.append({"name": title, **head, "notes": _ALONE, **_case(basis, decisions)})
    return found


def write_cases(cases: Iterable[Json], path: Path) -> None:
    """Write cases: a JSON array, or a case a line if the file's name says so.

    Raises
    ------
    InputError
        If the name does not say what to write.
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
    """Return the Configuration as cases have it, without the jobs' own controllers."""
    encoded = encode_configuration(mirror.configuration)
    known = ("fairSharing", "admissionFairSharing", "waitForPodsReady", "resources")
    found = {field: encoded[field] for field in known if encoded.get(field) is not None}
    # The jobs themselves are not part of a case.
    gates = {**(encoded.get("featureGates") or {}), "FinishOrphanedWorkloads": False}
    return {**found, "featureGates": gates}


def _objects(objects: Iterable[ClusterObject]) -> list[Json]:
    return [encode_object(obj) for obj in objects if kind_of(obj) in _KINDS]


def _by_cycle(decisions: Iterable[Decision]) -> Iterator[tuple[Basis, list[Decision]]]:
    """Yield the decisions of each cycle together, in the order in which they were seen."""
    groups: dict[int, tuple[Basis, list[Decision]]] = {}
    for decision in decisions:
        if decision.basis is not None:
            group = groups.setdefault(id(decision.basis), (decision.basis, []))
            group[1].append(decision)
    yield from groups.values()


def _case(basis: Basis, decisions: list[Decision]) -> Json:
    situation = basis.situation
    present = holding(situation.workloads.values(), basis.heads)
    objects = _objects(situation.objects)
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
        "startTime": format_time(situation.time),
        "objects": objects,
        "steps": [{"op": "cycle"}],
        "expect": [expect],
    }


def _add(entry: Json, observed: Observed) -> None:
    if observed.victim:
        target = {"workload": observed.victim, "reason": observed.reason}
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


def admission(observed: Observed) -> Json:
    """Return an admission as the state of a case has it."""
    return {"clusterQueue": observed.cluster_queue, "podSets": pod_sets(observed.flavors)}
