"""Runs, progress and snapshots: older files open, newer ones say so, and all are written whole."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.errors import InputError
from kueuelab.files import SNAPSHOT
from kueuelab.live.snapshot import Snapshot
from kueuelab.trace.export import load_trace, trace_to_json, write_trace
from kueuelab.workshop import Progress

QUEUE = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "LocalQueue",
    "metadata": {"name": "team-a", "namespace": "default"},
    "spec": {"clusterQueue": "research"},
}


def refused(error: pytest.ExceptionInfo[InputError], file: Path) -> str:
    (problem,) = error.value.problems
    assert problem.location is not None
    assert problem.location.file == str(file)
    return f"{problem.message}. {problem.hint}"


def test_a_newer_run(tmp_path: Path) -> None:
    run = scenarios.load("reclaim-1-take-back").run()
    file = tmp_path / "run.json"
    file.write_text(trace_to_json(run.trace), "utf-8")
    assert load_trace(file).steps == run.trace.steps
    run.save(file)
    assert load_trace(file).steps == run.trace.steps
    document = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**document, "version": document["version"] + 1}), "utf-8")
    with pytest.raises(InputError) as error:
        load_trace(file)
    assert "version 4, and this release reads up to 3. Install a newer" in refused(error, file)


def test_a_run_that_unpacks_to_too_much(tmp_path: Path) -> None:
    file = tmp_path / "run.json.gz"
    with gzip.open(file, "wb", compresslevel=9) as stream:
        for _ in range(600):
            stream.write(b" " * 2**20)
    with pytest.raises(InputError) as error:
        load_trace(file)
    assert "unpacks to more than" in refused(error, file)


def test_progress_of_earlier_and_later_releases(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "progress.json")
    # As version 1 wrote it: without saying what it is.
    old = {"version": 1, "exercises": {"a": {"checks": 2, "passed": 1, "of": 3, "hints": 1}}}
    progress.path.write_text(json.dumps(old), "utf-8")
    assert progress.of("a").hints == 1
    # As version 2 wrote it: without answers.
    progress.path.write_text(
        json.dumps({**old, "format": "kueuelab-progress", "version": 2}), "utf-8"
    )
    assert progress.of("a").answer == ""
    progress.checked("b", 1, 1)
    written = json.loads(progress.path.read_text("utf-8"))
    assert (written["format"], written["version"]) == ("kueuelab-progress", 5)
    assert sorted(written["exercises"]) == ["a", "b"]
    progress.path.write_text(json.dumps({**written, "version": 6}), "utf-8")
    with pytest.raises(InputError) as error:
        progress.checked("b", 1, 1)
    assert "version 6, and this release reads up to 5" in refused(error, progress.path)
    assert json.loads(progress.path.read_text("utf-8"))["version"] == 6, "it stays as it is"


def test_snapshots_of_earlier_and_later_releases(tmp_path: Path) -> None:
    text = Snapshot("kind-lab", 0, (QUEUE,)).as_yaml()
    assert text.startswith("# kueuelab-snapshot version 1\n")
    file = tmp_path / "cluster.yaml"
    file.write_text(text, "utf-8")
    assert kl.load(file).run(until=0).trace.steps == kl.load(text).run(until=0).trace.steps
    # Before there were versions, and any dump of kubectl.
    file.write_text(text.partition("\n")[2], "utf-8")
    kl.load(file)
    file.write_text(text.replace("version 1", "version 12", 1), "utf-8")
    with pytest.raises(InputError) as error:
        kl.load(file)
    assert "version 12, and this release reads up to 1. Install" in refused(error, file)
    # Only the comments before everything else count.
    kl.load(text + "# kueuelab-snapshot version 99\n")
    assert SNAPSHOT.headline == "# kueuelab-snapshot version 1"


@pytest.mark.parametrize("name", ["run.json", "run.json.gz", "run.html"])
def test_an_interrupted_save_leaves_the_old_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = scenarios.load("reclaim-1-take-back").run()
    file = tmp_path / name
    run.save(file)
    before = file.read_bytes()

    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(OSError, match="No space"):
        run.save(file)
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == [name]


def test_the_same_run_gives_the_same_packed_bytes(tmp_path: Path) -> None:
    trace = scenarios.load("reclaim-1-take-back").run().trace
    for name in ("a.json.gz", "b.json.gz"):
        write_trace(trace, tmp_path / name)
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
