"""Still pictures of several clusters, lifecycles and timelines: well-formed, with hostile names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from xml.etree import ElementTree

import pytest

import kueuelab.multikueue as mk
from kueuelab import scenarios
from kueuelab.frontend.tokens import colours
from kueuelab.messages import english
from kueuelab.scenarios import names
from kueuelab.views.frame.document import Document
from kueuelab.views.frame.domain_sums import domain_sums
from kueuelab.views.frame.labels import amounts_line
from kueuelab.views.frame.multikueue_document import MultiKueueDocument
from kueuelab.views.run_index import RunIndex
from kueuelab.views.sequence import sequence_of
from kueuelab.views.svg import svg_of
from kueuelab.views.svg_chips import MARKS
from kueuelab.views.svg_clusters import svg_of_clusters
from kueuelab.views.svg_drawing import text_width
from kueuelab.views.svg_sequence import svg_of_sequence
from kueuelab.views.svg_timeline import svg_of_timeline
from kueuelab.views.svg_topology import svg_of_topology
from kueuelab.views.timeline import timeline_of

EVIL = "<script>&\"'"
SPACE = "{http://www.w3.org/2000/svg}"


def cohorts(name: str, width: int = 900) -> Iterator[str]:
    """Yield the pictures of the cohorts of a scenario: of each cycle the last step."""
    run = scenarios.load(name).run()
    document = Document(run)
    for cycle in run.trace.cycles:
        frame = document.frame(cycle.last)
        yield svg_of(frame, document.scales, name, priorities=document.priorities, width=width)


def one_of_each() -> Iterator[str]:
    """Yield a picture of cohorts, of a topology, of phases, of lanes, of a lifecycle."""
    yield from cohorts("reclaim-1-take-back")
    run = scenarios.load("topology-6-other-pods").run()
    yield svg_of_topology(Document(run).frame(len(run.trace) - 1), "hosts")
    yield svg_of_timeline(timeline_of(RunIndex(run.trace)))
    fleet = mk.load("lost-worker").run()
    yield svg_of_clusters(MultiKueueDocument(fleet).frame(70), "lanes")
    yield svg_of_sequence(sequence_of(fleet, "default/train"))


def test_still_pictures_are_drawn_with_the_tokens_of_the_view() -> None:
    tokens = {each for colour in colours().values() for each in (colour.light, colour.dark)}
    for picture in one_of_each():
        root = ElementTree.fromstring(picture)
        style = root.findtext(f"{SPACE}style") or ""
        light, dark = style.split("@media(prefers-color-scheme:dark)")
        assert set(re.findall(r"#\w+", style)) <= tokens
        assert re.findall(r"\.([\w-]+){", light) == re.findall(r"\.([\w-]+){", dark)
        ground = root.find(f"{SPACE}rect")
        assert ground is not None
        assert ground.get("class") == "f-ground"
        # Lines that tell phases apart are dark on each of their colours.
        drawn = re.sub(r"<style>.*?</style>", "", picture)
        assert set(re.findall(r'"(#\w+)"', drawn)) <= {"#333"}


def test_marks_of_chips_are_those_of_the_front_end() -> None:
    text = resources.files("kueuelab.frontend").joinpath("modules", "chips.js").read_text("utf-8")
    table = text.partition("export const MARKS = {")[2].partition("}")[0]
    assert dict(re.findall(r'(\w+): "(.)"', table)) == dict(MARKS)


@pytest.mark.parametrize("width", [400, 900])
@pytest.mark.parametrize(
    "name", ["reclaim-1-take-back", "loop-2-policies-in-turn", "queues-1-flavors-and-namespaces"]
)
def test_all_that_is_drawn_is_inside_of_the_picture(name: str, width: int) -> None:
    for picture in cohorts(name, width):
        root = ElementTree.fromstring(picture)
        for each in root.findall(f"{SPACE}rect"):
            assert float(each.attrib["x"]) + float(each.attrib["width"]) <= width
        for each in root.findall(f"{SPACE}text"):
            size = float(each.get("font-size", 12))
            shown = (each[-1].tail if len(each) else each.text) or ""
            wide = float(each.get("textLength", 0)) or text_width(shown, size)
            left = float(each.attrib["x"]) - (wide if each.get("text-anchor") == "end" else 0)
            assert left >= -1, shown
            assert left + wide <= width + 1, shown


def test_in_a_narrow_picture_the_amounts_stay() -> None:
    document = Document(scenarios.load("reclaim-1-take-back").run())
    frame = document.frame(len(document.trace) - 1)
    root = ElementTree.fromstring(svg_of(frame, document.scales, width=400))
    drawn = {"".join(each.itertext()) for each in root.findall(f"{SPACE}text")}
    for bar in frame["bars"].values():
        used = english().render(amounts_line(bar)[0])
        assert any(text.startswith(used) for text in drawn), used
    assert "team-a-jobs" in drawn


def test_sentences_are_never_cut() -> None:
    run = mk.load("lost-worker").run()
    sequence = sequence_of(run, "default/train")
    long = "a sentence that is much longer than any lane of a picture was ever wide before " * 2
    messages = tuple(replace(each, words=long, count=1) for each in sequence.messages)
    drawn = svg_of_sequence(replace(sequence, messages=messages))
    assert drawn.count(f">{long}</text>") == len(messages)
    frame = Document(scenarios.load("racks-1-levels").run()).frame(10)
    assert frame["topologies"]
    assert "…" not in svg_of_topology(frame, catalog=english())


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
