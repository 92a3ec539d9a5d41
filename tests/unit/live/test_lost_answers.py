"""Requests whose answer was lost, and writers that were faster."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from copy import deepcopy
from types import FrameType
from typing import Any

import httpx2
import pytest
from stand_in import api

from kueuelab.live.created_objects import CreatedObjects
from kueuelab.live.errors import LiveError
from kueuelab.live.job_player import JobPlayer
from kueuelab.live.requests import RUN_LABEL
from kueuelab.live.retrying import RetryingApi
from kueuelab.live.run_identity import RUN_ID
from kueuelab.messages import Message
from kueuelab.model import Condition, ObjectMeta, OwnerReference, Workload, WorkloadStatus

Status = dict[str, Any]


class Server:
    """An API server with one object, and other writers.

    ``faster`` writes before the next request does; the answer to a ``lost`` one gets lost.
    """

    def __init__(self, **fields: Any) -> None:
        meta = {"name": "a", "namespace": "default", "labels": {RUN_LABEL: "run"}}
        self.obj: dict[str, Any] = {"metadata": meta, "spec": {}, "status": {}, **fields}
        self.faster: Callable[[], None] | None = None
        self.lost = False
        self.context = "here"
        self.written: list[Status] = []

    def get(self, path: str, query: Any = None) -> Any:
        return deepcopy(self.obj)

    def replace(self, obj: Any, part: str = "") -> Any:
        if self.faster is not None:
            other, self.faster = self.faster, None
            other()
            raise LiveError(Message("live.exists"), "conflict")
        self.written.append(obj["status"])
        self.obj["status"] = obj["status"]
        if self.lost:
            # The server carries it out; the second request is told that its version is an old one.
            self.lost, self.faster = False, lambda: None
            raise LiveError(Message("live.exists"), "cut")
        return obj


def job_player(server: Server, kind: str = "Job") -> tuple[JobPlayer, list[float]]:
    seconds = [0.0]
    retrying = RetryingApi(server)  # type: ignore[arg-type]
    retrying.get("/version")
    player = JobPlayer(retrying, played=True, clock=lambda: seconds[0])
    player.add("default/a", {"kind": kind, "metadata": {"name": "a"}}, 5_000_000_000)
    return player, seconds


def condition(type_: str, reason: str = "x") -> dict[str, Any]:
    return {"type": type_, "status": "True", "reason": reason, "message": ""}


def workload(*true: str, owner: str = "a") -> Workload:
    owners = (OwnerReference("batch/v1", "Job", owner, "1"),) if owner else ()
    conditions = tuple(Condition(each, "True", each, "", 0) for each in true)
    name = "job-a" if owner else "a"
    meta = ObjectMeta(name, "default", owner_references=owners)
    return Workload(meta, (), "main", status=WorkloadStatus(conditions=conditions))


def types_of(status: Status) -> set[str]:
    return {each["type"] for each in status.get("conditions", ()) if each["status"] == "True"}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kueuelab.live.retrying._RETRY_INTERVAL", 0.0)


def test_a_job_that_is_suspended_while_it_completes_runs_again_and_completes_later() -> None:
    server = Server()
    player, seconds = job_player(server)

    def tick(now: float, *true: str) -> None:
        seconds[0] = now
        found = workload(*true)
        player.tick({found.key: found})

    tick(1, "Admitted")
    server.faster = lambda: server.obj["spec"].update(suspend=True)
    tick(7, "Admitted")  # Kueue suspends it just now
    assert "Complete" not in types_of(server.obj["status"])
    tick(8, "Admitted", "Evicted")
    assert server.obj["status"]["active"] == 0
    server.obj["spec"]["suspend"] = False
    tick(9, "Admitted")
    assert server.obj["status"]["active"] == 1
    tick(15, "Admitted")
    assert "Complete" in types_of(server.obj["status"])


def test_a_job_that_is_suspended_while_it_starts_is_not_started() -> None:
    server = Server()
    player, seconds = job_player(server)
    server.faster = lambda: server.obj["spec"].update(suspend=True)
    seconds[0] = 1
    found = workload("Admitted")
    player.tick({found.key: found})
    assert server.written == []
    server.obj["spec"]["suspend"] = False
    seconds[0] = 2
    player.tick({found.key: found})
    assert [status["active"] for status in server.written] == [1]


def test_a_workload_that_is_evicted_while_it_finishes_releases_its_quota() -> None:
    server = Server(status={"conditions": [condition("Admitted"), condition("QuotaReserved")]})
    player, seconds = job_player(server, "Workload")

    def tick(now: float, *true: str) -> None:
        seconds[0] = now
        found = workload(*true, owner="")
        player.tick({found.key: found})

    def evict() -> None:
        before = server.obj["status"]["conditions"]
        server.obj["status"] = {"conditions": [*before, condition("Evicted", "Preempted")]}

    tick(1, "Admitted", "QuotaReserved")
    server.faster = evict
    tick(7, "Admitted", "QuotaReserved")
    assert "Finished" not in types_of(server.obj["status"])
    tick(8, "Admitted", "QuotaReserved", "Evicted")
    assert "QuotaReserved" not in types_of(server.obj["status"])


def test_a_job_whose_end_was_written_although_the_answer_was_lost_is_not_written_again() -> None:
    """The API server rejects another completion time."""
    server = Server()
    player, seconds = job_player(server)
    seconds[0] = 1
    found = workload("Admitted")
    player.tick({found.key: found})
    server.lost = True
    seconds[0] = 7
    player.tick({found.key: found})
    ends = [status for status in server.written if "Complete" in types_of(status)]
    assert len(ends) == 1
    assert player.finish("default/a")


def test_pods_of_a_workload_that_was_evicted_meanwhile_are_not_ready() -> None:
    server = Server(status={"conditions": [condition("Admitted"), condition("Evicted")]})
    player, seconds = job_player(server, "Workload")
    player.waits = True
    seconds[0] = 1
    found = workload("Admitted", owner="")
    player.tick({found.key: found})
    assert server.written == []


def test_an_action_that_another_writer_made_impossible_was_not_done() -> None:
    server = Server()
    player, seconds = job_player(server)
    seconds[0] = 1
    found = workload("Admitted")
    player.tick({found.key: found})
    server.obj["metadata"] = {**server.obj["metadata"], "labels": {}}
    assert not player.ready("default/a", True)
    assert not player.reclaim("default/a", {"main": 1})


def test_a_creation_that_is_carried_out_after_its_object_was_deleted_is_removed() -> None:
    """The first attempt was cut off, the second succeeded, and the first comes last."""
    flavor = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": {"name": "f", "labels": {"kueuelab/run": "r"}},
    }
    there: dict[str, Any] = {}
    deleted: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.method == "POST":
            there.update(flavor, metadata={**flavor["metadata"], "uid": "second"})  # type: ignore[dict-item]
            there["metadata"]["annotations"] = {RUN_ID: "me"}
        elif request.method == "DELETE":
            uid = there.get("metadata", {}).get("uid")
            if f'"{uid}"' not in request.content.decode():
                body = {"kind": "Status", "reason": "Conflict", "message": "uid", "code": 409}
                return httpx2.Response(409, json=body)
            deleted.append(uid)
            there.clear()
        elif not there:
            body = {"kind": "Status", "reason": "NotFound", "message": "no", "code": 404}
            return httpx2.Response(404, json=body)
        return httpx2.Response(200, json=there or {"kind": "Status"})

    created = CreatedObjects(api(httpx2.MockTransport(answer), writable=True), "me")
    created.create(flavor)
    there["metadata"] = {**there["metadata"], "uid": "first"}
    created.remove()
    assert deleted == ["first"]


def test_an_object_that_is_submitted_again_while_it_is_being_deleted_is_created_anew() -> None:
    flavor = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": {"name": "f"},
    }
    leaving = {"name": "f", "annotations": {RUN_ID: "me"}, "deletionTimestamp": "2026-01-01T00:00Z"}
    methods: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        methods.append(request.method)
        if request.method == "GET":
            return httpx2.Response(200, json={**flavor, "metadata": leaving})
        if methods.count("POST") == 1:
            body = {"kind": "Status", "reason": "AlreadyExists", "message": "it is", "code": 409}
            return httpx2.Response(409, json=body)
        return httpx2.Response(201, json={**flavor, "metadata": {"name": "f", "uid": "new"}})

    created = CreatedObjects(api(httpx2.MockTransport(answer), writable=True), "me")
    assert (created.create(flavor) or {})["metadata"]["uid"] == "new"


def test_a_creation_that_waits_for_another_object_to_go_is_waited_for() -> None:
    """An object of the same name that is being deleted hides one that comes after it."""
    methods: list[str] = []
    flavor = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": {"name": "f"},
    }
    leaving = {"name": "f", "uid": "old", "deletionTimestamp": "2026-01-01T00:00:00Z"}
    mine = {"name": "f", "uid": "new", "annotations": {RUN_ID: "me"}}

    def answer(request: httpx2.Request) -> httpx2.Response:
        methods.append(request.method)
        if request.method == "POST":
            raise KeyboardInterrupt
        if request.method == "DELETE":
            return httpx2.Response(200, json={"kind": "Status"})
        if "DELETE" in methods:
            body = {"kind": "Status", "reason": "NotFound", "message": "no", "code": 404}
            return httpx2.Response(404, json=body)
        meta = mine if methods.count("GET") == 2 else leaving
        return httpx2.Response(200, json={**flavor, "metadata": meta})

    created = CreatedObjects(api(httpx2.MockTransport(answer), writable=True), "me")
    with pytest.raises(KeyboardInterrupt):
        created.create(flavor)
    created.remove()
    assert methods[:4] == ["POST", "GET", "GET", "DELETE"]


class Interrupt:
    """A tracer that interrupts ``created_objects.py`` once, before its line number ``after``."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, frame: FrameType, event: str, _: object) -> Interrupt | None:
        if not frame.f_code.co_filename.endswith("created_objects.py"):
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return self


def test_an_interrupt_before_any_line_of_a_creation_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kueuelab.live.created_objects._IN_FLIGHT", 0.0)
    flavor = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": {"name": "f"},
    }
    there: dict[str, Any] = {}

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.method == "POST":
            there.update(json.loads(request.content))
            there["metadata"]["uid"] = "one"
            return httpx2.Response(201, json=there)
        if request.method == "DELETE":
            there.clear()
            return httpx2.Response(200, json={"kind": "Status"})
        if not there:
            body = {"kind": "Status", "reason": "NotFound", "message": "no", "code": 404}
            return httpx2.Response(404, json=body)
        return httpx2.Response(200, json=there)

    was_tracing = sys.gettrace()
    for line in range(1, 100):
        created = CreatedObjects(api(httpx2.MockTransport(answer), writable=True), "me")
        sys.settrace(Interrupt(line))
        try:
            created.create(flavor)
        except KeyboardInterrupt:
            sys.settrace(was_tracing)
            created.remove()
            assert there == {}, f"interrupted before line {line} of those that ran"
        else:
            break
        finally:
            sys.settrace(was_tracing)
    assert there["metadata"]["uid"] == "one"
    assert line > 10
