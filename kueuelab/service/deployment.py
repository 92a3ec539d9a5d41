"""What runs the service in a cluster: the least rights, no way to write, no way out of the pod."""

from __future__ import annotations

from typing import Any, Final

import yaml

from kueuelab.live.rbac import reader_role
from kueuelab.manifests.writing import write_yaml

__all__ = ["deployment"]

_NAME: Final = "kueuelab"
_LABELS: Final = {"app.kubernetes.io/name": _NAME}
_PORT: Final = 8920
#: Pods with this label may ask; the others are kept out.
_CLIENT: Final = {"kueuelab/client": "true"}
_RBAC: Final = "rbac.authorization.k8s.io"


def deployment(image: str) -> str:
    """Return the manifest: rights, Deployment, Service, NetworkPolicy.

    The token is in the Secret ``kueuelab-token``, which is not a part of it.

    Parameters
    ----------
    image
        The image of the container.

    Examples
    --------
    >>> found = deployment("registry.example/kueuelab:0.1.0")
    >>> "kind: NetworkPolicy" in found, "kind: Secret" in found
    (True, False)
    """
    roles: list[dict[str, Any]] = list(yaml.safe_load_all(reader_role()))
    return write_yaml(
        [
            _object("v1", "Namespace", name=_NAME, namespace=""),
            _object("v1", "ServiceAccount", automountServiceAccountToken=False),
            *roles,
            *map(_binding, roles),
            _object("apps/v1", "Deployment", spec=_deployment_spec(image)),
            _object(
                "v1",
                "Service",
                spec={
                    "selector": _LABELS,
                    "ports": [{"name": "http", "port": 80, "targetPort": "http"}],
                },
            ),
            _object("networking.k8s.io/v1", "NetworkPolicy", spec=_network()),
        ]
    )


def _object(
    api_version: str, kind: str, *, name: str = _NAME, namespace: str = _NAME, **parts: Any
) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "labels": _LABELS}
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}


def _binding(role: dict[str, Any]) -> dict[str, Any]:
    """Return what gives a role to the service."""
    metadata = role["metadata"]
    return _object(
        f"{_RBAC}/v1",
        f"{role['kind']}Binding",
        name=metadata["name"],
        namespace=metadata.get("namespace", ""),
        roleRef={"apiGroup": _RBAC, "kind": role["kind"], "name": metadata["name"]},
        subjects=[{"kind": "ServiceAccount", "name": _NAME, "namespace": _NAME}],
    )


def _deployment_spec(image: str) -> dict[str, Any]:
    probe = {"httpGet": {"path": "/healthz", "port": "http"}}
    container = {
        "name": _NAME,
        "image": image,
        "args": [
            *("serve", "--in-cluster", "--host", "0.0.0.0", "--port", str(_PORT)),
            *("--token-file", "/etc/kueuelab/token"),
        ],
        "ports": [{"name": "http", "containerPort": _PORT}],
        "readinessProbe": probe,
        "livenessProbe": {**probe, "periodSeconds": 30},
        "resources": {
            "requests": {"cpu": "100m", "memory": "256Mi"},
            "limits": {"memory": "2Gi"},
        },
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [
            {"name": "token", "mountPath": "/etc/kueuelab", "readOnly": True},
            {"name": "tmp", "mountPath": "/tmp"},
        ],
    }
    pod = {
        "serviceAccountName": _NAME,
        "automountServiceAccountToken": True,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 65532,
            "fsGroup": 65532,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [container],
        "volumes": [
            {"name": "token", "secret": {"secretName": "kueuelab-token", "defaultMode": 0o440}},
            {"name": "tmp", "emptyDir": {}},
        ],
    }
    return {
        "replicas": 1,
        "selector": {"matchLabels": _LABELS},
        "template": {"metadata": {"labels": _LABELS}, "spec": pod},
    }


def _network() -> dict[str, Any]:
    """Return which pods reach the service, and what it reaches: names and the API server."""
    return {
        "podSelector": {"matchLabels": _LABELS},
        "policyTypes": ["Ingress", "Egress"],
        "ingress": [
            {
                "from": [{"namespaceSelector": {}, "podSelector": {"matchLabels": _CLIENT}}],
                "ports": [{"protocol": "TCP", "port": _PORT}],
            }
        ],
        "egress": [
            {"ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]},
            # The API server as the Service kubernetes has it, and as its pods listen.
            {"ports": [{"protocol": "TCP", "port": 443}, {"protocol": "TCP", "port": 6443}]},
        ],
    }
