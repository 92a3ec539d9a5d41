"""The state of what is served for Prometheus: pending by cause, the oldest, what levers cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kueuelab.model.times import SECOND
from kueuelab.session.lever_costs import lever_cost
from kueuelab.session.run_facts import RunFacts

__all__ = ["CONTENT_TYPE", "exposition"]

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
#: The levers of so many causes are searched, in a cluster of at most so many workloads.
_MOST_CAUSES: Final = 5
_MOST_WORKLOADS: Final = 500

_Sample = tuple[dict[str, str], float]


def exposition(facts: RunFacts) -> str:
    """Return the state in Prometheus' text format.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> from kueuelab.messages import english
    >>> facts = RunFacts(scenarios.load("reclaim-1-take-back").run(until=25), english())
    >>> print(exposition(facts).splitlines()[2])
    kueuelab_kueue_info{version="v0.19.2"} 1
    """
    return "".join(f"{line}\n" for line in _lines(facts))


def _lines(facts: RunFacts) -> Iterator[str]:
    yield from _metric(
        "kueue_info",
        "The release of Kueue that decides here.",
        [({"version": facts.trace.kueue_version}, 1)],
    )
    yield from _metric(
        "pending_workloads",
        "Pending workloads by ClusterQueue and cause.",
        _pending(facts),
    )
    yield from _metric(
        "oldest_pending_seconds",
        "How long ago the oldest pending workload of a ClusterQueue was created.",
        _oldest(facts),
    )
    yield from _metric(
        "admitted_workloads",
        "Admitted workloads.",
        [({}, facts.phases["Admitted"])],
    )
    yield from _metric(
        "lever_cost",
        "What the first lever for a pending workload of each cause costs: how many workloads are"
        " evicted (evicts) or wait longer (waits), how many quotas shrink or grow (shrinks,"
        " grows), how many other workloads it admits (gains).",
        _levers(facts),
    )


def _metric(name: str, text: str, samples: Iterable[_Sample]) -> Iterator[str]:
    yield f"# HELP kueuelab_{name} {text}"
    yield f"# TYPE kueuelab_{name} gauge"
    for labels, value in samples:
        shown = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
        yield f"kueuelab_{name}{f'{{{shown}}}' if shown else ''} {value:g}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _pending(facts: RunFacts) -> Iterator[_Sample]:
    counts: dict[tuple[str, str], int] = {}
    for cause, found in facts.causes.items():
        key = cause.queue, cause.kind
        counts[key] = counts.get(key, 0) + len(found)
    for (queue, kind), count in counts.items():
        yield {"queue": queue, "cause": kind}, count


def _oldest(facts: RunFacts) -> Iterator[_Sample]:
    oldest: dict[str, int] = {}
    for each in facts.pending:
        oldest[each.cluster_queue] = max(oldest.get(each.cluster_queue, 0), each.age)
    for queue, age in oldest.items():
        yield {"queue": queue}, age / SECOND


def _levers(facts: RunFacts) -> Iterator[_Sample]:
    if len(facts.state.workloads) > _MOST_WORKLOADS:
        return
    for cause, found in list(facts.causes.items())[:_MOST_CAUSES]:
        workload = found[0].workload
        report = facts.levers(workload)
        number = next((at for at, each in enumerate(report) if each.changes), None)
        if number is None:
            continue
        counts = {part.kind: part.count for part in lever_cost(facts, workload, (number,)).parts}
        labels = {
            "queue": cause.queue,
            "cause": cause.kind,
            "workload": workload,
            "lever": report[number].kind,
        }
        for effect in ("evicts", "waits", "shrinks", "grows", "gains"):
            yield {**labels, "effect": effect}, counts.get(effect, 0)
