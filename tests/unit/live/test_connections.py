"""Over real sockets: a watch that is held open ends when the connection is closed."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
from lightkube.config.kubeconfig import KubeConfig

from kueuelab.live.adapter import LightkubeApi
from kueuelab.live.errors import LiveError
from kueuelab.live.resources import WORKLOADS

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
BUSY = b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 3600\r\ncontent-length: 0\r\n\r\n"


class Silent:
    """A server that accepts, says the beginning of an answer (or nothing), and then hangs."""

    def __init__(self, says: bytes) -> None:
        self.says = says
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        self.reached = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            connection.recv(65536)
            connection.sendall(self.says)
            self.reached.set()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._open:
            connection.close()
        self._thread.join(5)

    def api(self) -> LightkubeApi:
        config = {
            "current-context": "kind-lab",
            "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{self.port}"}}],
            "users": [{"name": "u", "user": {}}],
            "contexts": [{"name": "kind-lab", "context": {"cluster": "c", "user": "u"}}],
        }
        return LightkubeApi(config=KubeConfig.from_dict(config))


@pytest.fixture
def silent() -> Iterator[Silent]:
    server = Silent(HEAD)
    yield server
    server.close()


def test_closing_ends_a_watch_that_is_silent(silent: Silent) -> None:
    api = silent.api()
    caught: list[LiveError] = []

    def watch() -> None:
        try:
            list(api.watch(WORKLOADS, "1", 3600))
        except LiveError as error:
            caught.append(error)

    thread = threading.Thread(target=watch)
    thread.start()
    assert silent.reached.wait(300)
    api.close()
    thread.join(300)  # the watch itself would go on for an hour
    assert not thread.is_alive()
    assert [str(error) for error in caught] == ["the connection to 'kind-lab' was closed"]


def test_closing_ends_the_wait_of_a_busy_server(
    silent: Silent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may ask a reader to come back in an hour; whoever closes does not wait for it."""
    from kueuelab.live import adapter

    monkeypatch.setattr(adapter, "_WAIT_SECONDS", 3600.0)
    silent.says = BUSY
    api = silent.api()
    caught: list[LiveError] = []

    def read() -> None:
        try:
            api.list(WORKLOADS)
        except LiveError as error:
            caught.append(error)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    assert silent.reached.wait(300)
    api.close()
    thread.join(120)
    assert not thread.is_alive()
    assert [str(error) for error in caught] == ["the connection to 'kind-lab' was closed"]


def test_a_server_that_goes_silent_is_given_up(
    silent: Silent, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kueuelab.live import adapter

    monkeypatch.setattr(adapter, "_READ_SECONDS", 0.2)
    api = silent.api()
    with pytest.raises(LiveError, match="stopped answering at /version"):
        api.get("/version")
    api.close()


def test_no_server_listens() -> None:
    server = Silent(b"")
    server.close()
    api = server.api()
    with pytest.raises(LiveError, match="refuses the connection") as caught:
        list(api.watch(WORKLOADS, "1", 5))
    assert caught.value.trouble == "unreachable"
    api.close()
