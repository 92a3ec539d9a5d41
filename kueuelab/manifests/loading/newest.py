"""When a dump was taken, as far as its objects tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kueuelab.manifests.scenario import ScenarioSpec
from kueuelab.model import ModelObject, Workload

__all__ = ["newest_moment", "starting_where_objects_end"]


def newest_moment(objects: Iterable[ModelObject]) -> int | None:
    """Return the latest time at which anything in the objects happened, ns since 1970.

    That is the newest of their creation and of what their conditions and admission checks
    say; ``None`` if no object has any of them. Times to come (``requeueAt``) don't count.

    Examples
    --------
    >>> from kueuelab.model import LocalQueue, ObjectMeta
    >>> undated = LocalQueue(ObjectMeta("b"), "research")
    >>> dated = LocalQueue(ObjectMeta("a", creation_timestamp=5), "research")
    >>> newest_moment([dated, undated])
    5
    >>> newest_moment([undated]) is None
    True
    """
    return max((time for obj in objects for time in _moments(obj)), default=None)


def _moments(obj: ModelObject) -> Iterator[int]:
    if obj.metadata.creation_timestamp is not None:
        yield obj.metadata.creation_timestamp
    if isinstance(obj, Workload):
        times = [condition.last_transition_time for condition in obj.status.conditions]
        times += [check.last_transition_time for check in obj.status.admission_checks]
    else:
        times = [each.last_transition_time for each in getattr(obj, "conditions", None) or ()]
    # One without a time has 0.
    yield from (time for time in times if time)


def starting_where_objects_end(spec: ScenarioSpec) -> ScenarioSpec:
    """Return a scenario whose clock starts at the newest time in its objects.

    One that says itself when it starts stays as it is, and so does one without any time.
    """
    if spec.start is not None:
        return spec
    objects = [*spec.manifests, *(obj for worker in spec.workers for obj in worker.manifests)]
    return replace(spec, start=newest_moment(objects))
