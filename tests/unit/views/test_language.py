"""Frames, pictures and texts in the language for tests: nothing readable stays English.

What may stay: names, Kueue's own words, and values for programs, which these lists name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kueuelab import scenarios
from kueuelab.messages.pseudo import PSEUDO
from kueuelab.multikueue import ClusterSetRun
from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.views import Document
from kueuelab.views.comparison import compared
from kueuelab.views.frame.multikueue_document import MultiKueueDocument
from kueuelab.widgets import Lab, MultiKueueBoard, SequenceDiagram, Topology

sys.path.insert(0, str(Path(__file__).parents[1] / "messages"))

from test_pseudo_language import of_scenario, plain

#: Fields of a document whose values are for programs; an entry ``a/b`` means ``b`` inside of ``a``.
FOR_PROGRAMS = frozenset(
    {
        "view",
        "kind",
        "role",
        "marks",
        "index",
        "words",
        "faults",
        "phase",
        "place",
        "colour",
        "problem",
    }
    | {"charts/layout", "charts/mode", "charts/type", "charts/line"}
)
#: A role is a code in all but the lanes of clusters.
SHOWN = frozenset({"lanes/role"})


def shown(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield the texts of a document that a person may see, with their place in it."""
    if isinstance(value, str):
        yield "/".join(path), value
    elif isinstance(value, dict):
        for key, inner in value.items():
            pairs = {f"{each}/{key}" for each in path}
            if ({key} | pairs) & FOR_PROGRAMS and not pairs & SHOWN:
                continue
            yield from shown(inner, (*path, key))
    elif isinstance(value, list):
        for inner in value:
            yield from shown(inner, path)


def left(document: Any, known: tuple[str, ...]) -> dict[str, str]:
    texts = {text: place for place, text in shown(document)}
    names = frozenset(known)
    return {
        text: place
        for text, place in texts.items()
        if text not in names and plain(text) and plain(text, known)
    }


ONE_CLUSTER = (
    "reclaim-1-take-back",
    "fair-1-three-teams",
    "topology-9-preempts-for-a-rack",
    "topology-7-node-fails",
)


@pytest.mark.parametrize("name", ONE_CLUSTER)
def test_frames_of_a_run(name: str) -> None:
    run = scenarios.load(name).run()
    stop_at = Breakpoint.event("preempted") | Breakpoint.queue("team-a")
    document = Document(run, language=PSEUDO, stop_at=stop_at).as_data(whys=True)
    assert left(document, (*of_scenario(name), "preempted", "team-a")) == {}


@pytest.mark.parametrize("name", ["lost-worker", "copy-restarted"])
def test_frames_of_several_clusters(name: str) -> None:
    run = scenarios.load(name).run()
    assert isinstance(run, ClusterSetRun)
    document = MultiKueueDocument(run, language=PSEUDO).as_data()
    assert left(document, (*of_scenario(name), *HOSTS)) == {}


#: What the network of a worker answers.
HOSTS = ("dial tcp", "connect: connection refused")


def test_texts_and_pictures_of_a_run() -> None:
    name = "topology-9-preempts-for-a-rack"
    run = scenarios.load(name).run()
    index = run.trace.of_kind("CandidateConsidered")[0]
    for view in (Lab(run, language=PSEUDO), Topology(run, language=PSEUDO)):
        view.board.go(index)
        assert plain(view.as_text(), (*of_scenario(name), *LEVELS)) == []
    picture = Lab(run, language=PSEUDO).as_svg()
    assert "[!!" in picture.partition("<desc>")[2]


LEVELS = ("block", "rack", "host", "hostname")


def test_texts_of_several_clusters() -> None:
    name = "lost-worker"
    run = scenarios.load(name).run()
    assert isinstance(run, ClusterSetRun)
    known = (*of_scenario(name), *HOSTS)
    board = MultiKueueBoard(run, language=PSEUDO)
    for _ in range(40):
        board.next()
    assert plain(board.as_text(), known) == []
    diagram = SequenceDiagram(run, "train", language=PSEUDO)
    assert plain(diagram.as_text(), known) == []
    assert "[!!" in diagram.as_svg()
    after = scenarios.load("short-outage").run()
    assert isinstance(after, ClusterSetRun)
    both = (*known, *of_scenario("short-outage"))
    assert (
        plain(compared(run, after, "one", "two", PSEUDO).as_text(PSEUDO), (*both, "one", "two"))
        == []
    )
