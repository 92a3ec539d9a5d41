"""Replaying a recorded case on a simulated cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from kueuelab.conformance.cases import Case, Json
from kueuelab.conformance.records import cycle_record, event_record, workload_details
from kueuelab.errors import KueueLabError, NotModelledError
from kueuelab.manifests import read_object
from kueuelab.manifests.decode import decode_configuration, decode_object
from kueuelab.model import (
    RELEASE,
    ClusterObject,
    DeviceClass,
    ModelObject,
    ReclaimablePod,
    Release,
    Workload,
)
from kueuelab.model.times import SECOND, format_time, parse_time
from kueuelab.simulation import Cluster
from kueuelab.simulation.objects import with_defaults
from kueuelab.trace.recorder import Recorder

__all__ = ["Replayed", "replay_case"]


def replay_case(
    case: Case, recorder: Recorder | None = None, release: Release = RELEASE
) -> Iterator[Json]:
    """Do what a case says, and hand out the record of each step.

    Parameters
    ----------
    case : Case
        The case; what it expects is not looked at.
    recorder : Recorder, optional
        Records every step of the simulation.
    release : Release, optional
        The release of Kueue that decides.

    Yields
    ------
    dict
        The record of a step, in the format of the files.

    Examples
    --------
    >>> case = Case("idle", ({"op": "cycle"},), ({"op": "cycle"},))
    >>> next(replay_case(case))["cycles"]
    [{'heads': [], 'entries': [], 'inadmissible': []}]
    """
    replayed = Replayed(case, recorder, release)
    for step in case.steps:
        yield replayed.perform(step)


class Replayed:
    """A cluster as a case begins, and what each operation does to it.

    Parameters
    ----------
    case : Case
        Gives configuration, start time and objects.
    recorder : Recorder, optional
        Records every step of the simulation.
    release : Release, optional
        The release of Kueue that decides.
    """

    def __init__(
        self, case: Case, recorder: Recorder | None = None, release: Release = RELEASE
    ) -> None:
        self.cluster = Cluster(
            decode_configuration(case.configuration, release),
            start=parse_time(case.start_time),
            recorder=recorder,
            on_cycle=lambda cycle: self._cycles.append(cycle_record(cycle)),
        )
        self._cycles: list[Json] = []
        self._operations: Mapping[str, Callable[[Json], object]] = {
            "cycle": lambda step: self.cluster.cycle(),
            "settle": self._settle,
            "create": lambda step: self.cluster.create_workload(_workload(step["object"])),
            "finish": lambda step: self.cluster.finish(step["workload"]),
            "delete": lambda step: self.cluster.delete_workload(step["workload"]),
            "apply": self._apply,
            "remove": self._remove,
            "complete-evictions": lambda step: self.cluster.complete_evictions(),
            "advance": lambda step: self.cluster.advance(int(step["seconds"] * SECOND)),
            "set-check": self._set_check,
            "pods-ready": lambda step: self.cluster.pods_ready(step["workload"], step["ready"]),
            "set-all-checks": self._set_all_checks,
            "set-active": lambda step: self.cluster.set_active(step["workload"], step["active"]),
            "set-priority": lambda step: self.cluster.set_priority(
                step["workload"], step["priority"]
            ),
            "scale": self._scale,
            "reclaim": self._reclaim,
        }
        self._record = case.record
        self.cluster.load(self._unseen_classes_apart(case))

    def perform(self, step: Json) -> Json:
        """Do one operation and write down all that followed from it."""
        cluster = self.cluster
        self._cycles = []
        known_events = len(cluster.events)
        record: Json = {"op": step["op"]}
        try:
            outcome = self._operations[step["op"]](step)
        except NotModelledError:
            raise
        except KueueLabError as error:
            outcome = None
            record["error"] = str(error)
        if outcome is False:
            record["skipped"] = True
        elif step["op"] == "settle":
            record["rounds"] = outcome
        record["time"] = format_time(cluster.now)
        record["cycles"] = self._cycles
        record["events"] = [event_record(event) for event in cluster.events[known_events:]]
        record["state"] = cluster.state()
        for key, state in cluster.workloads.items() if self._record else ():
            record["state"]["workloads"][key] |= workload_details(state, self._record)
        return record

    def _unseen_classes_apart(self, case: Case) -> Iterator[Any]:
        """Yield the objects of a case; put DeviceClasses into the cluster beside the controllers.

        The recorder tells Kueue's watch of DeviceClasses only of those that a step applies: so
        extended resources count as devices from then on. In a case that was recorded on a
        cluster (a partial one) the watch knows them all.
        """
        for obj in map(_decoded, case.objects):
            if isinstance(obj, DeviceClass) and not case.partial:
                self.cluster.objects.put(with_defaults(obj, self.cluster.now))
            else:
                yield obj

    def _settle(self, step: Json) -> int:
        return self.cluster.settle(step["maxCycles"])

    def _apply(self, step: Json) -> None:
        obj = step["object"]
        if not step.get("status") and not (obj["kind"] == "Node" and self._is_new(obj)):
            obj = {name: value for name, value in obj.items() if name != "status"}
        self.cluster.apply(cast(ClusterObject, _decoded(obj)))

    def _is_new(self, node: Json) -> bool:
        return self.cluster.objects.get("Node", node["metadata"]["name"]) is None

    def _remove(self, step: Json) -> None:
        self.cluster.remove(step["kind"], step["name"], step.get("namespace") or "")

    def _set_check(self, step: Json) -> bool:
        return self.cluster.set_check(
            step["workload"],
            step["check"],
            step["state"],
            step.get("message") or "",
            step.get("requeueAfterSeconds"),
        )

    def _set_all_checks(self, step: Json) -> bool:
        return self.cluster.set_all_checks(
            step["check"],
            step["state"],
            step.get("message") or "",
            step.get("requeueAfterSeconds"),
        )

    def _scale(self, step: Json) -> bool:
        return self.cluster.scale(step["job"], step["counts"], step["name"])

    def _reclaim(self, step: Json) -> bool:
        pods = [ReclaimablePod(pod["name"], pod["count"]) for pod in step["reclaimablePods"]]
        return self.cluster.reclaim(step["workload"], pods)


def _decoded(obj: Json) -> ModelObject:
    """Decode an object; only if that fails find out what is wrong with it."""
    try:
        return decode_object(obj)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        read_object(obj)
        raise


def _workload(obj: Json) -> Workload:
    return cast(Workload, _decoded(obj))
