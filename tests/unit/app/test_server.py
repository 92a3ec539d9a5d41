"""The server of the app: a token, the names of the host, the origin, and no other files."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tornado.httpclient import HTTPClientError, HTTPRequest, HTTPResponse
from tornado.testing import AsyncHTTPTestCase, gen_test
from tornado.web import Application
from tornado.websocket import websocket_connect

from kueuelab.app.pages import page_files
from kueuelab.app.server import Serving, application
from kueuelab.bench.cluster_dump import DumpShape, write_dump
from kueuelab.messages import english

TOKEN = "the-token"


@contextmanager
def refused(code: int) -> Iterator[None]:
    with pytest.raises(HTTPClientError) as caught:
        yield
    assert caught.value.code == code


class ServerTest(AsyncHTTPTestCase):
    def get_app(self) -> Application:
        self.serving = Serving(
            english(), Path(__file__).parent, ("two-teams",), self.get_http_port(), TOKEN
        )
        return application(self.serving)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.get_http_port()}"

    def ask(self, path: str, **headers: str) -> HTTPResponse:
        return self.fetch(path, headers=headers, follow_redirects=False)

    def test_the_address_with_the_token_gives_the_cookie_and_leaves_the_token_out(self) -> None:
        found = self.ask(f"/?token={TOKEN}")
        assert (found.code, found.headers["Location"]) == (302, "/")
        cookie = found.headers["Set-Cookie"]
        assert cookie.startswith(f"{self.serving.cookie}={TOKEN};")
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert self.ask("/?token=another").code == 403

    def test_every_answer_has_the_policy(self) -> None:
        for path in ("/", "/front.js", "/drawing.js", "/nothing"):
            policy = self.ask(path).headers["Content-Security-Policy"]
            assert "'unsafe" not in policy, "wasm-unsafe-eval is another word"
            assert "frame-ancestors 'none'" in policy
            assert "Server" not in self.ask(path).headers

    def test_another_name_of_the_host_reaches_nothing(self) -> None:
        assert self.ask("/").code == 200
        for host in ("evil.example", "127.0.0.1", f"evil.example:{self.get_http_port()}"):
            assert self.ask("/", Host=host).code == 403
            assert self.ask("/front.js", Host=host).code == 403

    def test_only_files_of_the_front_end_are_served(self) -> None:
        for name in page_files():
            assert self.ask(f"/{name}").code == 200, name
        for path in (
            "/app/main.js",
            "/app/../server.py",
            "/app/%2e%2e/server.py",
            "/server.py",
            "/engine.py",
        ):
            assert self.ask(path).code == 404, path

    def request(self, **changes: str) -> HTTPRequest:
        headers = {
            "Origin": f"http://{self.host}",
            "Cookie": f"{self.serving.cookie}={TOKEN}",
            "Host": self.host,
            **changes,
        }
        kept = {name: value for name, value in headers.items() if value}
        return HTTPRequest(f"ws://{self.host}/engine?reader=a", headers=kept)

    @gen_test
    async def test_a_connection_needs_the_cookie_the_origin_and_the_host(self) -> None:
        for code, changes in (
            (401, {"Cookie": ""}),
            (401, {"Cookie": f"{self.serving.cookie}=another"}),
            (403, {"Origin": ""}),
            (403, {"Origin": "http://evil.example"}),
            (403, {"Origin": f"https://{self.host}"}),
            (403, {"Host": "evil.example", "Origin": "http://evil.example"}),
        ):
            with refused(code):
                await websocket_connect(self.request(**changes))

    async def told(self, *commands: dict[str, Any]) -> list[Any]:
        connection = await websocket_connect(self.request())
        found = []
        for command in commands:
            await connection.write_message(json.dumps(command))
            found.append(json.loads(str(await connection.read_message())))
        connection.close()
        return found

    @gen_test(timeout=60)
    async def test_a_command_may_take_longer_than_the_answer_to_a_ping(self) -> None:
        self._app.settings["websocket_ping_interval"] = 0.02
        connection = await websocket_connect(self.request())
        pings, three, done = [], asyncio.Event(), threading.Event()

        def on_ping(data: bytes) -> None:
            pings.append(data)
            if len(pings) == 3:
                three.set()

        connection.on_ping = on_ping  # type: ignore[method-assign]
        await connection.write_message(json.dumps({"do": "hello", "id": 2}))
        await connection.read_message()
        self.serving.worker.submit(done.wait)
        reading = asyncio.ensure_future(connection.read_message())
        await connection.write_message(json.dumps({"do": "hello", "id": 3}))
        await three.wait()
        done.set()
        assert json.loads(str(await reading))["id"] == 3
        connection.close()

    @gen_test
    async def test_a_page_that_is_loaded_again_finds_what_was_open(self) -> None:
        (opened,) = await self.told({"do": "open", "source": "two-teams", "id": 7})
        assert (opened["id"], opened["answer"]["branch"]) == (7, "two-teams")
        (again,) = await self.told({"do": "hello", "id": 1})
        assert again["answer"]["opened"]["branches"][0]["name"] == "two-teams"

    @gen_test
    async def test_an_address_opens_no_file_of_another_folder(self) -> None:
        secret, wrong = await self.told(
            {"do": "open", "source": "/etc/hosts"}, {"do": "open", "source": "../../conftest.py"}
        )
        for each in (secret, wrong):
            assert "not in the folder" in each["error"]["message"]

    @gen_test
    async def test_an_address_opens_no_cluster_that_the_kubeconfig_does_not_have(self) -> None:
        (found,) = await self.told({"do": "open", "source": "context:nowhere"})
        assert "there is no context named 'nowhere'" in found["error"]["message"]

    @gen_test(timeout=60)
    async def test_a_table_is_answered_while_its_file_is_loaded(self) -> None:
        text = io.StringIO()
        write_dump(DumpShape(queues=10, pending=490, admitted=20), text)
        connection = await websocket_connect(self.request())
        await connection.write_message(b"file-1\n" + text.getvalue().encode(), binary=True)
        commands: list[dict[str, Any]] = [
            {"do": "open", "name": "dump.json", "file": "file-1", "decide": False, "id": 1},
            {"do": "load", "branch": "dump", "id": 2},
            {"do": "overview", "branch": "dump", "id": 3},
            {"do": "workloads", "branch": "dump", "count": 1, "id": 4},
        ]
        found: dict[int, Any] = {}
        for command in commands:
            await connection.write_message(json.dumps(command))
            if command["id"] == 1:
                found[1] = json.loads(str(await connection.read_message()))
        while len(found) < len(commands):
            answer = json.loads(str(await connection.read_message()))
            if "progress" not in answer:
                found[answer["id"]] = answer["answer"]
        connection.close()
        assert [*found] == [1, 4, 2, 3]
        assert found[1]["answer"]["branches"][0]["stage"] == "listed"
        assert found[2]["branches"][0]["stage"] == "read"
        assert (found[4]["total"], found[3]["pending"]) == (5_100, 4_900)

    @gen_test
    async def test_nonsense_is_answered(self) -> None:
        found = await self.told({"do": "nonsense"}, {})
        assert all("error" in each for each in found)


def test_the_server_does_not_import_the_scheduler() -> None:
    code = (
        "import sys, kueuelab.app.server\n"
        "print([name for name in sys.modules if name.startswith('kueuelab.simulation')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
