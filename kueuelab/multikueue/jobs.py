"""Jobs as Kubernetes objects: what was submitted, its status, and its pods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from kueuelab.errors import InputError, Problem
from kueuelab.frozen import EMPTY
from kueuelab.manifests.jobs import Conversion, JobContext, JobKind, kind_of
from kueuelab.manifests.jobs.constants import (
    MULTIKUEUE_CONTROLLER,
    MULTIKUEUE_ORIGIN,
    PREBUILT_WORKLOAD,
    PRIORITY_CLASS,
    QUEUE_NAME,
)
from kueuelab.messages import Message
from kueuelab.model import Condition, OwnerReference, Workload
from kueuelab.model.meta import ConditionStatus
from kueuelab.model.times import SECOND

__all__ = [
    "MADE_OF_PODS",
    "MULTIKUEUE_CONTROLLER",
    "PREBUILT_WORKLOAD",
    "PRIORITY_CLASS",
    "QUEUE_NAME",
    "Job",
    "JobStatus",
    "Pod",
    "PodPlan",
]

_LWS: Final = "leaderworkerset.x-k8s.io/leaderworkerset"
#: Integrations that enable the integration of pods, too.
MADE_OF_PODS: Final = ("deployment", "statefulset", _LWS)
_PODS: Final = ("pod", *MADE_OF_PODS)
_WITHOUT_STATUS: Final = ("statefulset", _LWS)
_SERVICES: Final = ("deployment", "statefulset", _LWS, "ray.io/raycluster", "ray.io/rayservice")


@dataclass(frozen=True, slots=True)
class PodPlan:
    """The course of a job's pods once they run. ``run`` ``None``: until the scenario ends them.

    Attributes
    ----------
    run
        Nanoseconds from ready to the end.
    exit_code
        Not 0 if the pods fail.
    termination
        Nanoseconds until a deleted pod is gone; ``None`` as the cluster has it.
    """

    run: int | None = None
    exit_code: int = 0
    termination: int | None = None

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> PodPlan:
        """Read a plan as recordings and scenarios write it."""
        run, termination = value.get("runSeconds"), value.get("terminationSeconds")
        return cls(
            None if run is None else round(run * SECOND),
            int(value.get("exitCode") or 0),
            None if termination is None else round(termination * SECOND),
        )


@dataclass(slots=True)
class Pod:
    """A pod: when it becomes ready, ends, and has terminated after its deletion.

    A pod without a node neither becomes ready nor ends.
    """

    ready_at: int
    ends_at: int | None
    gone_at: int | None = None
    has_node: bool = True

    def is_over(self, now: int) -> bool:
        """Tell whether it ended by itself."""
        return self.ends_at is not None and self.ends_at <= now and self.gone_at is None

    def is_going(self, now: int) -> bool:
        """Tell whether it is terminating."""
        return self.gone_at is not None and self.gone_at > now

    def is_alive(self, now: int) -> bool:
        """Tell whether it runs, or is starting."""
        return self.gone_at is None and not self.is_over(now)


class JobStatus(NamedTuple):
    """``status`` of a Job; times are nanoseconds since 1970, in whole seconds."""

    active: int = 0
    ready: int = 0
    succeeded: int = 0
    failed: int = 0
    terminating: int = 0
    start_time: int | None = None
    completion_time: int | None = None
    conditions: Mapping[str, Condition] = EMPTY

    def with_condition(
        self, type_: str, status: ConditionStatus, reason: str, message: str, now: int
    ) -> JobStatus:
        """Return the status with a condition set."""
        new = Condition(type_, status, reason, message, now)
        return self._replace(conditions={**self.conditions, type_: new})

    def has(self, type_: str) -> bool:
        """Tell whether a condition is true."""
        condition = self.conditions.get(type_)
        return condition is not None and condition.status == "True"

    @property
    def end(self) -> Condition | None:
        """The condition that says that the job is complete or has failed."""
        if not self.conditions:
            return None
        for type_ in ("Complete", "Failed"):
            if self.has(type_):
                return self.conditions[type_]
        return None


class Job:
    """A job in one cluster. Kinds other than ``batch/v1`` Jobs are described as if they were one.

    Examples
    --------
    >>> job = Job({"kind": "Job", "metadata": {"name": "pi"}, "spec": {}}, "team", "uid-1", 0)
    >>> job.key, job.parallelism, job.suspend
    ('Job/team/pi', 1, False)
    """

    __slots__ = (
        "_completions",
        "_parallelism",
        "_spec",
        "controller",
        "converted",
        "created",
        "failed_at",
        "generation",
        "is_batch",
        "key",
        "kind",
        "labels",
        "made",
        "managed_by",
        "manifest",
        "name",
        "namespace",
        "origin",
        "plan",
        "pods",
        "prebuilt_workload",
        "size",
        "status",
        "suspend",
        "uid",
        "workloads",
    )

    def __init__(
        self,
        manifest: Mapping[str, Any],
        namespace: str,
        uid: str,
        created: int,
        plan: PodPlan | None = None,
        made: tuple[Workload, ...] = (),
    ) -> None:
        kind = kind_of(str(manifest.get("apiVersion") or "batch/v1"), str(manifest.get("kind")))
        if kind is None:
            raise InputError(
                Problem(Message("multikueue.unknown-kind", kind=repr(manifest.get("kind"))))
            )
        metadata = manifest.get("metadata") or {}
        self.kind: JobKind = kind
        self.manifest = manifest
        self.namespace = str(metadata.get("namespace") or namespace)
        self.name = str(metadata.get("name"))
        #: ``Kind/namespace/name``.
        self.key = f"{kind.kind}/{self.namespace}/{self.name}"
        #: Whether it is a ``batch/v1`` Job.
        self.is_batch = kind.framework == "batch/job"
        self.uid = uid
        self.created = created
        self.generation = 1
        #: Changed by :meth:`relabel` alone.
        self.labels: Mapping[str, str] = {}
        #: The manager that created it here, ``""`` if it wasn't a manager.
        self.origin = ""
        #: The name of the Workload that was made before it, as on workers; or ``""``.
        self.prebuilt_workload = ""
        self.relabel(metadata.get("labels") or {})
        spec: Mapping[str, Any] = manifest.get("spec") or {}
        self._spec = spec
        # How many pods run at a time and must succeed, where its spec says so.
        parallelism, completions = spec.get("parallelism"), spec.get("completions")
        self._completions = None if completions is None else int(completions)
        self._parallelism = None
        if self.is_batch:
            self._parallelism = 1 if parallelism is None else int(parallelism)
        self.suspend = bool(spec.get("suspend"))
        self.managed_by: str = self._field_of_manager() or ""
        self.plan = plan or PodPlan()
        self.pods: list[Pod] = []
        #: The Workloads to create for it, where they are known without converting it.
        self.made = made
        self.status = JobStatus()
        #: When the last of its pods failed, as Kubernetes stores it: in whole seconds.
        self.failed_at = 0
        #: The conversion that Kueue made last, with the cluster and labels it was made of.
        self.converted: tuple[JobContext, Mapping[str, str], Conversion] | None = None
        #: The Workloads that Kueue made for it; several for a LeaderWorkerSet.
        self.workloads: tuple[str, ...] = ()
        #: What made it, as ``Kind/namespace/name``; ``""`` if a user submitted it.
        self.controller = ""
        #: How many pods it has in all, where that is not in its spec.
        self.size = 1

    @property
    def parallelism(self) -> int:
        """How many pods run at a time."""
        return self.size if self._parallelism is None else self._parallelism

    @property
    def completions(self) -> int:
        """How many pods must succeed."""
        return self.parallelism if self._completions is None else self._completions

    @property
    def backoff_limit(self) -> int:
        """How many pods may fail."""
        return int(self._spec.get("backoffLimit", 6))

    @property
    def queue_name(self) -> str:
        """The LocalQueue it is submitted to, ``""`` if it names none."""
        return self.labels.get(QUEUE_NAME, "")

    @property
    def workload_keys(self) -> tuple[str, ...]:
        """The Workloads that it belongs to, as ``namespace/name``."""
        name = self.prebuilt_workload
        return (f"{self.namespace}/{name}",) if name else self.workloads

    @property
    def never_ends(self) -> bool:
        """Whether its pods serve until they are deleted."""
        return self.kind.framework in _SERVICES or self.controller != ""

    @property
    def pods_are_jobs(self) -> bool:
        """Whether each of its pods is a job by itself, as a Deployment's are."""
        support = self.kind.multikueue
        return support is not None and support.delegation == "ThroughPods"

    @property
    def waits_in_pods(self) -> bool:
        """Whether Kueue gates its pods: on a manager they stay gated."""
        return self.kind.framework in _PODS

    @property
    def reports_status(self) -> bool:
        """Whether its status comes back from a worker.

        Other kinds have no ``managedBy``: their controller on the manager writes its own
        status, of pods that stay gated there.
        """
        return self.kind.framework not in _WITHOUT_STATUS

    @classmethod
    def of_workload(cls, workload: Workload, uid: str, created: int, plan: PodPlan) -> Job:
        """Return a job for which Kueue would create this Workload."""
        pods = sum(pod_set.count for pod_set in workload.pod_sets)
        meta = workload.metadata
        labels = {**meta.labels, QUEUE_NAME: workload.queue_name}
        ref = workload.priority_class_ref
        if ref is not None and ref.kind == "WorkloadPriorityClass":
            labels[PRIORITY_CLASS] = ref.name
        owners = (each.name for each in meta.owner_references if each.kind == "Job")
        name = next(owners, meta.name)
        manifest = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": name, "namespace": meta.namespace, "labels": labels},
            "spec": {"parallelism": pods, "completions": pods, "backoffLimit": 0},
        }
        return cls(manifest, meta.namespace, uid, created, plan, made=(workload,))

    def pod_manifests(self) -> list[dict[str, Any]]:
        """Return the manifests of its pods, one for each replica."""
        template = self._spec.get("template") or {}
        metadata = template.get("metadata") or {}
        labels = {**(metadata.get("labels") or {}), QUEUE_NAME: self.queue_name}
        return [
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    **metadata,
                    "name": f"{self.name}-{number}",
                    "namespace": self.namespace,
                    "labels": labels,
                },
                "spec": template.get("spec") or {},
            }
            for number in range(int(self._spec.get("replicas", 1)))
        ]

    def relabel(self, labels: Mapping[str, str]) -> None:
        """Add or change labels."""
        self.labels = {**self.labels, **labels}
        self.origin = self.labels.get(MULTIKUEUE_ORIGIN, "")
        self.prebuilt_workload = self.labels.get(PREBUILT_WORKLOAD, "")

    def _field_of_manager(self) -> str | None:
        support = self.kind.multikueue
        value: Any = self.manifest
        if support is None or support.managed_by is None:
            return None
        for name in support.managed_by.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        return None if value is None else str(value)

    def reference(self) -> OwnerReference:
        """Return the owner reference that its Workload carries."""
        return OwnerReference(
            self.kind.api_version, self.kind.kind, self.name, self.uid, controller=True
        )

    def as_manifest(self) -> dict[str, Any]:
        """Return its manifest with the labels and the uid that it has now.

        What is below the metadata is shared with the job: read it, and change copies.
        """
        metadata = {
            **(self.manifest.get("metadata") or {}),
            "labels": dict(self.labels),
            "namespace": self.namespace,
            "uid": self.uid,
        }
        return {**self.manifest, "metadata": metadata}

    def __repr__(self) -> str:
        return f"<Job {self.key}>"
