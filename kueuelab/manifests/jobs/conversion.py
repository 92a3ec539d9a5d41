"""What a conversion needs to know of the cluster, and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from kueuelab.errors import Problem
from kueuelab.model import (
    Configuration,
    Namespace,
    PriorityClass,
    RuntimeClass,
    Workload,
    WorkloadPriorityClass,
)

__all__ = ["Conversion", "JobContext"]


@dataclass(frozen=True, slots=True)
class JobContext:
    """The cluster that jobs are submitted to, as far as it shapes their Workloads.

    Parameters
    ----------
    configuration : Configuration, optional
        Feature gates, enabled frameworks, which jobs Kueue manages.
    workload_priority_classes, priority_classes, runtime_classes, namespaces : mapping
        Objects by name.
    local_queues : set of str, optional
        Keys (``namespace/name``) of the LocalQueues, for the default LocalQueue.
    objects : tuple of mapping, optional
        Other manifests that jobs lean on: owners, pods of the same group, training
        runtimes. The jobs that are converted together know each other anyway.
    default_namespace : str, optional
        Where jobs belong that name no namespace.
    """

    configuration: Configuration = field(default_factory=Configuration)
    workload_priority_classes: Mapping[str, WorkloadPriorityClass] = field(default_factory=dict)
    priority_classes: Mapping[str, PriorityClass] = field(default_factory=dict)
    runtime_classes: Mapping[str, RuntimeClass] = field(default_factory=dict)
    namespaces: Mapping[str, Namespace] = field(default_factory=dict)
    local_queues: Set[str] = frozenset()
    objects: tuple[Mapping[str, Any], ...] = ()
    default_namespace: str = "default"


@dataclass(frozen=True, slots=True)
class Conversion:
    """The Workloads of one manifest.

    Parameters
    ----------
    workloads : tuple of Workload
        Without status, but for jobs that are finished or have finished pods.
    notes : tuple of str
        What a reader should know: why there is no Workload, what was assumed.
    cautions : tuple of str
        Those notes without which decisions can be misread.
    problems : tuple of Problem
        What Kueue or Kubernetes would reject; such a job has no Workloads.
    managed : bool
        Whether Kueue manages the job. One that runs within another job's Workload, or
        in a prebuilt one, is managed and has no Workloads of its own.
    prebuilt_workload : str
        The Workload that the job uses instead of one of its own, empty where none.
    """

    workloads: tuple[Workload, ...] = ()
    notes: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    managed: bool = False
    prebuilt_workload: str = ""
