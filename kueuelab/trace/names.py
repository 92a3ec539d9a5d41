"""Names as views show them."""

from __future__ import annotations

__all__ = ["qualified", "short_name"]


def qualified(cluster: str, name: str) -> str:
    """Return a name with its cluster, to be shown where there are several clusters.

    Examples
    --------
    >>> qualified("w1", "default/train"), qualified("", "default/train")
    ('w1:default/train', 'default/train')
    """
    return f"{cluster}:{name}" if cluster and name else name


def short_name(key: str) -> str:
    """Return a workload's name without a namespace that says nothing.

    Examples
    --------
    >>> short_name("default/job-0"), short_name("team-a/job-0")
    ('job-0', 'team-a/job-0')
    """
    namespace, _, name = key.rpartition("/")
    return name if namespace in ("", "default") else key
