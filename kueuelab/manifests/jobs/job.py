"""A job manifest with what every kind has: metadata, queue, and where to report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kueuelab.manifests.decode.meta import time
from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.cluster_context import metadata_of
from kueuelab.manifests.jobs.kinds import JobKind
from kueuelab.manifests.jobs.names import default_uid, generated_name
from kueuelab.manifests.jobs.reading import Field, Report
from kueuelab.messages import Message
from kueuelab.model import FeatureGates, OwnerReference

__all__ = ["Job", "read_job"]


@dataclass(frozen=True, slots=True)
class Job:
    """A job that is being turned into Workloads.

    ``labels`` hold what Kueue's defaulting adds to what was written.
    """

    kind: JobKind
    root: Field
    name: str
    namespace: str
    uid: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    generation: int
    created: int | None
    owner: OwnerReference | None
    gates: FeatureGates

    @property
    def report(self) -> Report:
        """Where mistakes and remarks go."""
        return self.root.report

    @property
    def spec(self) -> Field:
        """``spec``."""
        return self.root["spec"]

    @property
    def status(self) -> Field:
        """``status``."""
        return self.root["status"]

    @property
    def queue_name(self) -> str:
        """The LocalQueue that the job is submitted to; empty where it names none."""
        return self.labels.get(constants.QUEUE_NAME, "")

    @property
    def elastic(self) -> bool:
        """Whether the job scales through workload slices."""
        return (
            self.gates["ElasticJobsViaWorkloadSlices"]
            and self.annotations.get(constants.ELASTIC_JOB) == "true"
        )

    @property
    def prebuilt_workload(self) -> str:
        """The Workload that the job uses instead of one of its own; empty where none."""
        annotation = self.annotations.get(constants.PREBUILT_WORKLOAD, "")
        label = self.labels.get(constants.PREBUILT_WORKLOAD, "")
        if self.gates["WorkloadIdentifierAnnotations"]:
            return annotation or label
        return label or (annotation if len(annotation) > 63 else "")

    def reference(self, *, controller: bool = True) -> OwnerReference:
        """Return the owner reference that this job's Workloads carry."""
        return OwnerReference(
            self.kind.api_version, self.kind.kind, self.name, self.uid, controller=controller
        )


def read_job(
    obj: Mapping[str, Any],
    kind: JobKind,
    gates: FeatureGates,
    *,
    default_namespace: str,
    occurrence: int = 0,
) -> Job:
    """Read what all kinds have in common.

    ``occurrence`` counts the jobs that have the same ``generateName``.
    """
    metadata = metadata_of(obj)
    namespace = str(metadata.get("namespace") or default_namespace)
    name, problem = _name(metadata, occurrence)
    report = Report(f"{kind.kind}/{namespace}/{name}")
    if problem:
        report.problem("metadata.name", Message("manifests.job.name-missing"), problem)
    elif not metadata.get("name"):
        report.note(
            Message("manifests.job.generated-name", value=metadata["generateName"], name=name)
        )
    root = Field(obj, "", report)
    meta = root["metadata"]
    labels = meta["labels"].texts()
    annotations = meta["annotations"].texts()
    return Job(
        kind=kind,
        root=root,
        name=name,
        namespace=namespace,
        uid=meta["uid"].text() or default_uid(namespace, name),
        labels=labels,
        annotations=annotations,
        generation=meta["generation"].integer(1),
        created=_created(meta["creationTimestamp"]),
        owner=_controller(meta["ownerReferences"]),
        gates=gates,
    )


def _name(metadata: Mapping[str, Any], occurrence: int) -> tuple[str, str]:
    if name := metadata.get("name"):
        return str(name), ""
    if prefix := metadata.get("generateName"):
        return generated_name(str(prefix), occurrence), ""
    return "", Message("manifests.job.name-missing.hint")


def _created(field: Field) -> int | None:
    try:
        return time(field.value)
    except (TypeError, ValueError) as error:
        field.problem(f"Invalid value: {error}")
        return None


def _controller(references: Field) -> OwnerReference | None:
    for entry in references.items():
        if entry["controller"].flag():
            return OwnerReference(
                entry["apiVersion"].text(),
                entry["kind"].text(),
                entry["name"].text(),
                entry["uid"].text(),
                controller=True,
            )
    return None
