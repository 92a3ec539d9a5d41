"""What else a cluster, a network or a person can do to it, each once."""

from __future__ import annotations

import json
import logging
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from lightkube.config.kubeconfig import KubeConfig
from pretend import Pretend
from stand_in import api, following_threads

from kueuelab.live import adapter
from kueuelab.live.adapter import LightkubeApi
from kueuelab.live.created_objects import CreatedObjects
from kueuelab.live.editing import update_object
from kueuelab.live.errors import LiveError
from kueuelab.live.kubeconfig import kubeconfig
from kueuelab.live.resources import JOBS
from kueuelab.live.run_identity import RUN_ID

FLAVOR: dict[str, Any] = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "ResourceFlavor",
    "metadata": {"name": "f", "labels": {"kueuelab/run": "r"}},
}


# --- the network ---------------------------------------------------------------------------


def test_a_server_that_never_answers_the_tls_handshake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "_CONNECT_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        config = {
            "current-context": "kind-lab",
            "clusters": [{"name": "c", "cluster": {"server": f"https://127.0.0.1:{port}"}}],
            "users": [{"name": "u", "user": {}}],
            "contexts": [{"name": "kind-lab", "context": {"cluster": "c", "user": "u"}}],
        }
        found = LightkubeApi(config=KubeConfig.from_dict(config))
        with pytest.raises(LiveError, match="does not answer") as caught:
            found.get("/version")
        found.close()
    assert caught.value.trouble == "timeout"


def test_connections_that_are_only_just_opened_are_closed_too(cluster: Pretend) -> None:
    from kueuelab.live.following import connect

    before = following_threads()
    for _ in range(8):
        connect(cluster.context).close()
    assert {thread.name for thread in following_threads() - before} == set()


# --- others who write ----------------------------------------------------------------------


def answering(*answers: httpx2.Response | Exception) -> httpx2.MockTransport:
    left = list(answers)

    def answer(request: httpx2.Request) -> httpx2.Response:
        found = left.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    return httpx2.MockTransport(answer)


def status(code: int, reason: str, message: str = "no") -> httpx2.Response:
    body = {"kind": "Status", "reason": reason, "message": message, "code": code}
    return httpx2.Response(code, json=body)


def job(version: str) -> httpx2.Response:
    meta = {"name": "a", "namespace": "b", "resourceVersion": version}
    return httpx2.Response(200, json={"metadata": meta, "spec": {}})


def test_a_write_that_comes_too_late_is_made_on_what_is_there_now() -> None:
    sent: list[str] = []

    def change(obj: dict[str, Any]) -> bool:
        sent.append(obj["metadata"]["resourceVersion"])
        return True

    transport = answering(job("1"), status(409, "Conflict"), job("2"), job("3"))
    found = update_object(api(transport, writable=True), JOBS, "a", "b", change, part="status")
    assert sent == ["1", "2"]
    assert found is not None
    assert (
        update_object(
            api(answering(status(404, "NotFound")), writable=True), JOBS, "a", "b", change
        )
        is None
    )


def test_a_writer_that_is_always_first_wins() -> None:
    answers = [each for _ in range(8) for each in (job("1"), status(409, "Conflict"))]
    with pytest.raises(LiveError) as caught:
        update_object(api(answering(*answers), writable=True), JOBS, "a", "b", lambda obj: True)
    assert caught.value.trouble == "conflict"


# --- what was created ----------------------------------------------------------------------


def test_an_object_whose_answer_was_lost_is_removed() -> None:
    """It may be there, and it may not: only one that bears the run's own mark is removed."""
    mine = {**FLAVOR, "metadata": {"name": "f", "uid": "u", "annotations": {RUN_ID: "me"}}}
    deleted = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.method == "POST":
            raise httpx2.RemoteProtocolError("Server disconnected without sending a response.")
        if request.method == "DELETE":
            deleted.append(json.loads(request.content)["preconditions"])
            return httpx2.Response(200, json={"kind": "Status"})
        return status(404, "NotFound") if deleted else httpx2.Response(200, json=mine)

    ledger = CreatedObjects(api(httpx2.MockTransport(answer), writable=True), "me")
    with pytest.raises(LiveError, match="was lost"):
        ledger.create(FLAVOR)
    ledger.remove()
    assert deleted == [{"uid": "u"}]


def test_an_object_that_appears_after_its_creation_was_interrupted_is_removed() -> None:
    """A server may carry out a request although the client has closed the connection."""
    late = {**FLAVOR, "metadata": {"name": "f", "uid": "u", "annotations": {RUN_ID: "me"}}}
    methods: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        methods.append(request.method)
        if request.method == "POST":
            raise KeyboardInterrupt
        if request.method == "DELETE":
            return httpx2.Response(200, json={"kind": "Status"})
        is_there = methods.count("GET") == 2
        return httpx2.Response(200, json=late) if is_there else status(404, "NotFound")

    ledger = CreatedObjects(api(httpx2.MockTransport(answer), writable=True), "me")
    with pytest.raises(KeyboardInterrupt):
        ledger.create(FLAVOR)
    ledger.remove()
    assert methods[:4] == ["POST", "GET", "GET", "DELETE"]


def test_an_object_of_the_same_name_that_is_not_the_runs_stays() -> None:
    theirs = {**FLAVOR, "metadata": {"name": "f", "uid": "u", "annotations": {RUN_ID: "them"}}}
    methods = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        methods.append(request.method)
        if request.method == "POST":
            raise httpx2.RemoteProtocolError("Server disconnected without sending a response.")
        return httpx2.Response(200, json=theirs)

    ledger = CreatedObjects(api(httpx2.MockTransport(answer), writable=True), "me")
    with pytest.raises(LiveError):
        ledger.create(FLAVOR)
    ledger.remove()
    assert "DELETE" not in methods
    with pytest.raises(LiveError, match="this run did not create it"):
        ledger.delete("ResourceFlavor", "f")


def test_what_does_not_go_is_named(cluster: Pretend) -> None:
    from kueuelab.live.access import open_cluster

    cluster.store.namespaces_go = False
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "stays"}}
    found = open_cluster(cluster.context, writable=True)
    ledger = CreatedObjects(found, patience=1)
    ledger.create(namespace)
    with pytest.raises(LiveError, match=r"still there after 1 s: Namespace/stays. Then run: kueue"):
        ledger.remove()
    found.close()


# --- people --------------------------------------------------------------------------------

FOLLOW = """
import signal, sys
# Whoever started the tests may ignore Ctrl-C, and processes inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
import kueuelab as kl
with kl.live.connect(sys.argv[1]) as cluster:
    print("following", flush=True)
    cluster.follow(3600)
"""


def test_ctrl_c_while_following_ends_at_once(cluster: Pretend) -> None:
    args = [sys.executable, "-c", FOLLOW, cluster.context]
    process = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "following\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=300)
    finally:
        process.kill()
        process.wait()
    assert "KeyboardInterrupt" in said


def test_credentials_are_in_no_log_no_record_and_no_view(
    cluster: Pretend, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    import kueuelab as kl
    from kueuelab.live.access import open_cluster
    from kueuelab.live.snapshot import take

    caplog.set_level(logging.DEBUG)
    with kl.live.connect(cluster.context) as connected:
        connected.follow(0.3)
        connected.save(tmp_path / "trace.json")
        shown = [
            repr(connected),
            connected.timeline.as_text(),
            (tmp_path / "trace.json").read_text(),
        ]
    found = open_cluster(cluster.context)
    shown += [repr(found), take(found).as_yaml()]
    found.close()
    with pytest.raises(LiveError) as caught:
        found.get("/version")
    shown += [str(caught.value), repr(caught.value.__cause__), caplog.text]
    assert "s3cret" in cluster.kubeconfig.read_text()
    assert [text for text in shown if "s3cret" in text] == []


# --- the kubeconfig ------------------------------------------------------------------------


def test_a_kubeconfig_in_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = {
        "current-context": "a",
        "contexts": [{"name": "a", "context": {"cluster": "c", "user": "u"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
    }
    cluster = {"server": "https://c", "certificate-authority": "ca.pem"}
    two = {"current-context": "b", "clusters": [{"name": "c", "cluster": cluster}]}
    folder = tmp_path / "second"
    folder.mkdir()
    (tmp_path / "one").write_text(json.dumps(one))
    (folder / "two").write_text(json.dumps(two))
    missing = tmp_path / "missing"
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path / 'one'}:{missing}:{folder / 'two'}")
    found = kubeconfig()
    assert found.current_context == "a"
    assert found.clusters["c"].certificate_auth == str(folder / "ca.pem")
    (folder / "two").write_text("- no kubeconfig")
    with pytest.raises(LiveError, match="two is not a kubeconfig"):
        kubeconfig()
