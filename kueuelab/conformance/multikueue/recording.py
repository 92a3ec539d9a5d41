"""Recorded scenarios of MultiKueue: reading them, and building the cluster set they start from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from kueuelab.conformance.cases import Json
from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import read_bytes
from kueuelab.manifests import load, load_configuration
from kueuelab.messages import Message
from kueuelab.model import Configuration
from kueuelab.model.times import SECOND, parse_time
from kueuelab.multikueue import ClusterSet, Timing
from kueuelab.multikueue.fact_texts import plain_name

__all__ = ["RaceOutcomes", "Recording", "is_recording", "read_recording"]

#: A recording starts a tenth of a second after a whole one.
_START: Final = parse_time("2026-01-01T00:00:00Z") + SECOND // 10

_NEEDED: Final = {
    "configuration": dict,
    "clusters": dict,
    "timeline": list,
    "observed": list,
    "final": dict,
    "until": int | float,
}


@dataclass(frozen=True, slots=True)
class RaceOutcomes:
    """The outcomes of races that a recording does not determine."""

    script: tuple[int, ...] = ()
    first_worker: int = 0
    slow_starts: frozenset[str] = frozenset()
    timing: Timing = field(default_factory=Timing)


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded scenario. Everything below the first level is as it was written."""

    name: str
    data: Mapping[str, Any]
    location: Location

    @property
    def timeline(self) -> Sequence[Json]:
        """The operations."""
        found: Sequence[Json] = self.data["timeline"]
        return found

    @property
    def manager(self) -> str:
        """The name of the manager cluster."""
        clusters = list(self.data["clusters"])
        return "manager" if "manager" in clusters else clusters[0]

    @property
    def namespace(self) -> str:
        """The namespace of everything that has one."""
        return str(self.data.get("namespace") or "default")

    @property
    def end(self) -> float:
        """When the recording stops, in seconds."""
        return float(self.data["until"])

    def cluster_set(self, outcomes: RaceOutcomes | None = None) -> ClusterSet:
        """Build the cluster set that the recording starts from."""
        outcomes = outcomes or RaceOutcomes()
        names = [self.manager, *(n for n in self.data["clusters"] if n != self.manager)]
        configurations = {name: self._configuration(name) for name in names}
        cluster_set = ClusterSet(
            configurations,
            manager=self.manager,
            start=_START,
            timing=self._timing(outcomes.timing),
            script=outcomes.script,
            slow_starts=outcomes.slow_starts,
            first_worker=outcomes.first_worker,
            uids=_uid,
        )
        cluster_set.load(
            {name: list(load(list(self.data["clusters"][name]))) for name in names},
            kubeconfigs=self.data.get("kubeconfigs") or {},
            absent_namespaces=self.data.get("absentNamespaces") or {},
            facts=True,
        )
        return cluster_set

    def _configuration(self, name: str) -> Configuration:
        written = dict(self.data["configuration"].get(name) or {})
        configuration = load_configuration(written) if written else Configuration()
        force = self.data.get("inForce") or {}
        if name != self.manager:
            return configuration
        settings = configuration.multi_kueue
        if "workerLostTimeoutSeconds" in force:
            lost = round(force["workerLostTimeoutSeconds"] * SECOND)
            settings = replace(settings, worker_lost_timeout=lost)
        if "gcIntervalSeconds" in force:
            settings = replace(settings, gc_interval=round(force["gcIntervalSeconds"] * SECOND))
        return replace(configuration, multi_kueue=settings)

    def _timing(self, timing: Timing) -> Timing:
        force = self.data.get("inForce") or {}

        def seconds(name: str, default: int) -> int:
            value = force.get(name)
            return default if value is None else round(value * SECOND)

        return replace(
            timing,
            round=seconds("roundTimeoutSeconds", timing.round),
            single_cluster_preemption=seconds(
                "singleClusterPreemptionTimeoutSeconds", timing.single_cluster_preemption
            ),
            batch=seconds("eventsBatchPeriodSeconds", timing.batch),
            deferred_sync=seconds("syncDeferredRequeueSeconds", timing.deferred_sync),
        )


def _uid(cluster: str, kind: str, name: str) -> str:
    shown = plain_name(name) if kind == "Workload" else name
    return f"<uid of {kind} {shown} on {cluster}>"


def is_recording(path: str | Path) -> bool:
    """Tell whether a file holds a recorded scenario of MultiKueue, or refused configurations."""
    document = _document(path)
    if document is None:
        return False
    refused = isinstance(document.get("cases"), list) and "observed" not in document
    return ("observed" in document and "clusters" in document) or refused


def _document(path: str | Path) -> Json | None:
    name = str(path)
    if not name.endswith((".json", ".json.gz")):
        return None
    try:
        document = json.loads(read_bytes(path))
    except (OSError, ValueError, RecursionError):
        return None  # the reader of other cases says what is wrong with it
    return document if isinstance(document, dict) else None


def read_recording(path: str | Path) -> Json:
    """Read a file that :func:`is_recording`.

    Raises
    ------
    InputError
        If something is missing in it.
    """
    document = _document(path)
    assert document is not None
    if "cases" in document:
        return document
    wrong = [
        Problem(
            Message("conformance.recording.needed", name=name),
            field=name,
            location=Location(str(path)),
        )
        for name, kind in _NEEDED.items()
        if not isinstance(document.get(name), kind)
    ]
    if wrong:
        raise InputError(wrong, understood=document)
    return document
