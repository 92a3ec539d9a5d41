"""Holding the facts of a cluster set against the recorded ones, by what is binding.

Binding are: which facts occur, the order of those of one object, the order of others that
are clearly apart, and what a fact follows: an operation, a timeout. See ``README.md`` beside
the recordings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from kueuelab.conformance.cases import Json
from kueuelab.conformance.compare import Difference
from kueuelab.conformance.shapes import ABSENT
from kueuelab.messages import Message
from kueuelab.multikueue import Fact

__all__ = ["Key", "compare_facts", "keyed"]

_MARGIN: Final = 0.3
#: How far from both recorded runs a fact may lie, in seconds: more than batches and
#: latencies, less than what follows from any timeout.
_TOLERANCE: Final = 2.5
_MUST_OCCUR: Final = ("order differs between runs", "concurrent by nature")


class Key(NamedTuple):
    """What a fact says, and the how-manieth time it says so."""

    cluster: str
    kind: str
    name: str
    fact: str
    times: int

    def __str__(self) -> str:
        again = f" (time {self.times})" if self.times > 1 else ""
        return f"{self.cluster} {self.kind} {self.name}: {self.fact}{again}"


class _Placed(NamedTuple):
    key: Key
    time: float
    write: int


def keyed(facts: Iterable[Mapping[str, Any]]) -> list[Key]:
    """Return the identity of facts.

    Examples
    --------
    >>> fact = {"cluster": "w1", "kind": "Job", "name": "a", "fact": "active=1"}
    >>> [key.times for key in keyed([fact, fact])]
    [1, 2]
    """
    seen: dict[tuple[str, str, str, str], int] = {}
    keys = []
    for fact in facts:
        what = (fact["cluster"], fact["kind"], fact["name"], fact["fact"])
        seen[what] = seen.get(what, 0) + 1
        keys.append(Key(*what, seen[what]))
    return keys


def compare_facts(data: Mapping[str, Any], facts: Sequence[Fact]) -> Iterator[Difference]:
    """Compare facts with a recording.

    Parameters
    ----------
    data
        The recording.
    facts
        What happened here.

    Yields
    ------
    Difference
        What is missing, what is too much, what comes in the wrong order or at the wrong time.
    """
    observed: Sequence[Json] = data["observed"]
    keys = keyed(observed)
    racy = {entry["index"]: str(entry["why"]) for entry in data.get("racy") or ()}
    simulated = _placed(facts)
    gone = _deleted_in_the_end(keys)
    yield from _missing(keys, racy, simulated, gone)
    yield from _too_much(data, keys, simulated, gone | _deleted_in_the_end(simulated))
    binding = [
        (key, fact)
        for index, (key, fact) in enumerate(zip(keys, observed, strict=True))
        if index not in racy and key in simulated
    ]
    yield from _out_of_order(binding, simulated)
    yield from _out_of_time(binding, simulated, data)


def _placed(facts: Sequence[Fact]) -> dict[Key, _Placed]:
    as_json = [
        {"cluster": f.cluster, "kind": f.kind, "name": f.name, "fact": f.fact} for f in facts
    ]
    return {
        key: _Placed(key, fact.time / 1e9, fact.write)
        for key, fact in zip(keyed(as_json), facts, strict=True)
    }


def _deleted_in_the_end(keys: Iterable[Key]) -> frozenset[tuple[str, str, str]]:
    return frozenset(key[:3] for key in keys if key.fact in ("deleted", "deleting"))


def _by_nature(key: Key, gone: frozenset[tuple[str, str, str]]) -> bool:
    """Tell whether a fact is concurrent by nature, and may be overtaken."""
    fact = key.fact
    return (
        fact.startswith(("condition PodsReady=False", "preemptionGate "))
        or (fact.startswith("condition Suspended=") and "reason=MultiKueueAdapter" in fact)
        or (
            fact.startswith("condition Finished=")
            and "reason=OwnerNotFound" in fact
            and key[:3] in gone
        )
    ) and not fact.endswith("=Open")


def _missing(
    keys: Sequence[Key],
    racy: Mapping[int, str],
    simulated: Mapping[Key, _Placed],
    gone: frozenset[tuple[str, str, str]],
) -> Iterator[Difference]:
    for index, key in enumerate(keys):
        why = racy.get(index)
        must = why is None or why in _MUST_OCCUR
        if must and key not in simulated and not _by_nature(key, gone):
            yield _difference("facts", key, str(key), ABSENT)


def _too_much(
    data: Mapping[str, Any],
    keys: Sequence[Key],
    simulated: Mapping[Key, _Placed],
    gone: frozenset[tuple[str, str, str]],
) -> Iterator[Difference]:
    in_other_run = keyed([*(data.get("onlyInOtherRun") or ())])
    other = keyed(_other_run(data))
    # The other run's facts may be the second of their kind there, and the first here.
    known = {*keys, *in_other_run, *other}
    counts: dict[tuple[str, ...], int] = {}
    for key in known:
        counts[key[:4]] = max(counts.get(key[:4], 0), key.times)
    for key in in_other_run:
        total = sum(k[:4] == key[:4] for k in keys) + sum(k[:4] == key[:4] for k in in_other_run)
        counts[key[:4]] = max(counts[key[:4]], total)
    for key in simulated:
        if key.times > counts.get(key[:4], 0) and not _by_nature(key, gone):
            yield _difference("facts", key, ABSENT, str(key))


def _other_run(data: Mapping[str, Any]) -> Sequence[Json]:
    other = data.get("otherRun") or ()
    if isinstance(other, Mapping):
        other = other.get("observed") or ()
    return list(other)


def _out_of_order(
    binding: Sequence[tuple[Key, Json]], simulated: Mapping[Key, _Placed]
) -> Iterator[Difference]:
    for index, (first, fact) in enumerate(binding):
        here = simulated[first]
        for second, later in binding[index + 1 :]:
            if fact["write"] == later["write"]:
                continue
            if not _must_precede(fact, later, first[:3] == second[:3]):
                continue
            if here.write >= simulated[second].write:
                yield _difference(
                    "order",
                    second,
                    Message("conformance.order.after", fact=str(first)),
                    Message("conformance.order.before"),
                )


def _must_precede(fact: Json, later: Json, same_object: bool) -> bool:
    if same_object:
        return True
    if fact.get("t2") is None or later.get("t2") is None:
        return False
    apart = min(later["t"] - fact["t"], later["t2"] - fact["t2"])
    return bool(apart >= _MARGIN - 1e-9)


def _out_of_time(
    binding: Sequence[tuple[Key, Json]], simulated: Mapping[Key, _Placed], data: Mapping[str, Any]
) -> Iterator[Difference]:
    operations = sorted({float(entry["at"]) for entry in data["timeline"]})
    for key, fact in binding:
        times = [fact["t"]] if fact.get("t2") is None else [fact["t"], fact["t2"]]
        here = simulated[key].time
        if not min(times) - _TOLERANCE <= here <= max(times) + _TOLERANCE:
            yield _difference("time", key, times, round(here, 1))
            continue
        for at in operations:
            follows = all(time >= at + _MARGIN for time in times)
            precedes = all(time <= at - _MARGIN for time in times)
            if (follows and here < at - 1e-9) or (precedes and here > at):
                side = "after" if follows else "before"
                where = Message(f"conformance.time.{side}", at=f"{at:g}")
                yield _difference("time", key, where, round(here, 1))


def _difference(what: str, key: Key, expected: Any, got: Any) -> Difference:
    return Difference(0, (what, f"[{key}]"), expected, got)
