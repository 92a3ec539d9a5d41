"""Nodes by topology domain, and the pods that workloads have there, at each step of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.manifests.decode import decode_object
from kueuelab.model import Node, Pod, ResourceFlavor, Topology, request_amount
from kueuelab.model.topology import belongs_to
from kueuelab.simulation.tas_pods import takes_room
from kueuelab.trace import steps
from kueuelab.trace.reading import State, WorkloadView
from kueuelab.trace.step import Step
from kueuelab.trace.trace import Trace
from kueuelab.views.frame.section import Section
from kueuelab.views.frame.seeking import Seeking, judged_by
from kueuelab.views.merge_patch import Json
from kueuelab.workload import amounts_of_pod

__all__ = ["Domains", "has_topologies"]

_SHAPES: Final = ("Topology/", "ResourceFlavor/")
_BLOCKING: Final = ("NoSchedule", "NoExecute")


def has_topologies(trace: Trace) -> bool:
    """Tell whether a run of one cluster has a Topology at some step."""
    if len(trace.clusters) != 1:
        return False
    found = (trace[index].facts for index in trace.of_kind("ObjectApplied"))
    return any(
        isinstance(facts, steps.ObjectApplied) and facts.object.startswith("Topology/")
        for facts in found
    )


@dataclass(slots=True)
class _Flavor:
    """A flavor with a topology, and its nodes by domain."""

    flavor: ResourceFlavor
    topology: Topology
    hosts: dict[str, dict[str, None]]

    def selects(self, node: Node) -> bool:
        """Tell whether a node has the flavor's labels, and one for each level."""
        return belongs_to(node.metadata.labels, self.flavor.node_labels, self.topology.levels)

    def key(self, node: Node) -> str:
        """Return the key of the host that a node is, or is part of."""
        labels = node.metadata.labels
        path = ",".join(labels[level] for level in self.topology.levels)
        return f"{self.flavor.metadata.name}|{path}"


class Domains:
    """Follows nodes, other pods, and where workloads have theirs.

    Parts of a frame are kept: ``topologies`` by flavor, ``hosts`` (the domains of the lowest level)
    by ``FLAVOR|VALUES``, ``places`` by ``WORKLOAD|POD SET``, ``seeking``: the pod sets that need a
    place, and ``judged``: the domains that a search for a place judges, in their order. Sums of
    domains are left to the reader.

    Parameters
    ----------
    trace
        The record of a run.
    sections
        The parts of the frame by name.

    Examples
    --------
    >>> sections = {name: Section() for name in Domains.SECTIONS}
    >>> Domains(Trace(()), sections).build(State({}))
    >>> sections["hosts"].entries
    {}
    """

    SECTIONS: Final = ("topologies", "hosts", "places", "seeking", "judged")

    def __init__(self, trace: Trace, sections: Mapping[str, Section]) -> None:
        self._topologies, self._hosts, self._places, self._seeking, self._judged = (
            sections[name] for name in self.SECTIONS
        )
        self._seeker = Seeking(trace)
        self._flavors: dict[str, _Flavor] = {}
        self._nodes: dict[str, Node] = {}
        self._pods: dict[str, Pod] = {}
        self._outside: dict[str, dict[str, int]] = {}
        self._places_of: dict[str, tuple[str, ...]] = {}
        #: What cannot change is read once: the record hands the same object out again.
        self._read: dict[str, tuple[Any, Any]] = {}

    # --- following ---------------------------------------------------------------------

    def build(self, state: State) -> None:
        """Read everything anew."""
        objects = state.objects
        self._nodes = dict(self._all(objects, "Node/"))
        self._pods = dict(self._all(objects, "Pod/"))
        self._outside = {}
        for pod in self._pods.values():
            self._count(pod, 1)
        self._read_flavors(objects)
        for key in [*self._places_of]:
            self._place(key, None)
        for key, workload in state.workloads.items():
            self._place(key, workload)

    def advance(self, step: Step, state: State) -> None:
        """Read what a step changes."""
        places: dict[str, None] = {}
        for change in step.changes:
            path = change.path
            if len(path) < 2:
                self.build(state)
                return
            if path[0] == "workloads":
                if len(path) < 3 or path[2] in ("admission", "phase"):
                    places[path[1]] = None
            elif path[0] == "objects":
                self._changed(path[1], state.objects)
        for key in places:
            self._place(key, state.workload(key))

    def seek(self, index: int, step: Step, state: State) -> None:
        """Show the pods that look for a place at a step, by pod set, and the domains it judges."""
        found: Json = {}
        if step.workload and state.workload(step.workload).phase == "Pending":
            found = self._seeker.at(index, step.workload, frozenset(self._flavors))
        judged, asked = judged_by(step)
        found = {name: each | asked.get(name, {}) for name, each in found.items()}
        self._seeking.replace([*self._seeking.entries], found)
        self._judged.replace([*self._judged.entries], judged)

    def _changed(self, name: str, objects: Mapping[str, Any]) -> None:
        kind, _, rest = name.partition("/")
        if name.startswith(_SHAPES):
            self._read_flavors(objects)
        elif kind == "Node":
            self._node_changed(rest, self._decoded(name, objects.get(name)))
        elif kind == "Pod":
            self._pod_changed(rest, self._decoded(name, objects.get(name)))

    def _node_changed(self, name: str, now: Node | None) -> None:
        before = self._nodes.pop(name, None)
        if now is not None:
            self._nodes[name] = now
        self._read_hosts(node for node in (before, now) if node is not None)

    def _pod_changed(self, name: str, now: Pod | None) -> None:
        before = self._pods.pop(name, None)
        if before is not None:
            self._count(before, -1)
        if now is not None:
            self._pods[name] = now
            self._count(now, 1)
        names = dict.fromkeys(pod.node_name for pod in (before, now) if pod is not None)
        self._read_hosts(self._nodes[each] for each in names if each in self._nodes)

    # --- objects -----------------------------------------------------------------------

    def _all(self, objects: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
        for name, raw in objects.items():
            if name.startswith(prefix):
                yield name[len(prefix) :], self._decoded(name, raw)

    def _decoded(self, name: str, raw: Any) -> Any:
        if raw is None:
            return None
        known = self._read.get(name)
        if known is None or known[0] is not raw:
            known = self._read[name] = raw, decode_object(raw)
        return known[1]

    def _count(self, pod: Pod, sign: int) -> None:
        """Count what a pod that Kueue does not place takes of its node, or gives back."""
        if not takes_room(pod):
            return
        total = self._outside.setdefault(pod.node_name, {})
        for name, amount in {**amounts_of_pod(pod.spec), "pods": 1}.items():
            total[name] = total.get(name, 0) + sign * amount

    # --- flavors and hosts -------------------------------------------------------------

    def _read_flavors(self, objects: Mapping[str, Any]) -> None:
        topologies: dict[str, Topology] = dict(self._all(objects, "Topology/"))
        flavors: dict[str, ResourceFlavor] = dict(self._all(objects, "ResourceFlavor/"))
        self._flavors = {
            name: _Flavor(flavor, topology, {})
            for name, flavor in flavors.items()
            if (topology := topologies.get(flavor.topology_name or "")) is not None
        }
        shown: Json = {}
        for order, (name, flavor) in enumerate(sorted(self._flavors.items())):
            levels = {str(at): level for at, level in enumerate(flavor.topology.levels)}
            shown[name] = {
                "topology": flavor.topology.metadata.name,
                "levels": levels,
                "order": order,
            }
        self._topologies.replace([*self._topologies.entries], shown)
        known = dict.fromkeys(self._hosts.entries)
        for node in self._nodes.values():
            for flavor in self._flavors.values():
                if flavor.selects(node):
                    flavor.hosts.setdefault(flavor.key(node), {})[node.metadata.name] = None
        for flavor in self._flavors.values():
            for key, names in flavor.hosts.items():
                self._hosts.put(key, self._host(names))
                known.pop(key, None)
        self._hosts.replace(known, {})

    def _read_hosts(self, nodes: Iterable[Node]) -> None:
        """Read the hosts of nodes as they were and as they are."""
        for node in nodes:
            name = node.metadata.name
            now = self._nodes.get(name)
            for flavor in self._flavors.values():
                if not flavor.selects(node):
                    continue
                key = flavor.key(node)
                names = flavor.hosts.setdefault(key, {})
                is_there = now is not None and flavor.selects(now)
                if is_there and now is not None and flavor.key(now) == key:
                    names[name] = None
                else:
                    names.pop(name, None)
                self._hosts.put(key, self._host(names) if names else None)

    def _host(self, names: Iterable[str]) -> Json:
        """Return what the nodes of a host can hold, what other pods take, and what is wrong."""
        room: dict[str, int] = {}
        outside: dict[str, int] = {}
        problems: dict[str, None] = {}
        count = usable = 0
        for name in names:
            node = self._nodes[name]
            count += 1
            found = _problem(node)
            problems.update(dict.fromkeys(found))
            usable += node.is_ready and not node.unschedulable
            for resource, quantity in node.allocatable.items():
                amount = request_amount(resource, quantity)
                room[resource] = room.get(resource, 0) + amount
            for resource, amount in self._outside.get(name, {}).items():
                outside[resource] = outside.get(resource, 0) + amount
        host: Json = {"room": room}
        if outside := {name: amount for name, amount in outside.items() if amount}:
            host["outside"] = outside
        if problems:
            host["problem"] = ", ".join(problems)
        if not usable:
            host["closed"] = True
        if count > 1:
            host["nodes"] = count
        return host

    # --- workloads ---------------------------------------------------------------------

    def _place(self, key: str, workload: WorkloadView | None) -> None:
        """Read where a workload's pods are."""
        found: Json = {}
        if workload and workload.phase not in ("Finished", "Pending") and workload.admission:
            for pod_set in workload.admission.pod_sets:
                flavor = next((f for f in pod_set.flavors.values() if f in self._flavors), "")
                on = {",".join(values): count for values, count in pod_set.places}
                if not on or not flavor:
                    continue
                each = {name: usage // pod_set.count for name, usage in pod_set.usage.items()}
                found[f"{key}|{pod_set.name}"] = {
                    "workload": key,
                    "podSet": pod_set.name,
                    "flavor": flavor,
                    "each": each,
                    "on": on,
                }
        self._places.replace(self._places_of.pop(key, ()), found)
        if found:
            self._places_of[key] = tuple(found)


def _problem(node: Node) -> Iterator[str]:
    """Yield why pods may not go to a node."""
    if not node.is_ready:
        yield "notReady"
    if node.unschedulable:
        yield "cordoned"
    for taint in node.taints:
        if taint.effect in _BLOCKING:
            yield f"{taint.key}:{taint.effect}"
