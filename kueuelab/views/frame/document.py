"""The document of a run: its frames in chunks, and how to move through them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import islice
from typing import Any, Final, Protocol

from kueuelab.frontend import said
from kueuelab.messages import Catalog, language_of
from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.trace.trace import Trace
from kueuelab.views.frame.clusters import ClusterFrames
from kueuelab.views.frame.domains import has_topologies
from kueuelab.views.frame.index import MOVES, deltas, index_of
from kueuelab.views.frame.lacking import pods_without_place
from kueuelab.views.frame.maker import FrameMaker
from kueuelab.views.frame.rows import rows_of
from kueuelab.views.frame.timeline import clock_of, timeline_data
from kueuelab.views.frame.whys import whys_of
from kueuelab.views.merge_patch import Json
from kueuelab.views.opening import beginning, first_preemption
from kueuelab.views.run_index import RunIndex

__all__ = ["FORMAT", "VERSION", "Document", "frames"]

FORMAT: Final = "kueuelab-frames"
VERSION: Final = 1
#: Steps of a chunk.
CHUNK: Final = 512
#: The chunks and the index of a longer run are asked for.
_SHORT: Final = 20_000
#: Chunks that are kept once they are made.
_MOST_CHUNKS: Final = 64
_MOST_MARKS: Final = 300
_MOST_WORKLOADS: Final = 500
_MOST_PRIORITIES: Final = 200


class _HasTrace(Protocol):
    @property
    def trace(self) -> Trace: ...


class Maker(Protocol):
    """Makes frames one after another."""

    @property
    def scales(self) -> dict[str, int]:
        """The amount that fills the width of the picture, by resource."""

    def go(self, index: int) -> None:
        """Go to a step."""

    def frame(self) -> Json:
        """Return the frame."""

    def next(self) -> Json:
        """Go to the next step; return the patch that leads to its frame."""


class Document:
    """Makes the document of a run, whole or in chunks.

    Parameters
    ----------
    run
        A run, its record, or its index.
    view
        Which parts are shown: ``lab``, ``stepper``, ``cohorts``, ``decision``, ``queues``, ...
    start
        The step shown first; :func:`~kueuelab.views.opening.beginning`, if omitted.
    language
        The language: a code, or a catalogue.
    stop_at
        Where playing stops.

    Attributes
    ----------
    steps_of_chunk
        How many steps a chunk has.
    most_steps
        The chunks of a longer run are asked for.
    moves
        What a move goes over, and the kinds of steps at which it stops.
    """

    moves: Mapping[str, Sequence[str]] = MOVES

    steps_of_chunk: int = CHUNK
    most_steps: int = _SHORT

    def __init__(
        self,
        run: _HasTrace | Trace | RunIndex,
        view: str = "lab",
        start: int | None = None,
        language: str | Catalog | None = None,
        *,
        stop_at: Breakpoint | None = None,
    ) -> None:
        self.stop_at = stop_at
        catalog = language_of(language)
        trace = run if isinstance(run, Trace) else run.trace
        if not len(trace):
            raise ValueError("this run has no steps: there is nothing to show")
        self.run_index = run if isinstance(run, RunIndex) else RunIndex(trace, catalog)
        self.trace = trace
        self.view = view
        self.start = beginning(trace) if start is None else start
        self._catalog = self.run_index.words.catalog
        self._maker = self._new_maker()
        self._chunks: dict[int, Json] = {}

    def seen(self, view: str, start: int, stop_at: Breakpoint | None = None) -> Document:
        """Return the same frames for another view: from a step on, with a place to stop."""
        found = copy(self)
        found.view, found.start, found.stop_at = view, start, stop_at
        return found

    def chunk_of(self, index: int) -> int:
        """Return the number of the chunk that a step is in."""
        return index // self.steps_of_chunk

    def _new_maker(self) -> Maker:
        if len(self.trace.clusters) == 1:
            return FrameMaker(self.run_index)
        return ClusterFrames(self.trace, self._catalog)

    @property
    def count(self) -> int:
        """How many chunks there are."""
        return -(-len(self.trace) // self.steps_of_chunk)

    @property
    def scales(self) -> dict[str, int]:
        """The amount that fills the width of the picture, by resource."""
        return self._maker.scales

    @property
    def priorities(self) -> list[int]:
        """The priorities of the run, ascending; those of very many are cut off."""
        return self.run_index.priorities[:_MOST_PRIORITIES]

    def chunk(self, number: int) -> Json:
        """Return a chunk: its first frame, and the patches that lead to the others."""
        if number in self._chunks:
            return self._chunks[number]
        first = number * self.steps_of_chunk
        last = min(first + self.steps_of_chunk, len(self.trace))
        self._maker.go(first)
        key = self._maker.frame()
        patches = [self._maker.next() for _ in range(first + 1, last)]
        if len(self._chunks) >= _MOST_CHUNKS:
            del self._chunks[next(iter(self._chunks))]
        self._chunks[number] = {"first": first, "key": key, "patches": patches}
        return self._chunks[number]

    def frame(self, index: int) -> Json:
        """Return the frame of a step."""
        self._maker.go(index)
        return self._maker.frame()

    def workloads(self) -> Iterator[str]:
        """Yield the workloads in the order in which they arrive."""
        trace = self.trace
        found = (trace[index].workload for index in trace.of_kind("WorkloadCreated"))
        yield from dict.fromkeys(found)

    def as_data(self, chunks: Sequence[int] | None = None, *, whys: bool = False) -> Json:
        """Return the document with some of its chunks; all of a short run if omitted.

        With ``whys`` a short run of one cluster has the explanations of its workloads, too.
        """
        trace = self.trace
        if chunks is None:
            is_short = len(trace) <= self.most_steps
            chunks = range(self.count) if is_short else (self.start // self.steps_of_chunk,)
        has_clusters = len(trace.clusters) > 1
        has_domains = self.view == "topology" or has_topologies(trace)
        document: Json = {
            "format": FORMAT,
            "version": VERSION,
            "kueueVersion": trace.kueue_version,
            "name": trace.name,
            "title": trace.title,
            "language": self._catalog.language,
            "words": self._catalog.table(said(topologies=has_domains, clusters=has_clusters)),
            "view": self.view,
            "steps": len(trace),
            "cycles": len(trace.cycles),
            "start": self.start,
            "chunk": self.steps_of_chunk,
            "marks": list(_marks(trace)),
            "workloads": list(islice(self.workloads(), _MOST_WORKLOADS)),
            "chunks": {str(number): self.chunk(number) for number in chunks},
            **self._more(),
        }
        if trace.description:
            document["description"] = trace.description
        document["longest"] = _longest(document["chunks"].values())
        preemption = first_preemption(trace) if len(trace.clusters) == 1 else None
        if preemption is not None:
            document["preemption"] = preemption
        if rows := rows_of(document["chunks"].values()):
            document["rows"] = rows
        if len(trace) <= _SHORT:
            document["index"] = self._index()
            if self.stop_at is not None:
                # One more event by its name.
                document["index"]["events"] |= self._stops(self.stop_at)
                document["stops"] = [self._catalog.render(self.stop_at.text)]
        if whys and len(trace.clusters) == 1 and (found := whys_of(trace, self._catalog)):
            document["whys"] = found
        return document

    def _stops(self, stop_at: Breakpoint) -> Json:
        trace = self.trace
        places = stop_at.places(trace, 0, len(trace))
        found = deltas(index for index in places if stop_at(trace[index]))
        return {self._catalog.render(stop_at.text): found}

    def _index(self) -> Json:
        return index_of(self.trace, self.moves)

    def _more(self) -> Json:
        """Return what is the same at all steps."""
        found: Json = {
            "scales": self.scales,
            "priorities": self.priorities,
        }
        if has_topologies(self.trace):
            found["topologies"] = True
            if lacking := pods_without_place(self.trace):
                found["lacking"] = lacking
        is_timed = self.view in ("lab", "timeline", "side") and len(self.trace.clusters) == 1
        if is_timed and len(self.trace) <= _SHORT:
            found |= self.timeline()
        return found

    def timeline(self) -> Json:
        """Return the phases of the workloads, the charts that go with them, and the clock."""
        timeline, charts = timeline_data(self.run_index)
        return {"timeline": timeline, "charts": charts, "clock": clock_of(self.trace)}


def frames(
    run: _HasTrace | Trace,
    view: str = "lab",
    *,
    start: int | None = None,
    language: str | Catalog | None = None,
) -> Json:
    """Return the document of frames of a run, as plain JSON (``docs/frames.md``).

    Parameters
    ----------
    run
        A run, or its record.
    view
        Which parts are shown.
    start
        The step shown first.
    language
        The language: a code, or a catalogue.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> document = frames(scenarios.load("reclaim-1-take-back").run())
    >>> document["steps"], sorted(document["chunks"])
    (103, ['0'])
    >>> document["chunks"]["0"]["patches"][0]["sentence"]
    'ClusterQueue/team-a is created.'
    """
    return Document(run, view, start, language).as_data()


def _longest(chunks: Iterable[Json]) -> str:
    """Return the longest sentence that is there: how much room sentences need."""
    frames = (frame for chunk in chunks for frame in (chunk["key"], *chunk["patches"]))
    sentences = (
        " ".join(filter(None, (frame.get("sentence"), frame.get("difference")))) for frame in frames
    )
    return max(sentences, key=len, default="")


def _marks(trace: Trace) -> Iterator[list[Any]]:
    """Yield steps to be marked on the scrubber with their kind; of many, an even choice."""
    kinds = (
        ("cycle", "CycleStarted"),
        ("preemption", "Evicted"),
        ("finding", "LoopFound"),
    )
    for name, kind in kinds:
        found = trace.of_kind(kind)
        every = max(1, -(-len(found) // _MOST_MARKS))
        for index in found[::every]:
            yield [index, name]
