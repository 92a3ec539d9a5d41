"""From the queues and flavors of a trace to those of a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from kueuelab.errors import InputError, Problem, UnknownObjectError
from kueuelab.manifests import ScenarioSpec
from kueuelab.messages import Message
from kueuelab.model import ResourceFlavor
from kueuelab.sweeps.workloads.jobs import Job

__all__ = ["JobField", "Mapped", "local_queue", "local_queues_of"]

#: What of a job says where it goes.
JobField: TypeAlias = Literal["queue", "user", "group"]


@dataclass(frozen=True, slots=True)
class Mapped:
    """How jobs of a trace find their queue and flavor.

    Parameters
    ----------
    by
        What of a job chooses its LocalQueue: ``queue``, ``user`` or ``group``.
    queues
        That to a LocalQueue, ``name`` or ``namespace/name``. What it does not name goes to the
        LocalQueue of the same name, or else to the LocalQueues in turn, in the order in which the
        trace names it first.
    flavors
        A flavor of the trace to a ResourceFlavor: the pods select its nodes. A job with another
        flavor, or none, may get any.

    Examples
    --------
    >>> Mapped("user", {"7": "team-a"}).by
    'user'
    """

    by: JobField = "queue"
    queues: Mapping[str, str] = field(default_factory=dict)
    flavors: Mapping[str, str] = field(default_factory=dict)

    def local_queues(self, spec: ScenarioSpec, jobs: Sequence[Job]) -> dict[str, str]:
        """Return the LocalQueue (``namespace/name``) of each name in the trace.

        Raises
        ------
        InputError
            If the scenario has no LocalQueue.
        UnknownObjectError
            If it does not have one that is named.
        """
        known = local_queues_of(spec)
        found = {name: local_queue(queue, known) for name, queue in self.queues.items()}
        names = dict.fromkeys(self.name(job) for job in jobs)
        for name in names:
            same = [key for key in known if key.partition("/")[2] == name]
            if name not in found and len(same) == 1:
                found[name] = same[0]
        others = [name for name in names if name not in found]
        return found | {name: known[place % len(known)] for place, name in enumerate(others)}

    def name(self, job: Job) -> str:
        """Return what of a job chooses its LocalQueue."""
        match self.by:
            case "user":
                return job.user
            case "group":
                return job.group
        return job.queue

    def node_selectors(self, spec: ScenarioSpec) -> dict[str, Mapping[str, str]]:
        """Return which nodes the pods of each flavor of the trace select.

        Raises
        ------
        UnknownObjectError
            If the scenario does not have a flavor that is named.
        """
        known = {
            flavor.metadata.name: flavor
            for flavor in spec.manifests.objects.get("ResourceFlavor", ())
            if isinstance(flavor, ResourceFlavor)
        }
        for name in self.flavors.values():
            if name not in known:
                raise UnknownObjectError("ResourceFlavor", name, known)
        return {name: known[flavor].node_labels for name, flavor in self.flavors.items()}


def local_queues_of(spec: ScenarioSpec) -> list[str]:
    """Return the LocalQueues of a scenario, ``namespace/name``.

    Raises
    ------
    InputError
        If it has none.
    """
    queues = (queue.metadata for queue in spec.manifests.local_queues)
    found = [f"{each.namespace or 'default'}/{each.name}" for each in queues]
    if not found:
        raise InputError(Problem(Message("sweeps.workloads.no-local-queue")))
    return found


def local_queue(queue: str, known: Sequence[str]) -> str:
    """Return the LocalQueue (``namespace/name``) that a name means.

    Raises
    ------
    UnknownObjectError
        If there is none, or more than one.
    """
    named = [key for key in known if queue in (key, key.partition("/")[2])]
    if len(named) != 1:
        raise UnknownObjectError("LocalQueue", queue, known)
    return named[0]
