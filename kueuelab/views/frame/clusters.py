"""Frames of a run of several clusters: the trees of all of them, the sentence of one."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Final

from kueuelab.messages import Catalog
from kueuelab.trace.trace import Trace
from kueuelab.views.frame.maker import SECTIONS, FrameMaker
from kueuelab.views.merge_patch import Json, merge_patch
from kueuelab.views.run_index import RunIndex

__all__ = ["ClusterFrames"]

#: The members of entries that name other entries.
_REFERENCES: Final = ("parent", "node", "bar", "queue", "from", "to")
#: The nodes of a cluster are behind those of the cluster before it.
_APART: Final = 1_000_000


class ClusterFrames:
    """Makes the frames of a run of several clusters.

    Keys have the cluster in front, and nodes and chips name it; what the step says is that of the
    cluster in which it happens.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> frames = ClusterFrames(scenarios.load("lost-worker").run().trace)
    >>> frames.go(60)
    >>> [key for key in frames.frame()["tree"] if ":q:" in key]
    ['manager:q:dispatch', 'w1:q:dispatch', 'w2:q:dispatch']
    """

    def __init__(self, trace: Trace, catalog: Catalog | None = None) -> None:
        self._trace = trace
        self._places = {name: array("L") for name in trace.clusters}
        for step in trace.steps:
            self._places[step.cluster].append(step.index)
        self._makers = {
            name: FrameMaker(RunIndex(trace.of_cluster(name), catalog)) for name in trace.clusters
        }
        self._parts: dict[str, Json] = {}
        self._index = -1
        self._frame: Json = {}

    @property
    def scales(self) -> dict[str, int]:
        """The amount that fills the width of the picture, by resource: one for all clusters."""
        found: dict[str, int] = {}
        for maker in self._makers.values():
            for resource, amount in maker.scales.items():
                found[resource] = max(found.get(resource, 0), amount)
        return found

    def frame(self) -> Json:
        """Return the frame."""
        return self._frame

    def go(self, index: int) -> None:
        """Go to a step."""
        self._index = index
        for name in self._makers:
            self._enter(name)
        self._frame = self._merged()

    def next(self) -> Json:
        """Go to the next step; return the patch that turns the frame before into its frame."""
        self._index += 1
        self._enter(self._trace[self._index].cluster)
        before, self._frame = self._frame, self._merged()
        return merge_patch(before, self._frame)

    def _enter(self, cluster: str) -> None:
        """Go to the last step of a cluster, and take its parts over."""
        local = bisect_right(self._places[cluster], self._index) - 1
        maker = self._makers[cluster]
        if local < 0:
            self._parts.pop(cluster, None)
            return
        if local == maker.index + 1 and maker.index >= 0:
            maker.next()
        elif local != maker.index:
            maker.go(local)
        self._parts[cluster] = self._named(cluster, maker.frame())

    def _merged(self) -> Json:
        cluster = self._trace[self._index].cluster
        head = {name: value for name, value in self._parts[cluster].items() if name not in SECTIONS}
        frame: Json = {**head, "cluster": cluster}
        for name in SECTIONS:
            entries = {
                key: entry
                for each in self._makers
                for key, entry in self._parts.get(each, {}).get(name, {}).items()
            }
            if entries:
                frame[name] = entries
        return frame

    def _named(self, cluster: str, frame: Json) -> Json:
        """Return a frame of one cluster with its name in the keys, and the steps of the run."""
        number = self._trace.clusters.index(cluster)
        places = self._places[cluster]
        found = {**frame, "at": {**frame["at"], "step": places[frame["at"]["step"]]}}
        if "candidates" in frame:
            found["candidates"] = {
                key: {**row, "step": places[row["step"]]} if "step" in row else row
                for key, row in frame["candidates"].items()
            }
        for name in SECTIONS:
            if name in frame:
                entries = frame[name].items()
                found[name] = {
                    f"{cluster}:{key}": dict(_entry(name, entry, cluster, number))
                    for key, entry in entries
                }
        return found


def _entry(section: str, entry: Json, cluster: str, number: int) -> Iterator[tuple[str, Any]]:
    for name, value in entry.items():
        if name in _REFERENCES and value:
            yield name, f"{cluster}:{value}"
        elif name == "order" and section in ("tree", "bars"):
            yield name, number * _APART + value
        else:
            yield name, value
    if section in ("tree", "chips"):
        yield "cluster", cluster
