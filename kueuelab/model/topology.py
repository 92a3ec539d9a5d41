"""What a pod set asks of a topology, and where its pods are assigned to.

See https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/ and KEP-2724.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

__all__ = [
    "COMPLETION_INDEX",
    "HOSTNAME",
    "WORKER_INDEX",
    "SliceLayer",
    "TopologyAssignment",
    "TopologyDomain",
    "TopologyRequest",
    "belongs_to",
]

#: The label of the level whose domains are single nodes.
HOSTNAME: Final = "kubernetes.io/hostname"
#: The labels with the index of a pod in an indexed Job, and in a group of a LeaderWorkerSet.
COMPLETION_INDEX: Final = "batch.kubernetes.io/job-completion-index"
WORKER_INDEX: Final = "leaderworkerset.sigs.k8s.io/worker-index"

#: Up to so many slices may make up an assignment, and so many domains a slice.
_MOST_SLICES: Final = 1_000
_MOST_DOMAINS: Final = 100_000


def belongs_to(
    labels: Mapping[str, str], node_labels: Mapping[str, str], levels: Sequence[str]
) -> bool:
    """Tell whether a node with these labels is part of a flavor with a topology.

    It has all of the flavor's ``node_labels``, and a label for each of the topology's levels.

    Examples
    --------
    >>> belongs_to({"rack": "r1", "gpu": "a100"}, {"gpu": "a100"}, ["rack"])
    True
    >>> belongs_to({"gpu": "a100"}, {"gpu": "a100"}, ["rack"])
    False
    """
    for key, value in node_labels.items():  # plain loops: it is asked for every node
        if labels.get(key) != value:
            return False
    return all(map(labels.__contains__, levels))


@dataclass(frozen=True, slots=True)
class SliceLayer:
    """Pods come in slices of ``size``; all pods of a slice share a domain at ``level``."""

    level: str
    size: int


@dataclass(frozen=True, slots=True)
class TopologyRequest:
    """What ``topologyRequest`` of a pod set asks for.

    Attributes
    ----------
    required, preferred
        The level at which all pods must, or should, share a domain.
    unconstrained
        ``True`` if any nodes will do; ``None`` where the field is absent.
    slices
        The layers of slices, the widest first.
    is_explicit
        Whether a field asks for topology-aware scheduling; labels and groups don't.
    group
        Pod sets of the same group get the same flavors and share a domain.
    """

    required: str | None = None
    preferred: str | None = None
    unconstrained: bool | None = None
    slices: tuple[SliceLayer, ...] = ()
    is_explicit: bool = False
    group: str | None = None

    @classmethod
    def of(cls, written: Mapping[str, Any] | None) -> TopologyRequest:
        """Read a topology request as it is written; ``None`` asks for nothing.

        Examples
        --------
        >>> TopologyRequest.of({"required": "rack"}).level(("block", "rack"))
        'rack'
        """
        if not written:
            return NO_REQUEST
        layers = written.get("podsetSliceRequiredTopologyConstraints") or ()
        slices = tuple(SliceLayer(each["topology"], each["size"]) for each in layers)
        legacy = written.get("podSetSliceRequiredTopology")
        size = written.get("podSetSliceSize")
        if not slices and legacy is not None:
            slices = (SliceLayer(legacy, size or 0),)
        required, preferred = written.get("required"), written.get("preferred")
        unconstrained = written.get("unconstrained")
        explicit = (required, preferred, unconstrained, legacy, size)
        return cls(
            required,
            preferred,
            unconstrained,
            slices,
            any(value is not None for value in explicit) or bool(layers),
            written.get("podSetGroupName"),
        )

    def level(self, levels: Sequence[str]) -> str | None:
        """Return the level of ``levels`` at which a domain is sought, ``None`` if none is named."""
        if self.required is not None:
            return self.required
        if self.preferred is not None:
            return self.preferred
        if self.slices:
            return levels[0]
        return levels[-1] if self.unconstrained else None

    @property
    def slices_only(self) -> bool:
        """Whether only the slices need a domain, and the pod set as a whole does not."""
        return self.required is None and self.preferred is None and bool(self.slices)


NO_REQUEST: Final = TopologyRequest()


@dataclass(frozen=True, slots=True)
class TopologyDomain:
    """Some pods of a pod set in one domain; ``values`` are its labels, level by level."""

    values: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class TopologyAssignment:
    """The domains that the pods of a pod set are assigned to, and how many go to each.

    Attributes
    ----------
    levels
        Node labels; only the last one of the topology if that is the hostname.
    domains
        In the order of their values.
    """

    levels: tuple[str, ...]
    domains: tuple[TopologyDomain, ...]

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> TopologyAssignment:
        """Read an assignment as a Workload's status stores it (v1beta2).

        Examples
        --------
        >>> hosts = TopologyAssignment(("kubernetes.io/hostname",), (TopologyDomain(("n1",), 2),))
        >>> TopologyAssignment.of(hosts.stored()) == hosts
        True
        """
        return cls(tuple(stored.get("levels") or ()), tuple(_read_slices(stored)))

    @property
    def pods(self) -> int:
        """The number of pods in all domains."""
        return sum(domain.count for domain in self.domains)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of the nodes; empty unless the lowest level is the hostname."""
        if not self.levels or self.levels[-1] != HOSTNAME:
            return ()
        return tuple(domain.values[-1] for domain in self.domains)

    def stored(self, *, by_hostname_prefix: bool = True) -> dict[str, Any]:
        """Return the assignment as a Workload's status stores it.

        Parameters
        ----------
        by_hostname_prefix
            The feature gate ``TASAssignmentsEncodingByHostnamePrefix``: hosts that share a prefix
            may make up a slice of their own, if that is shorter than one slice for all.
        """
        whole = [list(self.domains)] if self.domains else []
        if not by_hostname_prefix:
            return self._stored_as(whole)
        runs = self._runs_by_prefix()
        by_prefix = self._stored_as(runs)
        if len(runs) <= 1 or len(self.domains) > _MOST_DOMAINS:
            return by_prefix
        single = self._stored_as(whole)
        return single if _json_length(single) < _json_length(by_prefix) else by_prefix

    def _stored_as(self, runs: Sequence[Sequence[TopologyDomain]]) -> dict[str, Any]:
        slices = [self._slice(run) for run in runs]
        return {"levels": list(self.levels), **({"slices": slices} if slices else {})}

    def _slice(self, domains: Sequence[TopologyDomain]) -> dict[str, Any]:
        if len(domains) == 1:
            return {
                "domainCount": 1,
                "valuesPerLevel": [{"universal": value} for value in domains[0].values],
                "podCounts": {"universal": domains[0].count},
            }
        values = zip(*(domain.values for domain in domains), strict=True)
        counts = [domain.count for domain in domains]
        same = all(count == counts[0] for count in counts)
        return {
            "domainCount": len(domains),
            "valuesPerLevel": [_compact(texts) for texts in values],
            "podCounts": {"universal": counts[0]} if same else {"individual": counts},
        }

    def _runs_by_prefix(self) -> list[list[TopologyDomain]]:
        """Return the domains in runs of hosts that share a prefix."""
        if not self.domains:
            return []
        keys: Sequence[str] = ()
        if len(self.domains) > 1 and self.levels and self.levels[-1] == HOSTNAME:
            keys = _prefix_keys([domain.values[-1] for domain in self.domains])
        if not keys:
            return list(_chunks(self.domains))
        keyed = groupby(zip(keys, self.domains, strict=True), key=lambda pair: pair[0])
        return [run for _, pairs in keyed for run in _chunks([domain for _, domain in pairs])]


def _read_slices(stored: Mapping[str, Any]) -> Iterator[TopologyDomain]:
    for part in stored.get("slices") or ():
        count = part["domainCount"]
        columns = [_read_values(values, count) for values in part["valuesPerLevel"]]
        pods = part["podCounts"]
        universal = pods.get("universal")
        counts = [universal] * count if universal is not None else pods["individual"]
        for index in range(count):
            yield TopologyDomain(tuple(column[index] for column in columns), counts[index])


def _read_values(values: Mapping[str, Any], count: int) -> list[str]:
    universal = values.get("universal")
    if universal is not None:
        return [universal] * count
    individual = values["individual"]
    prefix, suffix = individual.get("prefix") or "", individual.get("suffix") or ""
    return [f"{prefix}{root}{suffix}" for root in individual["roots"]]


def _compact(texts: Sequence[str]) -> dict[str, Any]:
    """Return texts with what they begin and end with in common written once."""
    prefix = _common_prefix(texts)
    suffix = _common_prefix([text[::-1] for text in texts])[::-1]
    if len(prefix) == max(map(len, texts)):
        return {"universal": prefix}
    shortest = min(map(len, texts))
    if len(prefix) + len(suffix) > shortest:
        prefix = prefix[: shortest - len(suffix)]
    roots = [text[len(prefix) : len(text) - len(suffix)] for text in texts]
    found: dict[str, Any] = {}
    if prefix:
        found["prefix"] = prefix
    if suffix:
        found["suffix"] = suffix
    return {"individual": {**found, "roots": roots}}


def _common_prefix(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    differs = (place for place, letter in enumerate(first) if letter != last[place])
    return first[: next(differs, len(first))]


def _prefix_keys(hosts: Sequence[str]) -> list[str]:
    """Return for each host the longest prefix up to a ``-`` that another host shares.

    Prefixes get shorter, for all hosts, until the runs of equal ones are few enough.
    """
    ends = [[at + 1 for at in range(len(host) - 1) if host[at] == "-"] for host in hosts]
    seen: dict[str, int] = {}
    for host, its_ends in zip(hosts, ends, strict=True):
        for end in its_ends:
            seen[host[:end]] = seen.get(host[:end], 0) + 1
    for depth in range(max(map(len, ends), default=0), 0, -1):
        keys = [
            next((host[:end] for end in reversed(own[:depth]) if seen[host[:end]] > 1), "")
            for host, own in zip(hosts, ends, strict=True)
        ]
        lengths = [len(list(run)) for _, run in groupby(keys)]
        if sum(-(-length // _MOST_DOMAINS) for length in lengths) <= _MOST_SLICES:
            return keys
    return []


def _chunks(domains: Sequence[TopologyDomain]) -> Iterator[list[TopologyDomain]]:
    for start in range(0, len(domains), _MOST_DOMAINS):
        yield list(domains[start : start + _MOST_DOMAINS])


def _json_length(stored: Mapping[str, Any]) -> int:
    return len(json.dumps(stored, separators=(",", ":"), ensure_ascii=False).encode())
