"""A snapshot of a cluster: everything that decides, read once, as a dump that loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import yaml

from kueuelab.files import SNAPSHOT
from kueuelab.live.api import ClusterApi
from kueuelab.live.device_objects import is_needed
from kueuelab.live.discovery import served
from kueuelab.live.errors import LiveError
from kueuelab.live.installed_release import difference, installed_version
from kueuelab.live.pruning import pruned
from kueuelab.live.resources import KUEUE_GROUP, PODS, Json
from kueuelab.manifests.loading.configurations import as_installed
from kueuelab.manifests.writing import write_yaml
from kueuelab.messages import Message
from kueuelab.model import RELEASE, Release, nearest_release
from kueuelab.model.times import format_time, parse_time
from kueuelab.printable import escaped

__all__ = [
    "NEEDED",
    "Snapshot",
    "latest_time",
    "places_pods",
    "read_configuration",
    "take",
    "takes_room",
]

_NAMESPACE: Final = "kueue-system"
_CONFIG_MAP: Final = "kueue-manager-config"
_CONFIG_FILE: Final = "controller_manager_config.yaml"
_QUEUE: Final = "kueue.x-k8s.io/queue-name"

#: Without these the rest makes no sense.
NEEDED: Final = ("ClusterQueue", "LocalQueue", "ResourceFlavor", "Workload")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was read of a cluster.

    Attributes
    ----------
    context
        The context it was read from.
    time
        The server's clock, in nanoseconds since 1970.
    objects
        All objects, pruned.
    notes
        What could not be read, and what is otherwise than in the lab, a sentence each.
    kueue
        The version of Kueue; empty if it could not be read.
    """

    context: str
    time: int
    objects: tuple[Json, ...]
    notes: tuple[str, ...] = ()
    kueue: str = ""

    def __repr__(self) -> str:
        return f"<Snapshot of {self.context}: {len(self.objects)} objects>"

    def as_yaml(self) -> str:
        """Return it as a file of YAML documents that :func:`kueuelab.load` takes."""
        comments = [SNAPSHOT.headline, f"# {self.context} at {format_time(self.time)}"]
        comments += [f"# Kueue {self.kueue}"] if self.kueue else []
        comments += [f"# {note}" for note in self.notes]
        # What a server said may have several lines; each comment is one.
        comments = [escaped(" ".join(comment.split())) for comment in comments]
        return "\n".join([*comments, "---", write_yaml(self.objects)])

    def of_kind(self, kind: str) -> tuple[Json, ...]:
        """Return the objects of a kind."""
        return tuple(obj for obj in self.objects if obj["kind"] == kind)

    def without_names(self) -> Snapshot:
        """Return it with other names, the same for the same; see :mod:`kueuelab.live.redact`."""
        from kueuelab.live.redact import redacted

        objects = redacted(self.objects)
        return replace(self, context="redacted", objects=objects, notes=())


def take(api: ClusterApi) -> Snapshot:
    """Read everything the simulator needs; nothing is written, no secret is read.

    Raises
    ------
    LiveError
        If Kueue's queues, flavors or workloads cannot be read. What else cannot be read
        is left out, and noted.
    """
    notes: list[str] = []
    offered = served(api)
    version = installed_version(api)
    release = nearest_release(version)
    if note := difference(version, api.context, release):
        notes.append(note)
    objects = read_configuration(api, notes, release) or [_default_configuration(release)]
    for resource in offered:
        if resource is PODS and not places_pods(objects):
            continue
        if not is_needed(resource, objects):
            continue
        try:
            items = api.list(resource).items
        except LiveError as error:
            if resource.kind in NEEDED or error.trouble not in ("forbidden", "missing"):
                raise
            notes.append(Message("live.left-out", plural=resource.plural, error=error))
            continue
        if resource.kind == "Job":
            items = tuple(item for item in items if _QUEUE in _labels(item))
        elif resource is PODS:
            items = tuple(item for item in items if takes_room(item))
        objects += [pruned(item) for item in items]
    time = api.server_time or latest_time(objects)
    return Snapshot(api.context, time, tuple(objects), tuple(notes), version)


def places_pods(objects: Sequence[Json]) -> bool:
    """Tell whether there is a topology, so that it matters where pods run."""
    return any(obj.get("kind") == "Topology" for obj in objects)


def takes_room(pod: Json) -> bool:
    """Tell whether a pod is on a node and has not ended."""
    phase = (pod.get("status") or {}).get("phase")
    return bool((pod.get("spec") or {}).get("nodeName")) and phase not in ("Succeeded", "Failed")


def _labels(obj: Json) -> Json:
    return (obj.get("metadata") or {}).get("labels") or {}


def read_configuration(api: ClusterApi, notes: list[str], release: Release = RELEASE) -> list[Json]:
    """Return Kueue's Configuration if it may be read; note why not, otherwise."""
    try:
        text = read_configuration_text(api)
    except LiveError as error:
        if error.trouble not in ("forbidden", "missing"):
            raise
        notes.append(Message("live.left-out.configuration", error=error))
        return []
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError:
        found = None
    if not isinstance(found, dict) or found.get("kind") != "Configuration":
        notes.append(Message("live.left-out.configuration-unreadable"))
        return []
    # How the lab's own copy is reached, and which files it reads, decides nothing.
    left_out = ("clientConnection", "internalCertManagement", "webhook", "health", "metrics")
    kept = {key: value for key, value in found.items() if key not in left_out}
    return [dict(as_installed(kept, release))]


def read_configuration_text(api: ClusterApi) -> str:
    """Return Kueue's Configuration as it is written in the cluster; ``""`` if there is none.

    Raises
    ------
    LiveError
        If it cannot be read.
    """
    path = f"/api/v1/namespaces/{_NAMESPACE}/configmaps/{_CONFIG_MAP}"
    return str((api.get(path).get("data") or {}).get(_CONFIG_FILE, ""))


def _default_configuration(release: Release) -> Json:
    """Return the Configuration that Kueue is installed with."""
    head = {"apiVersion": release.configuration_version, "kind": "Configuration"}
    frameworks = {"frameworks": list(release.frameworks)}
    return dict(as_installed({**head, "integrations": frameworks}, release))


def latest_time(objects: Sequence[Json]) -> int:
    """Return the latest time that stands in any object; 0 if there is none."""
    latest = ""
    for obj in objects:
        meta = obj.get("metadata") or {}
        latest = max(latest, meta.get("creationTimestamp") or "")
        if not str(obj.get("apiVersion", "")).startswith(KUEUE_GROUP):
            continue
        for condition in (obj.get("status") or {}).get("conditions") or ():
            latest = max(latest, condition.get("lastTransitionTime") or "")
    return parse_time(latest) if latest else 0
