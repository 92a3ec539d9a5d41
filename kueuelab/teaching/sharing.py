"""Fair sharing over time: how much cpu each ClusterQueue uses, and its share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from kueuelab.messages import Message, english
from kueuelab.model.times import format_duration
from kueuelab.teaching.measures import AnyRun
from kueuelab.trace.names import short_name
from kueuelab.trace.text_table import text_table

if TYPE_CHECKING:
    from kueuelab.widgets import LineChart

__all__ = ["share_changes", "share_chart", "share_of", "shares_compared", "usage"]

_SECOND: Final = 10**9
_PLACE: Final = ("default", "cpu")


def usage(run: AnyRun, *seconds: float) -> None:
    """Print how much cpu each ClusterQueue uses at some times.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> usage(scenarios.load("fair-1-three-teams").run(), 50, 170)
          red  green  blue
    50s   24   0      0
    2m50s  8   8      8
    """
    names = _queues(run)
    rows = []
    for second in seconds:
        limit = run.trace[0].time + round(second * _SECOND)
        state = run.state_at(max(step.index for step in run.trace if step.time <= limit))
        used = (state.cluster_queue(name).usage.get(_PLACE, 0) / 1000 for name in names)
        rows.append((format_duration(round(second * _SECOND)), *(f"{each:g}" for each in used)))
    print(text_table(("", *names), rows))


def share_of(run: AnyRun, queue: str, index: int) -> float:
    """Return the share of a ClusterQueue after a step: what fair sharing compares.

    That is the cpu that it borrows, in thousandths of what its cohort can lend, divided by its
    weight. It is read for a cohort without parents and the flavor ``default``.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> run = scenarios.load("fair-1-three-teams").run()
    >>> share_of(run, "red", run.until(workload="green-1", event="created").index)
    1000.0
    """
    state = run.state_at(index)
    found = state.cluster_queue(queue)
    nominal = sum(each.nominal for each in found.quotas if (each.flavor, each.resource) == _PLACE)
    borrowed = max(0, found.usage.get(_PLACE, 0) - nominal)
    root = state.root_of(queue)
    lendable = sum(
        each.nominal
        for owner in (state.cohort(root), *state.cluster_queues)
        for each in owner.quotas
        if (each.flavor, each.resource) == _PLACE
    )
    weight = _weight(run, queue)
    if not borrowed:
        return 0.0
    return 1000 * borrowed / lendable / weight if weight else float("inf")


def share_chart(run: AnyRun, title: str) -> LineChart:
    """Return a chart of the shares of all ClusterQueues over time.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> chart = share_chart(scenarios.load("fair-1-three-teams").run(), "Shares")
    """
    from kueuelab.widgets import LineChart

    words, ends = english(), _ends(run)
    minutes = [(run.trace[index].time - run.trace[0].time) / (60 * _SECOND) for index in ends]
    lines = {name: [share_of(run, name, index) for index in ends] for name in _queues(run)}
    return LineChart(
        title,
        minutes,
        lines,
        x_title=words.text("teaching.sharing.minutes"),
        y_title=words.text("teaching.sharing.share"),
    )


def share_changes(run: AnyRun, until: float) -> None:
    """Print the shares each time they change, up to so many seconds after the start.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> share_changes(scenarios.load("fair-1-three-teams").run(), until=2)
        red  green  blue
    0s  0    0      0
    1s  83   0      0
    """
    names, rows = _queues(run), []
    before: Sequence[str] = ()
    for index in _ends(run):
        elapsed = run.trace[index].time - run.trace[0].time
        now = [f"{share_of(run, name, index):.0f}" for name in names]
        if elapsed < until * _SECOND and now != before:
            rows.append((format_duration(elapsed), *now))
        before = now
    print(text_table(("", *names), rows))


def shares_compared(run: AnyRun, job: str) -> None:
    """Print which shares were compared when a job was pending for the first time.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> run = scenarios.load("hierarchy-2-fair-departments").run()
    >>> shares_compared(run, "ads-13")  # doctest: +ELLIPSIS
    candidate ...
    """
    key = run.key_of(job)
    found: dict[str, tuple[str, ...]] = {}
    cycle = run.until(workload=job, event="pending").step.cycle
    for step in run.trace.cycle(cycle):
        if step.kind != "SharesCompared" or step.workload != key:
            continue
        facts = step.facts
        if facts.target_new_share is not None:
            shares = str(facts.preemptor_new_share), str(facts.target_new_share)
            found.setdefault(facts.candidate_queue, (short_name(facts.candidate), *shares))
    heads = (
        "candidate",
        Message("teaching.share.with", job=job),
        Message("teaching.share.without"),
    )
    print(text_table(heads, found.values()))


def _queues(run: AnyRun) -> list[str]:
    """Return the ClusterQueues in the order in which the scenario lists them."""
    return [each.metadata.name for each in run.scenario.spec.manifests.cluster_queues]


def _ends(run: AnyRun) -> list[int]:
    """Return the last step of each instant."""
    return list({step.time: step.index for step in run.trace}.values())


def _weight(run: AnyRun, queue: str) -> float:
    found: Any = next(
        each for each in run.scenario.spec.manifests.cluster_queues if each.metadata.name == queue
    )
    return 1.0 if found.fair_weight is None else float(found.fair_weight)
