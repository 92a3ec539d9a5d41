"""Dispatchers, which nominate workers for a workload, as small callables.

A dispatcher is called with a :class:`DispatchView` and returns a :class:`Nomination`.
Kueue has two of its own, :func:`all_at_once` and :class:`Incremental`; any callable that does
the same can be used as an external dispatcher.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from kueuelab.model import Workload
from kueuelab.model.times import SECOND
from kueuelab.workload import WorkloadState

__all__ = [
    "ALL_AT_ONCE",
    "INCREMENTAL",
    "DispatchView",
    "Dispatcher",
    "Incremental",
    "Nomination",
    "all_at_once",
    "cheapest_first",
    "nomination_refusal",
]

ALL_AT_ONCE: Final = "kueue.x-k8s.io/multikueue-dispatcher-all-at-once"
INCREMENTAL: Final = "kueue.x-k8s.io/multikueue-dispatcher-incremental"
_MOST: Final = 20
_LONGEST: Final = 256


@dataclass(frozen=True, slots=True)
class DispatchView:
    """The input of a dispatcher.

    Attributes
    ----------
    workload
        What is to be dispatched.
    clusters
        The workers of the MultiKueueConfig, in its order.
    connected
        Those of them that the manager is connected to.
    nominated
        Those nominated so far.
    waited
        Nanoseconds since the last nomination of this dispatcher; ``None`` if there was none
        since the quota was reserved, or the manager has been restarted.
    round
        How many nominations this dispatcher made before, as far as it remembers.
    now
        Nanoseconds since 1970.
    """

    workload: Workload
    clusters: tuple[str, ...]
    connected: tuple[str, ...]
    nominated: tuple[str, ...]
    waited: int | None
    round: int
    now: int


@dataclass(frozen=True, slots=True)
class Nomination:
    """The output of a dispatcher: all nominated clusters, and when to call it again.

    ``clusters`` ``None`` leaves the nomination as it is. ``ask_after`` are nanoseconds;
    ``None``: only when something changes.
    """

    clusters: tuple[str, ...] | None
    ask_after: int | None = None


Dispatcher: TypeAlias = Callable[[DispatchView], Nomination]


def nomination_refusal(state: WorkloadState, names: Sequence[str]) -> str:
    """Return how the API server rejects a nomination, ``""`` if it accepts it.

    Names are not compared with the MultiKueueConfig: an unknown worker is nominated
    and waited for.
    """
    path = "status.nominatedClusterNames"
    if len(names) > _MOST:
        return f"{path}: Too many: {len(names)}: must have at most {_MOST} items"
    for index, name in enumerate(names):
        if len(name) > _LONGEST:
            return f"{path}[{index}]: Too long: may not be more than {_LONGEST} bytes"
    if state.cluster_name is not None and names:
        return "clusterName and nominatedClusterNames are mutually exclusive"
    return ""


def all_at_once(view: DispatchView) -> Nomination:
    """Nominate every worker that is connected.

    Examples
    --------
    >>> view = DispatchView(None, ("w1", "w2"), ("w2",), (), None, 0, 0)
    >>> all_at_once(view).clusters
    ('w2',)
    """
    return Nomination(view.connected)


@dataclass(frozen=True, slots=True)
class Incremental:
    """Nominate a few more workers each round, connected or not; the earlier ones stay.

    Attributes
    ----------
    step
        How many more each round.
    round_length
        Nanoseconds.
    alphabetical
        Whether to go by name instead of the order of the config.

    Examples
    --------
    >>> view = DispatchView(None, ("b", "a", "c"), (), ("b",), None, 1, 0)
    >>> Incremental(step=1)(view).clusters, Incremental(step=5)(view).clusters
    (('b', 'a'), ('b', 'a', 'c'))
    """

    step: int = 3
    round_length: int = 300 * SECOND
    alphabetical: bool = False

    def __call__(self, view: DispatchView) -> Nomination:
        """Nominate the next batch when the round is over."""
        if view.waited is not None and view.waited <= self.round_length:
            # A round ends just after its time, not at it.
            return Nomination(None, max(self.round_length - view.waited, 1))
        left = [name for name in view.clusters if name not in view.nominated]
        if self.alphabetical:
            left.sort()
        if not left:
            return Nomination(None)
        return Nomination((*view.nominated, *left[: self.step]), self.round_length)


@dataclass(frozen=True, slots=True)
class cheapest_first:  # noqa: N801 - it reads as the function that it stands for
    """An external dispatcher: the cheapest worker first, the next one after some time.

    Attributes
    ----------
    price
        The price of each worker; workers without one come last.
    patience
        Nanoseconds until the next worker is nominated, too.

    Examples
    --------
    >>> dispatcher = cheapest_first({"cloud": 3.0, "onprem": 1.0})
    >>> view = DispatchView(None, ("cloud", "onprem"), ("cloud", "onprem"), (), None, 0, 0)
    >>> dispatcher(view).clusters
    ('onprem',)
    """

    price: Mapping[str, float]
    patience: int = 60 * SECOND

    def __call__(self, view: DispatchView) -> Nomination:
        """Nominate the cheapest worker that is connected and not nominated yet."""
        if view.waited is not None and view.waited < self.patience:
            return Nomination(None, self.patience - view.waited)
        left = [name for name in view.connected if name not in view.nominated]
        if not left:
            return Nomination(None)
        ranked = sorted(left, key=lambda name: (self.price.get(name, float("inf")), name))
        return Nomination((*view.nominated, ranked[0]), self.patience)
