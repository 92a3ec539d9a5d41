"""A scenario's run on real clusters, with the views of a simulated run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Unpack

from kueuelab.live.access import open_cluster
from kueuelab.live.api import ClusterApi
from kueuelab.live.marks import marked_timeline
from kueuelab.live.mirror import Mirror
from kueuelab.live.play_options import PlayOptions
from kueuelab.live.playing import PlayedScenario, play
from kueuelab.live.views import ClusterViews
from kueuelab.live.worker_contexts import reaching, workers_for
from kueuelab.manifests import ScenarioSpec
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.model.times import SECOND
from kueuelab.simulation.expectations import Outcome
from kueuelab.trace import Trace

if TYPE_CHECKING:
    from kueuelab.live.verify import Comparison

__all__ = ["LiveRun", "play_on"]


class LiveRun(ClusterViews):
    """The run of a scenario on a cluster.

    Parameters
    ----------
    played
        The played scenario, with the mirrors of its clusters.

    Attributes
    ----------
    outcomes
        The scenario's expectations and what was found.
    notes
        What a reader has to know: what played the jobs, for instance.
    """

    outcomes: tuple[Outcome, ...] = ()

    def __init__(self, played: PlayedScenario) -> None:
        self.played = played
        self.outcomes = played.outcomes
        self.notes: tuple[str, ...] = played.notes

    @property
    def mirror(self) -> Mirror:
        """The mirror of the cluster (of the manager, if there are several)."""
        return self.played.mirror

    @cached_property
    def traces(self) -> Mapping[str, Trace]:
        """The record of each cluster, by its name in the scenario."""
        mirrors = self.played.mirrors.items()
        return {name or "manager": mirror.trace for name, mirror in mirrors}

    @cached_property
    def comparison(self) -> Comparison:
        """The cluster's decisions beside those of the lab."""
        from kueuelab.live.verify import compare

        return compare(self.played)

    def __repr__(self) -> str:
        mirror = self.mirror
        trace = mirror.trace
        seconds = (trace[-1].time - trace[0].time) / SECOND if len(trace) else 0.0
        return (
            f"<LiveRun {self.played.spec.name or 'unnamed'} on {mirror.name or 'a cluster'}: "
            f"{len(mirror.decisions)} decisions, {seconds:.0f}s>"
        )

    def as_text(self, language: str | Catalog = "en") -> str:
        """Return the notes, the timeline, and the failed expectations as text."""
        return "\n".join(self._lines(language_of(language)))

    def _lines(self, catalog: Catalog) -> Iterator[str]:
        yield repr(self)
        yield from map(catalog.render, self.notes)
        for name, trace in self.traces.items():
            if len(self.traces) > 1:
                yield f"\n{name}"
            yield marked_timeline(trace, catalog).as_text()
        for outcome in self.outcomes:
            for difference in outcome.differences:
                yield catalog.text(
                    "live.play.not-as-expected", subject=outcome.subject, difference=difference
                )

    def __str__(self) -> str:
        return self.as_text()


def play_on(
    spec: ScenarioSpec,
    context: str,
    *,
    workers: Mapping[str, str] | None = None,
    allowed: Collection[str] = (),
    **options: Unpack[PlayOptions],
) -> PlayedScenario:
    """Play a scenario on the clusters behind contexts; see :func:`kueuelab.live.playing.play`.

    Parameters
    ----------
    spec
        The scenario.
    context
        The context of the cluster, or of the manager.
    workers
        Contexts of workers, by name. One that the scenario does not have plays the next worker
        that is left, and is reached as `live up` connected it: by the Secret of that name.
    allowed
        Contexts that may be written, besides those of kind.

    Raises
    ------
    InputError
        If the scenario can't be played; nothing has been written then.
    LiveError
        If a cluster may not be written, or refuses something.
    """
    given = workers or {}
    played_by = workers_for(spec, given)
    tell = options.get("tell")
    for name, alias in played_by.items():
        if name != alias and tell is not None:
            tell(Message("live.play.plays-worker", alias=alias, worker=name))
    opened: dict[str, ClusterApi] = {}
    try:
        contexts = {name: given[alias] for name, alias in played_by.items()}
        for name, each in {"": context, **contexts}.items():
            opened[name] = open_cluster(each, writable=True, allowed=allowed)
    except BaseException:
        for api in opened.values():
            api.close()
        raise
    manager = opened.pop("")
    return play(manager, reaching(spec, played_by), workers=opened, **options)
