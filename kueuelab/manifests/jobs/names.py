"""Names of Workloads: kind, name of the job, and five characters of a hash."""

from __future__ import annotations

import hashlib
from typing import Final

__all__ = ["default_uid", "generated_name", "variant_name", "workload_name"]

_HASH_LENGTH: Final = 5
_LONG: Final = 253
_SHORT: Final = 63


def workload_name(
    group: str, kind: str, name: str, uid: str, *, extra: str = "", short: bool = False
) -> str:
    """Return the name of the Workload of a job.

    The hash covers kind, group, name and uid of the job, and ``extra`` (the generation
    of an elastic job), so that no two jobs share a Workload. ``short`` is the feature
    gate ``ShortWorkloadNames``.

    Examples
    --------
    >>> workload_name("batch", "Job", "afsa-1", "f03c7d9c-3123-4e29-b04c-8627ef464566")
    'job-afsa-1-9ec0b'
    """
    parts = [kind, group, name, uid]
    if extra:
        parts.append(extra)
    return _hashed(f"{kind.lower()}-{name}", parts, short)


def variant_name(parent: str, uid: str, flavor: str, *, short: bool = False) -> str:
    """Return the name of the variant of a workload for a flavor.

    Its hash takes the place of the one in the name of the parent. A parent whose name has no
    hash, which no job integration of Kueue makes, keeps its name in front.

    Examples
    --------
    >>> variant_name("w01-h", "uid-w01", "f0")
    'w01-variant-f0-fdd39'
    """
    parts = ["Workload", "kueue.x-k8s.io", parent, uid, flavor]
    base = parent.rpartition("-")[0] or parent
    return _hashed(f"{base}-variant-{flavor}", parts, short)


def _hashed(prefix: str, parts: list[str], short: bool) -> str:
    longest = (_SHORT if short else _LONG) - 1 - _HASH_LENGTH
    digest = hashlib.sha1("\n".join(parts).encode(), usedforsecurity=False).hexdigest()
    return f"{prefix[:longest]}-{digest[:_HASH_LENGTH]}"


def default_uid(namespace: str, name: str) -> str:
    """Return the uid that stands in where a manifest has none, which keeps names stable."""
    return f"uid-{namespace}-{name}"


def generated_name(prefix: str, occurrence: int) -> str:
    """Return a name for ``generateName``: counted, where the API server draws lots.

    Examples
    --------
    >>> generated_name("sample-job-", 0)
    'sample-job-1'
    """
    return f"{prefix}{occurrence + 1}"
