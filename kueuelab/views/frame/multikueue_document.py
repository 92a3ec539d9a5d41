"""The document of a run of several clusters: the MultiKueue board and the jobs' lifecycles."""

from __future__ import annotations

from typing import Final

from kueuelab.messages import Catalog, Message, language_of
from kueuelab.multikueue import ClusterSetRun
from kueuelab.trace.breakpoints import MULTIKUEUE_EVENTS, Breakpoint
from kueuelab.trace.names import short_name
from kueuelab.views.frame.document import Document
from kueuelab.views.frame.multikueue import MultiKueueMaker, SentenceMaker
from kueuelab.views.frame.timeline import clock_of
from kueuelab.views.merge_patch import Json
from kueuelab.views.run_index import RunIndex
from kueuelab.views.sequence import sequence_of

__all__ = ["MultiKueueDocument", "SequenceDocument", "jobs_of"]

#: What a move goes over, and the kinds of steps at which it stops: all but how a decision is made.
MOVES: Final = {
    "decision": (
        *(kind for kind, _ in MULTIKUEUE_EVENTS.values()),
        "WorkloadCreated",
        "QuotaReserved",
        "Admitted",
        "Evicted",
        "Deactivated",
        "CheckStateChanged",
        "Pending",
        "Finished",
        "WorkloadDeleted",
        "ClusterNameRefused",
        "StatusRefused",
        "CheckActivityChanged",
    ),
    "round": ("ClustersNominated",),
    "cycle": ("CycleStarted",),
}
#: The lifecycles of so many jobs are in the document.
_MOST_SEQUENCES: Final = 24


class MultiKueueDocument(Document):
    """Makes the document of a MultiKueue board, whole or in chunks.

    Parameters
    ----------
    run
        The run.
    start
        The step shown first.
    language
        The language: a code, or a catalogue.
    stop_at
        Where playing stops.

    Attributes
    ----------
    comparison
        How the run compares with another one, as plain JSON.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> document = MultiKueueDocument(mk.load("lost-worker").run()).as_data()
    >>> document["view"], list(document["chunks"]["0"]["key"]["lanes"])
    ('multikueue', ['manager', 'w1', 'w2'])
    >>> list(document["index"]["moves"])
    ['decision', 'round', 'cycle']
    """

    moves = MOVES
    steps_of_chunk = 128
    most_steps = 1_500
    _maker: MultiKueueMaker

    def __init__(
        self,
        run: ClusterSetRun,
        start: int | None = None,
        language: str | Catalog | None = None,
        *,
        stop_at: Breakpoint | None = None,
    ) -> None:
        self.run = run
        self.comparison: Json | None = None
        super().__init__(
            RunIndex(run.trace, language_of(language)), "multikueue", start, stop_at=stop_at
        )

    def _new_maker(self) -> MultiKueueMaker:
        return MultiKueueMaker(self.run, self.run_index)

    def _more(self) -> Json:
        # Those of a long run are asked for.
        is_short = len(self.trace) <= self.most_steps
        jobs = jobs_of(self.run)[:_MOST_SEQUENCES] if is_short else []
        return {
            "clock": clock_of(self.trace),
            "sequences": {key: sequence_data(self.run, key, self._catalog) for key in jobs},
            **({"comparison": self.comparison} if self.comparison else {}),
        }

    def sequence(self, workload: str) -> Json:
        """Return the lifecycle of a job."""
        return sequence_data(self.run, workload, self._catalog)

    def placement(self, index: int, workload: str) -> Json:
        """Return where a workload is after a step, and why, as a frame has it."""
        return self._maker.placement(index, workload)


class SequenceDocument(Document):
    """Makes the document of one job's lifecycle; its frames have sentences only.

    Parameters
    ----------
    run
        The run.
    workload
        The job.
    language
        The language: a code, or a catalogue.
    """

    moves = MOVES

    def __init__(
        self, run: ClusterSetRun, workload: str, language: str | Catalog | None = None
    ) -> None:
        self.run = run
        catalog = language_of(language)
        data = sequence_data(run, workload, catalog)
        self._sequences = {data["workload"]: data}
        start = data["messages"][0]["step"] if data["messages"] else 0
        super().__init__(RunIndex(run.trace, catalog), "sequence", start)

    def _new_maker(self) -> SentenceMaker:
        return SentenceMaker(self.run, self.run_index)

    def _more(self) -> Json:
        return {"clock": clock_of(self.trace), "sequences": self._sequences}


def jobs_of(run: ClusterSetRun) -> list[str]:
    """Return the jobs of the manager in the order of their arrival."""
    manager = run.cluster_set.manager.member.name
    created = (run.trace[index] for index in run.trace.of_kind("WorkloadCreated"))
    return list(dict.fromkeys(step.workload for step in created if step.cluster == manager))


def sequence_data(run: ClusterSetRun, workload: str, catalog: Catalog) -> Json:
    """Return the lifecycle of a job as plain JSON."""
    found = sequence_of(run, workload)
    title = Message("views.life.title", workload=short_name(found.workload))
    return {
        "workload": found.workload,
        "title": catalog.render(title),
        "clusters": list(found.clusters),
        "messages": [
            {
                "step": each.step,
                "at": each.at,
                "source": each.source,
                "target": each.target,
                "text": catalog.render(each.text),
            }
            for each in found.messages
        ],
    }
