"""Spark operator's SparkApplication: a driver and its executors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kueuelab.errors import QuantityError
from kueuelab.manifests.jobs.builder import PodSetDraft
from kueuelab.manifests.jobs.cluster_context import ClusterContext
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.reading import Field
from kueuelab.manifests.jobs.templates import Template, read_pod_spec
from kueuelab.manifests.server.webhooks.topology import go_boolean
from kueuelab.messages import Message, verbatim
from kueuelab.quantity import Quantity

__all__ = ["pod_sets", "validate"]

_DRIVER_CONTAINER: Final = "spark-kubernetes-driver"
_EXECUTOR_CONTAINER: Final = "spark-kubernetes-executor"
_DEFAULT_MEMORY: Final = "1g"
# Java's units of memory and those of Kubernetes; longer ones first.
_UNITS: Final = (
    ("kb", "Ki"),
    ("mb", "Mi"),
    ("gb", "Gi"),
    ("tb", "Ti"),
    ("pb", "Pi"),
    ("k", "Ki"),
    ("m", "Mi"),
    ("g", "Gi"),
    ("t", "Ti"),
    ("p", "Pi"),
)


def pod_sets(job: Job, cluster_context: ClusterContext) -> Sequence[PodSetDraft]:
    """Return the driver and the executors."""
    driver, executor = job.spec["driver"], job.spec["executor"]
    return [
        PodSetDraft("driver", 1, _template(job, driver, _DRIVER_CONTAINER), driver),
        PodSetDraft(
            "executor",
            _instances(job, executor),
            _template(job, executor, _EXECUTOR_CONTAINER),
            executor,
        ),
    ]


def _instances(job: Job, executor: Field) -> int:
    """Return the number of executors; the operator's default is one."""
    if executor["instances"].present:
        return executor["instances"].count(0)
    if _spark_conf(job, "spark.executor.instances") or _dynamic_allocation(job):
        # Kueue reads the field alone, which the operator leaves empty here.
        return 0
    return 1


def _dynamic_allocation(job: Job) -> bool:
    allocation = job.spec["dynamicAllocation"]
    if allocation.present:
        return allocation["enabled"].flag()
    return bool(go_boolean(_spark_conf(job, "spark.dynamicallocation.enabled")))


def _spark_conf(job: Job, name: str) -> str:
    return str(job.spec["sparkConf"].mapping().get(name) or "")


def _template(job: Job, role: Field, container_name: str) -> Template:
    """Return the template of a role's pods, with what the operator puts into them.

    Only the metadata of ``template`` counts. Cores count where ``coreRequest`` or
    ``coreLimit`` say so; memory overhead does not.
    """
    written = role["template"]["metadata"]
    container: dict[str, Any] = {"name": container_name}
    container["resources"] = _resources(job, role)
    spec: dict[str, Any] = {
        "containers": [container, *role["sidecars"].values()],
        "initContainers": role["initContainers"].values(),
        "nodeSelector": dict(role["nodeSelector"].mapping()),
        "tolerations": role["tolerations"].values(),
    }
    if role["affinity"].present:
        spec["affinity"] = role["affinity"].mapping()
    if name := role["priorityClassName"].text():
        spec["priorityClassName"] = name
    return {
        "metadata": {
            "labels": {**written["labels"].texts(), **role["labels"].texts()},
            "annotations": {**written["annotations"].texts(), **role["annotations"].texts()},
        },
        "spec": read_pod_spec(Field(spec, role.path, role.report)),
    }


def _resources(job: Job, role: Field) -> dict[str, Any]:
    requests: dict[str, str] = {}
    limits: dict[str, str] = {}
    memory = role["memory"].text()
    if not memory and not _spark_conf(job, f"spark.{role.path.rpartition('.')[2]}.memory"):
        memory = _DEFAULT_MEMORY
    for target, name, field, value in (
        (requests, "cpu", role["coreRequest"], role["coreRequest"].text()),
        (limits, "cpu", role["coreLimit"], role["coreLimit"].text()),
        (requests, "memory", role["memory"], _from_java(memory)),
        (limits, "memory", role["memoryLimit"], _from_java(role["memoryLimit"].text())),
    ):
        if value and _is_quantity(field, value):
            target[name] = value
    gpu = role["gpu"]
    if gpu["name"].text() and gpu["quantity"].integer(0) > 0:
        limits[gpu["name"].text()] = str(gpu["quantity"].integer(0))
    return {"requests": requests, "limits": limits}


def _from_java(memory: str) -> str:
    """Return Java's amount of memory as Kubernetes writes it: ``512m`` as ``512Mi``.

    As in the operator, upper-case units are recognised but not taken away, so that
    ``1G`` is no quantity.
    """
    for unit, kubernetes in _UNITS:
        if memory.lower().endswith(unit):
            return memory.removesuffix(unit) + kubernetes
    return memory


def _is_quantity(field: Field, text: str) -> bool:
    try:
        Quantity.parse(text)
    except QuantityError as error:
        field.problem(
            verbatim(f"failed to parse {field.value}: {error.reason}"),
            Message("manifests.spark.memory.hint"),
        )
        return False
    return True


def validate(job: Job) -> None:
    """Report what Kueue's webhook rejects in a SparkApplication."""
    mode = job.spec["mode"].text("cluster")
    if mode != "cluster":
        job.spec["mode"].problem(
            f'Invalid value: "{mode}": only Cluster mode is supported for a kueue managed job'
        )
    if job.spec["dynamicAllocation"]["enabled"].flag() and not job.elastic:
        job.spec.at("dynamicAllocation", "enabled").problem(
            "Invalid value: true: a kueue managed job can use dynamicAllocation only when the "
            "ElasticJobsViaWorkloadSlices feature gate is on and the job is an elastic job"
        )
    gate = job.kind.feature_gate
    if gate is not None and not job.gates[gate]:
        job.report.note(Message("manifests.spark.needs-gate", kind=job.kind.kind, gate=gate))
