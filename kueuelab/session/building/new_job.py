"""A new job of a draft: a name that is free, and requests that its queue has quota for."""

from __future__ import annotations

from kueuelab.errors import InputError, KueueLabError, Problem
from kueuelab.manifests.loading.moments import nanoseconds
from kueuelab.messages import Message
from kueuelab.model.times import SECOND, format_duration
from kueuelab.session.building.draft import Draft
from kueuelab.session.building.jobs import JobValues, jobs_of
from kueuelab.session.building.nodes import pools_of
from kueuelab.session.building.quotas import Quota, quotas_of

__all__ = ["in_seconds", "new_job", "requests_of"]

#: A new job arrives so much later than the last one.
_LATER: int = 10


def new_job(draft: Draft, queue: str = "") -> JobValues:
    """Return a job that arrives after the others.

    It requests all of the nominal quota that its queue has of the first resource, and no more than
    a node has; of several clusters, half of it.

    Raises
    ------
    KueueLabError
        If there is no LocalQueue.

    Examples
    --------
    >>> draft = Draft.new().added("ClusterQueue", "a").added("LocalQueue", "jobs", parent="a")
    >>> new_job(draft).action()
    {'at': '0s', 'submit': {'job': 'job-1', 'queue': 'jobs', 'requests': {'cpu': 10}}}
    """
    queues = draft.of_kind("LocalQueue")
    if not queues:
        raise KueueLabError(Message("session.build.no-queue"))
    chosen = next((each for each in queues if each.reference.name == queue), queues[0])
    used = {each.values.job for each in jobs_of(draft)}
    name = next(f"job-{n}" for n in range(1, len(used) + 2) if f"job-{n}" not in used)
    times = [in_seconds(each.values.at) for each in jobs_of(draft)]
    last = max((time for time in times if time is not None), default=None)
    at = "0s" if last is None else format_duration(int(last + _LATER) * SECOND)
    parent = str(chosen.field("spec.clusterQueue"))
    requests = {"cpu": "1"}
    if parent in draft.names("ClusterQueue"):
        for quota in quotas_of(draft, f"ClusterQueue/{parent}"):
            if quota.shown("nominalQuota") not in ("", "0"):
                requests = {quota.resource: _amount(draft, quota)}
                break
    return JobValues(name, chosen.reference.name, at=at, requests=requests)


def _amount(draft: Draft, quota: Quota) -> str:
    """Return how much of a quota a pod requests."""
    nominal = quota.shown("nominalQuota")
    field = quota.resource.rpartition("/")[2]
    room = [each.shown(field) for each in pools_of(draft) if each.shown(field)]
    if room:
        return room[0]
    several = draft.spec is not None and draft.spec.workers
    return str((int(nominal) + 1) // 2) if several and nominal.isdecimal() else nominal


def in_seconds(text: str) -> float | None:
    """Return a duration in seconds, ``None`` if it is none.

    >>> in_seconds("1m30s"), in_seconds("soon")
    (90.0, None)
    """
    try:
        return nanoseconds(text) / SECOND
    except (KueueLabError, ValueError):
        return None


def requests_of(text: str) -> dict[str, str]:
    """Return the requests of a text: resources and amounts.

    Raises
    ------
    InputError
        If a part of it is no request.

    Examples
    --------
    >>> requests_of("cpu: 500m, memory: 3Gi")
    {'cpu': '500m', 'memory': '3Gi'}
    """
    found = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, colon, amount = part.rpartition(":")
        if not colon or not name.strip() or not amount.strip():
            message = Message("session.build.not-requests", text=part)
            raise InputError(Problem(message, field="requests"))
        found[name.strip()] = amount.strip()
    return found
