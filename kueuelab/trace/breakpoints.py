"""Where to stop: questions to a step that combine with ``&``, ``|`` and ``~``."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Message
from kueuelab.trace.mentions import mentions
from kueuelab.trace.step import Step
from kueuelab.trace.trace import Trace

__all__ = ["EVENTS", "MULTIKUEUE_EVENTS", "Breakpoint"]

_Test = Callable[[Step], bool]


def _always(step: Step) -> bool:
    return True


def _facts(test: Callable[[Any], bool]) -> _Test:
    return lambda step: test(step.facts)


#: Kinds of events by the name people give them: the kind of step, and what else must hold.
EVENTS: Final[Mapping[str, tuple[str, _Test]]] = MappingProxyType(
    {
        "created": ("WorkloadCreated", _always),
        "nominated": ("Nominated", _always),
        "quota reserved": ("QuotaReserved", _always),
        "admitted": ("Admitted", _always),
        "preempting": (
            "EntryProcessed",
            _facts(lambda facts: facts.requeue_reason == "PendingPreemption"),
        ),
        "preempted": ("Evicted", _facts(lambda facts: facts.reason == "Preempted")),
        "evicted": ("Evicted", _always),
        "skipped": ("EntryProcessed", _facts(lambda facts: facts.status == "skipped")),
        "requeued": ("Requeued", _always),
        "set aside": ("Requeued", _facts(lambda facts: not facts.active)),
        "woken": ("Woken", _always),
        "pending": ("Pending", _always),
        "check": ("CheckStateChanged", _always),
        "pods ready": ("PodsReadyChanged", _facts(lambda facts: facts.ready)),
        "deactivated": ("Deactivated", _facts(lambda facts: not facts.active)),
        "finished": ("Finished", _always),
        "deleted": ("WorkloadDeleted", _always),
        "changed": ("ObjectApplied", _always),
    }
)

#: The same for what happens between clusters, with MultiKueue.
MULTIKUEUE_EVENTS: Final[Mapping[str, tuple[str, _Test]]] = MappingProxyType(
    {
        "workers nominated": ("ClustersNominated", _always),
        "copy created": ("CopyCreated", _always),
        "copy removed": ("CopyRemoved", _always),
        "worker chosen": ("WorkerChosen", _always),
        "job created on a worker": ("RemoteJobCreated", _always),
        "race drawn": ("RaceDrawn", _always),
        "connection changed": ("WorkerConnectionChanged", _always),
        "MultiKueue's check": ("MultiKueueCheck", _always),
    }
)


class Breakpoint:
    """A question to a step. Make one with :meth:`workload`, :meth:`queue`, :meth:`event`, ...

    Attributes
    ----------
    text
        What it asks, in words.

    Examples
    --------
    >>> stop = Breakpoint.event("preempted") & Breakpoint.queue("team-a")
    >>> stop
    <Breakpoint event 'preempted' and queue 'team-a'>
    >>> from kueuelab.trace.steps import Evicted
    >>> stop(Step(0, 0, 1, "default/a", "team-a", Evicted("Preempted", "")))
    True
    >>> (~stop)(Step(0, 0, 1, "default/a", "team-b", Evicted("Preempted", "")))
    True
    """

    __slots__ = ("_is_combined", "_kinds", "_test", "text")

    def __init__(
        self,
        test: _Test,
        text: str,
        kinds: frozenset[str] | None = None,
        *,
        is_combined: bool = False,
    ) -> None:
        self._test = test
        self.text = text
        self._is_combined = is_combined
        # The only kinds of steps for which the test can hold; None if it can be any.
        self._kinds = kinds

    def __call__(self, step: Step) -> bool:
        """Tell whether it holds for a step."""
        return self._test(step)

    def __repr__(self) -> str:
        return f"<Breakpoint {self.text}>"

    @classmethod
    def workload(cls, key: str) -> Breakpoint:
        """Stop at steps that a workload has a part in."""

        def test(step: Step) -> bool:
            return step.workload == key or any(name == key for name, _ in mentions(step))

        return cls(test, _text("workload", key))

    @classmethod
    def queue(cls, cluster_queue: str) -> Breakpoint:
        """Stop at steps about a ClusterQueue."""
        return cls(lambda step: step.cluster_queue == cluster_queue, _text("queue", cluster_queue))

    @classmethod
    def cluster(cls, name: str) -> Breakpoint:
        """Stop at steps that happen in a cluster, of several."""
        return cls(lambda step: step.cluster == name, _text("cluster", name))

    @classmethod
    def event(cls, name: str) -> Breakpoint:
        """Stop at events of a kind, one of :data:`EVENTS` or :data:`MULTIKUEUE_EVENTS`.

        Raises
        ------
        UnknownObjectError
            If there is no such kind.
        """
        found = EVENTS.get(name) or MULTIKUEUE_EVENTS.get(name)
        if found is None:
            raise UnknownObjectError(
                Message("trace.kind.event"), name, (*EVENTS, *MULTIKUEUE_EVENTS)
            )
        kind, more = found
        return cls(
            lambda step: step.kind == kind and more(step), _text("event", name), frozenset({kind})
        )

    @classmethod
    def kind(cls, *kinds: str) -> Breakpoint:
        """Stop at steps of these kinds (see :data:`kueuelab.trace.steps.KINDS`)."""
        chosen = frozenset(kinds)
        return cls(lambda step: step.kind in chosen, _text("kind", *kinds), chosen)

    @classmethod
    def message(cls, pattern: str) -> Breakpoint:
        """Stop at steps with a message, or reasons, that match a regular expression."""
        regex = re.compile(pattern)

        def test(step: Step) -> bool:
            facts: Any = step.facts
            texts = (getattr(facts, "message", ""), *getattr(facts, "reasons", ()))
            return any(text and regex.search(text) for text in texts)

        return cls(test, _text("message", pattern))

    def __and__(self, other: Breakpoint) -> Breakpoint:
        both = [kinds for kinds in (self._kinds, other._kinds) if kinds is not None]
        return Breakpoint(
            lambda step: self(step) and other(step),
            Message("trace.breakpoint.both", first=self._inner(), second=other._inner()),
            frozenset.intersection(*both) if both else None,
            is_combined=True,
        )

    def __or__(self, other: Breakpoint) -> Breakpoint:
        known = self._kinds is not None and other._kinds is not None
        return Breakpoint(
            lambda step: self(step) or other(step),
            Message("trace.breakpoint.either", first=self._inner(), second=other._inner()),
            (self._kinds or frozenset()) | (other._kinds or frozenset()) if known else None,
            is_combined=True,
        )

    def __invert__(self) -> Breakpoint:
        return Breakpoint(
            lambda step: not self(step), Message("trace.breakpoint.not", what=self._inner())
        )

    def _inner(self) -> str:
        return Message("trace.breakpoint.group", what=self.text) if self._is_combined else self.text

    def places(self, trace: Trace, start: int, stop: int) -> Sequence[int]:
        """Return the steps in ``range(start, stop)`` worth asking about, ascending."""
        if self._kinds is None:
            return range(start, stop)
        places = trace.of_kind(*sorted(self._kinds))
        return places[bisect_left(places, start) : bisect_left(places, stop)]


def _text(what: str, *values: str) -> str:
    return Message(f"trace.breakpoint.{what}", value=", ".join(map(repr, values)))
