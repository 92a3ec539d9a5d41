"""Workloads by the names that people use for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Message
from kueuelab.model import Workload
from kueuelab.workload.slices import next_slice_name

__all__ = ["WorkloadNames"]


class WorkloadNames:
    """Finds a workload by its own name or its job's, with or without the namespace.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta, OwnerReference
    >>> owner = OwnerReference("batch/v1", "Job", "pi", controller=True)
    >>> meta = ObjectMeta("job-pi-7dd68", namespace="team-a", owner_references=(owner,))
    >>> names = WorkloadNames([Workload(meta)])
    >>> names.key_of("pi"), names.key_of("team-a/job-pi-7dd68")
    ('team-a/job-pi-7dd68', 'team-a/job-pi-7dd68')
    """

    def __init__(self, workloads: Iterable[Workload] = ()) -> None:
        self._keys: dict[str, list[str]] = {}
        self._broken: set[str] = set()
        self._workloads: dict[str, Workload] = {}
        for workload in workloads:
            self.add(workload)

    def add(self, workload: Workload) -> None:
        """Take a workload."""
        self._workloads[workload.key] = workload
        meta = workload.metadata
        names = [meta.name, *(owner.name for owner in meta.owner_references)]
        for name in dict.fromkeys(names):
            for called in (name, f"{meta.namespace}/{name}"):
                keys = self._keys.setdefault(called, [])
                if workload.key not in keys:
                    keys.append(workload.key)

    def add_slice(self, key: str) -> None:
        """Take the next slice of an elastic job, which may be created when the job grows."""
        workload = self._workloads[key]
        name = next_slice_name(workload, self._workloads)
        new = replace(workload, metadata=replace(workload.metadata, name=name, owner_references=()))
        self.add(new)

    def workload(self, key: str) -> Workload:
        """Return a workload that was taken."""
        return self._workloads[key]

    def key_of(self, name: str) -> str:
        """Return the key (``namespace/name``) of a workload.

        Raises
        ------
        UnknownObjectError
            If there is no such workload, or if there are several.
        """
        keys = self._keys.get(name, [])
        if len(keys) == 1:
            return keys[0]
        if len(keys) > 1:
            raise UnknownObjectError(Message("manifests.names.single-workload"), name, keys)
        raise UnknownObjectError("workload", name, sorted(self._keys))

    def add_broken(self, obj: Any) -> None:
        """Take the manifest of a job that came to nothing: its name is no mistake as well."""
        metadata = obj.get("metadata") if isinstance(obj, Mapping) else None
        metadata = metadata if isinstance(metadata, Mapping) else obj
        name = metadata.get("name") or obj.get("job") if isinstance(metadata, Mapping) else None
        if isinstance(name, str):
            self._broken.add(name)

    def is_broken(self, name: str) -> bool:
        """Tell whether a name is that of a job that came to nothing."""
        return name.rpartition("/")[2] in self._broken
