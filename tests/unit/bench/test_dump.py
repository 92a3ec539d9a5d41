"""The dump of a large cluster: valid, the same each time, almost at rest, at any size."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import kueuelab as kl
from kueuelab.bench.cluster_dump import DumpShape, dump_objects, write_dump, write_dumps
from kueuelab.bench.dump import GROUPS, MEASURES, measure_group
from kueuelab.simulation import Player
from kueuelab.whatif.lab import Lab


def loaded(shape: DumpShape) -> Lab:
    lab = kl.load(list(dump_objects(shape)))
    assert isinstance(lab, Lab)
    return lab


def test_same_shape_gives_the_same_bytes() -> None:
    texts = []
    for seed in (0, 0, 1):
        stream = StringIO()
        write_dump(DumpShape(queues=20, seed=seed), stream)
        texts.append(stream.getvalue())
    assert texts[0] == texts[1] != texts[2]
    assert json.loads(texts[0])["kind"] == "List"


def test_has_as_many_workloads_as_it_says() -> None:
    shape = DumpShape(queues=120)
    lab = loaded(shape)
    admitted = [each for each in lab.spec.manifests.workloads if each.status.admission]
    assert (len(lab.spec.manifests.workloads), len(admitted)) == (shape.workloads, 1200)


def test_only_what_has_just_arrived_preempts() -> None:
    player = Player(loaded(DumpShape(queues=120)).spec)
    player.play()
    preempting = [
        entry.key for cycle in player.cycles for entry in cycle.entries if entry.preempting
    ]
    assert {key.partition("/")[0] for key in preempting} == {"team-0", "team-100"}
    assert len(preempting) == 2
    assert player.cluster.at_rest


def test_everything_is_measured(tmp_path: Path) -> None:
    write_dumps(DumpShape(queues=4), tmp_path)
    rows = [row for group in GROUPS for row in measure_group(group, tmp_path)]
    assert [row.measure for row in rows] == list(MEASURES)
    assert all(row.cpu_seconds >= 0 for row in rows)
    heads = {row.measure: row.heads for row in rows}
    assert heads["record"] > 0
    about_the_record = {"rest", "record", "save", "open", "state", "why"}
    assert {name for name in heads if heads[name] == heads["record"]} == about_the_record
