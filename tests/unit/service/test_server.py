"""The service over HTTP: the token, hosts and origins, limits, codes, the document and the page."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import jsonschema
from tornado.httpclient import HTTPResponse
from tornado.testing import AsyncHTTPTestCase, gen_test
from tornado.web import Application

from kueuelab.messages import english
from kueuelab.service import server
from kueuelab.service.engine import Engine, Outcome, Reply, Shape
from kueuelab.service.operations import OPERATIONS
from kueuelab.service.served_cluster import Source
from kueuelab.service.server import Service, application

TOKEN = "a-token-for-the-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
JSON = {"Content-Type": "application/json"}
WORKLOAD = "team-b/job-b-cpu-2-71f14"
PRIORITY = {"spec.priority": 2000}


class ServiceTest(AsyncHTTPTestCase):
    engine: ClassVar[Engine]

    @classmethod
    def setUpClass(cls) -> None:
        cls.engine = Engine(Source("two-teams"), english(), 60)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.engine.close()

    def get_app(self) -> Application:
        port = self.get_http_port()
        self.service = Service(self.engine, english(), "1.2", "two-teams", port, TOKEN)
        return application(self.service)

    def tearDown(self) -> None:
        self.service.close()
        super().tearDown()

    def ask(self, path: str, body: Any = None, **headers: str) -> HTTPResponse:
        given = {**BEARER, **({} if body is None else JSON), **headers}
        sent = {name: value for name, value in given.items() if value}
        if body is None:
            return self.fetch(path, headers=sent, follow_redirects=False)
        text = body if isinstance(body, bytes) else json.dumps(body)
        return self.fetch(path, method="POST", headers=sent, body=text)

    def test_each_operation_answers_as_the_document_says(self) -> None:
        document = json.loads(self.ask("/openapi.json").body)
        asked: dict[str, Any] = {
            "try": {"jobs": "kind: Job\n"},
            "pending": "?count=1",
            "why": f"?workload={WORKLOAD}",
            "levers": f"?workload={WORKLOAD}&costs=true",
            "lint": "",
            "lintManifests": {"manifests": "kind: Job\n"},
            "compare": {
                "edits": [{"object": f"Workload/{WORKLOAD}", "values": {"spec.priority": 2000}}]
            },
        }
        assert list(asked) == list(OPERATIONS)
        for name, given in asked.items():
            operation = OPERATIONS[name]
            if operation.method == "GET":
                found = self.ask(operation.path + given)
            else:
                found = self.ask(operation.path, given)
            assert (found.code, found.headers["Content-Type"]) == (200, "application/json"), name
            described = document["paths"][operation.path][operation.method.lower()]
            schema = described["responses"]["200"]["content"]["application/json"]["schema"]
            jsonschema.validate(
                json.loads(found.body), {**schema, "components": document["components"]}
            )

    def test_every_answer_needs_the_token(self) -> None:
        for path in ("/", "/v1/pending", "/metrics", "/openapi.json", "/style.css", "/nothing"):
            for given in ("", "Bearer another", f"Basic {TOKEN}", "Bearer "):
                found = self.ask(path, Authorization=given)
                assert (found.code, found.headers["WWW-Authenticate"]) == (401, "Bearer"), path
        assert self.ask("/healthz", Authorization="").code == 200

    def test_the_address_with_the_token_gives_a_cookie_for_the_page(self) -> None:
        found = self.ask(f"/?token={TOKEN}", Authorization="")
        assert (found.code, found.headers["Location"]) == (302, "/")
        cookie = found.headers["Set-Cookie"].partition(";")[0]
        assert b"two-teams" in self.ask("/", Authorization="", Cookie=cookie).body
        assert self.ask("/?token=another", Authorization="").code == 403

    def test_other_hosts_and_pages_of_other_origins_reach_nothing(self) -> None:
        own = f"127.0.0.1:{self.get_http_port()}"
        assert self.ask("/v1/pending", Origin=f"http://{own}").code == 200
        assert self.ask("/v1/pending", Origin="http://evil.example").code == 403
        for host in ("evil.example", f"evil.example:{self.get_http_port()}"):
            assert self.ask("/v1/pending", Host=host).code == 403
            assert self.ask("/healthz", Host=host).code == 403

    def test_a_service_for_others_goes_by_any_name(self) -> None:
        self.service.hosts = ()
        assert self.ask("/v1/pending", Host="kueuelab.kueue-system.svc").code == 200

    def test_the_policy_allows_no_script(self) -> None:
        for path in ("/", "/v1/pending", "/nothing"):
            policy = self.ask(path).headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'; style-src 'self';")
            assert "script" not in policy
        assert b"<script" not in self.ask("/").body

    def test_what_is_wrong_with_a_request_is_said(self) -> None:
        for code, path, body, headers in (
            (400, "/v1/pending?count=many", None, {}),
            (400, "/v1/pending?count=1&count=2", None, {}),
            (400, "/v1/pending?counts=1", None, {}),
            (400, "/v1/pending?count=501", None, {}),
            (400, "/v1/pending?count=99999999999999999999999", None, {}),
            (400, "/v1/levers?workload=a&costs=yes", None, {}),
            (400, "/v1/why", None, {}),
            (404, "/v1/why?workload=nothing", None, {}),
            (404, "/v1/nothing", None, {}),
            (400, "/v1/try", b"{", {}),
            (400, "/v1/try", b"\xff", {}),
            (400, "/v1/try", b'{"jobs": "\\ud800"}', {}),
            (400, "/v1/compare", b'{"edits": [{"object": "a", "values": {"b": NaN}}]}', {}),
            (400, "/v1/try", b"[" * 100_000, {}),
            (400, "/v1/try", {"jobs": 1}, {}),
            (415, "/v1/try", {"jobs": "a"}, {"Content-Type": "text/plain"}),
            (422, "/v1/compare", {}, {}),
            (422, "/v1/try", {"jobs": JOB_WITHOUT_QUEUE}, {}),
        ):
            found = self.ask(path, body, **headers)
            assert found.code == code, (path, body, found.body)
            assert json.loads(found.body)["message"], path

    def test_other_methods_are_refused_with_those_that_are_allowed(self) -> None:
        for method, path, allowed in (
            ("DELETE", "/v1/lint", "GET, POST"),
            ("HEAD", "/v1/pending", "GET"),
            ("GET", "/v1/try", "POST"),
            ("PUT", "/metrics", "GET"),
        ):
            body = b"" if method == "PUT" else None
            found = self.fetch(path, method=method, headers=BEARER, body=body)
            assert (found.code, found.headers["Allow"]) == (405, allowed)

    def test_a_large_body_is_refused(self) -> None:
        large = b" " * (8 * 2**20 + 1)
        assert self.ask("/v1/try", large).code == 413
        jobs = {"jobs": "a" * (4 * 2**20 + 1)}
        assert json.loads(self.ask("/v1/try", jobs).body)["problems"][0]["field"] == "jobs"

    @gen_test
    async def test_a_large_body_in_pieces_is_refused(self) -> None:
        async def pieces(write: Any) -> None:
            for _ in range(9):
                await write(b" " * 2**20)

        found = await self.http_client.fetch(
            self.get_url("/v1/try"),
            method="POST",
            headers={**BEARER, **JSON},
            body_producer=pieces,
            raise_error=False,
        )
        assert found.code == 413

    def test_metrics_are_text_for_prometheus(self) -> None:
        found = self.ask("/metrics")
        assert found.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert b'kueuelab_pending_workloads{queue="cq-b",cause="quota"} 3\n' in found.body

    def test_the_page_names_every_operation_and_type(self) -> None:
        page = self.ask("/").body.decode()
        for operation in OPERATIONS.values():
            assert f"<code>{operation.method} {operation.path}</code>" in page
            assert f'<a href="#{operation.answer.__name__}">' in page
        assert self.ask("/style.css").headers["Content-Type"].startswith("text/css")


JOB_WITHOUT_QUEUE = """
apiVersion: v1
kind: Namespace
metadata: {name: a}
"""


class Stuck:
    """In place of an engine: every answer has the outcome that is asked for."""

    def ask(self, name: str, _fields: str, _shape: Shape = Shape.DATA) -> Reply:
        return Reply({"pending": Outcome.UNREACHABLE, "lint": Outcome.TOO_LONG}[name], "{}")


class StuckServiceTest(AsyncHTTPTestCase):
    def get_app(self) -> Application:
        port = self.get_http_port()
        self.service = Service(Stuck(), english(), "1.2", "x", port, TOKEN)  # type: ignore[arg-type]
        return application(self.service)

    def tearDown(self) -> None:
        self.service.close()
        super().tearDown()

    def test_a_cluster_that_cannot_be_read_and_a_long_answer(self) -> None:
        assert self.fetch("/v1/pending", headers=BEARER).code == 503
        assert self.fetch("/v1/lint", headers=BEARER).code == 422

    def test_too_many_requests_are_sent_away(self) -> None:
        self.service._waiting = server._MOST_WAITING + 1
        found = self.fetch("/v1/pending", headers=BEARER)
        assert (found.code, found.headers["Retry-After"]) == (429, "1")
