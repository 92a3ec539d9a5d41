"""The figures of two runs side by side: waiting time, preemptions, utilisation."""

from __future__ import annotations

from kueuelab.messages import Catalog
from kueuelab.model.times import format_duration
from kueuelab.trace.diff import Diff
from kueuelab.trace.html import table
from kueuelab.trace.statistics import QueueStatistics

__all__ = ["figure_texts", "figures_table"]

_COLUMNS = ("name", "waiting", "preemptions", "utilisation")


def figures_table(diff: Diff, words: Catalog) -> str:
    """Return one row for each ClusterQueue: before and after, or one value if both are the same.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> from kueuelab.messages import english
    >>> run = scenarios.load("reclaim-1-take-back").run()
    >>> "cluster-queue" in figures_table(run.diff(run), english())
    True
    """
    head = [words.text(f"studio.queues.{column}") for column in _COLUMNS]
    rows = []
    for each in diff.queues:
        before, after = figure_texts(each.before), figure_texts(each.after)
        pairs = zip(before, after, strict=True)
        rows.append([each.queue, *(one if one == two else f"{one} → {two}" for one, two in pairs)])
    return table(head, rows, words.text("studio.compare.figures"))


def figure_texts(found: QueueStatistics) -> list[str]:
    """Return waiting time, preemptions and utilisation as texts; "-" where no time goes by.

    Examples
    --------
    >>> figure_texts(QueueStatistics("team-a"))
    ['0s', '0', '-']
    """
    utilisation = ", ".join(
        f"{100 * part:.0f} % {resource}/{flavor}"
        for (flavor, resource), part in found.utilisation.items()
    )
    return [format_duration(found.waiting), str(found.preemptions), utilisation or "-"]
