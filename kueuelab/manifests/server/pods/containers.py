"""What Kubernetes refuses in containers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from kueuelab.manifests.server.names import dns_label
from kueuelab.manifests.server.pods.resources import resource_errors
from kueuelab.manifests.server.problems import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)

__all__ = ["Around", "container_errors", "init_container_errors"]

_Object: TypeAlias = Mapping[str, Any]
#: The names of the pod's volumes and of its claims.
Around: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]

_PULL: Final = ("Always", "IfNotPresent", "Never")
_MESSAGES: Final = ("File", "FallbackToLogsOnError")
_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_RESTARTS: Final = ("Always", "Never", "OnFailure")
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_VARIABLE: Final = re.compile(r"[ -<>-~]*\Z")
_VARIABLE_WORDS: Final = (
    "a valid environment variable name must consist only of printable ASCII characters other "
    "than '='"
)
_SIDECARS_ONLY: Final = "may not be set for init containers without restartPolicy=Always"


def container_errors(
    containers: Sequence[_Object], around: Around, path: FieldPath
) -> Iterator[FieldError]:
    """Yield what is wrong with the containers of a pod."""
    if not containers:
        yield required(path)
    seen: set[str] = set()
    for index, container in enumerate(containers):
        where = (*path, index)
        yield from _common_errors(container, around, where)
        name = container.get("name", "")
        if name in seen:
            yield duplicate((*where, "name"), name)
        seen.add(name)
        yield from _handler_errors(container, where)
        yield from _restart_errors(container, where)
    yield from _port_conflicts(containers, path)


def init_container_errors(
    containers: Sequence[_Object], others: Sequence[_Object], around: Around, path: FieldPath
) -> Iterator[FieldError]:
    """Yield what is wrong with init containers; ``others`` are the pod's main containers."""
    seen = {other.get("name", "") for other in others}
    for index, container in enumerate(containers):
        where = (*path, index)
        yield from _common_errors(container, around, where)
        yield from _restart_errors(container, where)
        name = container.get("name", "")
        if name in seen:
            yield duplicate((*where, "name"), name)
        elif name:
            seen.add(name)
        yield from _port_conflicts([container], path)
        if container.get("restartPolicy") == "Always":
            yield from _handler_errors(container, where)
        else:
            for field in ("lifecycle", *_PROBES):
                if field in container:
                    yield forbidden((*where, field), _SIDECARS_ONLY)


def _common_errors(container: _Object, around: Around, path: FieldPath) -> Iterator[FieldError]:
    name = container.get("name", "")
    if not name:
        yield required((*path, "name"))
    else:
        for words in dns_label(name):
            yield invalid((*path, "name"), name, words)
    if not container.get("image"):
        yield required((*path, "image"))
    policy = container.get("terminationMessagePolicy")
    if policy not in _MESSAGES:
        yield not_supported((*path, "terminationMessagePolicy"), policy, _MESSAGES)
    yield from _port_errors(container.get("ports") or [], (*path, "ports"))
    yield from _variable_errors(container.get("env") or [], (*path, "env"))
    yield from _environment_errors(container.get("envFrom") or [], (*path, "envFrom"))
    volumes, claims = around
    yield from _mount_errors(container.get("volumeMounts") or [], volumes, (*path, "volumeMounts"))
    if container.get("imagePullPolicy") not in _PULL:
        yield not_supported((*path, "imagePullPolicy"), container.get("imagePullPolicy"), _PULL)
    yield from resource_errors(container.get("resources") or {}, (*path, "resources"), claims)


def _port_errors(ports: Sequence[_Object], path: FieldPath) -> Iterator[FieldError]:
    seen = set()
    for index, port in enumerate(ports):
        where, name = (*path, index), port.get("name", "")
        wrong = _port_name_errors(name) if name else []
        for words in wrong:
            yield invalid((*where, "name"), name, words)
        if name and not wrong and name in seen:
            yield duplicate((*where, "name"), name)
        seen.add(name)
        if not port.get("containerPort"):
            yield required((*where, "containerPort"))
        for field in ("containerPort", "hostPort"):
            number = port.get(field, 0)
            if number and not 1 <= number <= 65535:
                yield invalid((*where, field), number, "must be between 1 and 65535, inclusive")
        if port.get("protocol") not in _PROTOCOLS:
            yield not_supported((*where, "protocol"), port.get("protocol"), _PROTOCOLS)


def _port_name_errors(name: str) -> list[str]:
    found = []
    if len(name) > 15:
        found.append("must be no more than 15 bytes")
    if not re.fullmatch("[-a-z0-9]+", name, re.ASCII):
        found.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", name):
        found.append("must contain at least one letter (a-z)")
    if "--" in name:
        found.append("must not contain consecutive hyphens")
    if name.startswith("-") or name.endswith("-"):
        found.append("must not begin or end with a hyphen")
    return found


def _port_conflicts(containers: Sequence[_Object], path: FieldPath) -> Iterator[FieldError]:
    seen = set()
    for index, container in enumerate(containers):
        for place, port in enumerate(container.get("ports") or ()):
            number = port.get("hostPort", 0)
            if not number:
                continue
            shown = f"{port.get('protocol')}/{port.get('hostIP', '')}/{number}"
            if shown in seen:
                yield duplicate((*path, index, "ports", place, "hostPort"), shown)
            seen.add(shown)


def _variable_errors(variables: Sequence[_Object], path: FieldPath) -> Iterator[FieldError]:
    for index, variable in enumerate(variables):
        where, name = (*path, index), variable.get("name", "")
        if not name:
            yield required((*where, "name"))
        elif not _VARIABLE.match(name):
            yield invalid((*where, "name"), name, _VARIABLE_WORDS)
        source = variable.get("valueFrom")
        if source is None:
            continue
        number = sum(kind in source for kind in _SOURCES)
        if number == 0:
            words = (
                "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, "
                "`secretKeyRef` or `fileKeyRef`"
            )
            yield invalid((*where, "valueFrom"), "", words)
        elif variable.get("value"):
            words = "may not be specified when `value` is not empty"
            yield invalid((*where, "valueFrom"), "", words)
        elif number > 1:
            words = "may not have more than one field specified at a time"
            yield invalid((*where, "valueFrom"), "", words)


def _environment_errors(sources: Sequence[_Object], path: FieldPath) -> Iterator[FieldError]:
    for index, source in enumerate(sources):
        prefix = source.get("prefix", "")
        if not _VARIABLE.match(prefix):
            yield invalid((*path, index, "prefix"), prefix, _VARIABLE_WORDS)
        number = sum(kind in source for kind in ("configMapRef", "secretRef"))
        if number == 0:
            yield invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")
        elif number > 1:
            yield invalid(path, "", "may not have more than one field specified at a time")


def _mount_errors(
    mounts: Sequence[_Object], volumes: tuple[str, ...], path: FieldPath
) -> Iterator[FieldError]:
    seen = set()
    for index, mount in enumerate(mounts):
        where, name, place = (*path, index), mount.get("name", ""), mount.get("mountPath", "")
        if not name:
            yield required((*where, "name"))
        if name not in volumes:
            yield not_found((*where, "name"), name)
        if not place:
            yield required((*where, "mountPath"))
        if place in seen:
            yield invalid((*where, "mountPath"), place, "must be unique")
        seen.add(place)


def _handler_errors(container: _Object, path: FieldPath) -> Iterator[FieldError]:
    for name in ("postStart", "preStop"):
        handler = (container.get("lifecycle") or {}).get(name)
        if handler is not None:
            yield from _one_handler(handler, (*path, "lifecycle", name))
    for name in _PROBES:
        probe, where = container.get(name), (*path, name)
        if probe is None:
            continue
        yield from _one_handler(probe, where)
        for field in (
            *("initialDelaySeconds", "timeoutSeconds", "periodSeconds"),
            *("successThreshold", "failureThreshold"),
        ):
            if probe.get(field, 0) < 0:
                words = "must be greater than or equal to 0"
                yield invalid((*where, field), probe[field], words)
        if name != "readinessProbe" and probe.get("successThreshold", 1) != 1:
            yield invalid((*where, "successThreshold"), probe["successThreshold"], "must be 1")


def _one_handler(handler: _Object, path: FieldPath) -> Iterator[FieldError]:
    given = [name for name in _HANDLERS if name in handler]
    if not given:
        yield required(path, "must specify a handler type")
    for name in given[1:]:
        yield forbidden((*path, name), "may not specify more than 1 handler type")
    if given and given[0] == "exec" and not handler["exec"].get("command"):
        yield required((*path, "exec", "command"))


def _restart_errors(container: _Object, path: FieldPath) -> Iterator[FieldError]:
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or []
    if policy is None and rules:
        words = "must specify restartPolicy when restart rules are used"
        yield required((*path, "restartPolicy"), words)
    elif policy is not None and policy not in _RESTARTS:
        yield not_supported((*path, "restartPolicy"), policy, _RESTARTS)
