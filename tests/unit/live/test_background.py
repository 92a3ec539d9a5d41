"""Following in the background: what is judged is shown at once, and how far behind that is."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml
from stand_in import following_threads, shared

from kueuelab.live import following as module
from kueuelab.live.api import Listing, WatchEvent
from kueuelab.live.errors import LiveError
from kueuelab.live.following import Following
from kueuelab.live.resources import KUEUE_GROUP, READ, Json, Resource
from kueuelab.model.times import parse_time

SCENARIO = "scenarios/reclaim-within-cohort"
#: Generous: only a test that fails waits for so long.
PATIENCE = 120


class Streaming:
    """A cluster that gives a recorded stream as fast as it is read."""

    context = "kind-lab"

    def __init__(self, end: LiveError | None = None) -> None:
        folder = shared(SCENARIO)
        self.objects = [
            obj
            for file in sorted((folder / "before").glob("*.yaml"))
            for obj in yaml.safe_load(file.read_text())["items"]
        ]
        with gzip.open(folder / "stream.jsonl.gz") as stream:
            lines = [json.loads(line) for line in stream]
        job = next(line["object"] for line in lines if line["resource"] == "jobs")
        self.server_time = parse_time(job["metadata"]["creationTimestamp"])
        self.changes = [
            WatchEvent(line["type"], line["object"])
            for line in lines
            if line["resource"] == "workloads"
        ]
        self.end, self.closed = end, threading.Event()

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Json:
        if path == f"/apis/{KUEUE_GROUP}":
            return {"versions": [{"version": "v1beta2"}]}
        return {"resources": [{"name": each.plural} for each in READ], "data": {}}

    def list(self, resource: Resource, namespace: str = "", query: Any = None) -> Listing:
        return Listing(tuple(o for o in self.objects if o["kind"] == resource.kind), "0")

    def watch(self, resource: Resource, since: str, seconds: int) -> Iterator[WatchEvent]:
        if resource.kind == "Workload":
            changes, self.changes = self.changes, []
            yield from changes
            if self.end is not None:
                raise self.end
        self.closed.wait()

    def close(self) -> None:
        self.closed.set()


def followed(cluster: Streaming, *, background: bool) -> Following:
    return Following(cluster, background=background)  # type: ignore[arg-type]


def wait_for_all(following: Following, changes: int) -> None:
    """Wait until so many changes are judged."""
    assert following._changes.wait_for(changes, PATIENCE)


def test_what_is_judged_is_shown_without_waiting_for_what_has_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_LOOK", 0.0)
    cluster = Streaming()
    changes = len(cluster.changes)
    with followed(cluster, background=False) as following:
        while following.behind < changes:
            threading.Event().wait(0.01)
        first = len(following.trace)
        assert following.decisions == ()
        assert f", {changes} changes behind>" in repr(following)
        assert following.seconds_behind > 0
        following.catch_up()
        assert following.behind == 0
        assert following.seconds_behind == 0
        assert len(following.trace) > first
        assert len(following.decisions) == 20
        assert "behind" not in repr(following)


def test_a_thread_judges_as_changes_come() -> None:
    cluster = Streaming()
    changes = len(cluster.changes)
    before = following_threads()
    with followed(cluster, background=True) as following:
        wait_for_all(following, changes)
        assert following.judged == changes
        assert [str(each) for each in following.decisions if not each.agrees] == []
        assert len(following.decisions) == 20
        assert following.behind == 0
    assert following_threads() <= before


def test_far_behind_decisions_are_followed_and_not_judged_and_that_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_MOST_BEHIND", -1)
    cluster = Streaming()
    changes = len(cluster.changes)
    with followed(cluster, background=True) as following:
        wait_for_all(following, changes)
        assert following.decisions == ()
        assert ", 20 not judged>" in repr(following)
        evicted = [step.workload for step in following.trace if step.kind == "Evicted"]
        assert len(evicted) == 2


def test_what_ends_the_watch_is_raised_where_it_is_read() -> None:
    cluster = Streaming(LiveError("no more", "forbidden"))
    with followed(cluster, background=True) as following:
        with pytest.raises(LiveError, match="no more"):
            following.follow(PATIENCE)
        with pytest.raises(LiveError, match="no more"):
            _ = following.mirror
        with pytest.raises(LiveError, match="no more"):
            following.catch_up()
