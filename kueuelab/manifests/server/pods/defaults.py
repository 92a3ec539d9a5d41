"""The defaults of Jobs and Pods that Kubernetes itself sets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from kueuelab.quantity import Quantity

__all__ = ["set_job_defaults", "set_pod_defaults", "set_pod_spec_defaults"]

_Object: TypeAlias = dict[str, Any]

_MAX_INT32: Final = 2**31 - 1
_MODE: Final = 0o644
_MILLI: Final = 10**6
_FILES: Final = ("secret", "configMap", "downwardAPI", "projected")
#: Fields that Go leaves out when they are false or 0, since they are no pointers.
_LEFT_OUT: Final = (
    *("hostNetwork", "hostPID", "hostIPC", "stdin", "stdinOnce", "tty", "readOnly"),
    *("hostPort", "initialDelaySeconds"),
)
_PROBE: Final = {
    "timeoutSeconds": 1,
    "periodSeconds": 10,
    "successThreshold": 1,
    "failureThreshold": 3,
}


def set_job_defaults(job: _Object) -> None:
    """Set the defaults of a Job, in place."""
    spec = job.setdefault("spec", {})
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = spec["parallelism"] = 1
    spec.setdefault("parallelism", 1)
    spec.setdefault("backoffLimit", _MAX_INT32 if "backoffLimitPerIndex" in spec else 6)
    spec.setdefault("completionMode", "NonIndexed")
    spec.setdefault("suspend", False)
    spec.setdefault("manualSelector", False)
    policy = spec.get("podFailurePolicy")
    spec.setdefault("podReplacementPolicy", "Failed" if policy else "TerminatingOrFailed")
    for rule in (policy or {}).get("rules") or ():
        for pattern in rule.get("onPodConditions") or ():
            if not pattern.get("status"):
                pattern["status"] = "True"
    template = spec.setdefault("template", {})
    metadata = template.setdefault("metadata", {})
    labels = metadata.get("labels")
    if labels and not job["metadata"].get("labels"):
        job["metadata"]["labels"] = dict(labels)
    metadata.setdefault("labels", {})
    set_pod_spec_defaults(template.setdefault("spec", {}))


def set_pod_defaults(pod: _Object) -> None:
    """Set the defaults of a Pod, and what the server's admission plugins add, in place."""
    spec = pod.setdefault("spec", {})
    set_pod_spec_defaults(spec)
    for container in _containers(spec):
        limits = container["resources"].get("limits")
        if limits:
            requests = container["resources"].setdefault("requests", {})
            for name, amount in limits.items():
                requests.setdefault(name, amount)
        if spec.get("hostNetwork"):
            for port in container.get("ports") or ():
                port.setdefault("hostPort", port.get("containerPort"))
    account = spec.get("serviceAccountName") or spec.get("serviceAccount") or "default"
    spec["serviceAccountName"] = spec["serviceAccount"] = account
    spec.setdefault("enableServiceLinks", True)
    spec.setdefault("preemptionPolicy", "PreemptLowerPriority")
    spec.setdefault("priority", 0)
    _tolerate_for_a_while(spec)


def _tolerate_for_a_while(spec: _Object) -> None:
    tolerations = list(spec.get("tolerations") or [])
    for trouble in ("not-ready", "unreachable"):
        key = f"node.kubernetes.io/{trouble}"
        if not any(_tolerates(toleration, key) for toleration in tolerations):
            tolerations.append(
                {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
            )
    spec["tolerations"] = tolerations


def _tolerates(toleration: _Object, key: str) -> bool:
    return toleration.get("key", "") in ("", key) and toleration.get("effect", "") in (
        "",
        "NoExecute",
    )


def set_pod_spec_defaults(spec: _Object) -> None:
    """Set the defaults of a pod's spec wherever it stands, in place."""
    spec.setdefault("dnsPolicy", "ClusterFirst")
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("securityContext", {})
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("schedulerName", "default-scheduler")
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    for container in _containers(spec):
        _set_container_defaults(container)
    for volume in spec.get("volumes") or ():
        _set_volume_defaults(volume)
    _leave_out(spec)


def _containers(spec: _Object) -> Iterator[_Object]:
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        yield from spec.get(kind) or ()


def _set_container_defaults(container: _Object) -> None:
    container.setdefault("imagePullPolicy", _pull_policy(container.get("image", "")))
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    resources = container.setdefault("resources", {})
    for amounts in (resources.get("requests"), resources.get("limits")):
        for name, amount in (amounts or {}).items():
            amounts[name] = _rounded(amount)
    for port in container.get("ports") or ():
        port.setdefault("protocol", "TCP")
    for variable in container.get("env") or ():
        reference = (variable.get("valueFrom") or {}).get("fieldRef")
        if reference is not None:
            reference.setdefault("apiVersion", "v1")
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if probe is not None:
            for field, value in _PROBE.items():
                probe[field] = probe.get(field) or value
            _set_action_defaults(probe)
    for handler in (container.get("lifecycle") or {}).values():
        if isinstance(handler, dict):
            _set_action_defaults(handler)


def _pull_policy(image: str) -> str:
    name = image.rpartition("/")[2]
    tag = re.search(r":([^@]*)", name)
    if tag is None and "@" in name:
        return "IfNotPresent"
    return "Always" if tag is None or tag[1] == "latest" else "IfNotPresent"


def _rounded(amount: str) -> str:
    """Return a quantity rounded up to thousandths."""
    quantity = Quantity.parse(amount)
    if quantity.nano % _MILLI == 0:
        return amount
    return str(Quantity(quantity.milli_value() * _MILLI, quantity.format))


def _set_action_defaults(handler: _Object) -> None:
    request = handler.get("httpGet")
    if request is not None:
        request.setdefault("path", "/")
        request.setdefault("scheme", "HTTP")
    call = handler.get("grpc")
    if call is not None:
        call.setdefault("service", "")


def _set_volume_defaults(volume: _Object) -> None:
    if len(volume) == 1:
        volume["emptyDir"] = {}
    for kind in _FILES:
        if kind in volume:
            volume[kind].setdefault("defaultMode", _MODE)
    if "hostPath" in volume:
        volume["hostPath"].setdefault("type", "")
    for source in (volume.get("projected") or {}).get("sources") or ():
        token = source.get("serviceAccountToken")
        if token is not None:
            token.setdefault("expirationSeconds", 3600)


def _leave_out(value: Any) -> None:
    """Take away what Go does not write, all the way down."""
    if isinstance(value, dict):
        for name in _LEFT_OUT:
            if name in value and value[name] in (False, 0):
                del value[name]
        for part in value.values():
            _leave_out(part)
    elif isinstance(value, list):
        for part in value:
            _leave_out(part)
