"""Still pictures of several clusters, lifecycles and timelines: well-formed, with hostile names."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

import kueuelab.multikueue as mk
from kueuelab import scenarios
from kueuelab.scenarios import names
from kueuelab.views.frame.document import Document
from kueuelab.views.frame.domain_sums import domain_sums
from kueuelab.views.frame.multikueue_document import MultiKueueDocument
from kueuelab.views.run_index import RunIndex
from kueuelab.views.svg_clusters import svg_of_clusters
from kueuelab.views.svg_timeline import svg_of_timeline
from kueuelab.views.svg_topology import svg_of_topology
from kueuelab.views.timeline import timeline_of

EVIL = "<script>&\"'"


@pytest.mark.parametrize("name", names("multikueue"))
def test_every_lane_and_chip_is_drawn(name: str) -> None:
    run = mk.load(name).run()
    frame = MultiKueueDocument(run).frame(len(run.trace) // 2)
    root = ElementTree.fromstring(svg_of_clusters(frame, run.trace.title))
    drawn = " ".join(root.itertext())
    for cluster, lane in frame["lanes"].items():
        assert cluster in drawn
        for chip in lane["chips"].values():
            assert chip["text"] in drawn


def test_names_are_text_in_a_still_picture() -> None:
    run = mk.load("lost-worker").run()
    text = json.dumps(MultiKueueDocument(run).frame(74)).replace("w1", json.dumps(EVIL)[1:-1])
    root = ElementTree.fromstring(svg_of_clusters(json.loads(text), EVIL))
    assert EVIL in "".join(root.itertext())
    assert not root.findall(".//{http://www.w3.org/2000/svg}script")


def test_every_phase_is_drawn() -> None:
    for name in scenarios.names():
        found = timeline_of(RunIndex(scenarios.load(name).run().trace))
        root = ElementTree.fromstring(svg_of_timeline(found))
        bars = [
            each
            for each in root.findall("{http://www.w3.org/2000/svg}rect")
            if each.find("{http://www.w3.org/2000/svg}title") is not None
        ]
        assert len(bars) == len(found.phases)
        assert all(float(each.attrib["width"]) >= 3 for each in bars)


@pytest.mark.parametrize("name", names("topology"))
def test_every_domain_and_what_is_free_in_it_is_drawn(name: str) -> None:
    run = scenarios.load(name).run()
    frame = Document(run).frame(len(run.trace) - 1)
    root = ElementTree.fromstring(svg_of_topology(frame, run.trace.title))
    drawn = " ".join(root.itertext())
    assert frame["topologies"]
    for flavor in frame["topologies"]:
        assert flavor in drawn
        for path in domain_sums(frame, flavor):
            assert f" {path[-1]} " in drawn


def test_of_very_many_domains_the_rest_is_counted() -> None:
    run = scenarios.load("topology-6-other-pods").run()
    frame = Document(run).frame(len(run.trace) - 1)
    (flavor,) = frame["topologies"]
    key, host = next(iter(frame["hosts"].items()))
    rack = key.rpartition("|")[2].partition(",")[0]
    frame["hosts"] = {f"{flavor}|{rack},{EVIL} {number}": host for number in range(5_000)}
    root = ElementTree.fromstring(svg_of_topology(frame))
    assert len(root.findall("{http://www.w3.org/2000/svg}text")) < 200
    assert EVIL in "".join(root.itertext())
