"""Following a cluster: watches that end, break and expire; and nothing is left behind."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any

import httpx2
import pytest
from stand_in import Serving, Stream, api, following_threads, shared

from kueuelab.live.api import Listing, WatchEvent
from kueuelab.live.errors import LiveError
from kueuelab.live.following import Following
from kueuelab.live.resources import WORKLOADS
from kueuelab.live.watching import Change, Watcher


def obj(name: str, version: int) -> dict[str, Any]:
    return {"metadata": {"name": name, "uid": name, "resourceVersion": str(version)}}


class Scripted:
    """A cluster whose watches and lists follow a script; the last one waits for the end."""

    context = "kind-lab"
    server_time = None

    def __init__(self, watches: list[Any], lists: list[Listing], stop: threading.Event) -> None:
        self.watches, self.lists, self.stop = watches, lists, stop
        self.since: list[str] = []

    def watch(self, resource: object, since: str, seconds: int) -> Iterator[WatchEvent]:
        self.since.append(since)
        if not self.watches:
            self.stop.set()
            return
        for each in self.watches.pop(0):
            if isinstance(each, Exception):
                raise each
            yield each

    def list(self, resource: object) -> Listing:
        return self.lists.pop(0)


def changes_of(*watches: list[Any], lists: tuple[Listing, ...] = ()) -> tuple[Scripted, list[Any]]:
    stop = threading.Event()
    cluster = Scripted(list(watches), list(lists), stop)
    changes: SimpleQueue[Change] = SimpleQueue()
    start = Listing((obj("a", 1), obj("b", 2)), "2")
    watcher = Watcher(cluster, WORKLOADS, start, changes, stop)  # type: ignore[arg-type]
    watcher.start()
    assert watcher.join(300)
    found = []
    while not changes.empty():
        change = changes.get()
        found.append(change if isinstance(change, LiveError) else (change[1].type, name(change[1])))
    return cluster, found


def name(event: WatchEvent) -> str:
    return str(event.object["metadata"]["name"])


def test_a_watch_that_ends_or_breaks_goes_on_where_it_was() -> None:
    cluster, found = changes_of(
        [WatchEvent("ADDED", obj("c", 3))],
        [WatchEvent("BOOKMARK", obj("", 9)), LiveError("cut", "cut")],
        [WatchEvent("MODIFIED", obj("c", 10)), LiveError("silent", "timeout")],
    )
    assert found == [("ADDED", "c"), ("MODIFIED", "c")]
    assert cluster.since == ["2", "3", "9", "10"]


def test_an_expired_watch_tells_what_changed_in_the_meantime() -> None:
    anew = Listing((obj("b", 7), obj("d", 8)), "20")
    cluster, found = changes_of([LiveError("old", "expired")], lists=(anew,))
    assert found == [("DELETED", "a"), ("MODIFIED", "b"), ("ADDED", "d")]
    assert cluster.since == ["2", "20"]


def test_what_does_not_pass_ends_the_watch() -> None:
    _, found = changes_of([LiveError("you may not watch workloads", "forbidden")])
    assert [str(each) for each in found] == ["you may not watch workloads"]


class Watched(Serving):
    """Serves lists, and a watch of workloads that says what it is told to."""

    def __init__(self, lines: list[Any], then: Callable[[], Exception] | None = None) -> None:
        super().__init__(shared("snapshots/queues-2-preempted/main"))
        self.lines, self.then = lines, then

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.params.get("watch") != "true":
            return super().handle_request(request)
        if not request.url.path.endswith("/workloads"):
            return httpx2.Response(200, stream=Stream([]))
        lines, self.lines = self.lines, []
        end = self.then() if self.then is not None else None
        parts = [json.dumps(line).encode() + b"\n" for line in lines]
        return httpx2.Response(200, stream=Stream(parts, end))


def followed(watched: Watched) -> Following:
    return Following(api(watched))


def test_a_cluster_is_followed_and_nothing_is_left_behind() -> None:
    before = following_threads()
    with followed(Watched([])) as cluster:
        first = len(cluster.trace)
        workload = cluster.mirror.workloads["team-b/job-b-gpu-1-5202f"]
    assert workload.queue_name == "main"
    assert first == len(cluster.trace) > 0
    assert following_threads() <= before
    cluster.close()
    assert "cq-b" in cluster.why("b-gpu-1").as_text()
    assert "as read: admitted by cq-a" in cluster.timeline.as_text()


def test_a_deleted_workload_is_seen() -> None:
    gone = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {"name": "job-b-gpu-1-5202f", "namespace": "team-b", "resourceVersion": "99"},
        "spec": {"queueName": "main", "podSets": []},
    }
    with followed(Watched([{"type": "DELETED", "object": gone}])) as cluster:
        for _ in cluster.changes(10):
            if "team-b/job-b-gpu-1-5202f" not in cluster.mirror.workloads:
                break
        assert "WorkloadDeleted" in [step.kind for step in cluster.trace]


def test_losing_the_right_to_watch_is_reported() -> None:
    status = {"kind": "Status", "code": 403, "reason": "Forbidden", "message": "no more"}
    watched = Watched([{"type": "ERROR", "object": status}])
    with followed(watched) as cluster, pytest.raises(LiveError, match="no more"):
        cluster.follow(10)
