"""Pod templates of jobs: checked, freed of what Kueue adds to running jobs, decoded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from kueuelab.errors import QuantityError
from kueuelab.manifests.decode import decode_pod_template
from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.reading import Field
from kueuelab.messages import Message
from kueuelab.model import PodTemplate
from kueuelab.quantity import Quantity

__all__ = ["Template", "add_gate", "decode_template", "read_pod_spec", "read_template"]

#: A pod template as a dict of its own, free to change.
Template: TypeAlias = dict[str, Any]

_ADDED_LABELS: Final = (
    constants.POD_SET,
    constants.CLUSTER_QUEUE_NAME,
    constants.LOCAL_QUEUE_NAME,
    "kueue.x-k8s.io/multikueue-worker-workload-pod",
)
_ADDED_GATES: Final = (constants.TOPOLOGY_GATE,)


def read_template(field: Field, *, patch: bool = False) -> Template:
    """Return a copy of the pod template in ``field``, without what can't be read.

    A ``patch`` of a template may leave out what a template must have.
    """
    meta = field["metadata"]
    template: Template = {
        "metadata": {"labels": meta["labels"].texts(), "annotations": meta["annotations"].texts()},
        "spec": read_pod_spec(field["spec"], patch=patch),
    }
    if constants.POD_SET in template["metadata"]["labels"]:
        _forget_admission(template, field)
    return template


def read_pod_spec(field: Field, *, patch: bool = False) -> dict[str, Any]:
    """Return a copy of the pod spec in ``field``, without what can't be read.

    Copied is what conversions change: the spec itself, containers and their resources.
    """
    spec = dict(field.mapping())
    if not patch and (not isinstance(spec.get("containers"), list) or not spec["containers"]):
        field["containers"].problem(
            "Required value", Message("manifests.templates.no-containers.hint")
        )
    for name in ("containers", "initContainers"):
        if name in spec:
            spec[name] = [_container(entry) for entry in field[name].items()]
    for name in ("tolerations", "schedulingGates"):
        if name in spec:
            spec[name] = [dict(entry.mapping()) for entry in field[name].items()]
    for name in ("priorityClassName", "runtimeClassName", "restartPolicy"):
        if spec.get(name) is not None:
            spec[name] = field[name].text()
    if spec.get("priority") is not None:
        spec["priority"] = field["priority"].integer(0)
    if "nodeSelector" in spec:
        spec["nodeSelector"] = field["nodeSelector"].texts()
    if spec.get("overhead") is not None:
        spec["overhead"] = _resource_list(field["overhead"])
    if spec.get("resources") is not None:
        spec["resources"] = _resources(field["resources"])
    return spec


def _container(field: Field) -> dict[str, Any]:
    container = dict(field.mapping())
    container["name"] = field["name"].text()
    if "resources" in container:
        container["resources"] = _resources(field["resources"])
    if isinstance(environment := container.get("env"), list):
        container["env"] = _last_of_each_name(environment)
    return container


def _last_of_each_name(environment: Iterable[Any]) -> list[Any]:
    """Drop variables that a later one of the same name overrides, as Kueue does."""
    last = {}
    for variable in environment:
        last[str(variable.get("name") if isinstance(variable, Mapping) else None)] = variable
    return list(last.values())


def _resources(field: Field) -> dict[str, Any]:
    resources = dict(field.mapping())
    for name in ("requests", "limits"):
        if resources.get(name) is not None:
            resources[name] = _resource_list(field[name])
    return resources


def _resource_list(field: Field) -> dict[str, Any]:
    result = {}
    for name, quantity in field.mapping().items():
        try:
            Quantity.parse(quantity)
        except QuantityError as error:
            field.key(name).problem(f"Invalid value: {quantity!r}: {error.reason}")
        except (TypeError, ValueError):
            field.key(name).problem(f"Invalid value: {quantity!r}: must be a quantity")
        else:
            result[name] = quantity
    return result


def _forget_admission(template: Template, field: Field) -> None:
    """Take away what Kueue wrote into the template when it started the job."""
    metadata, spec = template["metadata"], template["spec"]
    for label in _ADDED_LABELS:
        metadata["labels"].pop(label, None)
    metadata["annotations"].pop(constants.WORKLOAD, None)
    if gates := spec.get("schedulingGates"):
        spec["schedulingGates"] = [gate for gate in gates if gate.get("name") not in _ADDED_GATES]
    if spec.get("nodeSelector") or spec.get("tolerations"):
        field.report.note(Message("manifests.templates.node-selectors-kept"))


def add_gate(spec: dict[str, Any], name: str) -> None:
    """Add a scheduling gate to a pod spec, once."""
    gates = spec.setdefault("schedulingGates", [])
    if all(gate.get("name") != name for gate in gates):
        gates.append({"name": name})


def decode_template(template: Template, field: Field) -> PodTemplate:
    """Return the model's pod template; what can't be decoded is a problem in ``field``."""
    try:
        return decode_pod_template(template)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        field.problem(f"Invalid value: {type(error).__name__}: {error}")
        return PodTemplate()
