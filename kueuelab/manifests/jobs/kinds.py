"""The job kinds that Kueue's integrations manage, and what each of them can do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

__all__ = [
    "JOB_KINDS",
    "REFERRED_KINDS",
    "JobKind",
    "MultiKueueSupport",
    "kind_of",
    "kind_of_reference",
]

Delegation = Literal["ManagedBy", "Always", "ThroughPods"]


@dataclass(frozen=True, slots=True)
class MultiKueueSupport:
    """How MultiKueue delegates jobs of a kind.

    Parameters
    ----------
    delegation : {"ManagedBy", "Always", "ThroughPods"}
        ``ManagedBy``: the field ``managed_by`` must name MultiKueue's controller.
        ``Always``: every job of the kind is delegated. ``ThroughPods``: not the job
        itself but each of its pods.
    managed_by : str, optional
        Path of the field.
    default_controller : str, optional
        The value of that field that Kueue may overwrite with its own, as it does a
        missing one, when the job's ClusterQueue has a MultiKueue check.
    """

    delegation: Delegation
    managed_by: str | None = None
    default_controller: str | None = None


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job as a release of Kueue integrates it.

    Parameters
    ----------
    group, version, kind : str
        The version is the one that Kueue watches.
    framework : str
        The name in ``integrations.frameworks``.
    multikueue : MultiKueueSupport, optional
        ``None`` where MultiKueue can't delegate the kind.
    prebuilt_workload : bool
        Whether ``kueue.x-k8s.io/prebuilt-workload-name`` is allowed.
    elastic : bool
        Whether ``kueue.x-k8s.io/elastic-job`` is allowed.
    feature_gate : str, optional
        The gate that the integration is behind.
    """

    group: str
    version: str
    kind: str
    framework: str
    multikueue: MultiKueueSupport | None = None
    prebuilt_workload: bool = True
    elastic: bool = False
    feature_gate: str | None = None

    @property
    def is_custom(self) -> bool:
        """Whether it comes with a CRD; others are part of Kubernetes."""
        return "." in self.group

    @property
    def api_version(self) -> str:
        """``group/version``, or the version alone for core kinds."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def gvk(self) -> str:
        """Group, version and kind as Kueue prints them."""
        return f"{self.api_version}, Kind={self.kind}"


def _managed_by(field: str, default: str) -> MultiKueueSupport:
    return MultiKueueSupport("ManagedBy", field, default)


_ALWAYS: Final = MultiKueueSupport("Always")
_KUBEFLOW: Final = _managed_by("spec.runPolicy.managedBy", "kubeflow.org/training-operator")
_RAY: Final = _managed_by("spec.managedBy", "ray.io/kuberay-operator")


def _kubeflow(kind: str, *, prebuilt_workload: bool = True) -> JobKind:
    framework = f"kubeflow.org/{kind.lower()}"
    return JobKind("kubeflow.org", "v1", kind, framework, _KUBEFLOW, prebuilt_workload)


def _ray(kind: str) -> JobKind:
    return JobKind("ray.io", "v1", kind, f"ray.io/{kind.lower()}", _RAY, elastic=True)


_KINDS: Final = (
    JobKind(
        "batch",
        "v1",
        "Job",
        "batch/job",
        _managed_by("spec.managedBy", "kubernetes.io/job-controller"),
        elastic=True,
    ),
    JobKind(
        "jobset.x-k8s.io",
        "v1alpha2",
        "JobSet",
        "jobset.x-k8s.io/jobset",
        _managed_by("spec.managedBy", "jobset.sigs.k8s.io/jobset-controller"),
    ),
    JobKind("", "v1", "Pod", "pod", _ALWAYS),
    JobKind(
        "apps",
        "v1",
        "Deployment",
        "deployment",
        MultiKueueSupport("ThroughPods"),
        prebuilt_workload=False,
    ),
    JobKind("apps", "v1", "StatefulSet", "statefulset", _ALWAYS, prebuilt_workload=False),
    JobKind(
        "leaderworkerset.x-k8s.io",
        "v1",
        "LeaderWorkerSet",
        "leaderworkerset.x-k8s.io/leaderworkerset",
        _ALWAYS,
        prebuilt_workload=False,
    ),
    _kubeflow("PyTorchJob"),
    _kubeflow("TFJob"),
    _kubeflow("XGBoostJob"),
    _kubeflow("PaddleJob"),
    _kubeflow("JAXJob", prebuilt_workload=False),
    JobKind(
        "kubeflow.org",
        "v2beta1",
        "MPIJob",
        "kubeflow.org/mpijob",
        _managed_by("spec.runPolicy.managedBy", "kubeflow.org/mpi-operator"),
    ),
    JobKind(
        "trainer.kubeflow.org",
        "v1alpha1",
        "TrainJob",
        "trainer.kubeflow.org/trainjob",
        _managed_by("spec.managedBy", "trainer.kubeflow.org/trainjob-controller"),
    ),
    _ray("RayJob"),
    _ray("RayCluster"),
    _ray("RayService"),
    JobKind(
        "workload.codeflare.dev",
        "v1beta2",
        "AppWrapper",
        "workload.codeflare.dev/appwrapper",
        _managed_by("spec.managedBy", "workload.codeflare.dev/appwrapper-controller"),
    ),
    JobKind(
        "sparkoperator.k8s.io",
        "v1beta2",
        "SparkApplication",
        "sparkoperator.k8s.io/sparkapplication",
        prebuilt_workload=False,
        feature_gate="SparkApplicationIntegration",
    ),
)

#: Every job kind by API group and kind.
JOB_KINDS: Final[Mapping[tuple[str, str], JobKind]] = MappingProxyType(
    {(kind.group, kind.kind): kind for kind in _KINDS}
)

#: Other kinds that a conversion looks up: what owns pods, what TrainJobs take pods from.
REFERRED_KINDS: Final = frozenset(
    (
        ("apps", "ReplicaSet"),
        ("trainer.kubeflow.org", "ClusterTrainingRuntime"),
        ("trainer.kubeflow.org", "TrainingRuntime"),
    )
)


def kind_of(api_version: str, kind: str) -> JobKind | None:
    """Return the job kind of a manifest, ``None`` where it isn't one.

    Examples
    --------
    >>> kind_of("batch/v1", "Job").framework
    'batch/job'
    >>> kind_of("v1", "ConfigMap") is None
    True
    """
    group, _, _ = api_version.rpartition("/")
    return JOB_KINDS.get((group, kind))


def kind_of_reference(api_version: str, kind: str) -> JobKind | None:
    """Return the job kind that an owner reference means: group, kind and version must match."""
    found = kind_of(api_version, kind)
    return found if found is not None and found.api_version == api_version else None
