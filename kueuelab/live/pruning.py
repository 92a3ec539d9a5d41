"""The parts of an object that a snapshot has: what decides, and nothing secret.

Of containers stay names and requests: no environment, arguments, volumes or images. Of
annotations stay those of Kueue. The last-applied configuration is dropped: it repeats all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from kueuelab.live.resources import Json

__all__ = ["pruned"]

_META: Final = (
    "name",
    "namespace",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "finalizers",
    "generation",
    "labels",
    "ownerReferences",
    "resourceVersion",
)
_POD: Final = (
    "affinity",
    "nodeSelector",
    "overhead",
    "priority",
    "priorityClassName",
    "resourceClaims",
    "resources",
    "restartPolicy",
    "runtimeClassName",
    "schedulingGates",
    "tolerations",
    "topologySpreadConstraints",
)
_CONTAINER: Final = ("name", "resources", "restartPolicy")
_NODE_STATUS: Final = ("allocatable", "capacity")


def pruned(obj: Json) -> Json:
    """Return an object without the parts that no decision needs.

    Examples
    --------
    >>> pruned(
    ...     {
    ...         "apiVersion": "v1",
    ...         "kind": "Namespace",
    ...         "metadata": {"name": "a", "annotations": {"token": "x"}, "managedFields": []},
    ...         "status": {"phase": "Active"},
    ...     }
    ... )
    {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'a'}}
    """
    kind = obj.get("kind", "")
    found: Json = {
        "apiVersion": obj.get("apiVersion"),
        "kind": kind,
        "metadata": _meta(obj.get("metadata") or {}),
    }
    keep = _KINDS.get(kind)
    if keep is not None:
        return {**found, **keep(obj)}
    rest = {key: value for key, value in obj.items() if key not in found}
    return {**found, **rest}


def _meta(meta: Json) -> Json:
    found = _only(meta, _META)
    annotations = {
        key: value
        for key, value in (meta.get("annotations") or {}).items()
        if key.partition("/")[0].endswith("kueue.x-k8s.io")
    }
    if annotations:
        found["annotations"] = annotations
    return found


def _only(obj: Mapping[str, Any], fields: tuple[str, ...]) -> Json:
    return {field: obj[field] for field in fields if obj.get(field) is not None}


def _namespace(obj: Json) -> Json:
    del obj  # its labels are all that counts
    return {}


def _node(obj: Json) -> Json:
    status = _only(obj.get("status") or {}, _NODE_STATUS)
    conditions = (obj.get("status") or {}).get("conditions") or ()
    # Since when it is not ready decides when its pods go.
    fields = ("type", "status", "lastTransitionTime")
    status["conditions"] = [_only(condition, fields) for condition in conditions]
    return {"spec": _only(obj.get("spec") or {}, ("taints", "unschedulable")), "status": status}


def _pod(obj: Json) -> Json:
    """Return the requests of a pod; how long it sleeps does not count here."""
    spec = obj.get("spec") or {}
    found = _only(spec, ("nodeName", "overhead", "resources", "nodeSelector", "schedulingGates"))
    for field in ("initContainers", "containers"):
        if spec.get(field):
            found[field] = [{**_only(each, _CONTAINER), "image": "busybox"} for each in spec[field]]
    return {"spec": found, "status": _only(obj.get("status") or {}, ("phase",))}


def _runtime_class(obj: Json) -> Json:
    return _only(obj, ("handler", "overhead"))  # which nodes can run it decides nothing


def _workload(obj: Json) -> Json:
    spec = dict(obj.get("spec") or {})
    spec["podSets"] = [
        {**pod_set, "template": _template(pod_set.get("template") or {})}
        for pod_set in spec.get("podSets") or ()
    ]
    return {"spec": spec, "status": obj.get("status") or {}}


def _job(obj: Json) -> Json:
    spec = dict(obj.get("spec") or {})
    spec["template"] = _template(spec.get("template") or {})
    # Kept so that a run can tell which pods are done.
    return {"spec": spec, "status": _only(obj.get("status") or {}, ("conditions",))}


def _template(template: Json) -> Json:
    spec = template.get("spec") or {}
    found = _only(spec, _POD)
    for field in ("initContainers", "containers"):
        if spec.get(field):
            found[field] = [_container(container) for container in spec[field]]
    return {"metadata": _meta(template.get("metadata") or {}), "spec": found}


def _container(container: Json) -> Json:
    found = _only(container, _CONTAINER)
    words = [*(container.get("command") or ()), *(container.get("args") or ())]
    # How long it sleeps is how long it runs; none of its other arguments count.
    if len(words) == 2 and words[0] == "sleep" and words[1].rstrip("smhd").isdigit():
        found["command"] = words
    return {**found, "image": "busybox"}


_KINDS: Final[Mapping[str, Callable[[Json], Json]]] = {
    "Namespace": _namespace,
    "Node": _node,
    "Pod": _pod,
    "RuntimeClass": _runtime_class,
    "Workload": _workload,
    "Job": _job,
}
