"""A forecast as sentences: when, what it rests on, what it does not know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from typing import Final, get_args

from kueuelab.forecast.run_times import Basis, Source
from kueuelab.forecast.when import Delay, Forecast
from kueuelab.manifests.loading.jobs import RUNS
from kueuelab.model.times import SECOND, format_duration
from kueuelab.trace.wording import MessageParts

__all__ = ["about", "delay_lines", "delay_text", "forecast_lines"]

_MINUTE: Final = 60 * SECOND
#: So many workloads that are delayed are named.
_NAMED: Final = 3


def about(time: float) -> str:
    """Return a time as precisely as a forecast is: to the second, the minute, or five minutes.

    Examples
    --------
    >>> about(95 * SECOND), about(754 * SECOND), about(7_500 * SECOND), about(2 * 3600 * SECOND)
    ('1m35s', '13m', '2h5m', '2h')
    """
    for least, step in ((2 * 60 * _MINUTE, 5 * _MINUTE), (10 * _MINUTE, _MINUTE), (0, SECOND)):
        if time >= least:
            rounded = round(time / step) * step
            break
    text = format_duration(rounded)
    if rounded >= 60 * _MINUTE and text.endswith("h0m0s"):
        return text.removesuffix("0m0s")
    return text.removesuffix("0s") if text.endswith("m0s") else text


def forecast_lines(forecast: Forecast, words: MessageParts, *, hint: bool = True) -> Iterator[str]:
    """Yield when a job starts, what that rests on and what it does not know.

    Without a ``hint`` it does not say how run times are given on the command line.
    """
    basis = forecast.basis
    count = sum(basis.running.values())
    unknown = basis.running.get("unknown", 0)
    starts = forecast.within(1 / max(1, len(forecast.starts)))
    if starts == inf and not forecast.is_cut and unknown and unknown == count:
        yield words("forecast.when.unknown", count=count)
        if hint:
            yield words("forecast.when.unknown.hint", annotation=RUNS)
        return
    yield _starts(forecast, count, words)
    if forecast.never_before:
        named = words.listed(forecast.never_before)
        number = len(forecast.never_before)
        yield words("forecast.when.never-before", count=number, workloads=named)
    if count:
        yield words("forecast.when.basis", count=count, sources=_sources(basis, words))
    if forecast.played < forecast.total:
        form = "forecast.when.part.first" if forecast.pending else "forecast.when.part"
        values = {
            "total": forecast.total,
            "pending": forecast.pending,
            "runs": len(forecast.starts),
        }
        yield words(form, count=forecast.played, **values)
    if starts != inf:
        yield words("forecast.when.not-known")


def _starts(forecast: Forecast, running: int, words: MessageParts) -> str:
    half, most, count = forecast.within(0.5), forecast.within(0.9), len(forecast.starts)
    never = sum(start.after == inf for start in forecast.starts)
    if never and forecast.is_cut:
        return words("forecast.when.cut")
    if never == count:
        return words("forecast.when.never" if running else "forecast.when.empty")
    if half == inf:
        return words("forecast.when.seldom", never=never, count=count)
    if most == inf:
        return words("forecast.when.half", half=about(half))
    if not forecast.is_random:
        return words("forecast.when.known", time=about(half))
    if about(half) == about(most):
        return words("forecast.when.same", time=about(half), count=count)
    return words("forecast.when.within", half=about(half), most=about(most), count=count)


def _sources(basis: Basis, words: MessageParts) -> str:
    return words.listed(
        words(f"forecast.when.source.{source}", count=count, finished=basis.finished)
        for source in get_args(Source)
        if (count := basis.running.get(source, 0))
    )


def delay_lines(delays: Iterable[Delay], words: MessageParts) -> Iterator[str]:
    """Yield the workloads that start later, the most delayed first."""
    found = list(delays)
    for each in found[:_NAMED]:
        yield delay_text(each, words)
    if len(found) > _NAMED:
        yield words("forecast.delay.more", count=len(found) - _NAMED)


def delay_text(delay: Delay, words: MessageParts) -> str:
    """Return how much later a workload starts, as a sentence."""
    never = delay.after == inf
    form = ("lost" if never else "again") if delay.was_running else "never" if never else ""
    return words(
        f"forecast.delay.{form}" if form else "forecast.delay",
        workload=delay.workload,
        before=about(delay.before),
        after="" if never else about(delay.after),
    )
