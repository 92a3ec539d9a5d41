"""Jobs among the manifests: collected, converted together, and how long they run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kueuelab.errors import Problem
from kueuelab.manifests.jobs import Conversion, JobContext, workloads_for_all
from kueuelab.manifests.loading.items import Findings, Item
from kueuelab.manifests.shapes.check import mistakes
from kueuelab.manifests.shapes.mistake import Mistake, describe
from kueuelab.manifests.shapes.tables import record_of
from kueuelab.messages import Message
from kueuelab.model import (
    Configuration,
    LocalQueue,
    ModelObject,
    Namespace,
    PriorityClass,
    RuntimeClass,
    Workload,
    WorkloadPriorityClass,
)
from kueuelab.model.times import SECOND, parse_duration

__all__ = ["RUNS", "JobsIn", "StatedTimes", "context_of", "sleeping_time"]

#: The annotation of a job, or of its Workload, that says for how long it is expected to run.
RUNS: Final = "kueuelab/runs"

_UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_SLEEP: Final = re.compile(r"(?:^|\s|;|&)sleep\s+([0-9]{1,9}(?:\.[0-9]{1,9})?)([smhd]?)(?![\w.])")


@dataclass(frozen=True, slots=True)
class StatedTimes:
    """What jobs say of their times, in nanoseconds by the key of their Workload.

    Attributes
    ----------
    sleeps
        How long the pods of a demonstration sleep.
    expected
        How long a job is expected to run, as its annotation says.
    deadlines
        After how long a job is ended at the latest.
    """

    sleeps: dict[str, int] = field(default_factory=dict)
    expected: dict[str, int] = field(default_factory=dict)
    deadlines: dict[str, int] = field(default_factory=dict)


class JobsIn:
    """The jobs that were found, until all that they refer to is there."""

    def __init__(self, findings: Findings, namespace: str) -> None:
        self._findings = findings
        self._namespace = namespace
        self._jobs: list[tuple[Item, Mapping[str, Any]]] = []
        self._places: dict[tuple[str, str, str], int] = {}
        self._referred: list[Mapping[str, Any]] = []

    def refer_to(self, obj: Mapping[str, Any]) -> None:
        """Take an object that is no job, but that jobs belong to or are made from."""
        self._referred.append(obj)

    def add(self, item: Item) -> None:
        """Take a job."""
        obj = item.obj
        metadata = obj.get("metadata")
        found: list[Mistake] = []
        if metadata is None:
            found.append(
                Mistake(("metadata",), "Required value", Message("manifests.jobs.no-name.hint"))
            )
        else:
            found += mistakes(metadata, record_of("v1", "JobMeta"), ("metadata",))
        if not isinstance(obj.get("spec", {}), Mapping):
            words = Message("manifests.jobs.not-a-mapping", describe=describe(obj["spec"]))
            found.append(Mistake(("spec",), words))
        if found:
            self._findings.add_all(item, found)
            return
        before = self._place_of(item)
        if before is not None:
            self._findings.note_replaced(item, self._jobs[before][0])
            self._jobs[before] = (item, obj)
            return
        if name := (obj.get("metadata") or {}).get("name"):
            self._places[self._key_of(obj, name)] = len(self._jobs)
        self._jobs.append((item, obj))

    def before(self, item: Item) -> Item | None:
        """Return the job of the same name that was taken before, if there is one."""
        place = self._place_of(item)
        return None if place is None else self._jobs[place][0]

    def _place_of(self, item: Item) -> int | None:
        metadata = item.obj.get("metadata")
        if not isinstance(metadata, Mapping) or not metadata.get("name"):
            return None
        place = self._places.get(self._key_of(item.obj, metadata["name"]))
        if place is None:
            return None
        uid = metadata.get("uid")
        same = uid and uid == (self._jobs[place][1].get("metadata") or {}).get("uid")
        return None if same else place

    def _key_of(self, obj: Mapping[str, Any], name: Any) -> tuple[str, str, str]:
        namespace = (obj.get("metadata") or {}).get("namespace") or self._namespace
        group = str(obj["apiVersion"]).rpartition("/")[0]
        return f"{group}/{obj['kind']}", str(namespace), str(name)

    def convert(
        self,
        objects: Iterable[ModelObject],
        configuration: Configuration,
        *,
        strict: bool = False,
    ) -> tuple[list[tuple[Workload, Item]], StatedTimes]:
        """Return the Workloads of the jobs, and what the jobs say of their times.

        A job whose Workload is among ``objects`` gets no other one. With ``strict``, what
        a job names must be there.
        """
        times = StatedTimes()
        if not self._jobs:
            return [], times
        objects = list(objects)
        owned = {
            owner.uid: obj.key
            for obj in objects
            if isinstance(obj, Workload)
            for owner in obj.metadata.owner_references
            if owner.uid
        }
        context = context_of(objects, configuration, self._namespace)
        context = replace(context, objects=tuple(self._referred))
        conversions = workloads_for_all([obj for _, obj in self._jobs], context)
        made: list[tuple[Workload, Item]] = []
        known: Counter[str] = Counter()
        members = 0
        for (item, obj), conversion in zip(self._jobs, conversions, strict=True):
            uid = (obj.get("metadata") or {}).get("uid")
            if uid and uid in owned:
                known[str(obj["kind"])] += 1
                self._note_times(times, owned[uid], item, obj)
                continue
            for problem in conversion.problems:
                self._report(item, problem, strict)
            if obj["kind"] == "Pod" and _is_member(conversion):
                members += 1
            else:
                for note in conversion.notes:
                    is_caution = note in conversion.cautions
                    self._findings.note(note, item, is_caution=is_caution)
            duration = sleeping_time(obj)
            for workload in conversion.workloads:
                made.append((workload, item))
                self._note_times(times, workload.key, item, obj)
                if duration is not None:
                    times.sleeps[workload.key] = duration
        for kind, count in known.items():
            self._findings.note(Message("manifests.jobs.with-workloads", count=count), label=kind)
        if members:
            self._findings.note(
                Message("manifests.jobs.within-other-workloads", members=members), label="Pod"
            )
        return made, times

    def _note_times(self, times: StatedTimes, key: str, item: Item, job: Mapping[str, Any]) -> None:
        """Note how long a job is expected to run, and when it is ended at the latest."""
        spec = job.get("spec") or {}
        limits = (spec, spec.get("runPolicy"), _template_of(spec))
        found = [each.get("activeDeadlineSeconds") for each in limits if isinstance(each, Mapping)]
        if seconds := [each for each in found if isinstance(each, int) and each > 0]:
            times.deadlines[key] = min(seconds) * SECOND
        written = ((job.get("metadata") or {}).get("annotations") or {}).get(RUNS)
        if written is None:
            return
        try:
            expected = parse_duration(str(written))
        except ValueError:
            expected = 0
        if expected > 0:
            times.expected[key] = expected
        else:
            text = Message("manifests.jobs.not-a-run-time", annotation=RUNS, written=repr(written))
            self._findings.note(text, item, is_caution=True)

    def _report(self, item: Item, problem: Problem, strict: bool) -> None:
        """Report a problem; that a job names what isn't there (yet) is none of the manifest."""
        if strict or not problem.message.startswith("there is no "):
            self._findings.add_problem(item, problem)
        else:
            self._findings.note(
                Message("manifests.jobs.no-workload", message=problem.message), item
            )


def _template_of(spec: Mapping[str, Any]) -> Any:
    """Return the spec of a job's one pod template, if it has one."""
    template = spec.get("template")
    return template.get("spec") if isinstance(template, Mapping) else None


def _is_member(conversion: Conversion) -> bool:
    """Tell whether a pod runs within another's Workload, and no more is to be said."""
    said = conversion.notes or conversion.problems
    return conversion.managed and not conversion.workloads and not said


def context_of(
    objects: Iterable[ModelObject], configuration: Configuration, namespace: str
) -> JobContext:
    """Return the cluster that the objects make up, as far as it shapes Workloads."""
    objects = list(objects)
    return JobContext(
        configuration=configuration,
        workload_priority_classes={
            obj.metadata.name: obj for obj in objects if isinstance(obj, WorkloadPriorityClass)
        },
        priority_classes={
            obj.metadata.name: obj for obj in objects if isinstance(obj, PriorityClass)
        },
        runtime_classes={
            obj.metadata.name: obj for obj in objects if isinstance(obj, RuntimeClass)
        },
        namespaces={obj.metadata.name: obj for obj in objects if isinstance(obj, Namespace)},
        local_queues=frozenset(obj.key for obj in objects if isinstance(obj, LocalQueue)),
        default_namespace=namespace,
    )


def sleeping_time(job: Mapping[str, Any]) -> int | None:
    """Return how long a job's pods sleep, in nanoseconds; ``None`` if they do other things.

    Demonstrations stand in for work with ``sleep``; that is how long they run.

    Examples
    --------
    >>> container = {"name": "work", "command": ["sh", "-c", "echo hello; sleep 90"]}
    >>> sleeping_time({"spec": {"template": {"spec": {"containers": [container]}}}})
    90000000000
    """
    times = [time for container in _containers(job) if (time := _sleep_of(container))]
    return max(times, default=None)


def _containers(value: Any, depth: int = 0) -> Iterable[Any]:
    """Yield the containers of all pod templates, wherever the kind keeps them."""
    if depth > 12:
        return
    if isinstance(value, Mapping):
        for name, child in value.items():
            if name == "containers" and isinstance(child, list):
                yield from child
            else:
                yield from _containers(child, depth + 1)
    elif isinstance(value, list):
        for child in value:
            yield from _containers(child, depth + 1)


def _sleep_of(container: Any) -> int | None:
    if not isinstance(container, Mapping):
        return None
    words = [*(container.get("command") or ()), *(container.get("args") or ())]
    match = _SLEEP.search(" ".join(map(str, words))[:10_000])
    if match is None:
        return None
    whole, _, fraction = match[1].partition(".")
    nanoseconds = int(whole) * SECOND + int((fraction + "0" * 9)[:9])
    return nanoseconds * _UNITS[match[2]] or None
