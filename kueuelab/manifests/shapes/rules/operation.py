"""How Kueue itself is run: certificates, TLS, metrics, its visibility server.

None of it decides anything about workloads; but Kueue does not start where it is wrong.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.server.names import dns_subdomain, label_key
from kueuelab.manifests.shapes.mistake import Mistake, Rule, as_json

__all__ = ["OPERATION_RULES"]

_SERVICE: Final = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_NOT_A_SERVICE: Final = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
    "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
_LABEL: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")
_ENTRY: Final = ("name", "sourceLabelKey", "sourceAnnotationKey", "sourceKind", "trackedValues")
#: How many labels of metrics may come from objects of a kind.
_LABELS_OF: Final = {"ClusterQueue": 6, "Cohort": 6, "LocalQueue": 6, "Workload": 2}
_MOST_LABELS, _MOST_VALUES, _MOST_VALUES_OF_WORKLOADS = 20, 16, 12


def _certificates(section: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    if section.get("enable", True) is False:
        return
    service, secret = section.get("webhookServiceName"), section.get("webhookSecretName")
    if isinstance(service, str):
        here = (*path, "webhookServiceName")
        if len(service) > 63:
            yield _invalid(here, service, "must be no more than 63 characters")
        if not _SERVICE.fullmatch(service):
            yield _invalid(here, service, _NOT_A_SERVICE)
    if isinstance(secret, str) and secret:
        for words in dns_subdomain(secret)[:1]:
            yield _invalid((*path, "webhookSecretName"), secret, words)


def _visibility(section: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    address, port = section.get("bindAddress"), section.get("bindPort")
    if isinstance(address, str):
        try:
            ipaddress.ip_address(address)
        except ValueError:
            yield _invalid((*path, "bindAddress"), address, "must be a valid IP address")
    if type(port) is int and not 1 <= port <= 65535:
        yield _invalid((*path, "bindPort"), port, "must be a valid port number (1-65535)")


def _tls(section: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    version, suites = section.get("minVersion"), section.get("cipherSuites")
    if version == "VersionTLS13" and suites:
        message = "may not be specified when `minVersion` is 'VersionTLS13'"
        yield _invalid((*path, "cipherSuites"), suites, message)


def _metrics(section: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    labels, here = section.get("customLabels"), (*path, "customLabels")
    if not isinstance(labels, list):
        return
    if len(labels) > _MOST_LABELS:
        yield _too_many(here, len(labels), _MOST_LABELS)
    seen: set[str] = set()
    kinds: Counter[str] = Counter()
    for index, label in enumerate(labels):
        if not isinstance(label, Mapping):
            continue
        yield from _label(label, (*here, index))
        name = str(label.get("name") or "")
        if name in seen:
            yield Mistake((*here, index, "name"), f'Duplicate value: "{name}"')
        seen.add(name)
        kinds[str(label.get("sourceKind") or "ClusterQueue")] += 1
    shown = [each for each in labels if isinstance(each, Mapping)]
    for kind, count in sorted(kinds.items()):
        most = _LABELS_OF.get(kind)
        if most is None:
            yield _invalid(here, shown, f"unknown source kind: {kind}")
        elif count > most:
            message = f"too many custom labels for source kind {kind}: found {count}"
            yield _invalid(here, shown, f"{message}, expected <= {most}")


def _label(label: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    name = str(label.get("name") or "")
    if not _LABEL.fullmatch(name):
        yield _invalid((*path, "name"), name, "must match ^[a-zA-Z][a-zA-Z0-9_]*$")
    sources = [each for each in ("sourceLabelKey", "sourceAnnotationKey") if label.get(each)]
    if len(sources) > 1:
        message = "sourceLabelKey and sourceAnnotationKey are mutually exclusive"
        yield _invalid(path, label, message)
    source = sources[0] if sources else "name"
    for words in label_key(str(label.get(source) or ""))[:1]:
        yield _invalid((*path, source), label.get(source), words)
    values, here = label.get("trackedValues") or [], (*path, "trackedValues")
    if not isinstance(values, list):
        return
    if label.get("sourceKind") == "Workload":
        if not values:
            message = "must not be empty when sourceKind is 'Workload'"
            yield _invalid(here, None, message)
        if len(values) > _MOST_VALUES_OF_WORKLOADS:
            most = f"{_MOST_VALUES_OF_WORKLOADS} when sourceKind is 'Workload'"
            yield _invalid(here, values, f"must not be greater than {most}")
    elif len(values) > _MOST_VALUES:
        yield _too_many(here, len(values), _MOST_VALUES)
    if len(set(map(str, values))) < len(values):
        yield _invalid(here, values, "must not contain duplicates")


def _invalid(path: Path, value: Any, message: str) -> Mistake:
    return Mistake(path, f"Invalid value: {as_json(value, _ENTRY)}: {message}")


def _too_many(path: Path, count: int, most: int) -> Mistake:
    return Mistake(path, f"Too many: {count}: must have at most {most} items")


OPERATION_RULES: Final[Mapping[str, Rule]] = {
    "certificates": _certificates,
    "visibility": _visibility,
    "tls": _tls,
    "metrics": _metrics,
}
